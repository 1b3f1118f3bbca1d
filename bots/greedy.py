"""Attacks wherever the exact odds favour it, best odds first, and rolls on until they do not."""

from arena.tactics import Choice, PhaseBot
from engine_core import ActionRange, Legal

NAME = "greedy"
VERSION = "1"
VARIANTS = ("conquest",)
SUMMARY = "attacks when the exact odds favour it"

# An attack is on when rolling to the end captures with at least this probability.
FAVOURABLE = 0.6


class Bot(PhaseBot):
    def claim(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: self.now.company(offer.a))

    def wants(self, offer: ActionRange) -> float:
        return self.best_odds(offer.a, extra=max(1, offer.hi))

    def deploy(self, legal: Legal) -> Choice:
        return max(legal, key=self.wants).last()

    def attack(self, legal: Legal) -> Choice:
        return self.attack_best(legal, self.favourable_odds)

    def occupy(self, legal: Legal) -> Choice:
        move = legal[0]
        return move.last() if self.now.enemies(move.b) else move.first()

    def best_odds(self, territory: int, extra: int) -> float:
        """The odds of the best attack from a territory that is given some extra troops."""
        enemies = self.now.fronts.get(territory, ())
        return max((self.now.chance(territory, enemy, extra) for enemy in enemies), default=0.0)

    def favourable_odds(self, source: int, target: int) -> float:
        """The odds of an attack, 0 where they are not good enough."""
        odds = self.now.chance(source, target)
        return odds if odds >= FAVOURABLE else 0.0
