"""A bot in a process of its own: attacks where it has most troops to spare, does the rest at random."""

from random import Random

from arena.client import serve
from engine_core import Action, ActionRange, Legal, View


def decide(view: View, legal: Legal, rng: Random) -> Action | ActionRange:
    """Take the attack with the largest lead in troops, or else any action."""
    attack = view.game.description.action_kind("attack")
    lead = {
        range_: view.troops[range_.a] - view.troops[range_.b] for range_ in legal if range_.kind == attack
    }
    best = max(lead, key=lambda range_: lead[range_], default=None)
    return best.last() if best is not None and lead[best] > 1 else legal.sample(rng)


if __name__ == "__main__":
    serve(decide, name="outrider")
