"""What the goals of a colour ask for in one position: where to attack, what to hold, where troops must go."""

from __future__ import annotations

from functools import cached_property

from arena.tactics.goals import Goals
from arena.tactics.situation import Situation
from engine_core import Action, Legal, View

# Odds of a capture at which an attack for a goal is on, and how much lower they may be where the pull is 1.
PURSUE = 0.6
DARE = 0.25
# What a capture with pull 1 is worth, where a capture alone is worth 1.
GOAL = 2.0


class Aims:
    """The goals as they stand in one position; without goals nothing is pursued, kept or called for."""

    def __init__(self, goals: Goals, view: View, now: Situation) -> None:
        self.goals = goals
        self.view = view
        self.now = now

    @cached_property
    def pull(self) -> list[float]:
        """For every territory of others, 0 to 1: how much the goals ask for it."""
        return self.goals.pull(self.view, self.now)

    @cached_property
    def capital(self) -> int:
        """The territory of the own capital or headquarters; -1 without one."""
        return self.goals.capital(self.view)

    @cached_property
    def garrisons(self) -> tuple[int, int]:
        """(territories, troops on each) that the mission asks for."""
        return self.goals.garrisons(self.view)

    def pursuit(self, source: int, target: int, extra: int = 0) -> float:
        """What an attack, with some extra troops, is worth to the goals; 0 when its odds are too long."""
        pull = self.pull[target] if self.goals.any else 0.0
        if not pull:
            return 0.0
        odds = self.now.chance(source, target, extra - self.reserve(source, target))
        return GOAL * pull * odds if odds >= PURSUE - DARE * pull else 0.0

    def reserve(self, source: int, target: int = -1) -> int:
        """Troops that may not leave: the guard of the own capital against all beside it but the target."""
        if source != self.capital or source < 0:
            return 0
        return self.now.threat(enemy for enemy in self.now.enemies(source) if enemy != target)

    def keep(self, source: int) -> int:
        """Troops to leave behind besides the one that must stay."""
        return max(self.reserve(source), self.garrisons[1] - 1)

    def call(self, legal: Legal) -> Action | None:
        """The deployment that goals ask for before all others: a capital in danger, a weak garrison.

        A guard that the reinforcements cannot make strong enough is no use, and not called for.
        """
        if not self.goals.any:
            return None
        offers = {offer.a: offer for offer in legal}
        needs = {t: self.reserve(t) - self.now.troops[t] for t in (self.capital,) if t in offers}
        count, least = self.garrisons
        if least > 1 and len(self.now.own) >= count:
            needs |= {t: least - self.now.troops[t] for t in offers}
        short = {t: need for t, need in needs.items() if 0 < need <= offers[t].hi}
        if not short:
            return None
        nearest = min(short, key=lambda t: short[t])
        return offers[nearest].action(short[nearest])
