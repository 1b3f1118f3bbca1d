"""Boards and decks: checked, frozen, and with a plain form that JSON and TOML share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine_core.limits import MAX_BONUS, MAX_BORDERS, MAX_CARDS, MAX_COORDINATE, MAX_REGIONS, MAX_TERRITORIES
from engine_core.tables import Table, TableError, rows_with

WILD = "wild"
NO_TERRITORY = "-"
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}")


@dataclass(frozen=True, slots=True)
class Territory:
    """A territory: short id, display name, index of its region, and where it is drawn (grid 100 x 60)."""

    id: str
    name: str
    region: int
    x: int = 0
    y: int = 0


@dataclass(frozen=True, slots=True)
class Region:
    """A region and the reinforcements it brings to a colour that holds all of it."""

    id: str
    name: str
    bonus: int


@dataclass(frozen=True)
class Board:
    """Territories, regions and borders; a border is one pair of territory indices (lower first), sorted.

    TableError when it breaks a maximum, has a self loop, a repeated border or an empty region, or is in two
    parts.
    """

    name: str = ""
    territories: tuple[Territory, ...] = ()
    regions: tuple[Region, ...] = ()
    borders: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        _check_board(self)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The territories' ids in order."""
        return tuple(territory.id for territory in self.territories)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For every territory the indices of its neighbours, ascending."""
        near: list[list[int]] = [[] for _ in self.territories]
        for a, b in self.borders:
            near[a].append(b)
            near[b].append(a)
        return tuple(tuple(sorted(row)) for row in near)

    def index(self, territory: str) -> int:
        """The index of a territory's id; ValueError when there is none."""
        return self.ids.index(territory)

    def members(self, region: int) -> tuple[int, ...]:
        """The indices of a region's territories."""
        return tuple(i for i, territory in enumerate(self.territories) if territory.region == region)


@dataclass(frozen=True, slots=True)
class Card:
    """A card: id (the territory's own, or wild1, wild2, ...), symbol, territory index (-1: none)."""

    id: str
    symbol: str
    territory: int


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of a game; their position is their number. TableError on repeated ids or too many."""

    name: str = ""
    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        check_ids([card.id for card in self.cards], "cards", MAX_CARDS)


def check_ids(ids: Sequence[str], where: str, maximum: int) -> None:
    """TableError for too many ids, one of another form, or one that is there twice."""
    if len(ids) > maximum:
        raise TableError(where, f"has {len(ids)} entries; at most {maximum} are allowed")
    seen: set[str] = set()
    for index, name in enumerate(ids):
        if not _ID.fullmatch(name):
            raise TableError(
                f"{where}[{index}].id", f"{name!r} is not a letter and up to 15 letters, digits or _"
            )
        if name in seen:
            raise TableError(f"{where}[{index}].id", f"{name} is there twice")
        seen.add(name)


def _check_board(board: Board) -> None:
    count = len(board.territories)
    check_ids(board.ids, "territories", MAX_TERRITORIES)
    check_ids([region.id for region in board.regions], "regions", MAX_REGIONS)
    for index, region in enumerate(board.regions):
        if not board.members(index):
            raise TableError(f"regions[{index}]", f"{region.id} has no territory")
    if 2 * len(board.borders) > MAX_BORDERS:
        raise TableError("borders", f"has {len(board.borders)} pairs; at most {MAX_BORDERS // 2} are allowed")
    if list(board.borders) != sorted({(a, b) for a, b in board.borders if 0 <= a < b < count}):
        raise TableError("borders", "must be different pairs of territories, lower index first, sorted")
    _check_connected(board)


def _check_connected(board: Board) -> None:
    reached, frontier = {0}, [0] if board.territories else []
    while frontier:
        fresh = set(board.neighbours[frontier.pop()]) - reached
        reached |= fresh
        frontier += fresh
    apart = [name for index, name in enumerate(board.ids) if index not in reached]
    if apart:
        raise TableError("borders", f"no way from {board.ids[0]} to {', '.join(apart)}")


# ---- the plain form


def plain_board(board: Board) -> dict[str, object]:
    """A board as JSON holds it, with ids instead of indices."""
    return {
        "name": board.name,
        "territories": [
            {"id": t.id, "name": t.name, "region": board.regions[t.region].id, "x": t.x, "y": t.y}
            for t in board.territories
        ],
        "regions": [{"id": r.id, "name": r.name, "bonus": r.bonus} for r in board.regions],
        "borders": [[board.ids[a], board.ids[b]] for a, b in board.borders],
    }


def plain_deck(deck: Deck, board: Board) -> dict[str, object]:
    """A deck as JSON holds it, with ids instead of indices."""
    ids = {-1: NO_TERRITORY, **dict(enumerate(board.ids))}
    cards = [{"id": c.id, "symbol": c.symbol, "territory": ids[c.territory]} for c in deck.cards]
    return {"name": deck.name, "cards": cards}


def read_board(table: Table, name: str) -> Board:
    """A board from its table (territories, regions, borders); borders may be in any order and direction."""
    regions = tuple(
        Region(row.string("id"), row.string("name"), row.integer("bonus", 0, MAX_BONUS))
        for row in rows_with(table.tables("regions"), "id", "name", "bonus")
    )
    places = {region.id: index for index, region in enumerate(regions)}
    territories = tuple(
        Territory(
            row.string("id"),
            row.string("name"),
            places[row.choice("region", places, "region")],
            row.integer("x", 0, MAX_COORDINATE),
            row.integer("y", 0, MAX_COORDINATE),
        )
        for row in rows_with(table.tables("territories"), "id", "name", "region", "x", "y")
    )
    check_ids([t.id for t in territories], table.path("territories"), MAX_TERRITORIES)
    borders = _read_borders(table, {t.id: index for index, t in enumerate(territories)})
    try:
        return Board(name, territories, regions, borders)
    except TableError as error:
        raise TableError(table.path(error.where), error.message) from None


def _read_borders(table: Table, indices: dict[str, int]) -> tuple[tuple[int, int], ...]:
    borders: set[tuple[int, int]] = set()
    for row in rows_with(table.rows("borders"), "0", "1"):
        one, other = (row.choice(end, indices, "territory") for end in ("0", "1"))
        a, b = sorted((indices[one], indices[other]))
        if a == b:
            raise TableError(row.where, f"{one} cannot border itself")
        if (a, b) in borders:
            raise TableError(row.where, f"{one}-{other} is there already; a border is listed once")
        borders.add((a, b))
    return tuple(sorted(borders))


def without_borders(board: Board, editions: Table, name: str) -> Board:
    """The board of an edition that lacks the borders listed under `name`; TableError when one is missing."""
    indices = {territory: index for index, territory in enumerate(board.ids)}
    absent: set[tuple[int, int]] = set()
    for row in rows_with(editions.rows(name), "0", "1"):
        one, other = (row.choice(end, indices, "territory") for end in ("0", "1"))
        a, b = sorted((indices[one], indices[other]))
        if (a, b) not in board.borders or (a, b) in absent:
            raise TableError(row.where, f"{one}-{other} is no border of the board that is left to take away")
        absent.add((a, b))
    try:
        return replace(board, borders=tuple(border for border in board.borders if border not in absent))
    except TableError as error:
        raise TableError(editions.path(name), error.message) from None


def read_deck(table: Table, board: Board, name: str) -> Deck:
    """A deck from its table (cards)."""
    places = {NO_TERRITORY: -1, **{territory: index for index, territory in enumerate(board.ids)}}
    cards = tuple(
        Card(row.string("id"), row.string("symbol"), places[row.choice("territory", places, "territory")])
        for row in rows_with(table.tables("cards"), "id", "symbol", "territory")
    )
    try:
        return Deck(name, cards)
    except TableError as error:
        raise TableError(table.path(error.where), error.message) from None
