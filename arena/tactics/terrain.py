"""What of a board never changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine_core import Ruleset


@dataclass(frozen=True, slots=True)
class Terrain:
    """By territory: its neighbours and its region; by region: its member territories and its bonus."""

    neighbours: tuple[tuple[int, ...], ...]
    region_of: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    bonus: tuple[int, ...]


@lru_cache(maxsize=64)
def terrain_of(ruleset: Ruleset) -> Terrain:
    """The terrain of a ruleset's board."""
    board = ruleset.board
    return Terrain(
        neighbours=board.neighbours,
        region_of=tuple(territory.region for territory in board.territories),
        members=tuple(board.members(region) for region in range(len(board.regions))),
        bonus=tuple(region.bonus for region in board.regions),
    )
