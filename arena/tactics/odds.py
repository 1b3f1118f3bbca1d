"""Exact odds of battles with six-sided dice, both sides always rolling as many as they may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import product

SIDES = 6
ATTACK_DICE = 3
DEFENCE_DICE = 2
# The recursion goes this far on either side: 14,000 cells, filled once in a few hundredths of a second.
EXACT_UP_TO = 120


def compare(attack: Iterable[int], defence: Iterable[int]) -> tuple[int, int]:
    """(attacker's losses, defender's losses) of dice on the table; the defender wins a tied pair."""
    pairs = list(zip(sorted(attack, reverse=True), sorted(defence, reverse=True), strict=False))
    lost = sum(a <= d for a, d in pairs)
    return lost, len(pairs) - lost


@cache
def roll_outcomes(attack_dice: int, defence_dice: int) -> tuple[tuple[int, int, float], ...]:
    """(attacker's losses, defender's losses, probability) of one roll; the defender wins a tied pair."""
    losses: Counter[tuple[int, int]] = Counter()
    for dice in product(range(SIDES), repeat=attack_dice + defence_dice):
        losses[compare(dice[:attack_dice], dice[attack_dice:])] += 1
    rolls = SIDES ** (attack_dice + defence_dice)
    return tuple((*lost, count / rolls) for lost, count in sorted(losses.items()))


def capture_chance(attackers: int, defenders: int) -> float:
    """Probability that an attack to the end captures; `attackers` leaves out the troop that must stay.

    Exact up to EXACT_UP_TO troops a side. A larger battle is shrunk to that size, which keeps its ratio and
    understates the stronger side a little.
    """
    largest = max(attackers, defenders)
    if largest > EXACT_UP_TO:
        attackers = attackers * EXACT_UP_TO // largest
        defenders = -(-defenders * EXACT_UP_TO // largest)
    return _chance(attackers, defenders)


@cache
def _chance(attackers: int, defenders: int) -> float:
    if defenders <= 0:
        return 1.0
    if attackers <= 0:
        return 0.0
    outcomes = roll_outcomes(min(attackers, ATTACK_DICE), min(defenders, DEFENCE_DICE))
    return sum(p * _chance(attackers - own, defenders - theirs) for own, theirs, p in outcomes)
