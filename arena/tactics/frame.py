"""A frame for bots of the conquest family: each phase of the game is a method of its own."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from arena.tactics.aims import Aims
from arena.tactics.choices import best_claim, best_die, best_stars
from arena.tactics.goals import Goals
from arena.tactics.situation import Situation
from arena.tactics.terrain import terrain_of
from engine_core import Action, ActionRange, Game, Legal, View

Choice = Action | ActionRange
Phase = Callable[[Legal], Choice]
FAR = 1 << 16


class PhaseBot:
    """Looks at the board, then asks the method named after the phase.

    A phase without a method is declined where that is possible, else its first answer goes: so a game with
    phases that a bot has never heard of goes on, too. A method finds the position in `now`, what the goals
    ask for in `aims` and the whole view in `view`. A bot says in `wants` where it would like more troops,
    and adds a method for every phase that it has thoughts about.
    """

    now: Situation
    view: View
    aims: Aims

    def __init__(self, game: Game, seat: int, rng: Random) -> None:
        described = game.description
        self.game = game
        self.rng = rng
        self.terrain = terrain_of(game.ruleset)
        self.colour_seat = described.colour_seat
        self.me = described.colour_seat.index(seat)
        self.goals = Goals(game, self.me)
        self.stop = Action(described.action_kind("end"))
        self.command = described.action_kind("command")
        self._phases: list[Phase | None] = [getattr(self, name, None) for name in described.phases]

    def decide(self, view: View, legal: Legal) -> Choice:
        """Answer one decision."""
        self.view = view
        self.now = Situation(self.terrain, self.me, view.owner, view.troops, self.passive(view.retired))
        self.aims = Aims(self.goals, view, self.now)
        self.look()
        phase = self._phases[view.phase]
        return phase(legal) if phase else self.decline(legal)

    def decline(self, legal: Legal) -> Choice:
        """Stop where that is offered; else the first answer."""
        return next((offer for offer in legal if offer.kind == self.stop.kind), legal[0])

    def look(self) -> None:
        """Called before every decision: the place to remember, or to settle what several phases ask for."""

    def wants(self, offer: ActionRange) -> float:
        """How much the bot would like more troops on the offered territory."""
        return self.now.troops[offer.a]

    def passive(self, retired: tuple[int, ...]) -> frozenset[int]:
        """Owners that never attack: nobody (-1), colours without a seat, and those of retired seats."""
        colours = enumerate(self.colour_seat)
        return frozenset({-1, *(colour for colour, seat in colours if seat < 0 or retired[seat])})

    # ---- phases that most bots see alike

    def place(self, legal: Legal) -> Choice:
        """Place an own troop where it is wanted, one of another colour where it is in the rivals' way."""
        if legal[0].c == self.me:
            return max(legal, key=self.wants)
        return max(legal, key=lambda offer: len(self.now.rivals_near(offer.a)) - self.now.company(offer.a))

    def trade(self, legal: Legal) -> Choice:
        """Trade whenever a set is at hand, the one that pictures most own territories and fewest wilds."""
        cards = self.game.ruleset.deck.cards
        owner = self.now.owner

        def worth(offer: ActionRange) -> int:
            pictured = [cards[card].territory for card in (offer.a, offer.b, offer.c)]
            return sum(-3 if t < 0 else owner[t] == self.me for t in pictured)

        return max(self.offers(legal), key=worth)

    def bonus(self, legal: Legal) -> Choice:
        """Take the territory bonus where troops are wanted."""
        return max(self.offers(legal), key=self.wants)

    def defend(self, legal: Legal) -> Choice:
        """Roll as many dice as allowed: the exact odds say so for every size of battle."""
        return legal[0].last()

    def fortify(self, legal: Legal) -> Choice:
        """Bring the most troops that stand idle behind the fronts a step nearer to one."""
        steps = self.now.distances
        marches = [
            offer
            for offer in self.offers(legal)
            if steps.get(offer.b, FAR) < steps.get(offer.a, FAR)
            and offer.hi - self.aims.keep(offer.a) >= offer.lo
        ]
        if not marches:
            return self.stop
        march = max(marches, key=lambda offer: (offer.hi, -steps[offer.b]))
        return march.action(march.hi - self.aims.keep(march.a))

    def maneuver(self, legal: Legal) -> Choice:
        """A free move before the attacks is made like the one after them."""
        return self.fortify(legal)

    def capital(self, legal: Legal) -> Choice:
        """Found the capital, or pick the headquarters, where it is strongest against what is beside it."""

        def strength(offer: ActionRange) -> tuple[int, int]:
            enemies = self.now.enemies(offer.a)
            return self.now.troops[offer.a] - self.now.threat(enemies), -len(enemies)

        return max(legal, key=strength)

    headquarters = capital

    def stars(self, legal: Legal) -> Choice:
        """Turn in the cards that bring most, once that is many troops."""
        return best_stars(self.game.ruleset.tables["edition"]["star_values"], self.offers(legal)) or self.stop

    def objective(self, legal: Legal) -> Choice:
        """Claim the objective with the best reward, of two one that passes with the turn."""
        return best_claim(self.goals.objectives, self.goals.rewards(self.view), self.offers(legal))

    def airfield(self, legal: Legal) -> Choice:
        """Build where most own fronts are in reach of it."""
        fronts, neighbours = self.now.fronts, self.terrain.neighbours
        return max(legal, key=lambda offer: sum(near in fronts for near in (offer.a, *neighbours[offer.a])))

    def reroll(self, legal: Legal) -> Choice:
        """Change the die that saves most troops on average, if any does."""
        return best_die(self.view.rolled, self.offers(legal), self.command) or self.stop

    # ---- helpers

    def advance(self, move: ActionRange, leave: int = 0) -> Action:
        """Move in all troops but those that must stay, or that the old territory is to keep."""
        return move.action(max(move.lo, move.hi - max(leave, self.aims.keep(move.a))))

    def offers(self, legal: Legal) -> list[ActionRange]:
        """What the phase offers besides stopping."""
        return [offer for offer in legal if offer.kind != self.stop.kind]

    def attack_best(self, legal: Legal, worth: Callable[[int, int], float]) -> Choice:
        """Attack with all dice where worth(source, target) and the goals say most; stop where that is 0."""
        best, most = None, 0.0
        for offer in self.offers(legal):
            value = worth(offer.a, offer.b) + self.aims.pursuit(offer.a, offer.b)
            if value > most:
                best, most = offer, value
        return best.last() if best else self.stop
