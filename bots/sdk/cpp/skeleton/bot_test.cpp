// What __NAME__ answers to the questions of a recorded game: `ctest --test-dir build`.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "arena/recorded.hpp"
#include "bot.hpp"

static void check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  std::exit(1);
}

int main(int, char** arguments) {
  const arena::Recorded recorded = arena::recorded(arguments[1], "classic");
  MyBot bot(*recorded.game);
  int attacks = 0;
  for (const auto& [view, legal] : recorded.questions) {
    const auto [index, amount] = std::get<arena::Choice>(bot.decide(view, legal));
    const arena::Range& range = legal[index];
    check(range.lo <= amount && amount <= range.hi, "every answer is legal");
    const auto troops = view.values("troops");
    const auto better = [&](const auto& r) { return r.name == "attack" && troops[r.a] > troops[r.b] + 1; };
    if (std::ranges::none_of(legal, better)) continue;
    check(better(range), "it attacks where it has more troops");
    ++attacks;
  }
  check(attacks > 0, "a recorded question offers such an attack");
}
