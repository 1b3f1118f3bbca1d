"""Attacks where it is stronger by most, deploys at the front, and brings up what stands behind it.

It knows kinds of actions and fields by name and no variant: what it does not know it answers at random.
"""

from random import Random

from conquest_arena_bot import Action, ActionRange, Game, Legal, View, serve

NO_ENEMY = -(10**9)


class Bot:
    def __init__(self, game: Game, seat: int, rng: Random) -> None:
        self.rng = rng
        self.names = [kind.name for kind in game.description.actions]
        self.near = game.ruleset.board.neighbours
        self.mine = {colour for colour, owner in enumerate(game.description.colour_seat) if owner == seat}

    def decide(self, view: View, legal: Legal) -> Action:
        worth = {offer: value for offer in legal if (value := self.worth(view, offer)) is not None}
        if worth:
            return max(worth, key=lambda offer: worth[offer]).last()
        end = next((offer for offer in legal if self.names[offer.kind] == "end"), None)
        return end.first() if end else legal.sample(self.rng)

    def worth(self, view: View, offer: ActionRange) -> float | None:
        """What a range is worth; None where it is left alone."""
        if not self.near:
            return None
        match self.names[offer.kind]:
            case "attack":
                more = view.troops[offer.a] - view.troops[offer.b]
                return more if more > 1 else None
            case "claim":
                return len(self.near[offer.a]) - len(self.enemies(view, offer.a))
            case "deploy":
                return self.lead(view, offer.a)
            case "place":
                return self.lead(view, offer.a) if offer.c in self.mine else None
            case "fortify":
                behind = self.lead(view, offer.a) == NO_ENEMY != self.lead(view, offer.b)
                return view.troops[offer.a] if behind else None
            case "occupy" | "trade":
                return 0
        return None

    def enemies(self, view: View, territory: int) -> list[int]:
        return [near for near in self.near[territory] if view.owner[near] not in self.mine]

    def lead(self, view: View, territory: int) -> int:
        """Troops here over those of the weakest enemy next door."""
        weakest = min((view.troops[near] for near in self.enemies(view, territory)), default=None)
        return NO_ENEMY if weakest is None else view.troops[territory] - weakest


serve(Bot, name="sdk_python_greedy")
