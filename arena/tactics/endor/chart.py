"""What of an endor game never changes: its map, its ships' numbers and the orders on its cards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine_core import Ruleset
from engine_core.endor.describe import cards, places
from engine_core.endor.tables import FIGHTERS, MOST_DICE, SHIPS

MARKER = len(SHIPS)
TIE, FALCON, EXECUTOR = (SHIPS.index(ship) for ship in ("tie", "falcon", "executor"))


@dataclass(frozen=True, slots=True)
class Chart:
    """By place (sectors, then fleet markers): its neighbours; by ship: needs and dice; by card: its orders.

    `inner` are the sectors beside the Death Star. `dice` is the most that ships of a kind roll at once.
    """

    sectors: int
    neighbours: tuple[tuple[int, ...], ...]
    inner: frozenset[int]
    needs: tuple[int, ...]
    dice: tuple[int, ...]
    orders: tuple[tuple[str, ...], ...]
    shield: tuple[int, ...]
    numbers: dict[str, Any]

    def is_marker(self, place: int) -> bool:
        """Whether the place is a fleet marker, not a sector."""
        return place >= self.sectors

    def steps(self, goals: frozenset[int], barred: frozenset[int] = frozenset()) -> dict[int, int]:
        """The number of moves from each sector or marker to the nearest goal, through no barred sector."""
        steps = dict.fromkeys(goals, 0)
        edge = list(goals)
        while edge:
            here = edge.pop(0)
            for near in self.neighbours[here]:
                if near not in steps and near not in barred:
                    steps[near] = steps[here] + 1
                    if not self.is_marker(near):
                        edge.append(near)
        return steps


@lru_cache(maxsize=16)
def chart_of(ruleset: Ruleset) -> Chart:
    """The chart of a ruleset of the endor family."""
    game = ruleset.tables["game"]
    names = places(game)
    edges = [*game["borders"], *((marker["id"], marker["sector"]) for marker in game["markers"])]
    pairs = [(names.index(one), names.index(other)) for one, other in edges]
    pairs += [(other, one) for one, other in pairs]
    ships = game["ships"]
    return Chart(
        sectors=len(game["sectors"]),
        neighbours=tuple(tuple(other for one, other in pairs if one == place) for place in range(len(names))),
        inner=frozenset(names.index(sector) for sector in game["death_star"]),
        needs=tuple(ships[ship]["needs"] for ship in (*SHIPS, "marker")),
        dice=tuple(MOST_DICE if ship in FIGHTERS else ships[ship]["dice"] for ship in SHIPS),
        orders=tuple(orders for _, _, orders in cards(game)),
        shield=tuple(game["ground"]["shield"]),
        numbers={key: game[key] for key in ("space", "ground", "duel", "bonus")},
    )
