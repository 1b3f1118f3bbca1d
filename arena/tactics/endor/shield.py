"""The run to the shield generator: how many assaults it still takes on average, exactly."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product

DIE_SIDES = 6
# A space that no die can enter holds an assault up for as long as a game lasts.
NEVER = 1000.0

Track = tuple[int, ...]


def assaults_left(track: Track, dice: int, gone: int, troopers: int) -> float:
    """Mean number of assaults to the end of the track, with troopers on the next spaces.

    `track` has the lowest die that enters each space, `gone` is the number of spaces entered so far.
    """
    if gone >= len(track):
        return 0.0
    return _assaults_left(track, dice, gone, troopers)


@lru_cache(maxsize=1 << 12)
def _assaults_left(track: Track, dice: int, gone: int, troopers: int) -> float:
    rolls = _rolls(dice)
    steps = Counter[int]()
    for roll, ways in rolls:
        steps[advance(track, gone, troopers, roll)] += ways
    moving = sum(ways for step, ways in steps.items() if step)
    if not moving:
        return NEVER
    further = sum(
        ways * assaults_left(track, dice, gone + step, max(0, troopers - step))
        for step, ways in steps.items()
        if step
    )
    return float((sum(steps.values()) + further) / moving)


def advance(track: Track, gone: int, troopers: int, roll: tuple[int, ...]) -> int:
    """Spaces that an assault gains with these dice, sorted: each space takes the lowest die that suffices."""
    dice = list(roll)
    for step, needs in enumerate(track[gone:]):
        harder = needs + (step < troopers)
        die = next((die for die in dice if die >= harder), None)
        if die is None:
            return step
        dice.remove(die)
    return len(track) - gone


@lru_cache(maxsize=8)
def _rolls(dice: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Every sorted roll and the number of ways to throw it."""
    ways = Counter(tuple(sorted(roll)) for roll in product(range(1, DIE_SIDES + 1), repeat=dice))
    return tuple(ways.items())
