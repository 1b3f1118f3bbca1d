"""What the commands share: options, output as tables or JSON, and how they end."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from arena.store import Store
    from arena.store.rows import TournamentRow
    from engine_core import OptionValue, Variant

FAILED = 1
WRONG_USE = 2
DATABASE_VARIABLE = "ARENA_DB"
DEFAULT_DATABASE = "sqlite:///arena.db"

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def example(*lines: str) -> str:
    """The epilog that shows how a command is used."""
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def json_option(function: Decorated) -> Decorated:
    """The --json flag, as parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(function)


def show_option(function: Decorated) -> Decorated:
    """The --show flag: watch a game."""
    return click.option(
        "--show", is_flag=True, help="Watch it: live on a terminal, else told, with the board every lap."
    )(function)


def delay_option(function: Decorated) -> Decorated:
    """The --delay option: how long each picture of --show stays."""
    return click.option(
        "--delay",
        type=click.FloatRange(0, 60),
        default=0.3,
        show_default=True,
        metavar="SECONDS",
        help="How long --show waits after each move on a terminal.",
    )(function)


def database_option(function: Decorated) -> Decorated:
    """The --db option, as parameter `database`: a URL, or the path of an SQLite file."""
    return _database_option("The database: a URL or the path of an SQLite file.")(function)


def created_database_option(function: Decorated) -> Decorated:
    """The same for a command that creates the database."""
    return _database_option(
        "The database: a URL or the path of an SQLite file, which is created if it is not there."
    )(function)


def _database_option(text: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--db",
        "database",
        envvar=DATABASE_VARIABLE,
        metavar="URL",
        default=DEFAULT_DATABASE,
        show_default=True,
        show_envvar=True,
        help=text,
    )


def database_url(text: str) -> str:
    """A database URL, absolute where it names a file; a plain path means SQLite."""
    from arena.store.urls import resolve_database

    try:
        return resolve_database(text, Path.cwd())
    except ValueError as error:
        raise click.UsageError(f"--db: {error}") from error


def printed(command: Sequence[object], database: str) -> str:
    """A command to be pasted into a shell, with --db unless it would use this database anyway."""
    words = [str(word) for word in command]
    try:
        usual = database_url(os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE)
    except click.UsageError:
        usual = ""
    return shlex.join(words if database_url(database) == usual else [*words, "--db", database])


def fault_command(fault_id: int, database: str) -> str:
    """The command that shows a fault."""
    return printed(["arena", "fault", fault_id], database)


def open_store(text: str) -> Store:
    """An existing database, brought to this version's schema; wrong use when there is none."""
    from arena.store import Store
    from arena.store.urls import sqlite_file

    url = database_url(text)
    file = sqlite_file(url)
    if file is not None and file.is_dir():
        raise click.UsageError(
            f"{file} is a folder, no database; name a file with --db or ${DATABASE_VARIABLE}"
        )
    if file is not None and not file.is_file():
        raise click.UsageError(f"no database at {file}; name one with --db or ${DATABASE_VARIABLE}")
    store = Store(url)
    store.migrate()
    return store


def chosen_tournament(
    store: Store, reference: str | None, *, unfinished_first: bool = False
) -> TournamentRow:
    """The tournament of a number or name, or else the newest; wrong use when there is none.

    Of several of one name it is the newest, or the newest that is not finished; stderr says which.
    """
    from arena.tables import hint

    known = store.tournaments()
    if not known:
        raise click.UsageError("this database holds no tournament yet; see `arena tournament run --help`")
    if reference is None:
        return known[0]
    found = [row for row in known if str(row.id) == reference] or [r for r in known if r.name == reference]
    if found:
        return _one_of(found, unfinished_first)
    names = ", ".join(f"{row.name} ({row.id})" for row in known)
    near = hint(reference, {row.name for row in known})
    raise click.UsageError(f"no tournament {reference!r} in this database{near}; there are: {names}")


def _one_of(found: Sequence[TournamentRow], unfinished_first: bool) -> TournamentRow:
    """The tournament that is meant by the name of these, newest first."""
    unfinished = [row for row in found if row.state != "finished"] if unfinished_first else []
    row = (unfinished or found)[0]
    if len(found) > 1:
        others = ", ".join(f"{other.id} ({other.state})" for other in found if other is not row)
        click.echo(f"This is {row.name} ({row.id}), {row.state}; others of this name: {others}.", err=True)
    return row


def chosen_player(store: Store, tournament_id: int, label: str) -> int:
    """The id of --player, a label in a tournament; wrong use when there is none of that name."""
    from arena.tables import hint

    players = {entry.label: entry.id for entry in store.entries(tournament_id)}
    if label not in players:
        names = ", ".join(sorted(players))
        near = hint(label, players)
        raise click.UsageError(f"--player: no player {label!r} in this tournament{near}; there are: {names}")
    return players[label]


def print_json(value: object) -> None:
    """Write a value as indented JSON; dataclasses become objects."""
    text = json.dumps(value, default=_plain, indent=2, ensure_ascii=False)
    click.echo(re.sub(r"[^\n -~]", lambda found: _json_character(found.group()), text))


def _json_character(character: str) -> str:
    """A character of a JSON text, escaped where a terminal could take it for an order."""
    return character if character.isprintable() else json.dumps(character)[1:-1].replace("\x7f", "\\u007f")


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def console(*, stderr: bool = False) -> Console:
    """A rich console; text that is not for a terminal is never cut to its width."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 200
    return Console(file=stream, width=width, highlight=False)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> Table:
    """A rich table; columns named with a leading `>` are right-aligned numbers."""
    from rich import box
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        made.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    for row in rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def _cell(value: object) -> str:
    from rich.markup import escape

    return "-" if value is None else escape(harmless(str(value)))


def harmless(text: str) -> str:
    """What a bot wrote, without the characters by which it could take a reader's terminal over."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def failed(message: str) -> NoReturn:
    """End with one line on stderr and exit code 1."""
    click.echo(f"Error: {harmless(message)}", err=True)
    raise click.exceptions.Exit(FAILED)


def absolute_bot(reference: str) -> str:
    """A bot as it was named on the command line: a name, or a path that no longer depends on where we are."""
    return str(Path(reference).resolve()) if "/" in reference or Path(reference).exists() else reference


def options_of(pairs: Sequence[str]) -> dict[str, str]:
    """The --option k=v pairs; wrong use names one that is not of this form or comes twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key:
            raise click.UsageError(f"--option {pair!r} must have the form key=value")
        if key in found:
            raise click.UsageError(f"--option {key} is given twice")
        found[key] = value
    return found


def chosen_options(variant: Variant, pairs: Sequence[str]) -> dict[str, OptionValue]:
    """The --option k=v pairs as values of a variant's options; UnknownName, or one OptionError with all."""
    from engine_core.errors import OptionError, UnknownName

    known = {option.name: option for option in variant.options}
    chosen: dict[str, OptionValue] = {}
    wrong: list[OptionError] = []
    for name, text in options_of(pairs).items():
        if name not in known:
            raise UnknownName("option", name, known)
        try:
            chosen[name] = known[name].parse(text)
        except OptionError as error:
            wrong.append(error)
    if wrong:
        raise OptionError.together(wrong)
    return chosen
