"""Ruleset files: boards, decks and variants in TOML, with inheritance; every error names file and key path.

A folder of rulesets holds *.toml in boards, decks, tables and variants (schema: data/README.md).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine_core.boards import WILD, Board, Card, Deck, read_board, without_borders
from engine_core.errors import RulesetError, unknown
from engine_core.limits import MAX_CARDS, MAX_SEATS, MIN_SEATS
from engine_core.options import OptionValue
from engine_core.ruleset import FamilyTable, read_options
from engine_core.tables import Table, TableError

KINDS = ("boards", "decks", "tables", "variants")
STANDARD_EDITION = "standard"


@dataclass(frozen=True, slots=True)
class VariantFile:
    """A variant file with what it inherits filled in; names of board, decks and tables are not yet looked up.

    `tables[name]` says which file stands for each value of the option that picks it, "" if none does.
    """

    name: str
    path: Path
    family: str
    summary: str
    seats: tuple[int, int]
    board: str
    decks: Mapping[str, str]
    tables: Mapping[str, Mapping[str, str]]
    colours: tuple[str, ...]
    options: Mapping[str, OptionValue]
    teams: tuple[int, ...]
    rotations: tuple[tuple[int, ...], ...]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Put the file's name in front of what is wrong in it."""
    label = f"{path.parent.name}/{path.name}"
    try:
        yield
    except (TableError, tomllib.TOMLDecodeError) as error:
        raise RulesetError(f"{label}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulesetError(f"{label}: cannot be read: {error}") from None


def scan(folder: Path) -> dict[str, dict[str, Path]]:
    """The files of a folder of rulesets: kind -> name -> path, sorted by name."""
    return {kind: {path.stem: path for path in sorted((folder / kind).glob("*.toml"))} for kind in KINDS}


def read_board_file(path: Path, edition: str = STANDARD_EDITION) -> Board:
    """The checked board of a file, without the borders that an edition of it lacks."""
    with reading(path):
        table = Table(tomllib.loads(path.read_text("utf-8")))
        board = read_board(table, path.stem)
        editions = {STANDARD_EDITION: board, **_editions(table, board)}
        _about(table)
        table.done()
        if edition not in editions:
            raise TableError("editions", unknown("edition", edition, editions))
        return editions[edition]


def _editions(table: Table, board: Board) -> dict[str, Board]:
    if "editions" not in table:
        return {}
    lists = table.table("editions")
    return {name: without_borders(board, lists, name) for name in lists.names()}


def read_deck_file(path: Path, board: Board) -> Deck:
    """The checked deck of a file: a card for every territory of the board, in its order, then the wilds."""
    with reading(path):
        table = Table(tomllib.loads(path.read_text("utf-8")))
        symbols = table.table("cards")
        cards = [Card(name, symbols.string(name), index) for index, name in enumerate(board.ids)]
        symbols.done()
        wilds = table.integer("wilds", 0, MAX_CARDS) if "wilds" in table else 0
        cards += [Card(f"wild{number}", WILD, -1) for number in range(1, wilds + 1)]
        _about(table)
        table.done()
        return Deck(path.stem, tuple(cards))


def read_table_file(path: Path, board: Board, known: FamilyTable) -> dict[str, Any]:
    """A family's table of a file, as the family reads it."""
    with reading(path):
        table = Table(tomllib.loads(path.read_text("utf-8")))
        _about(table)
        plain = known.read(table, board)
        table.done()
        return plain


def read_variant_file(name: str, paths: Mapping[str, Path]) -> VariantFile:
    """A variant with what it inherits: `options`, `decks`, `tables` are merged by key, others replaced."""
    merged = _merged(name, paths, ())
    with reading(paths[name]):
        table = Table(merged)
        seats = table.integers("seats", MIN_SEATS, MAX_SEATS)
        if len(seats) != 2 or seats[0] > seats[1]:
            raise TableError("seats", f"must be [lowest, highest], not {list(seats)}")
        decks = table.table("decks") if "decks" in table else Table({})
        rotations = table.rows("rotations") if "rotations" in table else []
        variant = VariantFile(
            name=name,
            path=paths[name],
            family=table.string("family"),
            summary=table.string("summary"),
            seats=(seats[0], seats[1]),
            board=table.string("board") if "board" in table else "",
            decks={key: decks.string(key) for key in decks.names()},
            tables=_tables(table),
            colours=table.strings("colours") if "colours" in table else (),
            options=read_options(table.table("options")) if "options" in table else {},
            teams=table.integers("teams", 0, seats[1] - 1) if "teams" in table else (),
            rotations=tuple(row.row_integers(0, seats[1] - 1) for row in rotations),
        )
        if (variant.teams or variant.rotations) and seats[0] != seats[1]:
            raise TableError("seats", "must be one number of seats twice where teams or rotations are listed")
        _about(table)
        _ = "inherits" in table
        table.done()
        return variant


def _tables(table: Table) -> dict[str, dict[str, str]]:
    if "tables" not in table:
        return {}
    tables = table.table("tables")
    return {name: _files(tables, name) for name in tables.names()}


def _files(tables: Table, name: str) -> dict[str, str]:
    if isinstance(tables.value(name), str):
        return {"": tables.string(name)}
    files = tables.table(name)
    return {value: files.string(value) for value in files.names()}


def _merged(name: str, paths: Mapping[str, Path], heirs: tuple[str, ...]) -> dict[str, object]:
    with reading(paths[name]):
        own = tomllib.loads(paths[name].read_text("utf-8"))
        parent = own.get("inherits")
        if parent is None:
            return own
        if not isinstance(parent, str) or parent not in paths:
            raise TableError("inherits", unknown("variant", str(parent), sorted(paths)))
        if parent in (*heirs, name):
            raise TableError("inherits", f"goes in a circle: {' -> '.join((*heirs, name, parent))}")
    merged = _merged(parent, paths, (*heirs, name))
    for key, value in own.items():
        base = merged.get(key)
        if key in ("options", "decks", "tables") and isinstance(base, dict) and isinstance(value, dict):
            merged[key] = {**base, **value}
        else:
            merged[key] = value
    return merged


def _about(table: Table) -> None:
    """Sources and confidence: documentation, kept out of the ruleset."""
    if "about" in table:
        about = table.table("about")
        for key in about.names():
            if not isinstance(about.value(key), str):
                raise TableError(about.path(key), "must be a text")
