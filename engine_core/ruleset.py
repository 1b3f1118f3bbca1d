"""Rulesets: checked, frozen and fully resolved; all that a kernel and a record need to know about a game."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import TypedDict

from engine_core.errors import TextError
from engine_core.options import OptionValue
from engine_core.tables import Table, TableError

# The maxima of every family, the same as in kernel.pxd.
MIN_SEATS = 2
MAX_SEATS = 8
MAX_COLOURS = 8
MAX_TERRITORIES = 64
MAX_REGIONS = 32
MAX_CARDS = 64
MAX_BORDERS = 256  # directed: twice the number of pairs
MAX_BONUS = 1000
MAX_COORDINATE = 1000
MAX_TEXT = 1 << 20  # characters of a ruleset text

WILD = "wild"
NEUTRAL = "neutral"
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

    TableError when it breaks a maximum, has a self loop, a repeated border or an empty region, or falls in two.
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
        _check_ids([card.id for card in self.cards], "cards", MAX_CARDS)


@dataclass(frozen=True)
class Ruleset:
    """A fully resolved game: every option of its family is present, nothing is left to look up.

    `colour_seat[c]` is the seat that commands colour c, -1 for a neutral one; `teams[s]` the team of seat s;
    `rotations[r][p]` the seat that position p of a pairing takes in game r of a match. TableError when they
    do not fit together.
    """

    name: str
    family: str
    seats: int
    options: Mapping[str, OptionValue]
    board: Board
    deck: Deck
    colours: tuple[str, ...]
    colour_seat: tuple[int, ...]
    teams: tuple[int, ...]
    rotations: tuple[tuple[int, ...], ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(sorted(self.options.items()))))
        _check_sides(self)
        if not self.rotations:
            object.__setattr__(self, "rotations", cyclic_rotations(self.teams))
        _check_rotations(self)

    @cached_property
    def text(self) -> str:
        """The whole ruleset as canonical JSON: sorted keys, no spaces, ASCII."""
        return _canonical(_plain(self))

    @cached_property
    def hash(self) -> str:
        """Hex BLAKE2b-128 of the text without what no rule can see: every `name`, `x` and `y`."""
        return blake2b(_canonical(_nameless(_plain(self))).encode(), digest_size=16).hexdigest()

    @staticmethod
    def from_text(text: str) -> Ruleset:
        """The ruleset of a text, checked as strictly as a file; TextError with the key path at fault.

        Whether its family knows the options is for `registry.load_resolved` to say.
        """
        try:
            return _parse(text)
        except TableError as error:
            raise TextError(error.message, where=error.where) from None

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> tuple[object, ...]:
        return Ruleset.from_text, (self.text,)


class Draft(TypedDict):
    """A ruleset in the making, handed to its family's `complete`; `colours` comes in as all the variant offers."""

    name: str
    family: str
    seats: int
    options: dict[str, OptionValue]
    board: Board
    deck: Deck
    colours: tuple[str, ...]
    colour_seat: tuple[int, ...]
    teams: tuple[int, ...]
    rotations: tuple[tuple[int, ...], ...]


def complete(draft: Draft) -> Draft:
    """What a family without a `complete` of its own gets: one colour for each seat."""
    seats = draft["seats"]
    draft["colours"] = draft["colours"][:seats] or tuple(f"colour{seat}" for seat in range(seats))
    draft["colour_seat"] = tuple(range(seats))
    return draft


def cyclic_rotations(teams: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """All cyclic shifts of the seats that keep every team together; without teams, all of them."""
    seats = len(teams)
    shifts = [tuple((position + shift) % seats for position in range(seats)) for shift in range(seats)]
    return tuple(shift for shift in shifts if keeps_teams(shift, teams))


def keeps_teams(rotation: Sequence[int], teams: Sequence[int]) -> bool:
    """Whether a seat permutation takes team-mates to team-mates."""
    pairs = {(teams[position], teams[seat]) for position, seat in enumerate(rotation)}
    return len(pairs) == len(set(teams))


# ---- checks


def _check_ids(ids: Sequence[str], where: str, maximum: int) -> None:
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
    _check_ids(board.ids, "territories", MAX_TERRITORIES)
    _check_ids([region.id for region in board.regions], "regions", MAX_REGIONS)
    for index, region in enumerate(board.regions):
        if not board.members(index):
            raise TableError(f"regions[{index}]", f"{region.id} has no territory")
    if 2 * len(board.borders) > MAX_BORDERS:
        raise TableError("borders", f"has {len(board.borders)} pairs; at most {MAX_BORDERS // 2} are allowed")
    for index, (a, b) in enumerate(board.borders):
        if not 0 <= a < b < count:
            raise TableError(f"borders[{index}]", "a territory cannot border itself")
        if index and board.borders[index - 1] >= (a, b):
            raise TableError("borders", f"{board.ids[a]}-{board.ids[b]} is there twice")
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


def _check_sides(ruleset: Ruleset) -> None:
    seats, teams, colours = ruleset.seats, ruleset.teams, ruleset.colours
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise TableError("seats", f"must be in {MIN_SEATS}..{MAX_SEATS}, not {seats}")
    if len(colours) > MAX_COLOURS or len(set(colours)) != len(colours):
        raise TableError(
            "colours", f"must be at most {MAX_COLOURS} different names, not {', '.join(colours)}"
        )
    owners = ruleset.colour_seat
    if len(owners) != len(colours) or set(owners) - {-1} != set(range(seats)):
        raise TableError(
            "colour_seat", f"must give each of {len(colours)} colours a seat in 0..{seats - 1} or -1"
        )
    if len(teams) != seats or set(teams) != set(range(len(set(teams)))):
        raise TableError("teams", f"must number the teams of {seats} seats from 0, not {list(teams)}")


def _check_rotations(ruleset: Ruleset) -> None:
    for index, rotation in enumerate(ruleset.rotations):
        where = f"rotations[{index}]"
        if sorted(rotation) != list(range(ruleset.seats)):
            raise TableError(where, f"must name each of the seats 0..{ruleset.seats - 1} once")
        if not keeps_teams(rotation, ruleset.teams):
            raise TableError(where, "must take team-mates to team-mates")
        if rotation in ruleset.rotations[:index]:
            raise TableError(where, "is there twice")


# ---- the text form


def _canonical(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


def _nameless(plain: object) -> object:
    if isinstance(plain, dict):
        return {key: _nameless(item) for key, item in plain.items() if key not in ("name", "x", "y")}
    return [_nameless(item) for item in plain] if isinstance(plain, (list, tuple)) else plain


def _plain(ruleset: Ruleset) -> dict[str, object]:
    return {
        "name": ruleset.name,
        "family": ruleset.family,
        "seats": ruleset.seats,
        "options": dict(ruleset.options),
        "board": _plain_board(ruleset.board),
        "deck": {
            "name": ruleset.deck.name,
            "cards": [
                {"id": card.id, "symbol": card.symbol, "territory": _name_at(ruleset.board, card.territory)}
                for card in ruleset.deck.cards
            ],
        },
        "colours": ruleset.colours,
        "colour_seat": ruleset.colour_seat,
        "teams": ruleset.teams,
        "rotations": ruleset.rotations,
    }


def _name_at(board: Board, territory: int) -> str:
    return board.ids[territory] if territory >= 0 else "-"


def _plain_board(board: Board) -> dict[str, object]:
    return {
        "name": board.name,
        "territories": [
            {"id": t.id, "name": t.name, "region": board.regions[t.region].id, "x": t.x, "y": t.y}
            for t in board.territories
        ],
        "regions": [
            {"id": region.id, "name": region.name, "bonus": region.bonus} for region in board.regions
        ],
        "borders": [[board.ids[a], board.ids[b]] for a, b in board.borders],
    }


def read_board(table: Table, name: str) -> Board:
    """A board from its table (territories, regions, borders); borders may be in any order and direction."""
    regions = tuple(
        Region(row.string("id"), row.string("name"), row.integer("bonus", 0, MAX_BONUS))
        for row in _finished(table.tables("regions"), "id", "name", "bonus")
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
        for row in _finished(table.tables("territories"), "id", "name", "region", "x", "y")
    )
    indices = {territory.id: index for index, territory in enumerate(territories)}
    borders = []
    for row in _finished(table.rows("borders"), "0", "1"):
        a, b = (indices[row.choice(end, indices, "territory")] for end in ("0", "1"))
        borders.append((min(a, b), max(a, b)))
    try:
        return Board(name, territories, regions, tuple(sorted(borders)))
    except TableError as error:
        raise TableError(table.path(error.where), error.message) from None


def _finished(rows: list[Table], *keys: str) -> list[Table]:
    """The rows, after refusing every key but these."""
    for row in rows:
        for key in keys:
            row.value(key)
        row.done()
    return rows


def _read_cards(table: Table, board: Board) -> Deck:
    places = {**{name: index for index, name in enumerate(board.ids)}, "-": -1}
    cards = tuple(
        Card(row.string("id"), row.string("symbol"), places[row.choice("territory", places, "territory")])
        for row in _finished(table.tables("cards"), "id", "symbol", "territory")
    )
    name = _optional_name(table)
    table.done()
    return Deck(name, cards)


def _optional_name(table: Table) -> str:
    return "" if table.value("name") == "" else table.string("name")


def _parse(text: str) -> Ruleset:
    if len(text) > MAX_TEXT:
        raise TableError("(text)", f"is longer than {MAX_TEXT} characters")
    try:
        top = Table(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise TableError("(text)", f"is not JSON: {error}") from None
    board_table = top.table("board")
    board = read_board(board_table, _optional_name(board_table))
    board_table.done()
    seats = top.integer("seats", MIN_SEATS, MAX_SEATS)
    ruleset = Ruleset(
        name=top.string("name"),
        family=top.string("family"),
        seats=seats,
        options=read_options(top.table("options")),
        board=board,
        deck=_read_cards(top.table("deck"), board),
        colours=top.strings("colours"),
        colour_seat=top.integers("colour_seat", -1, seats - 1),
        teams=top.integers("teams", 0, seats - 1),
        rotations=tuple(row.row_integers(0, seats - 1) for row in top.rows("rotations")),
    )
    top.done()
    return ruleset


def read_options(table: Table) -> dict[str, OptionValue]:
    """Option names and values of a table; whether they are allowed is the family's to say."""
    options: dict[str, OptionValue] = {}
    for key in table.names():
        value = table.value(key)
        if not isinstance(value, (str, int)):
            raise TableError(table.path(key), f"must be a text or a whole number, not {value!r}")
        options[key] = int(value) if isinstance(value, bool) else value
    return options
