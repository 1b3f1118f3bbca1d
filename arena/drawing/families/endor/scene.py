"""What stands where in a position of the endor family, and where that is on the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine_core.endor.describe import luke_vader, places
from engine_core.endor.tables import FIGHTERS, SIDES, SPECIAL_SHIPS

if TYPE_CHECKING:
    from engine_core import Ruleset, View

REBELS, EMPIRE = SIDES
IMPERIAL = {"tie", "executor"}
LETTERS = {"xwing": "X", "ywing": "Y", "bwing": "B", "tie": "TIE", "falcon": "Falcon", "executor": "Executor"}
MARKER_RING = (104, 124)  # where the fleet markers are drawn: outside the outermost ring, radii in hundredths


@dataclass(frozen=True)
class Area:
    """A part of a ring: degrees from the Rebel edge towards the right, radii in hundredths."""

    angles: tuple[float, float]
    radii: tuple[int, int]


@dataclass(frozen=True)
class Track:
    """Hits left on a track, from how many; `red` spaces are the last ones, where Vader can be redeemed."""

    name: str
    left: int
    hits: int
    red: int = 0


def areas(ruleset: Ruleset) -> dict[str, Area]:
    """Where each sector and fleet marker lies; markers share the edge of the sector that they touch."""
    game = ruleset.tables["game"]
    found = {sector["id"]: Area(tuple(sector["x"]), tuple(sector["y"])) for sector in game["sectors"]}
    for sector in {marker["sector"]: 0 for marker in game["markers"]}:
        hooked = [marker["id"] for marker in game["markers"] if marker["sector"] == sector]
        start, end = found[sector].angles
        width = (end - start) / len(hooked)
        for number, marker in enumerate(hooked):
            found[marker] = Area((start + number * width, start + (number + 1) * width), MARKER_RING)
    return found


def ships(view: View) -> dict[str, dict[str, int]]:
    """The ships at each place by kind, the special ships as one."""
    found: dict[str, dict[str, int]] = {place: {} for place in _places(view)}
    for ship in FIGHTERS:
        for place, count in zip(found, view.field(ship), strict=True):
            if count > 0:
                found[place][ship] = count
    for ship in SPECIAL_SHIPS:
        if (index := view.field(ship)[0]) >= 0:
            found[_places(view)[index]][ship] = 1
    return found


def owner(there: Mapping[str, int]) -> str:
    """The side whose ships are there; empty for nobody's."""
    if not there:
        return ""
    return EMPIRE if IMPERIAL & set(there) else REBELS


def markers(view: View) -> dict[str, bool]:
    """Each fleet marker, and whether it is face up."""
    names = view.game.description.names("marker")
    return {name: up > 0 for name, up in zip(names, view.marker, strict=True)}


def tracks(view: View) -> tuple[Track, ...]:
    """The hit tracks of the Falcon, the Executor, Luke and Vader."""
    game: Mapping[str, Any] = view.game.ruleset.tables["game"]
    luke, vader = luke_vader(view.game.ruleset)
    special = [
        Track(LETTERS[ship], view.field(f"{ship}_hits")[0], game["ships"][ship]["hits"])
        for ship in SPECIAL_SHIPS
    ]
    duel = [Track("Luke", view.luke, luke), Track("Vader", view.vader, vader, game["duel"]["redemption"])]
    return (*special, *duel)


def shield(view: View) -> Sequence[int]:
    """The lowest die for each space of the shield track."""
    spaces: Sequence[int] = view.game.ruleset.tables["game"]["ground"]["shield"]
    return spaces


def standing(view: View) -> str:
    """The round and what it waits for, in a line."""
    description = view.game.description
    if view.termination:
        side = description.names("side")[view.winner] if view.winner >= 0 else "nobody"
        return f"Round {view.lap}, the game is over: {side} won"
    if view.turn < 0:
        return f"Round {view.lap}, all choose their orders"
    phase = description.phases[view.phase]
    return f"Round {view.lap}, {description.colours[view.turn]}: {phase}"


def _places(view: View) -> Sequence[str]:
    return places(view.game.ruleset.tables["game"])
