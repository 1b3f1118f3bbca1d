"""What a colour is after besides conquering everything: its mission, headquarters, objectives.

Every goal is put as a plan: territories of which so many are still to be taken. What the plans ask for adds
up to one number a territory, its pull. A game without goals has no plans and no pull.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.tactics.situation import Situation
from arena.tactics.terrain import terrain_of
from engine_core import Game, View
from engine_core.conquest.options import SHORT_HEADQUARTERS
from engine_core.description import ON_BOARD

Plan = tuple[list[int], int]  # territories not held, and how many of them it takes

FADE = 0.5  # of the pull, a step away through territories of others
FAINT = 0.02  # a pull that is not spread any further


class Goals:
    """The goals of one colour in one game, read from what its seat may see."""

    def __init__(self, game: Game, me: int) -> None:
        ruleset = game.ruleset
        self.me = me
        self.terrain = terrain_of(ruleset)
        self.colours = ruleset.colours
        self.region = {region.id: number for number, region in enumerate(ruleset.board.regions)}
        self.fields = frozenset(field.name for field in game.description.fields)
        self.missions: Any = ruleset.tables.get("missions", {})
        self.objectives: Any = ruleset.tables.get("edition", {}).get("objectives", ())
        self.territories_asked = int(ruleset.options.get("territories_objective", 0))
        short = bool(ruleset.options.get("capital_short", 0))
        self.headquarters_asked = SHORT_HEADQUARTERS.get(game.seats) if short else None
        self.reward_names = game.description.labels.get("reward", ())
        self.any = not self.fields.isdisjoint(("mission", "capital", "objective"))

    # ---- what follows from the plans

    def pull(self, view: View, now: Situation) -> list[float]:
        """For every territory that others hold, 0 to 1: how much the goals ask for it or the way to it.

        A plan that lacks n territories gives 1 / n to the n easiest of them.
        """
        pull = [0.0] * len(now.owner)
        if not self.any:
            return pull
        near = {territory for enemies in now.fronts.values() for territory in enemies}
        for missing, need in self.plans(view, now):
            if 0 < need <= len(missing):
                easiest = sorted(missing, key=lambda t: (t not in near, now.troops[t]))
                for territory in easiest[:need]:
                    pull[territory] = min(1.0, pull[territory] + 1 / need)
        self._spread(pull, now)
        return pull

    def _spread(self, pull: list[float], now: Situation) -> None:
        """The way to a goal is worth something too."""
        reached = [territory for territory, force in enumerate(pull) if force]
        for territory in reached:
            faded = pull[territory] * FADE
            for near in self.terrain.neighbours[territory] if faded > FAINT else ():
                if now.owner[near] != self.me and pull[near] < faded:
                    pull[near] = faded
                    reached.append(near)

    def capital(self, view: View) -> int:
        """The territory of the own capital or headquarters, -1 without one."""
        return int(view.capital[self.me]) if "capital" in self.fields else -1

    def garrisons(self, view: View) -> tuple[int, int]:
        """(territories, troops on each of them) that the mission asks for; (0, 1) where it asks for none."""
        mission = self.mission(view)
        return (mission["count"], mission["least"]) if "least" in mission else (0, 1)

    def rewards(self, view: View) -> list[str]:
        """The name of the reward that lies on each objective, "" where there is none or it is hidden."""
        if not self.reward_names:
            return [""] * len(self.objectives)
        return [self.reward_names[reward] if reward >= 0 else "" for reward in view.reward_on]

    # ---- plans

    def plans(self, view: View, now: Situation) -> Iterator[Plan]:
        """A plan for every goal; one that is reached asks for 0 territories or fewer."""
        if "mission" in self.fields:
            yield self.of_mission(self.mission(view), now)
        if "capital" in self.fields:
            own = self.capital(view)
            yield ([own], 1) if own >= 0 and now.owner[own] != self.me else ([], 0)
        if "capital_known" in self.fields:
            yield self.of_capitals(view, now, self.headquarters_asked)
        if "objective" in self.fields:
            for objective, holder in zip(self.objectives, view.objective, strict=True):
                if holder == ON_BOARD:
                    yield self.of_objective(objective, view, now)

    def mission(self, view: View) -> dict[str, Any]:
        """The own mission as its table has it, or the fallback that it has become; empty without one."""
        number = view.mission[self.me] if "mission" in self.fields else -1
        if number < 0:
            return {}
        if view.mission_void[self.me]:
            return {"kind": "territories", **self.missions["fallback"]}
        mission: dict[str, Any] = self.missions["missions"][number]
        return mission

    def of_mission(self, mission: dict[str, Any], now: Situation) -> Plan:
        """What a mission still lacks."""
        if not mission:
            return [], 0
        if mission["kind"] == "territories":
            return self._count(mission["count"], now)
        if mission["kind"] == "eliminate":
            target = self.colours.index(mission["colour"])
            return _all([t for t, colour in enumerate(now.owner) if colour == target])
        named = [self.region[id] for id in mission["regions"]]
        others = [region for region in self.region.values() if region not in named]
        more = self._easiest(others, 1, now) if mission["kind"] == "regions_and_one" else []
        return _all([t for region in named for t in self._missing(region, now)] + more)

    def of_capitals(self, view: View, now: Situation, count: int | None) -> Plan:
        """Of the others' capitals known: those not held, and how many up to a count (None: all) it takes."""
        known = [t for colour, t in enumerate(view.capital) if colour != self.me and t >= 0]
        missing = [t for t in known if now.owner[t] != self.me]
        return missing, (len(known) if count is None else count) - (len(known) - len(missing))

    def of_objective(self, objective: dict[str, Any], view: View, now: Situation) -> Plan:
        """What an objective still lacks in this turn."""
        kind, count = objective["kind"], objective.get("count", 0)
        before = view.turn_owned if view.turn_colour == self.me else [owner == self.me for owner in now.owner]
        if kind == "region":
            return _all(self._missing(self.region[objective["region"]], now))
        if kind == "regions":
            return _all(self._easiest(list(self.region.values()), count, now))
        if kind == "new_region":
            new = [r for r, members in enumerate(self.terrain.members) if not any(before[t] for t in members)]
            return _all(self._easiest(new, count, now))
        if kind == "enemy_capitals":
            return self.of_capitals(view, now, count)
        if kind == "territories":
            return self._count(self.territories_asked or count, now)
        new_ones = kind.startswith("new_")
        among = [t for t in range(len(now.owner)) if not kind.endswith("cities") or view.city[t]]
        held = sum(now.owner[t] == self.me and not (new_ones and before[t]) for t in among)
        return [t for t in among if now.owner[t] != self.me], count - held

    # ---- helpers

    def _missing(self, region: int, now: Situation) -> list[int]:
        return [t for t in self.terrain.members[region] if now.owner[t] != self.me]

    def _easiest(self, regions: list[int], count: int, now: Situation) -> list[int]:
        """What the nearest regions to be held whole still lack."""
        lacks = sorted((self._missing(region, now) for region in regions), key=len)
        return [t for lack in lacks[:count] for t in lack]

    def _count(self, count: int, now: Situation) -> Plan:
        return [t for t, owner in enumerate(now.owner) if owner != self.me], count - len(now.own)


def _all(missing: list[int]) -> Plan:
    return missing, len(missing)
