"""Small plans, bots and doors for the tests of referee, driver and records."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import engine_core
from arena.driver import Driver
from arena.record import unpack, verify
from arena.seats import Answer, Inbox, InProcessDoor
from arena.setups import Command, seatings_of, whole_teams
from arena.types import (
    BotSpec,
    FaultPolicy,
    GameResult,
    Limits,
    MatchPlan,
    MatchResult,
    Player,
    PointRule,
    VariantSetup,
)
from engine_core import Game

BOTS = Path(__file__).resolve().parents[2] / "bots"
KEY = bytes(range(16))

FIRST = """
    def decide(view, legal):
        return legal[0].first()
"""


def classic(seats: int = 3, turn_cap: int = 4, **options: Any) -> Game:
    return engine_core.load("classic", seats=seats, turn_cap=turn_cap, **options)


def setup_of(game: Game, point_rule: PointRule = "split", command: Command = "seat") -> VariantSetup:
    rules = game.ruleset
    cap = int(str(rules.options["turn_cap"]))
    seatings = whole_teams(rules.teams) if command == "team" else seatings_of(rules.rotations)
    return VariantSetup(
        rules.name, rules.text, rules.hash, game.seats, cap, rules.teams, seatings, point_rule
    )


def bot_file(folder: Path, name: str, code: str) -> Player:
    """A player whose bot is this code, in a file of its own."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return Player(name, BotSpec(name, "python", str(path)))


def randoms(count: int) -> tuple[Player, ...]:
    """Players of the random bot, told apart by their names."""
    target = str(BOTS / "random.py")
    return tuple(Player(f"random{i}", BotSpec(f"random{i}", "python", target)) for i in range(count))


def plan_of(
    players: Sequence[Player],
    game: Game | None = None,
    *,
    sequence: int = 0,
    key: bytes = KEY,
    limits: Limits | None = None,
    policy: FaultPolicy | None = None,
    rotations: int | None = None,
) -> MatchPlan:
    """A match of these players, all rotations of it unless told otherwise."""
    setup = setup_of(game or classic(len(players)))
    if rotations is not None:
        setup = replace(setup, rotations=setup.rotations[:rotations])
    return MatchPlan(sequence, key, setup, tuple(players), limits or Limits(), policy or FaultPolicy())


def driver_of(players: Sequence[Player], **settings: Any) -> Driver:
    """A driver with an in-process door for every player."""
    inbox: Inbox = SimpleQueue[Answer]()
    return Driver({player: InProcessDoor(player.bot, inbox) for player in players}, inbox, **settings)


def checked(result: MatchResult) -> MatchResult:
    """A result without platform fault, whose records verify."""
    assert result.error == ""
    for game in result.games:
        verify(unpack(game.record))
        assert unpack(game.record).final_digest == game.final_digest
    return result


def facts(result: MatchResult) -> list[GameResult]:
    """Its games without what the clock measured."""
    return [replace(game, wall_ms=0.0) for game in result.games]
