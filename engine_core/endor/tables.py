"""The printed map, lists and numbers of the endor family (rulebook 003), read from a table of a variant.

The reader takes a file's table, or what it made of one; it returns plain JSON values and raises TableError
with the key path at fault.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine_core.boards import Board
from engine_core.limits import MAX_CARDS, MAX_SEATS, MIN_SEATS
from engine_core.ruleset import FamilyTable
from engine_core.tables import Table, TableError, rows_with

SIDES = ("rebels", "empire")
FIGHTERS = ("xwing", "ywing", "bwing", "tie")
SPECIAL_SHIPS = ("falcon", "executor")
SHIPS = (*FIGHTERS, *SPECIAL_SHIPS)
ORDERS = (*SHIPS, "death_star", "assault", "ambush", "luke", "redeem", "vader", "emperor")
EMPIRE_ORDERS = ("tie", "executor", "death_star", "ambush", "vader", "emperor")
ORDERS_OF = {
    "rebels": tuple(order for order in ORDERS if order not in EMPIRE_ORDERS),
    "empire": EMPIRE_ORDERS,
}
BONUSES = ("clear", "falcon", "luke", "vader", "redemption")
MAX_PLACES = 31
MAX_MARKERS = 8
MAX_DECK = 32
MAX_SHIELD = 64
MOST_DICE = 5
DIE = 6
MOST_PIECES = 100
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}")


def read_game(table: Table, _board: Board) -> dict[str, Any]:
    """Sectors, markers, ships, start, tracks, decks and rounds; see data/README.md for the schema."""
    places = _places(table)
    sectors = [sector["id"] for sector in places["sectors"]]
    return {
        **places,
        "death_star": _names(table, "death_star", sectors, "sector"),
        "borders": _borders(table, sectors),
        "ships": _ships(table.table("ships")),
        **_setup(table, sectors, [marker["id"] for marker in places["markers"]]),
        "space": _numbers(
            table,
            "space",
            squadron=MOST_PIECES,
            death_star_dice=MOST_DICE,
            death_star_needs=DIE,
            final_needs=DIE,
        ),
        "ground": _ground(table.table("ground")),
        "duel": _duel(table.table("duel")),
        "bonus": _numbers(table, "bonus", **dict.fromkeys(BONUSES, MAX_DECK)),
        "decks": _decks(table.table("decks")),
        "rounds": _rounds(table.table("rounds")),
    }


# ---- the map


def _places(table: Table) -> dict[str, Any]:
    sectors = [
        {
            "id": row.string("id"),
            "x": _pair(row, "x", -360, 360),
            "y": _pair(row, "y", 0, 1000),
        }
        for row in rows_with(table.tables("sectors"), "id", "x", "y")
    ]
    ids = [str(sector["id"]) for sector in sectors]
    markers = [
        {"id": row.string("id"), "sector": row.choice("sector", ids, "sector")}
        for row in rows_with(table.tables("markers"), "id", "sector")
    ]
    names = [*ids, *(marker["id"] for marker in markers)]
    for name in names:
        if not _ID.fullmatch(name) or names.count(name) > 1:
            raise TableError(
                table.path("sectors"), f"{name!r} must be new, a letter and up to 15 letters, digits, _"
            )
    if len(names) > MAX_PLACES or len(markers) > MAX_MARKERS:
        raise TableError(table.path("sectors"), f"at most {MAX_PLACES} places, {MAX_MARKERS} of them markers")
    return {"sectors": sectors, "markers": markers}


def _pair(row: Table, key: str, lo: int, hi: int) -> list[int]:
    pair = list(row.integers(key, lo, hi))
    if len(pair) != 2 or pair[0] >= pair[1]:
        raise TableError(row.path(key), "must be [from, to]")
    return pair


def _borders(table: Table, sectors: Sequence[str]) -> list[list[str]]:
    borders: list[list[str]] = []
    for row in table.rows("borders"):
        pair = [row.choice(key, sectors, "sector") for key in row.names()]
        if len(pair) != 2 or pair[0] == pair[1] or pair in borders or pair[::-1] in borders:
            raise TableError(row.where, "must be two different sectors, each pair once")
        borders.append(pair)
    return borders


# ---- ships


def _ships(table: Table) -> dict[str, Any]:
    ships = {name: _numbers(table, name, pieces=MOST_PIECES, needs=DIE) for name in FIGHTERS}
    for name in SPECIAL_SHIPS:
        ships[name] = _numbers(table, name, hits=MOST_PIECES, needs=DIE, dice=MOST_DICE)
    ships["marker"] = _numbers(table, "marker", needs=DIE)
    table.done()
    return ships


def _setup(table: Table, sectors: Sequence[str], markers: Sequence[str]) -> dict[str, Any]:
    """Squadrons and special ships where they start, and the two squadrons that options may leave out."""
    rows = []
    for row in rows_with(table.tables("setup"), "at", "ship", "count"):
        ship = row.choice("ship", SHIPS, "ship")
        rebel = ship in FIGHTERS and ship != "tie"
        at = row.choice("at", (*sectors, *markers) if rebel else sectors, "place")
        most = 1 if ship in SPECIAL_SHIPS else MOST_PIECES
        rows.append({"at": at, "ship": ship, "count": row.integer("count", 1, most)})
    for ship in SPECIAL_SHIPS:
        if [row["ship"] for row in rows].count(ship) != 1:
            raise TableError(table.path("setup"), f"must place the {ship} once")
    return {
        "setup": rows,
        "bwing_squadron": _squadron(table.table("bwing_squadron"), sectors),
        "tie_squadron": _squadron(table.table("tie_squadron"), sectors),
    }


def _squadron(table: Table, sectors: Sequence[str]) -> dict[str, Any]:
    plain = {"at": table.choice("at", sectors, "sector"), "count": table.integer("count", 1, MOST_PIECES)}
    table.done()
    return plain


# ---- tracks


def _ground(table: Table) -> dict[str, Any]:
    shield = list(table.integers("shield", 1, DIE))
    plain = {
        "shield": shield,
        "assault_dice": table.integer("assault_dice", 1, MOST_DICE),
        "troopers": table.integer("troopers", 1, MAX_SHIELD),
        "ambush": table.integer("ambush", 1, MAX_SHIELD),
    }
    if not 1 <= len(shield) <= MAX_SHIELD:
        raise TableError(table.path("shield"), f"must have 1 to {MAX_SHIELD} spaces")
    table.done()
    return plain


def _duel(table: Table) -> dict[str, Any]:
    tracks = table.table("luke_vader")
    hits = {key: list(tracks.integers(key, 1, MOST_PIECES)) for key in tracks.names()}
    for key, pair in hits.items():
        if len(pair) != 2:
            raise TableError(tracks.path(key), "must be [Luke's hits, Vader's hits]")
    plain = {
        "dice": table.integer("dice", 1, MOST_DICE),
        "needs": table.integer("needs", 1, DIE),
        "emperor_hits": table.integer("emperor_hits", 1, MOST_PIECES),
        "redemption": table.integer("redemption", 1, MOST_PIECES),
        "luke_vader": hits,
    }
    table.done()
    return plain


# ---- cards and rounds


def _decks(table: Table) -> dict[str, Any]:
    decks = {side: [_card(row, side) for row in table.tables(side)] for side in SIDES}
    table.done()
    sizes = [sum(card["copies"] for card in decks[side]) for side in SIDES]
    if not all(1 <= size <= MAX_DECK for size in sizes) or sum(sizes) > MAX_CARDS:
        raise TableError(table.where, f"must be 1 to {MAX_DECK} cards a side, not {sizes}")
    return decks


def _card(row: Table, side: str) -> dict[str, Any]:
    orders = _names(row, "orders", ORDERS_OF[side], "order")
    plain = {"orders": orders, "copies": row.integer("copies", 1, MAX_DECK)}
    row.done()
    return plain


def _rounds(table: Table) -> dict[str, Any]:
    valid = [str(seats) for seats in range(MIN_SEATS, MAX_SEATS + 1)]
    rounds = {}
    for seats in table.names():
        if seats not in valid:
            raise TableError(table.path(seats), f"must be a number of seats: {', '.join(valid)}")
        rounds[seats] = _numbers(table, seats, hand=MAX_DECK, orders=MAX_DECK)
        if rounds[seats]["orders"] > rounds[seats]["hand"]:
            raise TableError(table.path(seats), "must not ask for more orders than there are cards in hand")
    return rounds


# ---- helpers


def _numbers(table: Table, key: str, **most: int) -> dict[str, int]:
    """A table of whole numbers from 1 to the highest that each may be."""
    inner = table.table(key)
    plain = {name: inner.integer(name, 1, highest) for name, highest in most.items()}
    inner.done()
    return plain


def _names(table: Table, key: str, valid: Sequence[str], what: str) -> list[str]:
    """A list of different names among the valid ones."""
    listed = Table({str(index): name for index, name in enumerate(table.strings(key))}, table.path(key))
    names = [listed.choice(position, valid, what) for position in listed.names()]
    if not names or len(set(names)) != len(names):
        raise TableError(table.path(key), f"must name different {what}s, at least one")
    return names


TABLES = {"game": FamilyTable(option="", read=read_game)}
