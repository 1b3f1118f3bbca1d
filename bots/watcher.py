"""Watches which neighbour builds up beside it, strikes that one first and braces where it cannot strike.

The second of the three strategies of rulebook 002: an enemy that gathers troops next to your territories or
to a continent may be planning an attack; beware.
"""

from collections.abc import Sequence
from random import Random

from arena.tactics import Choice, PhaseBot, capture_chance
from engine_core import ActionRange, Game, Legal

NAME = "watcher"
VERSION = "1"
VARIANTS = ("conquest",)
SUMMARY = "strikes the neighbour that builds up, or braces"

STRIKE = 0.6  # odds at which it attacks
ALARM = 0.5  # odds of a rival's attack at which it braces
BRACE = 3  # troops sent at a time to where the alarm is loudest
NEARLY = 2  # a region with no more territories missing is as good as held


class Bot(PhaseBot):
    rival: int | None

    def __init__(self, game: Game, seat: int, rng: Random) -> None:
        super().__init__(game, seat, rng)
        self.lap = 0
        self.seen: tuple[Sequence[int], Sequence[int]] | None = None
        self.before: tuple[Sequence[int], Sequence[int]] | None = None

    def look(self) -> None:
        if self.view.turn_colour == self.me:
            self.remember()
        self.rival = max(self.now.beside, key=self.build_up, default=None)

    def remember(self) -> None:
        """Keep the board as the own last turn left it, to see what has grown since."""
        if self.view.lap != self.lap:
            self.lap, self.before = self.view.lap, self.seen
        self.seen = self.now.owner, self.now.troops

    # ---- phases

    def claim(self, legal: Legal) -> Choice:
        return max(legal, key=lambda offer: (self.denies(offer.a), self.now.company(offer.a)))

    def wants(self, offer: ActionRange) -> float:
        return self.alarm(offer.a)

    def deploy(self, legal: Legal) -> Choice:
        if called := self.aims.call(legal):
            return called
        start = max(legal, key=lambda offer: self.best_strike(offer.a, offer.hi))
        loudest = max(legal, key=self.wants)
        if self.best_strike(start.a, start.hi) < self.worth_of_rival() and self.wants(loudest) >= ALARM:
            return loudest.action(min(loudest.hi, BRACE))
        return start.last()

    def attack(self, legal: Legal) -> Choice:
        return self.attack_best(legal, self.worth)

    def occupy(self, legal: Legal) -> Choice:
        move = legal[0]
        ahead, behind = self.largest_beside(move.b), self.largest_beside(move.a)
        return self.advance(move) if ahead and ahead >= behind else move.first()

    # ---- watching

    def stack(self, territory: int) -> int:
        """The troops on a territory, and once more those that came since the own last turn."""
        troops = self.now.troops[territory]
        if not self.before:
            return troops
        owner_before, troops_before = self.before
        same = owner_before[territory] == self.now.owner[territory]
        return troops + max(0, troops - (troops_before[territory] if same else 1))

    def build_up(self, colour: int) -> int:
        """What a rival has beside the own borders."""
        return sum(self.stack(territory) for territory in self.now.beside[colour])

    def alarm(self, front: int) -> float:
        """The odds with which the worst stack beside a territory would take it."""
        near = self.now.rivals_near(front)
        return max((capture_chance(self.stack(e) - 1, self.now.troops[front]) for e in near), default=0.0)

    def largest_beside(self, territory: int) -> int:
        """The largest stack of an enemy beside a territory, 0 without one."""
        return max((self.stack(enemy) for enemy in self.now.enemies(territory)), default=0)

    def denies(self, territory: int) -> bool:
        """Whether claiming it is the first step into a region of which another has claimed half."""
        region = self.terrain.region_of[territory]
        members = self.terrain.members[region]
        claims = [self.now.owner[t] for t in members]
        most = max((claims.count(colour) for colour in set(claims) - {-1, self.me}), default=0)
        return self.me not in claims and 2 * most >= len(members)

    # ---- striking

    def worth_of_rival(self) -> float:
        """What a strike at the rival is worth at the least."""
        return 2 + STRIKE

    def worth(self, source: int, target: int, extra: int = 0) -> float:
        """The rival first, then regions that another has or nearly has, then what makes an own one fuller."""
        now = self.now
        odds = now.chance(source, target, extra)
        if odds < STRIKE:
            return 0.0
        colour, region = now.owner[target], self.terrain.region_of[target]
        size = len(self.terrain.members[region])
        strikes_rival = 2 if colour == self.rival else 0
        breaks_region = colour not in now.passive and size - now.held(region, colour) <= NEARLY
        return odds + strikes_rival + breaks_region + now.held(region, self.me) / size

    def best_strike(self, territory: int, extra: int) -> float:
        """The worth of the best attack from a territory that is given some extra troops."""
        enemies = self.now.fronts.get(territory, ())
        worth, pursuit = self.worth, self.aims.pursuit
        return max((worth(territory, e, extra) + pursuit(territory, e, extra) for e in enemies), default=0.0)
