"""The printed tables of the conquest family: secret missions, numbers and goals of the 2008 edition.

Sources: rulebook 002 for the missions, rulebook 001 for the edition. A reader takes a file's table,
or what it made of one; it returns plain JSON values and raises TableError with the key path at fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine_core.boards import Board, check_ids
from engine_core.limits import MAX_BONUS, MAX_COLOURS, MAX_SEATS, MIN_SEATS
from engine_core.ruleset import FamilyTable
from engine_core.tables import Table, TableError

MAX_MISSIONS = 24
MAX_OBJECTIVES = 16
MOST_STARS = 10
MAX_LEAST = 1000
REWARDS = {
    "minor": ("airfield_minor", "starting_maneuver", "additional_maneuver", "guaranteed_card"),
    "major": ("airfield_major", "attack_die", "defense_die", "two_troops"),
}
MISSION_KINDS = ("regions", "regions_and_one", "territories", "eliminate")


# ---- missions


def read_missions(table: Table, board: Board) -> dict[str, Any]:
    """`missions`, each with an id and what it asks for, and the `fallback` of one that has become void."""
    missions = [_mission(row, board) for row in table.tables("missions")]
    _check_some([mission["id"] for mission in missions], table.path("missions"), MAX_MISSIONS)
    fallback = table.table("fallback")
    plain = {"missions": missions, "fallback": _many_territories(fallback, board)}
    fallback.done()
    return plain


def _mission(row: Table, board: Board) -> dict[str, Any]:
    kind = row.choice("kind", MISSION_KINDS, "mission kind")
    plain: dict[str, Any] = {"id": row.string("id"), "kind": kind}
    if kind == "territories":
        plain |= _many_territories(row, board)
    elif kind == "eliminate":
        plain["colour"] = row.string("colour")
    else:
        plain["regions"] = _names(row, "regions", [region.id for region in board.regions], "region")
    row.done()
    return plain


def _many_territories(row: Table, board: Board) -> dict[str, int]:
    """So many territories with at least so many troops on each."""
    return {"count": row.integer("count", 1, len(board.ids)), "least": row.integer("least", 1, MAX_LEAST)}


# ---- the 2008 edition


def read_edition(table: Table, board: Board) -> dict[str, Any]:
    """Troops and cards at the start, the star table, objectives, cities and rewards of the 2008 edition."""
    cities = table.integer("city_count", 1, len(board.ids))
    preset = _names(table, "preset_cities", board.ids, "territory")
    if len(preset) != cities:
        raise TableError(table.path("preset_cities"), f"must be city_count = {cities} territories")
    return {
        "starting_troops": _by_seats(table.table("starting_troops")),
        "extra_cards": _cards_by_seats(table.table("extra_cards")),
        "extra_card_of_three": list(table.integers("extra_card_of_three", 0, MAX_SEATS)),
        "star_values": _star_values(table),
        **_objectives(table, board, cities),
        "city_count": cities,
        "preset_cities": preset,
        "minor_rewards": _names(table, "minor_rewards", REWARDS["minor"], "minor reward"),
        "major_rewards": _names(table, "major_rewards", REWARDS["major"], "major reward"),
        "reward_troops": table.integer("reward_troops", 1, MAX_BONUS),
    }


def _by_seats(table: Table) -> dict[str, int]:
    return {key: table.integer(key, 1, MAX_BONUS) for key in _seat_keys(table)}


def _cards_by_seats(table: Table) -> dict[str, list[int]]:
    """For each number of seats the cards that each gets at the start, in turn order."""
    cards = {key: list(table.integers(key, 0, MAX_SEATS)) for key in _seat_keys(table)}
    for key, row in cards.items():
        if len(row) != int(key):
            raise TableError(table.path(key), f"must be {key} numbers, one for each seat in turn order")
    return cards


def _seat_keys(table: Table) -> tuple[str, ...]:
    valid = [str(seats) for seats in range(MIN_SEATS, MAX_SEATS + 1)]
    for key in table.names():
        if key not in valid:
            raise TableError(table.path(key), f"must be a number of seats: {', '.join(valid)}")
    return table.names()


def _star_values(table: Table) -> list[int]:
    """The troops for 0, 1, ... 10 stars; 0 where so few are not traded."""
    values = list(table.integers("star_values", 0, MAX_BONUS))
    if len(values) != MOST_STARS + 1 or values != sorted(values):
        raise TableError(
            table.path("star_values"),
            f"must be {MOST_STARS + 1} numbers, for 0 to {MOST_STARS} stars, rising",
        )
    return values


def _objectives(table: Table, board: Board, cities: int) -> dict[str, Any]:
    most = {
        "cities": cities,
        "new_cities": cities,
        "enemy_capitals": MAX_COLOURS - 1,
        "territories": len(board.ids),
        "new_territories": len(board.ids),
        "regions": len(board.regions),
        "new_region": len(board.regions),
    }
    objectives = [_objective(row, board, most) for row in table.tables("objectives")]
    ids = [objective["id"] for objective in objectives]
    _check_some(ids, table.path("objectives"), MAX_OBJECTIVES)
    drawn = list(table.integers("drawn", 0, MAX_OBJECTIVES))
    ranks = [objective["rank"] for objective in objectives]
    if len(drawn) != 2 or drawn[0] > ranks.count("minor") or drawn[1] > ranks.count("major"):
        raise TableError(
            table.path("drawn"), "must be [minor, major], no more of each than there are objectives"
        )
    return {
        "objectives": objectives,
        "drawn": drawn,
        "preset_objectives": _names(table, "preset_objectives", ids, "objective"),
    }


def _objective(row: Table, board: Board, most: dict[str, int]) -> dict[str, Any]:
    kind = row.choice("kind", ("region", *most), "objective kind")
    plain: dict[str, Any] = {
        "id": row.string("id"),
        "rank": row.choice("rank", tuple(REWARDS), "rank"),
        "kind": kind,
    }
    if kind == "region":
        plain["region"] = row.choice("region", [region.id for region in board.regions], "region")
    else:
        plain["count"] = row.integer("count", 1, most[kind])
    row.done()
    return plain


# ---- helpers


def _names(table: Table, key: str, valid: Sequence[str], what: str) -> list[str]:
    """A list of different names among the valid ones."""
    listed = Table({str(index): name for index, name in enumerate(table.strings(key))}, table.path(key))
    names = [listed.choice(position, valid, what) for position in listed.names()]
    if len(set(names)) != len(names):
        raise TableError(table.path(key), f"names a {what} twice")
    return names


def _check_some(ids: Sequence[str], where: str, most: int) -> None:
    if not ids:
        raise TableError(where, f"has 0 entries; must have 1 to {most}")
    check_ids(ids, where, most)


TABLES = {
    "missions": FamilyTable(option="mission_deck", read=read_missions),
    "edition": FamilyTable(option="", read=read_edition),
}
