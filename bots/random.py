"""Plays a random legal range, then a random amount: the yardstick every other bot must beat."""

from random import Random

from engine_core import Action, Legal, View

NAME = "random"
VERSION = "1"
SUMMARY = "a uniformly random legal action"


def decide(_view: View, legal: Legal, rng: Random) -> Action:
    """Answer a decision without looking at the game."""
    return legal.sample(rng)
