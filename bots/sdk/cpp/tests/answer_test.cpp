#include <gtest/gtest.h>

#include <set>

#include "wire.hpp"

namespace arena {
namespace {

constexpr Range kAttack{.index = 4, .kind = 6, .name = "attack", .a = 1, .b = 2, .c = 0, .lo = 1, .hi = 3};

TEST(Answers, AChoiceIsARangeWithAnAmount) {
  const v1::Act act = wire::act(9, kAttack.last());
  EXPECT_EQ(act.decision_id(), 9u);
  EXPECT_EQ(act.range(), 4u);
  EXPECT_EQ(act.amount(), 3);
  EXPECT_EQ(act.actions_size(), 0);
  EXPECT_EQ(kAttack.first().amount, 1);
  EXPECT_EQ(kAttack.choose(2).amount, 2);
  EXPECT_THROW(kAttack.choose(4), std::out_of_range);
}

TEST(Answers, AnActionSaysItsNumbers) {
  const v1::Act act = wire::act(9, kAttack.action(2));
  ASSERT_EQ(act.actions_size(), 1);
  const v1::Action& action = act.actions(0);
  EXPECT_EQ(action.kind(), 6u);
  EXPECT_EQ(action.a(), 1u);
  EXPECT_EQ(action.b(), 2u);
  EXPECT_EQ(action.c(), 0u);
  EXPECT_EQ(action.n(), 2);
}

TEST(Answers, APlanIsSeveralActionsInTheirOrder) {
  const v1::Act act = wire::act(9, Plan{kAttack.action(3), kAttack.action(1)});
  ASSERT_EQ(act.actions_size(), 2);
  EXPECT_EQ(act.actions(0).n(), 3);
  EXPECT_EQ(act.actions(1).n(), 1);
  EXPECT_THROW(wire::act(9, Plan{}), std::invalid_argument);
}

TEST(Answers, AKindIsFoundByItsName) {
  const Legal legal({kAttack, {.index = 1, .name = "end"}});
  ASSERT_NE(legal.find("end"), nullptr);
  EXPECT_EQ(legal.find("end")->index, 1);
  EXPECT_EQ(legal.find("fortify"), nullptr);
}

TEST(Randomness, EqualSeedsDrawEqually) {
  Rng one("seed"), same("seed"), other("another seed");
  std::vector<int> drawn, again, different;
  for (int i = 0; i < 100; ++i) {
    drawn.push_back(one.below(1000));
    again.push_back(same.below(1000));
    different.push_back(other.below(1000));
  }
  EXPECT_EQ(drawn, again);
  EXPECT_NE(drawn, different);
}

TEST(Randomness, EveryAmountOfARangeIsDrawn) {
  Rng rng("seed");
  std::set<int> drawn;
  for (int i = 0; i < 100; ++i) drawn.insert(kAttack.sample(rng).amount);
  EXPECT_EQ(drawn, (std::set{1, 2, 3}));
}

}  // namespace
}  // namespace arena
