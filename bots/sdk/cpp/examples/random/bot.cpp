// Plays a random legal range, then a random amount.
#include "arena/bot.hpp"

int main() {
  return arena::play("sdk_cpp_random", "1", [](arena::Game& game) {
    return [&game](const arena::View&, const arena::Legal& legal) { return legal.sample(game.rng); };
  });
}
