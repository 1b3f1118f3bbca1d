"""Takes the region that is cheapest for its bonus, guards the regions it holds, then takes the next.

The first of the three strategies of rulebook 002: conquer whole continents, they bring troops every turn.
"""

from math import sqrt

from arena.tactics import Choice, PhaseBot
from engine_core import ActionRange, Legal

NAME = "continent"
VERSION = "1"
VARIANTS = ("conquest",)
SUMMARY = "takes and holds whole regions for their bonus"

# Odds of a capture that are good enough ...
TAKE = 0.55  # in the wanted region
BREAK = 0.6  # to take a region's bonus from a rival, and everywhere once it is the stronger half of the board
RAID = 0.8  # for nothing but the card


class Bot(PhaseBot):
    wanted: int

    def look(self) -> None:
        regions = range(len(self.terrain.members))
        self.wanted = max((r for r in regions if r not in self.now.regions), key=self.promise, default=0)

    def promise(self, region: int) -> float:
        """What a region brings, against what it takes to conquer with the troops at hand, and to hold."""
        now = self.now
        missing = [t for t in self.terrain.members[region] if now.owner[t] != self.me]
        cost = sum(now.troops[t] + 1 for t in missing)
        at_hand = {near for t in missing for near in self.terrain.neighbours[t] if now.owner[near] == self.me}
        force = sum(now.troops[t] - 1 for t in at_hand)
        gates = max(1, len(self.terrain.gates[region]))
        return (self.terrain.bonus[region] + 1) * (force + 3) / (cost + 3) / sqrt(gates)

    # ---- phases

    def claim(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: self.hold(self.terrain.region_of[offer.a]))

    def wants(self, offer: ActionRange) -> float:
        return self.way_in(offer.a, extra=max(1, offer.hi))

    def deploy(self, legal: Legal) -> Choice:
        if called := self.aims.call(legal):
            return called
        weakest = max(legal, key=lambda offer: self.gap(offer.a))
        gap = self.gap(weakest.a)
        if gap > 0:
            return weakest.action(min(weakest.hi, gap))
        return max(legal, key=self.wants).last()

    def attack(self, legal: Legal) -> Choice:
        return self.attack_best(legal, self.worth)

    def occupy(self, legal: Legal) -> Choice:
        move = legal[0]
        if not self.now.enemies(move.b):
            return move.first()
        return self.advance(move, leave=self.guard(move.a))

    # ---- thoughts

    def hold(self, region: int) -> float:
        """How firmly the region is in the own hand while territories are claimed."""
        members = self.terrain.members[region]
        mine = self.now.held(region, self.me)
        others = len(members) - mine - self.now.held(region, -1)
        return mine - others + self.terrain.bonus[region] / len(members)

    def way_in(self, territory: int, extra: int) -> float:
        """The best odds of an attack from a territory; one into the wanted region counts as better by 1."""
        now, region_of = self.now, self.terrain.region_of
        enemies = now.fronts.get(territory, ())
        return max(
            (
                now.chance(territory, enemy, extra)
                + (region_of[enemy] == self.wanted)
                + self.aims.pursuit(territory, enemy, extra)
                for enemy in enemies
            ),
            default=0.0,
        )

    def guard(self, territory: int) -> int:
        """The troops that a territory of a region held needs against those next to it; 0 elsewhere."""
        if self.terrain.region_of[territory] not in self.now.regions:
            return 0
        return self.now.threat(self.now.enemies(territory))

    def gap(self, territory: int) -> int:
        """How many troops a territory of a region held is short of its guard."""
        return self.guard(territory) - self.now.troops[territory]

    def worth(self, source: int, target: int) -> float:
        """The wanted region first, then rivals' regions; then one card a turn, or everything if stronger."""
        odds = self.now.chance(source, target)
        region = self.terrain.region_of[target]
        if region == self.wanted and odds >= TAKE:
            return 2 + odds
        if odds >= BREAK and self.now.holder(region) in self.now.beside:
            return 1 + odds
        card = odds >= RAID and not self.view.captured
        return odds if card or (odds >= BREAK and self.is_stronger_half()) else 0.0

    def is_stronger_half(self) -> bool:
        """Whether it has more troops than all others together."""
        return 2 * sum(self.now.troops[t] for t in self.now.own) > sum(self.now.troops)
