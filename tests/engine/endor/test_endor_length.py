"""Random games of the endor family end by the rules, well below the cap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

import engine_core
from engine_core.bench import playout

GAMES = 5000
MOST_DECISIONS = 100_000


@pytest.mark.parametrize("variant", ["endor", "endor_teams"])
def test_at_most_one_random_game_in_a_thousand_reaches_the_cap(
    variant: str, record_property: Callable[[str, object], None]
) -> None:
    game = engine_core.load(variant)
    ends: Counter[str] = Counter()
    laps = []
    for seed in range(GAMES):
        state = game.new_state(seed)
        playout(state, seed, MOST_DECISIONS)
        result = state.result()
        ends[result.termination] += 1
        laps.append(result.lap)
    record_property("longest", max(laps))
    print(f"{variant}: {dict(ends)}, longest {max(laps)} game rounds, mean {sum(laps) / GAMES:.1f}")
    assert ends["rules"] + ends["turn_cap"] == GAMES
    assert ends["turn_cap"] <= GAMES // 1000


def test_both_sides_win_random_games() -> None:
    game = engine_core.load("endor")
    wins: Counter[tuple[int, ...]] = Counter()
    for seed in range(400):
        state = game.new_state(seed)
        playout(state, seed, MOST_DECISIONS)
        wins[state.result().winners] += 1
    assert min(wins[(0,)], wins[(1,)]) > 100
