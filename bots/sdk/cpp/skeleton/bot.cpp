#include "bot.hpp"

arena::Answer MyBot::decide(const arena::View& view, const arena::Legal& legal) {
  const auto troops = view.values("troops");
  for (const arena::Range& range : legal) {
    if (range.name == "attack" && troops[range.a] > troops[range.b] + 1) return range.last();
  }
  return legal.sample(game_.rng);
}
