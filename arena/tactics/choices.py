"""Choices among cards, dice and rewards that need no look at the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.tactics.odds import ATTACK_DICE, SIDES, compare
from engine_core import Action, ActionRange

# Ten troops. Later stars bring more each, but a fallen colour's cards go to its conqueror.
STARS_TO_TURN_IN = 5
# The best first: troops and dice that come back every turn, then what needs its place or time.
REWARDS = (
    "two_troops",
    "attack_die",
    "defense_die",
    "airfield_major",
    "starting_maneuver",
    "guaranteed_card",
    "additional_maneuver",
    "airfield_minor",
)


def best_stars(values: Sequence[int], offers: Sequence[ActionRange]) -> ActionRange | None:
    """The cards that bring most troops; None while they bear too few stars.

    `values` are the troops by number of stars; an offer's a and b are numbers of one-star and two-star cards.
    """
    enough = [offer for offer in offers if offer.a + 2 * offer.b >= STARS_TO_TURN_IN]
    return max(enough, key=lambda offer: values[offer.a + 2 * offer.b], default=None)


def best_claim(
    objectives: Sequence[Mapping[str, Any]], rewards: Sequence[str], offers: Sequence[ActionRange]
) -> ActionRange:
    """The objective with the best reward; among equals one that passes with the turn.

    `rewards` names what comes with each objective, "" where that is nothing or not known.
    """

    def worth(offer: ActionRange) -> tuple[int, bool]:
        reward = rewards[offer.a]
        rank = REWARDS.index(reward) if reward in REWARDS else len(REWARDS)
        return -rank, objectives[offer.a]["kind"].startswith("new_")

    return max(offers, key=worth)


def best_die(rolled: Sequence[int], offers: Sequence[ActionRange], command: int) -> Action | None:
    """What to do with the dice on the table: set a die to 6, roll one again, or None to leave them.

    `rolled` has the attacker's dice, then the defender's, 0 for none. An offer of kind `command` names in a
    the die to set; any other rolls the die in b again.
    """
    attack, defence = rolled[:ATTACK_DICE], [die for die in rolled[ATTACK_DICE:] if die]

    def swing(changed: int, value: int) -> int:
        dice = (value if number == changed else die for number, die in enumerate(attack) if die)
        own, theirs = compare(dice, defence)
        return theirs - own

    def gain(offer: ActionRange) -> float:
        now = swing(-1, 0)
        if offer.kind == command:
            return swing(offer.a, SIDES) - now
        return sum(swing(offer.b, value) for value in range(1, SIDES + 1)) / SIDES - now

    best = max(offers, key=gain, default=None)
    return best.first() if best and gain(best) > 0 else None
