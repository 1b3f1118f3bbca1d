"""What of a board never changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine_core import Ruleset


@dataclass(frozen=True, slots=True)
class Terrain:
    """By territory: its neighbours and its region; by region: its member territories, gates and bonus.

    Gates are the members with a neighbour outside: what must be guarded to hold the region.
    """

    neighbours: tuple[tuple[int, ...], ...]
    region_of: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    gates: tuple[tuple[int, ...], ...]
    bonus: tuple[int, ...]


@lru_cache(maxsize=64)
def terrain_of(ruleset: Ruleset) -> Terrain:
    """The terrain of a ruleset's board."""
    board = ruleset.board
    region_of = tuple(territory.region for territory in board.territories)
    members = tuple(board.members(region) for region in range(len(board.regions)))
    gates = (
        tuple(t for t in inside if any(region_of[near] != region for near in board.neighbours[t]))
        for region, inside in enumerate(members)
    )
    return Terrain(
        neighbours=board.neighbours,
        region_of=region_of,
        members=members,
        gates=tuple(gates),
        bonus=tuple(region.bonus for region in board.regions),
    )
