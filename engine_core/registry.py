"""Families and variants by name: what is there, and how a variant with options becomes a ruleset.

Built-in families are the folders of engine_core that hold an options.py (OPTIONS, complete) beside their
kernel, and a tables.py (TABLES) if the family knows printed tables of its own. Other
packages add families (see KernelModule) by the entry-point group `conquest_arena.families`, which every
process finds by itself, or with `register_family`. Variants are files in folders laid out like data/; other
packages add folders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast

from engine_core import ruleset as rulesets
from engine_core.boards import Board, Deck
from engine_core.description import Description
from engine_core.errors import OptionError, RulesetError, UnknownName, unknown
from engine_core.loader import (
    STANDARD_EDITION,
    VariantFile,
    read_board_file,
    read_deck_file,
    read_table_file,
    read_variant_file,
    reading,
    scan,
)
from engine_core.options import Option, OptionValue
from engine_core.ruleset import Draft, FamilyTable, Ruleset, thawed
from engine_core.tables import Table, TableError

USUAL_SEATS = 3
ENTRY_POINT_GROUP = "conquest_arena.families"
_ROOT = Path(__file__).parent


class OptionsModule(Protocol):
    """Where a family's options are: its options.py, or the module given to `register_family`."""

    OPTIONS: tuple[Option, ...]


class KernelModule(Protocol):
    """What a family's kernel module offers to `Game`: a `Kernel` struct in a capsule and two functions.

    A module given to `register_family` also has OPTIONS, a tuple of Option, and may have `complete`, a
    function that fills in a Draft (default: ruleset.complete) and changes nothing when applied twice, `idle`,
    which of some options change nothing, and because of which other one (default: none does), and TABLES, the
    FamilyTable of each name that a variant's `[tables]` may use (default: none).
    """

    kernel_capsule: object

    def compile_rules(self, ruleset: Ruleset) -> bytes:
        """The rules block of the kernel."""

    def describe(self, ruleset: Ruleset) -> Description:
        """The game's vocabulary and layout."""


def _none_idle(_options: Mapping[str, OptionValue]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Family:
    """A family's options, tables and how it completes a draft; its kernel is imported when needed."""

    name: str
    options: tuple[Option, ...]
    complete: Callable[[Draft], Draft]
    tables: Mapping[str, FamilyTable]
    idle: Callable[[Mapping[str, OptionValue]], Mapping[str, str]] = _none_idle

    def option(self, name: str) -> Option:
        """The option of a name; UnknownName lists the valid ones."""
        for option in self.options:
            if option.name == name:
                return option
        raise UnknownName("option", name, [option.name for option in self.options])


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant as it can be chosen: seats (lowest, highest), options with its defaults, its file."""

    name: str
    family: str
    seats: tuple[int, int]
    summary: str
    options: tuple[Option, ...]
    path: Path

    @property
    def usual_seats(self) -> int:
        """The seats when nobody says: 3 where the variant takes 3, else the nearest number it takes."""
        return max(self.seats[0], min(self.seats[1], USUAL_SEATS))


_families: dict[str, object] = {}
_folders: list[Path] = [_ROOT / "data"]


# ---- families


def families() -> tuple[str, ...]:
    """The names of all families: built in, registered, and of installed packages."""
    return tuple(sorted({*_built_in(), *_families, *_installed()}))


def register_family(name: str, module: object) -> None:
    """Add a family from another package (see KernelModule); RulesetError when it does not fit or exists."""
    if _families.get(name) is module:
        return
    if name in _families or name in _built_in():
        raise RulesetError(f"a family named {name!r} is there already")
    missing = [
        part
        for part in ("OPTIONS", "kernel_capsule", "compile_rules", "describe")
        if not hasattr(module, part)
    ]
    if missing:
        raise RulesetError(f"family {name!r}: its module lacks {', '.join(missing)}")
    _families[name] = module


def family(name: str) -> Family:
    """A family's options and tables; UnknownName lists the valid families. No compiled module is needed."""
    module = cast(OptionsModule, _module(name, "options"))
    tables: Mapping[str, FamilyTable] = getattr(_tables_module(name), "TABLES", {})
    complete = getattr(module, "complete", rulesets.complete)
    idle = getattr(module, "idle", _none_idle)
    return Family(name, module.OPTIONS, complete, MappingProxyType(dict(tables)), idle)


def family_package(name: str) -> str:
    """The installed package that brought a family, as `name version`; empty for what no package announces."""
    entry = None if name in _built_in() else _installed().get(name)
    return f"{entry.dist.name} {entry.dist.version}" if entry and entry.dist else ""


def kernel(name: str) -> KernelModule:
    """A family's kernel module, imported now; UnknownName lists the valid families."""
    return cast(KernelModule, _module(name, "kernel"))


def _built_in() -> set[str]:
    return {path.parent.name for path in _ROOT.glob("*/options.py")}


def _tables_module(name: str) -> object:
    """The module that may hold a family's TABLES; a built-in family without a tables.py has none."""
    if name in _families:
        return _families[name]
    return _module(name, "tables") if (_ROOT / name / "tables.py").exists() else None


@lru_cache(maxsize=1)
def _installed() -> dict[str, metadata.EntryPoint]:
    """The families of installed packages, by name."""
    return {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINT_GROUP)}


def _module(name: str, part: str) -> object:
    """The module of a family, or the part of a built-in one; an installed one is registered on first use."""
    if name not in _families:
        if name in _built_in():
            return import_module(f"engine_core.{name}.{part}")
        if name not in _installed():
            raise UnknownName("family", name, families())
        entry = _installed()[name]
        try:
            module = entry.load()
        except Exception as error:
            raise RulesetError(f"family {name!r}: {entry.value} cannot be loaded: {error}") from error
        register_family(name, module)
    return _families[name]


# ---- variants


def variants() -> dict[str, Variant]:
    """All variants by name, sorted; RulesetError when a file is broken."""
    paths = _paths("variants")
    return {name: _variant(read_variant_file(name, paths)) for name in sorted(paths)}


def variant(name: str) -> Variant:
    """One variant; UnknownName lists the valid ones."""
    return _variant(_variant_file(name))


def register_variant_folder(folder: str | Path) -> tuple[str, ...]:
    """Add a folder laid out like data/ (variants, boards, decks) and return its variants' names.

    RulesetError, and nothing is added, when a file is broken or a name is taken.
    """
    folder = Path(folder).resolve()
    names = tuple(scan(folder)["variants"])
    if folder in _folders:
        return names
    if not names:
        raise RulesetError(f"{folder}: no variants/*.toml in this folder")
    _folders.append(folder)
    try:
        for name in names:
            low, high = variant(name).seats
            for seats in range(low, high + 1):
                load_ruleset(name, seats=seats)
    except RulesetError:
        _folders.remove(folder)
        raise
    return names


def load_ruleset(name: str, *, seats: int | None = None, **options: OptionValue) -> Ruleset:
    """A variant with seats and options resolved and checked; needs no compiled module.

    Raises UnknownName for a variant or option that is not there, OptionError for a value that is not allowed.
    """
    file = _variant_file(name)
    chosen = _variant(file)
    seats = chosen.usual_seats if seats is None else seats
    low, high = chosen.seats
    if type(seats) is not int or not low <= seats <= high:
        numbers = f"{low}..{high}" if low < high else f"{low}"
        raise OptionError("seats", seats, f"{numbers} in variant {name}")
    table = family(chosen.family)
    values = {option.name: option.default for option in chosen.options}
    values |= {key: table.option(key).check(value) for key, value in options.items()}
    board = _board(file, str(values.get("map_edges_override", STANDARD_EDITION)))
    draft = Draft(
        name=name,
        family=chosen.family,
        seats=seats,
        options=values,
        board=board,
        deck=_deck(file, board, values),
        colours=file.colours,
        colour_seat=(),
        teams=file.teams or tuple(range(seats)),
        rotations=file.rotations,
        tables=_tables(file, table, board, values),
    )
    with reading(file.path):
        return _finish(table, draft)


def load_resolved(text: str) -> Ruleset:
    """The ruleset of a text, checked against its family; TextError or RulesetError say what is wrong."""
    ruleset = Ruleset.from_text(text)
    table = family(ruleset.family)
    given = {option.name: option.default for option in table.options if option.added} | dict(ruleset.options)
    missing = [option.name for option in table.options if option.name not in given]
    if missing:
        raise RulesetError(f"options of family {table.name} are missing: {', '.join(missing)}")
    draft = Draft(
        name=ruleset.name,
        family=ruleset.family,
        seats=ruleset.seats,
        options={key: table.option(key).check(value) for key, value in given.items()},
        board=ruleset.board,
        deck=ruleset.deck,
        colours=ruleset.colours,
        colour_seat=ruleset.colour_seat,
        teams=ruleset.teams,
        rotations=ruleset.rotations,
        tables=_checked_tables(table, ruleset),
    )
    if _finish(table, draft) != ruleset:
        raise RulesetError(f"this is not a resolved ruleset: family {table.name} completes it differently")
    return ruleset


def options_of(ruleset: Ruleset) -> dict[str, OptionValue]:
    """Every option of a ruleset's family with its value, also those it leaves out (see Option.added)."""
    return {option.name: option.default for option in family(ruleset.family).options} | dict(ruleset.options)


def without_effect(ruleset: Ruleset, given: Mapping[str, OptionValue]) -> list[OptionError]:
    """Those of the options given to `load_ruleset` that change nothing: another option or the seats decide.

    Nothing is said of an option that is given the value that its variant has anyway.
    """
    table, values = family(ruleset.family), options_of(ruleset)
    usual = {option.name: option.default for option in _variant(_variant_file(ruleset.name)).options}
    idle, errors = table.idle(values), []
    for name, value in given.items():
        option = table.option(name)
        if option.check(value) == usual[name]:
            continue
        if part := idle.get(name):
            why = f"it has no effect with {part} = {table.option(part).spell(values[part])}"
            errors.append(OptionError(name, value, f"{option.spell(usual[name])}: {why}"))
        elif option.check(value) != values[name]:
            why = f"with {ruleset.seats} seats and the other options there is no choice"
            errors.append(OptionError(name, value, f"{option.spell(values[name])}: {why}"))
    return errors


def _finish(table: Family, draft: Draft) -> Ruleset:
    done = table.complete(draft)
    for option in table.options:
        if option.added and done["options"].get(option.name) == option.default:
            del done["options"][option.name]
    return Ruleset(**done)


def _paths(kind: str) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for folder in _folders:
        for name, path in scan(folder)[kind].items():
            if name in paths:
                raise RulesetError(f"{path}: a file of this name is there already: {paths[name]}")
            paths[name] = path
    return paths


def _variant_file(name: str) -> VariantFile:
    paths = _paths("variants")
    if name not in paths:
        raise UnknownName("variant", name, sorted(paths))
    return read_variant_file(name, paths)


def _variant(file: VariantFile) -> Variant:
    with reading(file.path):
        if file.family not in families():
            raise TableError("family", unknown("family", file.family, families()))
        table = family(file.family)
        names = [option.name for option in table.options]
        for key in file.options:
            if key not in names:
                raise TableError(f"options.{key}", unknown("option", key, names))
        try:
            options = tuple(
                replace(option, default=option.check(file.options.get(option.name, option.default)))
                for option in table.options
            )
        except OptionError as error:
            raise TableError(f"options.{error.key}", str(error)) from None
    return Variant(file.name, file.family, file.seats, file.summary, options, file.path)


def _board(file: VariantFile, edition: str) -> Board:
    if not file.board:
        return Board()
    return read_board_file(_named("boards", "board", file.board, file.path), edition)


def _deck(file: VariantFile, board: Board, options: Mapping[str, OptionValue]) -> Deck:
    if not file.decks:
        return Deck()
    letter = str(options.get("card_deck", ""))
    if letter not in file.decks:
        raise OptionError("card_deck", letter, f"{', '.join(sorted(file.decks))} in variant {file.name}")
    return read_deck_file(_named("decks", f"decks.{letter}", file.decks[letter], file.path), board)


def _tables(
    file: VariantFile, table: Family, board: Board, options: Mapping[str, OptionValue]
) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for name, files in file.tables.items():
        with reading(file.path):
            if name not in table.tables:
                raise TableError(f"tables.{name}", unknown("table", name, table.tables))
            known = table.tables[name]
            value = str(options[known.option]) if known.option else ""
            key = f"tables.{name}.{value}" if value else f"tables.{name}"
            if value not in files:
                raise TableError(key, f"no file for {value!r}; given: {', '.join(files)}")
        path = _named("tables", key, files[value], file.path)
        tables[name] = read_table_file(path, board, known)
    return tables


def _checked_tables(table: Family, ruleset: Ruleset) -> dict[str, Any]:
    """The tables of a resolved ruleset, each read by its family; UnknownName for one it does not know."""
    tables: dict[str, Any] = {}
    for name, frozen in ruleset.tables.items():
        if name not in table.tables:
            raise UnknownName("table", name, table.tables)
        plain = Table(thawed(frozen), f"tables.{name}")
        tables[name] = table.tables[name].read(plain, ruleset.board)
        plain.done()
    return tables


def _named(kind: str, key: str, name: str, origin: Path) -> Path:
    paths = _paths(kind)
    with reading(origin):
        if name not in paths:
            raise TableError(key, unknown(kind[:-1], name, sorted(paths)))
    return paths[name]
