"""Rating systems: pure functions from finished games to ratings; one file a system, found by scanning here.

A system module names its class in a module constant `SYSTEM`. No database, no clock, no global state: the
same games give the same ratings, bit for bit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class RatedGame:
    """What a rating may know of a game: its place in the schedule, and by seat the player and the score.

    `players` are player ids (the store's, or any other integers); `scores` are in [0, 1] and sum to 1, or to
    0 when the point rule voided the game.
    """

    tournament: int
    sequence: int
    rotation: int
    players: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating and the number of games it rests on."""

    value: float
    games: int


@dataclass(frozen=True, slots=True)
class Change:
    """Why one match changed one player's rating: points expected and points made over `games` games."""

    player: int
    before: float
    after: float
    expected: float
    actual: float
    games: int


class RatingSystem(Protocol):
    """A way to turn the games of one pool, given in scheduled order, into ratings."""

    @property
    def id(self) -> str:
        """Name in options and in the database."""

    @property
    def title(self) -> str:
        """Heading of its column."""

    @property
    def settings(self) -> str:
        """Its options as text; numbers made with different settings are not comparable."""

    def rate(self, games: Iterable[RatedGame]) -> dict[int, Rating]:
        """Rate every player that occurs in the games of one pool."""


@runtime_checkable
class OnlineRatingSystem(RatingSystem, Protocol):
    """A system that moves ratings match by match, so that a running tournament can show them."""

    def update(self, ratings: Mapping[int, float], match: Sequence[RatedGame]) -> tuple[Change, ...]:
        """Return the changes caused by all games of one match; players not in `ratings` start fresh."""


def scan() -> dict[str, type[RatingSystem]]:
    """Return the systems of this folder by id, each a class whose parameters are its options."""
    found: dict[str, type[RatingSystem]] = {}
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        found[module.SYSTEM.id] = module.SYSTEM
    return found
