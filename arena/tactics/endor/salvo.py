"""The dice of one attack: what they are worth when each is given to the best ship it can hit, exactly."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

DIE_SIDES = 6


class Mark(NamedTuple):
    """Ships of a kind that dice can be given to.

    `needs` is the lowest die that hits, `left` the hits until none is left. `hit` is the worth of each hit,
    `kill` that of the last one beyond it. A mark that `sweeps` takes all others with it, as a fleet marker.
    """

    ship: int
    needs: int
    left: int
    hit: float
    kill: float = 0.0
    sweeps: bool = False


Target = tuple[Mark, ...]
Dice = tuple[int, ...]


def total_worth(target: Target) -> float:
    """The worth of destroying everything there."""
    return sum(mark.left * mark.hit + mark.kill for mark in target)


def give(target: Target, mark: Mark) -> tuple[float, Target]:
    """(worth of one hit, what is left there then)."""
    if mark.left > 1:
        hurt = mark._replace(left=mark.left - 1)
        return mark.hit, tuple(hurt if other == mark else other for other in target)
    if mark.sweeps:
        return total_worth(target), ()
    return mark.hit + mark.kill, tuple(other for other in target if other != mark)


@lru_cache(maxsize=1 << 16)
def best_worth(dice: Dice, target: Target, clear: float) -> float:
    """The most that the dice are worth; `clear` is the worth of leaving nothing there."""
    if not target:
        return clear
    if not dice:
        return 0.0
    worths = [best_worth(dice[1:], target, clear)]
    for mark in target:
        if mark.needs <= dice[0]:
            worth, left = give(target, mark)
            worths.append(worth + best_worth(dice[1:], left, clear))
    return max(worths)


@lru_cache(maxsize=1 << 14)
def expected_worth(dice: int, target: Target, clear: float) -> float:
    """The mean of best_worth over all rolls of so many dice."""
    needs = tuple(sorted({mark.needs for mark in target}))
    return sum(chance * best_worth(roll, target, clear) for chance, roll in _rolls(dice, needs))


@lru_cache(maxsize=256)
def _rolls(dice: int, needs: tuple[int, ...]) -> tuple[tuple[float, Dice], ...]:
    """All rolls with their chances; dice that hit the same ships are the same, others left out."""
    faces = Counter(
        max((need for need in needs if need <= die), default=0) for die in range(1, DIE_SIDES + 1)
    )
    rolls = []
    for roll in combinations_with_replacement(sorted(faces), dice):
        same = Counter(roll)
        ways = factorial(dice) // prod(factorial(count) for count in same.values())
        chance = ways * prod((faces[face] / DIE_SIDES) ** count for face, count in same.items())
        rolls.append((chance, tuple(face for face in roll if face)))
    return tuple(rolls)
