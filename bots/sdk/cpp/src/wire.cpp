#include "wire.hpp"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <stdexcept>

namespace arena::wire {
namespace {

constexpr std::size_t kWordsARange = 3;
constexpr std::size_t kWordsAnEvent = 4;

// Packed bytes as words, which are little-endian; the layouts are in rules.proto.
std::vector<std::int32_t> words(const std::string& packed) {
  std::vector<std::int32_t> read(packed.size() / 4);
  for (std::size_t i = 0; i < read.size(); ++i) {
    std::uint32_t word = 0;
    for (int byte = 3; byte >= 0; --byte) word = word << 8 | static_cast<unsigned char>(packed[4 * i + byte]);
    read[i] = static_cast<std::int32_t>(word);
  }
  return read;
}

// One of the four bytes of a word, the lowest first.
int part(std::int32_t word, int number) { return static_cast<std::uint32_t>(word) >> (8 * number) & 0xFF; }

std::vector<Event> events(const Game& game, const std::string& packed) {
  const auto read = words(packed);
  std::vector<Event> found;
  for (std::size_t at = 0; at < read.size();) {
    const std::int32_t* event = &read[at];
    const std::size_t size = kWordsAnEvent + event[3];
    if (at + size > read.size()) throw std::invalid_argument("the events end within one");
    found.push_back({.kind = part(event[0], 0),
                     .name = game.events.at(part(event[0], 0)).name,
                     .a = part(event[0], 1),
                     .b = part(event[0], 2),
                     .c = part(event[0], 3),
                     .n = event[1],
                     .seat = event[2],
                     .dice = {event + kWordsAnEvent, event + size}});
    at += size;
  }
  return found;
}

template <class Strings>
std::vector<std::string> texts(const Strings& from) {
  return {from.begin(), from.end()};
}

template <class Kinds>
std::vector<Kind> kinds(const Kinds& from) {
  std::vector<Kind> read;
  for (const v1::Kind& kind : from) {
    Kind& last = read.emplace_back(Kind{kind.name(), {}, kind.amount(), kind.summary()});
    std::copy_n(kind.operands().begin(), std::min(3, kind.operands_size()), last.operands.begin());
  }
  return read;
}

void read_rules(Game& game, const v1::Rules& rules) {
  game.seats = static_cast<int>(rules.seats());
  game.family = rules.family();
  game.layout_version = rules.layout_version();
  game.colours = texts(rules.colours());
  game.colour_seats.assign(rules.colour_seats().begin(), rules.colour_seats().end());
  game.teams.assign(rules.teams().begin(), rules.teams().end());
  game.territories = texts(rules.territories());
  game.territory_names = texts(rules.territory_names());
  game.cards = texts(rules.cards());
  game.phases = texts(rules.phases());
  game.actions = kinds(rules.actions());
  game.events = kinds(rules.events());
  int offset = 1;  // behind the version word
  for (const v1::Field& field : rules.fields()) {
    const int length = static_cast<int>(field.length());
    game.fields[field.name()] = {field.name(), length, field.of(), field.per(), offset};
    offset += length;
  }
  for (const v1::Label& label : rules.labels()) game.labels[label.kind()] = texts(label.names());
}

// A member of a JSON object; an empty value if there is none.
const google::protobuf::Value& member(const google::protobuf::Struct& object, const std::string& name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? google::protobuf::Value::default_instance() : found->second;
}

int territory(const Game& game, const google::protobuf::Value& id) {
  return static_cast<int>(std::ranges::find(game.territories, id.string_value()) - game.territories.begin());
}

void read_neighbours(Game& game) {
  game.neighbours.resize(game.territories.size());
  google::protobuf::Struct ruleset;
  if (!google::protobuf::util::JsonStringToMessage(game.ruleset, &ruleset).ok()) {
    throw std::invalid_argument("the ruleset is not JSON");
  }
  const auto& borders = member(member(ruleset, "board").struct_value(), "borders");
  for (const auto& border : borders.list_value().values()) {
    const int one = territory(game, border.list_value().values(0));
    const int other = territory(game, border.list_value().values(1));
    game.neighbours.at(one).push_back(other);
    game.neighbours.at(other).push_back(one);
  }
}

void add(v1::Act& act, const Action& action) {
  v1::Action& message = *act.add_actions();
  message.set_kind(action.kind);
  message.set_a(action.a);
  message.set_b(action.b);
  message.set_c(action.c);
  message.set_n(action.n);
}

}  // namespace

std::unique_ptr<Game> game(const v1::GameStart& start) {
  auto game = std::make_unique<Game>();
  game->number = static_cast<int>(start.game());
  game->seat = static_cast<int>(start.seat());
  read_rules(*game, start.rules());
  game->ruleset = start.ruleset();
  game->ruleset_hash = start.ruleset_hash();
  read_neighbours(*game);
  using std::chrono::milliseconds;
  const v1::Limits& limits = start.limits();
  game->limits = {milliseconds(limits.decision_ms()), milliseconds(limits.game_ms()),
                  milliseconds(limits.increment_ms()), !limits.unclocked()};
  game->bot_seed = start.bot_seed();
  game->players = texts(start.players());
  game->options = {start.options().begin(), start.options().end()};
  game->rng = Rng(start.bot_seed());
  return game;
}

View view(const Game& game, const v1::Decide& question) {
  return View(game, words(question.view()), events(game, question.events()),
              static_cast<int>(question.game_left_ms()));
}

Legal legal(const Game& game, const v1::Decide& question) {
  const auto read = words(question.legal());
  std::vector<Range> ranges(read.size() / kWordsARange);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::int32_t* range = &read[i * kWordsARange];
    const int kind = part(range[0], 0);
    ranges[i] = {static_cast<int>(i), kind, game.actions.at(kind).name,
                 part(range[0], 1),   part(range[0], 2), part(range[0], 3), range[1], range[2]};
  }
  return Legal(std::move(ranges));
}

Result result(const v1::GameEnd& end) {
  Result read{.termination = end.termination(),
              .winners = {end.winners().begin(), end.winners().end()},
              .scores = {end.scores().begin(), end.scores().end()},
              .laps = static_cast<int>(end.laps()),
              .faults = {}};
  for (const v1::Fault& fault : end.faults()) read.faults.push_back(fault.kind() + ": " + fault.message());
  return read;
}

v1::Act act(std::uint32_t decision_id, const Answer& answer) {
  v1::Act message;
  message.set_decision_id(decision_id);
  if (const auto* choice = std::get_if<Choice>(&answer)) {
    message.set_range(choice->range);
    message.set_amount(choice->amount);
  } else if (const auto* action = std::get_if<Action>(&answer)) {
    add(message, *action);
  } else {
    const auto& plan = std::get<Plan>(answer);
    if (plan.empty()) throw std::invalid_argument("a plan has at least one action");
    for (const Action& step : plan) add(message, step);
  }
  return message;
}

}  // namespace arena::wire
