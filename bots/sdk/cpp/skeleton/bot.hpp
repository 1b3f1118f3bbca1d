#pragma once

#include "arena/bot.hpp"

// __NAME__: attacks when it has more troops, else plays at random. One is made for every game and seat.
class MyBot : public arena::Bot {
 public:
  explicit MyBot(arena::Game& game) : game_(game) {}

  // Answers one decision: `view` is what this seat may see, `legal` what it may do.
  arena::Answer decide(const arena::View& view, const arena::Legal& legal) override;

 private:
  arena::Game& game_;
};
