"""Positions of every kind of decision of a variant, found in seeded random games; the same every time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import engine_core
from engine_core import Game, State

PER_KIND = 2  # positions of each set of kinds that is offered together
GAMES = 30
STEPS = 4000  # of one game
BUDGET_S = 2.0
RANGE_BYTES = 12  # of a packed range, whose first byte is the kind


@dataclass(frozen=True, slots=True)
class Position:
    """A state in which a seat is asked; `kinds` are the names of the actions offered, in how many ranges."""

    game: Game
    state: State
    seat: int
    kinds: tuple[str, ...]
    ranges: int

    def __str__(self) -> str:
        return f"{self.game.ruleset.name}, {' or '.join(self.kinds)}"


@lru_cache(maxsize=32)
def positions(variant: str) -> tuple[Position, ...]:
    """Some positions of each kind of decision, and the one with the longest list."""
    game = engine_core.load(variant, seats=engine_core.variants()[variant].usual_seats)
    names = [kind.name for kind in game.description.actions]
    found: list[Position] = []
    seen: Counter[bytes] = Counter()
    longest: Position | None = None
    end = time.monotonic() + BUDGET_S
    for seed in range(GAMES):
        state, rng = game.new_state(seed), Random(seed)
        for _ in range(STEPS):
            pending = state.pending()
            if not pending or time.monotonic() > end:
                break
            legal = state.legal(pending[0])
            offered = bytes(sorted(set(legal.packed()[::RANGE_BYTES])))
            if seen[offered] < PER_KIND or longest is None or len(legal) > longest.ranges:
                kinds = tuple(names[kind] for kind in offered)
                position = Position(game, state.copy(), pending[0], kinds, len(legal))
                if seen[offered] < PER_KIND:
                    found.append(position)
                if longest is None or position.ranges > longest.ranges:
                    longest = position
            seen[offered] += 1
            state.apply(pending[0], legal.sample(rng))
    return (*found, longest) if longest is not None else tuple(found)
