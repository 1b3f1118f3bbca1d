"""The three strategies of rulebook 002, section I, show in what the bots do: each has its own measure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from operator import attrgetter

import pytest
from bot_samples import STRONG, matches, player, without_faults
from match_samples import driver_of

from arena.behaviour import Behaviour, behaviour
from arena.record import unpack

MATCHES_PER_ORDER = 4


@pytest.fixture(scope="module")
def seen() -> dict[str, Behaviour]:
    """What each bot did in 4-seat games, all four at the table, in every circular order and rotation."""
    seen = {name: Behaviour() for name in STRONG}
    players = {name: player(name) for name in STRONG}
    driver = driver_of(list(players.values()))
    for order in permutations(STRONG[1:]):
        names = (STRONG[0], *order)
        for game in without_faults(matches([players[name] for name in names], MATCHES_PER_ORDER, driver)):
            for seat, did in enumerate(behaviour(unpack(game.record))):
                seen[names[game.players[seat]]].add(did)
    assert all(did.turns > 500 and did.targets_with_choice > 1000 for did in seen.values())
    return seen


def best_of_the_others(seen: dict[str, Behaviour], name: str, measure: Callable[[Behaviour], float]) -> float:
    return max(measure(did) for other, did in seen.items() if other != name)


def test_continent_holds_most_bonus_regions(seen: dict[str, Behaviour]) -> None:
    """Conquer whole continents: regions held, and the troops they bring, at the end of its turns."""
    regions = attrgetter("regions_held")
    assert regions(seen["continent"]) > 1.3 * best_of_the_others(seen, "continent", regions)
    bonus = attrgetter("bonus_held")
    assert bonus(seen["continent"]) > 1.4 * best_of_the_others(seen, "continent", bonus)


def test_watcher_strikes_the_neighbour_that_builds_up(seen: dict[str, Behaviour]) -> None:
    """Beware of who builds up beside you: it attacks the one with the most troops there."""
    strongest = attrgetter("strongest_share")
    assert strongest(seen["watcher"]) > 0.15 + best_of_the_others(seen, "watcher", strongest)


def test_fortress_guards_the_borders_it_shares_with_enemies(seen: dict[str, Behaviour]) -> None:
    """Fortify the borders that adjoin enemies: most of them match every rival stack beyond."""
    guarded = attrgetter("guarded_share")
    assert guarded(seen["fortress"]) > 0.15 + best_of_the_others(seen, "fortress", guarded)


def test_greedy_is_none_of_them(seen: dict[str, Behaviour]) -> None:
    """It follows the odds alone: it guards least, and no strategy's measure is its own."""
    guarded = attrgetter("guarded_share")
    assert guarded(seen["greedy"]) < min(guarded(seen[name]) for name in STRONG[1:]) - 0.1
