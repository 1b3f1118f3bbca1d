"""A bot in a process of its own: masses troops at the front, attacks with the odds, else plays at random."""

from random import Random

from arena.client import serve
from engine_core import Action, Legal, View

NO_ENEMY = -1_000_000


def decide(view: View, legal: Legal, rng: Random) -> Action:
    """Attack, deploy and fortify where that gives the largest lead in troops over a neighbour."""
    names = [kind.name for kind in view.game.description.actions]
    worth: dict[Action, int] = {}
    for offer in legal:
        name = names[offer.kind]
        if name == "attack" and view.troops[offer.a] - view.troops[offer.b] > 1:
            worth[offer.last()] = view.troops[offer.a] - view.troops[offer.b]
        elif name == "deploy":
            worth[offer.last()] = lead(view, offer.a)
        elif name == "fortify" and lead(view, offer.a) == NO_ENEMY != lead(view, offer.b):
            worth[offer.last()] = lead(view, offer.b)
        elif name == "objective":
            worth[offer.last()] = 1
        elif name == "stars":
            worth[offer.last()] = offer.a + 2 * offer.b
    return max(worth, key=lambda action: worth[action]) if worth else legal.sample(rng)


def lead(view: View, territory: int) -> int:
    """Troops here over those of the weakest enemy next door."""
    near = view.game.ruleset.board.neighbours[territory]
    enemies = [view.troops[other] for other in near if view.owner[other] != view.owner[territory]]
    return view.troops[territory] - min(enemies) if enemies else NO_ENEMY


if __name__ == "__main__":
    serve(decide, name="outrider")
