"""Where everybody's ships are, and where they can go and strike."""

from __future__ import annotations

from functools import cached_property

from arena.tactics.endor.chart import EXECUTOR, FALCON, TIE, Chart
from engine_core import View
from engine_core.endor.tables import FIGHTERS

REBEL_SHIPS = (*range(TIE), FALCON)
EMPIRE_SHIPS = (TIE, EXECUTOR)


class Fleets:
    """The fleets of a view; places are sectors and markers, a special ship counts its hits left.

    `ships[kind][place]` are the numbers of ships, `markers` the places of the face-up fleet markers.
    """

    def __init__(self, chart: Chart, view: View) -> None:
        self.chart = chart
        self.ships: list[tuple[int, ...]] = [view.field(ship) for ship in FIGHTERS]
        for place, hits in ((view.falcon, view.falcon_hits), (view.executor, view.executor_hits)):
            self.ships.append(tuple(hits * (here == place) for here in range(len(chart.neighbours))))
        self.markers = frozenset(chart.sectors + i for i, up in enumerate(view.marker) if up)
        self.down = view.shield >= len(chart.shield)

    def places_of(self, ship: int) -> list[int]:
        """Where there are ships of a kind."""
        return [place for place, count in enumerate(self.ships[ship]) if count]

    @cached_property
    def rebels(self) -> frozenset[int]:
        """Places with Rebel ships."""
        return frozenset(place for ship in REBEL_SHIPS for place in self.places_of(ship))

    @cached_property
    def empire(self) -> frozenset[int]:
        """Places with Imperial ships."""
        return frozenset(place for ship in EMPIRE_SHIPS for place in self.places_of(ship))

    @cached_property
    def steps_to_rebels(self) -> dict[int, int]:
        """Moves from each sector to the nearest Rebel ship or face-up marker."""
        return self.chart.steps(self.rebels | self.markers)

    @cached_property
    def steps_to_death_star(self) -> dict[int, int]:
        """Moves to a sector beside the Death Star that the Rebels can enter, or would have to clear."""
        inner = self.chart.inner
        clear = self.chart.steps(inner - self.empire, self.empire)
        return clear or self.chart.steps(inner)

    def enemies(self, ship: int) -> frozenset[int]:
        """Places with ships, or a face-up marker, that ships of this kind can attack."""
        return self.rebels | self.markers if ship in EMPIRE_SHIPS else self.empire

    def reach(self, ship: int, place: int) -> set[int]:
        """Where ships of a kind can move to from a place: one sector, special ships up to two."""
        barred = self.rebels if ship in EMPIRE_SHIPS else self.empire
        near = self._open(place, barred)
        if ship >= len(FIGHTERS):
            near |= {far for step in near for far in self._open(step, barred)}
        return near - {place}

    def _open(self, place: int, barred: frozenset[int]) -> set[int]:
        chart = self.chart
        return {near for near in chart.neighbours[place] if near not in barred and not chart.is_marker(near)}
