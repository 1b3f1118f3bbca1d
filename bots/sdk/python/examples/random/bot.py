"""Plays anything legal: a random range, then a random amount."""

from random import Random

from conquest_arena_bot import Action, Legal, View, serve


def decide(_view: View, legal: Legal, rng: Random) -> Action:
    return legal.sample(rng)


serve(decide, name="sdk_python_random")
