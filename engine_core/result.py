"""How a game stands or stood at its end: facts only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """Facts of a game, finished or not; scores are the platform's.

    `winners` and `survivors` are seats, ascending; the other tuples are by seat. `eliminated_at` is the order
    number of the fall, -1 for the living, equal numbers fell together; `retired`: 0, 1 passive, 2 neutral;
    `termination` is running, rules, turn_cap or forfeit.
    """

    over: bool
    termination: str
    winners: tuple[int, ...]
    survivors: tuple[int, ...]
    eliminated_at: tuple[int, ...]
    territories: tuple[int, ...]
    troops: tuple[int, ...]
    retired: tuple[int, ...]
    lap: int
    decisions: int
