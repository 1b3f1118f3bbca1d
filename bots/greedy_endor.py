"""Weighs the battles in space, on the ground and with Vader against each other; takes what brings most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random

from arena.tactics.endor import (
    Fleets,
    Mark,
    assaults_left,
    best_worth,
    chart_of,
    expected_worth,
    give,
    total_worth,
)
from arena.tactics.endor.chart import EXECUTOR, FALCON, MARKER, TIE
from arena.tactics.endor.fleets import EMPIRE_SHIPS, REBEL_SHIPS
from engine_core import Action, ActionRange, Game, Legal, View
from engine_core.endor.tables import FIGHTERS, ORDERS, SHIPS

NAME = "greedy_endor"
VERSION = "1"
VARIANTS = ("endor",)
SUMMARY = "weighs the battles in space, on the ground and with Vader; takes what brings most"

Choice = Action | ActionRange

# What things are worth, in bonus cards.
WIN = 20.0
ASSAULT = 2.0  # the Rebels cannot win without it
REBEL = 0.4  # a Rebel ship: the Empire has to destroy them all
TIE_WORTH = 0.15
SPECIAL_HIT = 0.1
SPECIAL_KILL = 0.6
STEP = 0.03  # a ship one step nearer
HOLD_REDEMPTION = 0.6
FAR_FALL = 10  # hits by which a hero's fall is further away than its hits left: the rivals' orders between
AGAIN = 0.6  # an order in space for the second time in a game round: its best target is gone


class Bot:
    def __init__(self, game: Game, seat: int, _rng: Random) -> None:
        described = game.description
        self.chart = chart_of(game.ruleset)
        self.options = game.ruleset.options
        self.seat = seat
        self.rebel = game.ruleset.teams[seat] == 0
        self.kinds = tuple(kind.name for kind in described.actions)
        self.phases = [getattr(self, name, None) for name in described.phases]
        self.death_star = len(self.chart.neighbours)

    def decide(self, view: View, legal: Legal) -> Choice:
        """Answer one decision."""
        self.view = view
        self.now = Fleets(self.chart, view)
        self.gone: float = view.shield / len(self.chart.shield)
        phase = self.phases[view.phase]
        return phase(legal) if phase else legal[0]

    # ---- choosing cards and orders

    def plan(self, legal: Legal) -> Choice:
        """Put down the card whose best order is worth most, in view of those put down already."""
        worths = {ORDERS[order]: self.order_worth(ORDERS[order]) for order in range(len(ORDERS))}
        used: Counter[str] = Counter()
        for card in self.own_pile():
            used[max(self.chart.orders[card], key=worths.__getitem__)] += 1

        def worth(offer: ActionRange) -> float:
            orders = self.chart.orders[offer.a]
            rest = sorted((worths[order] * self.again(order, used[order]) for order in orders), reverse=True)
            kept = HOLD_REDEMPTION if "redeem" in orders and self.view.vader and not worths["redeem"] else 0.0
            return rest[0] + 0.1 * rest[1] - kept

        return max(legal, key=worth)

    def order(self, legal: Legal) -> Choice:
        return self.best(legal, lambda offer: self.order_worth(ORDERS[offer.a]))

    def own_pile(self) -> tuple[int, ...]:
        """The cards put down so far in this choice."""
        pile = self.view.pile
        length = len(pile) // len(self.view.chosen)
        first = self.seat * length
        return tuple(pile[first : first + self.view.chosen[self.seat]])

    def again(self, order: str, times: int) -> float:
        """What of an order's worth is left when it has been given so often in this game round."""
        if order == "redeem":
            return float(times == 0)
        return AGAIN**times if order in SHIPS or order == "ambush" else 1.0

    def order_worth(self, order: str) -> float:
        """What an order is worth now; 0 when it can do nothing."""
        if order in SHIPS:
            return self.ship_order_worth(SHIPS.index(order))
        weigh: Callable[[], float] = getattr(self, f"{order}_worth")
        return weigh()

    # ---- on the ground

    def assaults(self, troopers: int) -> float:
        dice = self.chart.numbers["ground"]["assault_dice"]
        return assaults_left(self.chart.shield, dice, self.view.shield, troopers)

    def assault_worth(self) -> float:
        return 0.0 if self.now.down else ASSAULT

    def ambush_worth(self) -> float:
        """The assaults that it costs the Rebels."""
        ground, troopers = self.chart.numbers["ground"], self.view.troopers
        ahead = len(self.chart.shield) - self.view.shield
        placed = min(ground["ambush"], ground["troopers"] - troopers, ahead - troopers)
        return ASSAULT * (self.assaults(troopers + placed) - self.assaults(troopers)) if placed > 0 else 0.0

    # ---- the duel

    def luke_worth(self) -> float:
        return self.duel_worth(self.view.vader, "vader") if self.view.luke else 0.0

    def vader_worth(self) -> float:
        return self.duel_worth(self.view.luke, "luke") if self.view.vader else 0.0

    def emperor_worth(self) -> float:
        duel, luke = self.chart.numbers["duel"], self.view.luke
        return self.share(luke, min(luke, duel["emperor_hits"]), "luke") if self.emperor_strikes() else 0.0

    def emperor_strikes(self) -> bool:
        if self.view.redeemed:
            return False
        return bool(self.view.vader or self.options["emperor_order_after_vader_killed"])

    def redeem_worth(self) -> float:
        """All of its bonus cards, as soon as it is possible."""
        needs_luke = bool(self.options["redeem_requires_luke_alive"])
        possible = 1 <= self.view.vader <= self.chart.numbers["duel"]["redemption"]
        cards: int = self.chart.numbers["bonus"]["redemption"]
        return float(cards) if possible and (self.view.luke or not needs_luke) else 0.0

    def duel_worth(self, left: int, hero: str) -> float:
        duel = self.chart.numbers["duel"]
        return self.share(left, min(left, duel["dice"] * (7 - duel["needs"]) / 6), hero)

    def share(self, left: int, hits: float, hero: str) -> float:
        """The share of the hits in the bonus for a hero's fall; the last ones are worth more."""
        return float(self.chart.numbers["bonus"][hero] * hits / (left + FAR_FALL)) if left else 0.0

    # ---- in space: what is where

    def target(self, place: int) -> tuple[Mark, ...]:
        """The enemy's ships at a place, as marks for the dice."""
        needs, ships = self.chart.needs, self.now.ships
        marks = [
            self.mark(ship, needs[ship], ships[ship][place], place)
            for ship in (EMPIRE_SHIPS if self.rebel else REBEL_SHIPS)
            if ships[ship][place]
        ]
        if not self.rebel and place in self.now.markers:
            marks.append(Mark(MARKER, needs[MARKER], 1, 2 * REBEL, sweeps=True))
        return tuple(marks)

    def mark(self, ship: int, needs: int, left: int, place: int) -> Mark:
        bonus = self.chart.numbers["bonus"]
        if ship == FALCON:
            return Mark(ship, needs, left, SPECIAL_HIT, float(SPECIAL_KILL + bonus["falcon"]))
        if ship == EXECUTOR:
            return Mark(ship, needs, left, SPECIAL_HIT, float(SPECIAL_KILL + TIE_WORTH * self.view.aboard))
        return Mark(ship, needs, left, TIE_WORTH if ship == TIE else float(REBEL * self.danger(place)))

    def danger(self, place: int) -> float:
        """How much more a Rebel ship counts that is close to the Death Star while the shield gives way."""
        near = 2 - min(2, self.now.steps_to_death_star.get(place, 2))
        return 1 + near * round(2 * self.gone**2) * (2 if self.now.down else 1) / 2

    def clear_worth(self, place: int) -> float:
        if self.chart.is_marker(place) and self.options["bonus_for_clearing_marker"] == "never":
            return 0.0
        return float(self.chart.numbers["bonus"]["clear"])

    # ---- in space: moving and attacking

    def ship_order_worth(self, ship: int) -> float:
        """The best of moving, deploying or staying, each with its attack."""
        worths = [self.stay_worth(ship)]
        for place in self.now.places_of(ship):
            count = self.now.ships[ship][place] if ship < len(FIGHTERS) else 1
            worths += [self.move_worth(ship, place, to, count) for to in self.now.reach(ship, place)]
        if ship == TIE and self.view.aboard:
            worths.append(self.deploy_worth())
        return max(worths)

    def stay_worth(self, ship: int) -> float:
        """The best attack from anywhere without a move."""
        counts = self.now.ships[ship]
        return max(
            (self.sally(ship, place, counts[place]) for place in self.now.places_of(ship)), default=0.0
        )

    def sally(self, ship: int, place: int, count: int) -> float:
        """The best attack of so many ships from a place, 0 without one."""
        return max((self.attack_worth(ship, aim, count) for aim in self.aims(ship, place)), default=0.0)

    def aims(self, ship: int, place: int) -> Iterable[int]:
        """What can be attacked from a place."""
        if self.chart.is_marker(place) and not self.options["attack_from_marker"]:
            return []
        enemies = self.now.enemies(ship)
        aims = [near for near in self.chart.neighbours[place] if near in enemies]
        if self.rebel and self.now.down and place in self.chart.inner:
            aims.append(self.death_star)
        return aims

    def attack_worth(self, ship: int, aim: int, count: int) -> float:
        most = self.chart.dice[ship]
        dice = min(most, count) if ship < len(FIGHTERS) else most
        if aim == self.death_star:
            miss = (self.chart.numbers["space"]["final_needs"] - 1) / 6
            return float(WIN * (1 - miss**dice))
        return expected_worth(dice, self.target(aim), self.clear_worth(aim))

    def move_worth(self, ship: int, place: int, to: int, count: int) -> float:
        """The attack from the new place, and being there instead of here."""
        together = self.now.ships[ship][to] * bool(self.options["attack_uses_all_fighters_of_type_in_origin"])
        gain = self.post(to) - self.post(place)
        return self.sally(ship, to, together + count) + gain * min(count, self.chart.dice[ship])

    def post(self, place: int) -> float:
        """What it is worth to have a ship there: the nearer to where it is needed the better."""
        if self.rebel:
            far = self.now.steps_to_death_star.get(place, 9)
            return -STEP * far * (6 if self.now.down else 0.5 + 2 * self.gone)
        return -STEP * self.now.steps_to_rebels.get(place, 9)

    def deploy_worth(self) -> float:
        place, squadron = self.view.executor, self.chart.numbers["space"]["squadron"]
        attack = self.sally(TIE, place, self.now.ships[TIE][place] + squadron)
        return float(attack * bool(self.options["tie_attack_after_deploy"]) + STEP * squadron)

    def move(self, legal: Legal) -> Choice:
        """Stay, deploy or move, whichever is worth most together with the attack that follows."""
        ship = self.view.order
        stay = self.stay_worth(ship)

        def worth(offer: ActionRange) -> float:
            kind = self.kinds[offer.kind]
            if kind == "deploy":
                return self.deploy_worth()
            return self.move_worth(ship, offer.a, offer.b, offer.hi) if kind == "move" else stay

        return max(legal, key=worth).last()

    def attack(self, legal: Legal) -> Choice:
        ships = self.now.ships[self.view.order]
        return self.best(legal, lambda offer: self.attack_worth(self.view.order, offer.b, ships[offer.a]))

    def assign(self, legal: Legal) -> Choice:
        """Give the lowest die where it and all the others together are worth most."""
        dice = [value for value, count in enumerate(self.view.dice, start=1) for _ in range(count)]
        target, clear = self.target(self.view.target), self.clear_worth(self.view.target)

        def worth(offer: ActionRange) -> float:
            mark = next(mark for mark in target if mark.ship == offer.a)
            gain, left = give(target, mark)
            return gain + best_worth(tuple(dice[1:]), left, clear)

        return self.best(legal, worth)

    # ---- the Death Star

    def death_star_worth(self) -> float:
        aims = self.now.markers or self.now.rebels
        space = self.chart.numbers["space"]
        chance = 1 - ((space["death_star_needs"] - 1) / 6) ** space["death_star_dice"]
        return float(chance * max((self.shot_worth(aim) for aim in aims), default=0.0))

    def shot_worth(self, place: int) -> float:
        bonus = self.clear_worth(place) if self.options["death_star_sector_shot_gives_clear_bonus"] else 0.0
        return total_worth(self.target(place)) + bonus

    def fire(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: self.shot_worth(offer.a))

    # ---- helpers

    def best(self, legal: Legal, worth: Callable[[ActionRange], float]) -> Choice:
        """What is worth most; passing is worth nothing."""
        return max(legal, key=lambda offer: 0.0 if self.kinds[offer.kind] == "pass" else worth(offer))
