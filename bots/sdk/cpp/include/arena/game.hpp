// A game as its start described it, what a seat sees of it, and what it may do.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace arena {

// Randomness that is the same on every machine: std::mt19937_64 with draws of its own, since those of the standard
// library differ between its makers.
class Rng {
 public:
  using result_type = std::mt19937_64::result_type;

  explicit Rng(std::string_view seed);
  static constexpr result_type min() { return std::mt19937_64::min(); }
  static constexpr result_type max() { return std::mt19937_64::max(); }
  result_type operator()() { return engine_(); }
  // A number from 0 to n - 1; n must be positive.
  int below(int n);

 private:
  std::mt19937_64 engine_;
};

// A legal range by its index in the question's list, with an amount from its lo to its hi.
struct Choice {
  int range = 0;
  int amount = 0;
  bool operator==(const Choice&) const = default;
};

// An action by its numbers: kind is an index into Game::actions; unused operands and amounts are 0.
struct Action {
  int kind = 0, a = 0, b = 0, c = 0, n = 0;
  bool operator==(const Action&) const = default;
};

// Several actions, at least one. The first answers the question, each further one the next question of the seat without
// its being asked; the rest is dropped at the first that is not legal, at any luck, and at any other seat's doing.
using Plan = std::vector<Action>;

using Answer = std::variant<Choice, Action, Plan>;

// All actions of one kind and operands with an amount from lo to hi, both included.
struct Range {
  int index = 0;          // its place in the question's list
  int kind = 0;           // index into Game::actions
  std::string_view name;  // the kind's name, such as "attack"; lives as long as the game
  int a = 0, b = 0, c = 0, lo = 0, hi = 0;

  Choice first() const { return {index, lo}; }
  Choice last() const { return {index, hi}; }
  // This range with an amount; std::out_of_range where the range does not have it.
  Choice choose(int amount) const;
  Choice sample(Rng& rng) const { return {index, lo + rng.below(hi - lo + 1)}; }
  // The same as an action, as a Plan holds it.
  Action action(int amount) const { return {kind, a, b, c, amount}; }
};

// The legal ranges of a question, in the server's order; never empty.
class Legal {
 public:
  explicit Legal(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}
  auto begin() const { return ranges_.begin(); }
  auto end() const { return ranges_.end(); }
  std::size_t size() const { return ranges_.size(); }
  const Range& operator[](std::size_t index) const { return ranges_.at(index); }
  // The first range of a kind, such as "end"; nullptr if there is none.
  const Range* find(std::string_view name) const;
  // A random range with a random amount.
  Choice sample(Rng& rng) const { return ranges_[rng.below(static_cast<int>(ranges_.size()))].sample(rng); }

 private:
  std::vector<Range> ranges_;
};

// Something that happened. An operand of 255 stands for nobody, or nothing that may be seen.
struct Event {
  int kind = 0;           // index into Game::events
  std::string_view name;  // the kind's name, such as "captured"; lives as long as the game
  int a = 0, b = 0, c = 0, n = 0;
  int seat = -1;  // the seat it is about; -1 for none
  std::vector<std::int32_t> dice;
};

// One kind of action or event; operands and amount are empty where unused.
struct Kind {
  std::string name;
  std::array<std::string, 3> operands;  // what a, b and c mean: "territory", "card", "seat", ...
  std::string amount;                   // what the amount counts, such as "dice"
  std::string summary;
};

// One named run of values in the view.
struct Field {
  std::string name;
  int length = 0;
  std::string of;   // what the values are, such as "colour"
  std::string per;  // what indexes them, such as "territory"; empty for a single value
  int offset = 0;   // word of the packed view where it begins
};

// The clocks.
struct Limits {
  std::chrono::milliseconds decision{0};   // for one decision
  std::chrono::milliseconds game{0};       // for all decisions of the seat in the game: its bank
  std::chrono::milliseconds increment{0};  // what each answer adds to the bank
  bool clocked = true;                     // false where no clock runs, for debugging: no decision is late then
};

// A game as its start described it, from one seat.
class Game {
 public:
  int number = 0;  // of this seat's game on this connection
  int seat = 0;    // the bot's
  int seats = 0;
  std::string family;
  std::uint32_t layout_version = 0;
  std::vector<std::string> colours;
  std::vector<int> colour_seats;  // the seat that commands each colour; -1 for a neutral one
  std::vector<int> teams;         // of each seat
  std::vector<std::string> territories, territory_names, cards, phases;
  std::vector<Kind> actions, events;
  std::map<std::string, Field, std::less<>> fields;        // of the view, by name
  std::map<std::string, std::vector<std::string>> labels;  // names of further kinds of things, such as "mission"
  std::vector<std::vector<int>> neighbours;  // of each territory; none where the ruleset's board has no borders
  std::string ruleset;                       // the whole resolved ruleset, as JSON
  std::string ruleset_hash;
  Limits limits;
  std::string bot_seed;
  std::vector<std::string> players;            // labels by seat; empty where they stay unknown
  std::map<std::string, std::string> options;  // settings of the bot's entry, as JSON values
  Rng rng{""};  // seeded for this bot in this game: with no other source of randomness, a match repeats exactly
  std::function<void(std::string_view)> log;  // a line for the author's log, kept with the game

  // Whether this seat commands a colour.
  bool commands(int colour) const;
};

// What a seat may see at a question: values by field name; -1 is hidden or none.
class View {
 public:
  View(const Game& game, std::vector<std::int32_t> words, std::vector<Event> seen, int left_ms);
  bool has(std::string_view field) const { return game->fields.contains(field); }
  // The value of a field of one value, such as "lap"; the first value of others. std::out_of_range: no such field.
  int number(std::string_view field) const { return values(field)[0]; }
  // All values of a field, such as "troops" by territory.
  std::span<const std::int32_t> values(std::string_view field) const;

  const Game* game;
  std::vector<Event> events;  // what this seat saw happen since its last question
  int game_left_ms;           // of the game's limit

 private:
  std::vector<std::int32_t> words_;
};

// How a game ended.
struct Result {
  std::string termination;  // "rules", "turn_cap", ...; empty when it was broken off and does not count
  std::vector<int> winners;
  std::vector<double> scores;  // of each seat, from 0 to 1
  int laps = 0;
  std::vector<std::string> faults;  // what this seat did wrong, one sentence each
};

}  // namespace arena
