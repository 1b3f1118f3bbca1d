"""Keeps every border as strong as the enemy beyond it and attacks only with what its walls can spare.

The third of the three strategies of rulebook 002: fortify the borders that adjoin enemies.
"""

from arena.tactics import Choice, PhaseBot
from engine_core import ActionRange, Legal

NAME = "fortress"
VERSION = "1"
VARIANTS = ("conquest",)
SUMMARY = "fortifies the borders it shares with enemies"

SORTIE = 0.7  # odds at which the spare troops of a wall go out
RAID = 0.8  # odds at which one territory a turn is taken for its card, without regard to the wall
NO_WALL = -1e6


class Bot(PhaseBot):
    def claim(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: (self.now.company(offer.a), -len(self.now.enemies(offer.a))))

    def wants(self, offer: ActionRange) -> float:
        return self.shortage(offer.a)

    def deploy(self, legal: Legal) -> Choice:
        if called := self.aims.call(legal):
            return called
        weakest = max(legal, key=self.wants)
        short = self.shortage(weakest.a)
        if short > 0:
            return weakest.action(min(weakest.hi, int(short)))
        return max(legal, key=lambda offer: self.best_sortie(offer.a, offer.hi)).last()

    def attack(self, legal: Legal) -> Choice:
        return self.attack_best(legal, self.worth)

    def occupy(self, legal: Legal) -> Choice:
        move = legal[0]
        if not self.now.enemies(move.b):
            return move.first()
        return self.advance(move, leave=self.now.threat(self.now.enemies(move.a)))

    # ---- walls

    def shortage(self, territory: int) -> float:
        """How many troops a border lacks against the strongest rival beyond it; NO_WALL inland."""
        enemies = self.now.fronts.get(territory)
        return self.now.threat(enemies) - self.now.troops[territory] if enemies else NO_WALL

    def best_sortie(self, territory: int, extra: int) -> float:
        """The best odds of an attack from a border that is given some extra troops."""
        enemies = self.now.fronts.get(territory, ())
        chance, pursuit = self.now.chance, self.aims.pursuit
        return max((chance(territory, e, extra) + pursuit(territory, e, extra) for e in enemies), default=0.0)

    def worth(self, source: int, target: int) -> float:
        """Sorties by the spare troops, those first that leave the fewest borders; else one raid a turn."""
        others = (enemy for enemy in self.now.fronts[source] if enemy != target)
        odds = self.now.chance(source, target, -self.now.threat(others))
        if odds >= SORTIE:
            return 20 + odds - self.borders_added(target)
        odds = self.now.chance(source, target)
        return odds if odds >= RAID and not self.view.captured else 0.0

    def borders_added(self, target: int) -> int:
        """How many more borders there are to guard with this territory than without it."""
        relieved = sum(
            self.now.owner[near] == self.me and self.now.enemies(near) == [target]
            for near in self.terrain.neighbours[target]
        )
        return bool(self.now.enemies(target)) - relieved
