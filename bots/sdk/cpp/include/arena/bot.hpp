// Plays a bot over gRPC: `return arena::play("name", "1", start);` is all that main() needs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "arena/game.hpp"

namespace arena {

// Decides for one seat of one game.
class Bot {
 public:
  virtual ~Bot() = default;
  // The answer to one question; whatever it picks from `legal` is legal.
  virtual Answer decide(const View& view, const Legal& legal) = 0;
  // The game is over; what a bot may want to log or to learn from.
  virtual void over(const Result&) {}
};

// Makes the bot of a game that begins; called once for each game and seat. The game outlives its bot.
using Factory = std::function<std::unique_ptr<Bot>(Game&)>;

// Play all games of the server that ARENA_ADDRESS names until it has no more. What main() is to return: 0, or 1 after
// one line on the standard error that says what to set when the bot cannot play. What the bot throws comes through.
int play(const std::string& name, const std::string& version, const Factory& factory);

// The same with a function of the game that gives back what decides: a function of view and legal ranges.
template <class Start>
  requires(!std::is_convertible_v<std::invoke_result_t<Start, Game&>, std::unique_ptr<Bot>>)
int play(const std::string& name, const std::string& version, Start start) {
  using Decide = std::invoke_result_t<Start, Game&>;
  struct Function : Bot {
    explicit Function(Decide function) : decide_(std::move(function)) {}
    Answer decide(const View& view, const Legal& legal) override { return decide_(view, legal); }
    Decide decide_;
  };
  return play(name, version, Factory([start](Game& game) { return std::make_unique<Function>(start(game)); }));
}

}  // namespace arena
