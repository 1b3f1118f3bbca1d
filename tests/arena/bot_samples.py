"""Matches among the bots of bots/, played through the real driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from match_samples import BOTS, driver_of, setup_of

import engine_core
from arena.driver import Driver
from arena.seeds import match_key
from arena.types import BotSpec, GameResult, Limits, MatchPlan, Player

SEED = bytes(range(100, 116))
# A stall of a busy host must not count as a fault of a bot.
LIMITS = Limits(decision=60.0, game=3600.0)
STRONG = ("greedy", "continent", "watcher", "fortress")


def player(name: str, label: str = "") -> Player:
    """The bot of bots/ with this name; a label tells two of one bot apart."""
    return Player(label or name, BotSpec(name, "python", str(BOTS / f"{name}.py")))


def matches(
    players: Sequence[Player],
    count: int,
    driver: Driver | None = None,
    *,
    variant: str = "classic",
    **options: str | int,
) -> Iterator[GameResult]:
    """The games of that many matches, in every rotation; all that is not the default are the options."""
    driver = driver or driver_of(players)
    setup = setup_of(engine_core.load(variant, seats=len(players), **options))
    names = "/".join(player.name for player in players)
    for number in range(count):
        key = match_key(SEED, "classic bots", names, number)
        result = driver.play(MatchPlan(number, key, setup, tuple(players), LIMITS))
        assert result.error == ""
        yield from result.games


def without_faults(games: Iterator[GameResult]) -> list[GameResult]:
    """The games, in which nobody did anything wrong."""
    played = list(games)
    assert [game.faults for game in played] == [()] * len(played)
    return played
