"""Attacks wherever the exact odds favour it, the best odds and the own goals first."""

from arena.tactics import Choice, PhaseBot
from engine_core import ActionRange, Legal

NAME = "greedy"
VERSION = "1"
VARIANTS = ("conquest",)
SUMMARY = "attacks when the exact odds favour it, for its goals first"

# An attack is on when rolling to the end captures with at least this probability.
FAVOURABLE = 0.6


class Bot(PhaseBot):
    def claim(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: self.now.company(offer.a))

    def wants(self, offer: ActionRange) -> float:
        return self.best_odds(offer.a, extra=max(1, offer.hi))

    def deploy(self, legal: Legal) -> Choice:
        return self.aims.call(legal) or max(legal, key=self.wants).last()

    def attack(self, legal: Legal) -> Choice:
        return self.attack_best(legal, self.favourable_odds)

    def occupy(self, legal: Legal) -> Choice:
        move = legal[0]
        return self.advance(move) if self.now.enemies(move.b) else move.first()

    def best_odds(self, territory: int, extra: int) -> float:
        """The odds of the best attack from a territory that is given some extra troops, goals first."""
        enemies = self.now.fronts.get(territory, ())
        chance, pursuit = self.now.chance, self.aims.pursuit
        return max((chance(territory, e, extra) + pursuit(territory, e, extra) for e in enemies), default=0.0)

    def favourable_odds(self, source: int, target: int) -> float:
        """The odds of an attack, 0 where they are not good enough."""
        odds = self.now.chance(source, target, -self.aims.reserve(source, target))
        return odds if odds >= FAVOURABLE else 0.0
