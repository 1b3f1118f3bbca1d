// What is read from the platform's bytes is what the platform says is in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "arena/recorded.hpp"
#include "data.hpp"
#include "wire.hpp"

namespace arena {
namespace {

class Decoding : public testing::TestWithParam<const char*> {
 protected:
  Data data{GetParam()};
  std::unique_ptr<Game> game = wire::game(data.start);
};

std::vector<std::string> names(const std::vector<Kind>& kinds) {
  std::vector<std::string> read;
  std::ranges::transform(kinds, std::back_inserter(read), &Kind::name);
  return read;
}

TEST_P(Decoding, AGameIsRead) {
  const Json& said = Data::at(data.said, "game");
  EXPECT_EQ(game->number, number(said, "game"));
  EXPECT_EQ(game->seat, number(said, "seat"));
  EXPECT_EQ(game->seats, number(said, "seats"));
  EXPECT_EQ(game->limits.decision.count(), number(said, "decision_ms"));
  EXPECT_EQ(game->limits.game.count(), number(said, "game_ms"));
  EXPECT_EQ(game->limits.increment.count(), number(said, "increment_ms"));
  EXPECT_EQ(game->limits.clocked, !Data::at(said, "unclocked").bool_value());
  EXPECT_EQ(game->players, texts(Data::at(said, "players")));
  EXPECT_EQ(game->territories, texts(Data::at(said, "territories")));
  EXPECT_EQ(names(game->actions), texts(Data::at(said, "actions")));
  EXPECT_EQ(names(game->events), texts(Data::at(said, "events")));
  EXPECT_EQ(game->colour_seats, ints(Data::at(said, "colour_seats")));
  EXPECT_EQ(game->options.at("pace"), "3");
  for (int colour = -1; colour <= static_cast<int>(game->colour_seats.size()); ++colour) {
    const bool there = colour >= 0 && colour < static_cast<int>(game->colour_seats.size());
    EXPECT_EQ(game->commands(colour), there && game->colour_seats[colour] == game->seat);
  }
}

TEST_P(Decoding, NeighboursAreTheBordersOfTheBoard) {
  std::multiset<std::pair<std::string, std::string>> expected, found;
  for (const Json& border : Data::at(Data::at(data.said, "game"), "borders").list_value().values()) {
    const auto ends = texts(border);
    expected.insert({ends[0], ends[1]});
    expected.insert({ends[1], ends[0]});
  }
  ASSERT_EQ(game->neighbours.size(), game->territories.size());
  for (std::size_t one = 0; one < game->neighbours.size(); ++one) {
    for (int other : game->neighbours[one]) found.insert({game->territories[one], game->territories[other]});
  }
  EXPECT_EQ(found, expected);
}

TEST_P(Decoding, EveryQuestionIsRead) {
  const auto& questions = Data::at(data.said, "decides").list_value().values();
  ASSERT_GT(questions.size(), 3);
  ASSERT_EQ(questions.size(), data.decides.decides_size());
  for (int i = 0; i < questions.size(); ++i) {
    const View view = wire::view(*game, data.decides.decides(i));
    EXPECT_EQ(view.game_left_ms, number(questions[i], "game_left_ms"));
    const auto& fields = Data::at(questions[i], "view").struct_value().fields();
    EXPECT_EQ(fields.size(), game->fields.size());
    for (const auto& [name, values] : fields) EXPECT_EQ(ints(view.values(name)), ints(values)) << name;
  }
}

TEST_P(Decoding, EveryRangeIsRead) {
  const auto& questions = Data::at(data.said, "decides").list_value().values();
  for (int i = 0; i < questions.size(); ++i) {
    const Legal legal = wire::legal(*game, data.decides.decides(i));
    const auto& said = Data::at(questions[i], "legal").list_value().values();
    ASSERT_EQ(legal.size(), static_cast<std::size_t>(said.size()));
    for (const Range& range : legal) {
      const Json& expected = said[range.index];
      EXPECT_EQ((std::vector{range.kind, range.a, range.b, range.c, range.lo, range.hi}),
                (std::vector{number(expected, "kind"), number(expected, "a"), number(expected, "b"),
                             number(expected, "c"), number(expected, "lo"), number(expected, "hi")}));
      EXPECT_EQ(range.name, game->actions[range.kind].name);
    }
  }
}

TEST_P(Decoding, EveryEventIsRead) {
  const auto& questions = Data::at(data.said, "decides").list_value().values();
  int seen = 0;
  for (int i = 0; i < questions.size(); ++i) {
    const View view = wire::view(*game, data.decides.decides(i));
    const auto& said = Data::at(questions[i], "events").list_value().values();
    ASSERT_EQ(view.events.size(), static_cast<std::size_t>(said.size()));
    for (int e = 0; e < said.size(); ++e, ++seen) {
      const Event& event = view.events[e];
      EXPECT_EQ((std::vector{event.kind, event.a, event.b, event.c, event.n, event.seat}),
                (std::vector{number(said[e], "kind"), number(said[e], "a"), number(said[e], "b"),
                             number(said[e], "c"), number(said[e], "n"), number(said[e], "seat")}));
      EXPECT_EQ(ints(event.dice), ints(Data::at(said[e], "dice")));
      EXPECT_EQ(event.name, game->events[event.kind].name);
    }
  }
  EXPECT_GT(seen, 10);
}

TEST_P(Decoding, ARecordingHasTheSameQuestions) {
  const Recorded found = recorded(TESTDATA, GetParam());
  ASSERT_EQ(found.questions.size(), static_cast<std::size_t>(data.decides.decides_size()));
  const View view = wire::view(*game, data.decides.decides(0));
  EXPECT_EQ(found.questions[0].legal.size(), wire::legal(*game, data.decides.decides(0)).size());
  for (const auto& [name, field] : game->fields) {
    EXPECT_EQ(ints(found.questions[0].view.values(name)), ints(view.values(name)));
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Decoding, testing::Values("classic", "command_room", "endor"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Views, AFieldThatIsNotThereIsNamed) {
  const Data data("classic");
  const auto game = wire::game(data.start);
  const View view = wire::view(*game, data.decides.decides(0));
  EXPECT_TRUE(view.has("troops"));
  EXPECT_FALSE(view.has("tropps"));
  EXPECT_EQ(view.number("lap"), view.values("lap")[0]);
  EXPECT_THROW(view.values("tropps"), std::out_of_range);
}

TEST(Views, AnotherLayoutIsRefused) {
  const Data data("classic");
  const auto game = wire::game(data.start);
  v1::Decide question = data.decides.decides(0);
  ++(*question.mutable_view())[0];
  EXPECT_THROW(wire::view(*game, question), std::invalid_argument);
  question.mutable_view()->clear();
  EXPECT_THROW(wire::view(*game, question), std::invalid_argument);
}

}  // namespace
}  // namespace arena
