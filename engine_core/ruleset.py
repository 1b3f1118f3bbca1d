"""Rulesets: checked, frozen and fully resolved; all that a kernel and a record need to know about a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, TypedDict

from engine_core.boards import Board, Deck, plain_board, plain_deck, read_board, read_deck
from engine_core.errors import TextError
from engine_core.limits import MAX_COLOURS, MAX_SEATS, MAX_TEXT, MIN_SEATS
from engine_core.options import OptionValue
from engine_core.tables import Table, TableError

NEUTRAL = "neutral"
_TABLE_DEPTH = 8


@dataclass(frozen=True)
class Ruleset:
    """A fully resolved game: nothing is left to look up but the defaults of options that came later.

    `options` lacks an added option (see Option.added) that has its family's default; `registry.options_of`
    fills those in. `tables` are the family's own printed tables that the game needs, by name: JSON values,
    frozen (read-only mappings and tuples).
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
    tables: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(sorted(self.options.items()))))
        object.__setattr__(self, "tables", _frozen(self.tables, "tables"))
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
    """A ruleset in the making, for its family's `complete`; `colours` comes in as all the variant offers."""

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
    tables: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """A printed table that a family knows; `read` checks it strictly and returns it as plain JSON values.

    `read` accepts what it returned: a resolved ruleset is checked by reading it again. `option` names the
    option whose value picks the file among those a variant lists; "" = there is but one.
    """

    option: str
    read: Callable[[Table, Board], dict[str, Any]]


def complete(draft: Draft) -> Draft:
    """What a family without a `complete` of its own gets: one colour for each seat."""
    seats = draft["seats"]
    draft["colours"] = draft["colours"][:seats] or tuple(f"colour{seat}" for seat in range(seats))
    draft["colour_seat"] = tuple(range(seats))
    return draft


def cyclic_rotations(teams: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """All cyclic shifts of the seats that keep every team together; without teams, all of them.

    With teams of unequal size all of them, too: only so does everybody sit on every side, if with changing
    team-mates.
    """
    seats = len(teams)
    shifts = [tuple((position + shift) % seats for position in range(seats)) for shift in range(seats)]
    return tuple(shift for shift in shifts if unequal(teams) or keeps_teams(shift, teams))


def keeps_teams(rotation: Sequence[int], teams: Sequence[int]) -> bool:
    """Whether a seat permutation takes team-mates to team-mates."""
    pairs = {(teams[position], teams[seat]) for position, seat in enumerate(rotation)}
    return len(pairs) == len(set(teams))


def unequal(teams: Sequence[int]) -> bool:
    """Whether the teams differ in size, so that no permutation can exchange them."""
    return len({teams.count(team) for team in teams}) > 1


# ---- checks


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
        if not unequal(ruleset.teams) and not keeps_teams(rotation, ruleset.teams):
            raise TableError(where, "must take team-mates to team-mates")
        if rotation in ruleset.rotations[:index]:
            raise TableError(where, "is there twice")


# ---- frozen tables


def _frozen(value: object, where: str, depth: int = 0) -> object:
    """A JSON value that nobody can change; TableError for what is no whole number, text, list or table."""
    if depth > _TABLE_DEPTH:
        raise TableError(where, f"is nested more than {_TABLE_DEPTH} deep")
    if isinstance(value, Mapping):
        items = {str(key): _frozen(item, f"{where}.{key}", depth + 1) for key, item in value.items()}
        return MappingProxyType(dict(sorted(items.items())))
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value))
    if not isinstance(value, (str, int)):
        raise TableError(where, f"must be a whole number, a text, a list or a table, not {value!r}")
    return value


def thawed(value: object) -> Any:
    """A changeable copy of a frozen JSON value, made of dicts and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


# ---- the text form


def _canonical(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


def _nameless(plain: object) -> object:
    if isinstance(plain, dict):
        return {key: _nameless(item) for key, item in plain.items() if key not in ("name", "x", "y")}
    return [_nameless(item) for item in plain] if isinstance(plain, (list, tuple)) else plain


def _plain(ruleset: Ruleset) -> dict[str, object]:
    tables: dict[str, object] = {"tables": thawed(ruleset.tables)} if ruleset.tables else {}
    return {
        "name": ruleset.name,
        "family": ruleset.family,
        "seats": ruleset.seats,
        "options": dict(ruleset.options),
        "board": plain_board(ruleset.board),
        "deck": plain_deck(ruleset.deck, ruleset.board),
        "colours": ruleset.colours,
        "colour_seat": ruleset.colour_seat,
        "teams": ruleset.teams,
        "rotations": ruleset.rotations,
        **tables,
    }


def _parse(text: str) -> Ruleset:
    if len(text) > MAX_TEXT:
        raise TableError("(text)", f"is longer than {MAX_TEXT} characters")
    try:
        plain: object = json.loads(text, object_pairs_hook=_unrepeated)
    except (ValueError, RecursionError) as error:
        raise TableError("(text)", f"is not JSON: {error}") from None
    top = Table(plain)
    seats = top.integer("seats", MIN_SEATS, MAX_SEATS)
    board, deck = _parse_parts(top)
    ruleset = Ruleset(
        name=top.string("name"),
        family=top.string("family"),
        seats=seats,
        options=read_options(top.table("options")),
        board=board,
        deck=deck,
        colours=top.strings("colours"),
        colour_seat=top.integers("colour_seat", -1, seats - 1),
        teams=top.integers("teams", 0, seats - 1),
        rotations=tuple(row.row_integers(0, seats - 1) for row in top.rows("rotations")),
        tables=_parse_tables(top),
    )
    top.done()
    return ruleset


def _unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError(f"a key is there twice among {', '.join(key for key, _ in pairs)}")
    return table


def _parse_parts(top: Table) -> tuple[Board, Deck]:
    table = top.table("board")
    board = read_board(table, table.label("name"))
    table.done()
    table = top.table("deck")
    deck = read_deck(table, board, table.label("name"))
    table.done()
    return board, deck


def _parse_tables(top: Table) -> dict[str, object]:
    if "tables" not in top:
        return {}
    tables = top.table("tables")
    return {name: tables.value(name) for name in tables.names()}


def read_options(table: Table) -> dict[str, OptionValue]:
    """Option names and values of a table; whether they are allowed is the family's to say."""
    options: dict[str, OptionValue] = {}
    for key in table.names():
        value = table.value(key)
        if not isinstance(value, (str, int)):
            raise TableError(table.path(key), f"must be a text or a whole number, not {value!r}")
        options[key] = int(value) if isinstance(value, bool) else value
    return options
