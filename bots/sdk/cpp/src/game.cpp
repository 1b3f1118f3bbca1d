#include "arena/game.hpp"

#include <algorithm>
#include <stdexcept>

namespace arena {

Rng::Rng(std::string_view seed) {
  std::seed_seq sequence(seed.begin(), seed.end());
  engine_.seed(sequence);
}

int Rng::below(int n) {
  const auto bound = static_cast<result_type>(n);
  const result_type fair = max() - max() % bound;  // what lies beyond would favour the small numbers
  result_type drawn = engine_();
  while (drawn >= fair) drawn = engine_();
  return static_cast<int>(drawn % bound);
}

Choice Range::choose(int amount) const {
  if (amount < lo || amount > hi) {
    throw std::out_of_range(std::string(name) + " takes an amount from " + std::to_string(lo) + " to " +
                            std::to_string(hi) + ", not " + std::to_string(amount));
  }
  return {index, amount};
}

const Range* Legal::find(std::string_view name) const {
  const auto found = std::ranges::find(ranges_, name, &Range::name);
  return found == ranges_.end() ? nullptr : &*found;
}

bool Game::commands(int colour) const {
  return colour >= 0 && colour < static_cast<int>(colour_seats.size()) && colour_seats[colour] == seat;
}

View::View(const Game& of, std::vector<std::int32_t> words, std::vector<Event> seen, int left_ms)
    : game(&of), events(std::move(seen)), game_left_ms(left_ms), words_(std::move(words)) {
  std::size_t expected = 1;  // the version word
  for (const auto& [name, field] : game->fields) expected += field.length;
  if (words_.size() != expected || static_cast<std::uint32_t>(words_[0]) != game->layout_version) {
    throw std::invalid_argument("the view has " + std::to_string(words_.size()) + " words, but the game said " +
                                std::to_string(expected) + " of layout " + std::to_string(game->layout_version));
  }
}

std::span<const std::int32_t> View::values(std::string_view name) const {
  const auto found = game->fields.find(name);
  if (found == game->fields.end()) throw std::out_of_range("this game has no field " + std::string(name));
  return std::span(words_).subspan(found->second.offset, found->second.length);
}

}  // namespace arena
