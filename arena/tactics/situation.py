"""What one colour can read off the board now: its borders, its enemies and what they could bring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from arena.tactics.odds import capture_chance
from arena.tactics.terrain import Terrain


class Situation:
    """A board position as colour `me` sees it; `owner` and `troops` are by territory.

    `passive` are the owners that never attack: the neutral colour, retired ones, and -1, which is nobody.
    Everybody else but the own colour is a rival.
    """

    def __init__(
        self, terrain: Terrain, me: int, owner: Sequence[int], troops: Sequence[int], passive: frozenset[int]
    ) -> None:
        self.terrain = terrain
        self.me = me
        self.owner = owner
        self.troops = troops
        self.passive = passive

    def chance(self, source: int, target: int, extra: int = 0) -> float:
        """Probability that `source`, with some extra troops, captures `target` when it attacks to the end."""
        return capture_chance(self.troops[source] + extra - 1, self.troops[target])

    def enemies(self, territory: int) -> list[int]:
        """The neighbours of a territory that are not the own colour's."""
        owner, me = self.owner, self.me
        return [near for near in self.terrain.neighbours[territory] if owner[near] != me]

    def rivals_near(self, territory: int) -> list[int]:
        """The neighbours of a territory that belong to colours which may attack."""
        return [near for near in self.enemies(territory) if self.owner[near] not in self.passive]

    def company(self, territory: int) -> int:
        """How many own territories lie beside a territory."""
        return len(self.terrain.neighbours[territory]) - len(self.enemies(territory))

    @cached_property
    def own(self) -> list[int]:
        """The own territories."""
        me = self.me
        return [territory for territory, colour in enumerate(self.owner) if colour == me]

    @cached_property
    def fronts(self) -> dict[int, list[int]]:
        """Every own territory with an enemy neighbour, and these neighbours."""
        beyond = {territory: self.enemies(territory) for territory in self.own}
        return {territory: enemies for territory, enemies in beyond.items() if enemies}

    @cached_property
    def beside(self) -> dict[int, list[int]]:
        """The territories next to own ones of every rival that has any."""
        beside: dict[int, list[int]] = {}
        for territory in sorted({enemy for enemies in self.fronts.values() for enemy in enemies}):
            colour = self.owner[territory]
            if colour not in self.passive:
                beside.setdefault(colour, []).append(territory)
        return beside

    def threat(self, territories: Iterable[int]) -> int:
        """The most troops that one rival could send from these territories, without those that must stay."""
        armies: dict[int, int] = {}
        for territory in territories:
            colour = self.owner[territory]
            if colour not in self.passive and colour != self.me:
                armies[colour] = armies.get(colour, 0) + self.troops[territory] - 1
        return max(armies.values(), default=0)

    def held(self, region: int, colour: int) -> int:
        """How many territories of a region a colour holds."""
        return sum(self.owner[territory] == colour for territory in self.terrain.members[region])

    def holder(self, region: int) -> int | None:
        """The colour that holds a whole region, or None."""
        owners = {self.owner[territory] for territory in self.terrain.members[region]}
        return owners.pop() if len(owners) == 1 else None

    @cached_property
    def regions(self) -> list[int]:
        """The regions that the own colour holds whole."""
        return [region for region in range(len(self.terrain.members)) if self.holder(region) == self.me]

    @cached_property
    def distances(self) -> dict[int, int]:
        """Steps from every own territory through own ones to the nearest front."""
        distances = dict.fromkeys(self.fronts, 0)
        reached = list(distances)
        for territory in reached:
            for near in self.terrain.neighbours[territory]:
                if near not in distances and self.owner[near] == self.me:
                    distances[near] = distances[territory] + 1
                    reached.append(near)
        return distances
