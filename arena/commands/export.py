"""`arena export`: a tournament's results as CSV or JSON."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, get_args

import click

from arena.commands._common import chosen_tournament, database_option, example, open_store

if TYPE_CHECKING:
    from arena.store.rows import Table

NAMES = ("standings", "games", "pairwise", "faults", "conduct", "attempts")


@click.command(
    "export",
    short_help="Write results as CSV or JSON.",
    epilog=example("arena export standings demo", "arena export games demo --json --output games.json"),
)
@click.argument("what", metavar="WHAT", type=click.Choice(NAMES))
@click.argument("tournament", required=False)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV (the default).")
@click.option("--json", "as_json", is_flag=True, help="Write JSON: a list of objects.")
@database_option
def command(
    what: str, tournament: str | None, output: Path | None, as_csv: bool, as_json: bool, database: str
) -> None:
    """Write WHAT of a TOURNAMENT (the newest when not given).

    WHAT is `standings`, `games`, `pairwise` (scores of each player against each other), `faults`, `conduct`
    (how players behaved) or `attempts` (at matches).

    Only complete, committed matches are in it; attempts that do not count are in `attempts` only.
    """
    from arena.store.rows import ExportName

    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other")
    names: tuple[ExportName, ...] = get_args(ExportName)
    name = next(name for name in names if name == what)
    with open_store(database) as store:
        table = store.export(chosen_tournament(store, tournament).id, name)
        write = write_json if as_json else write_csv
        if output is None:
            write(table, sys.stdout)
        else:
            with output.open("w", encoding="utf-8", newline="") as stream:
                write(table, stream)


def write_csv(table: Table, stream: TextIO) -> None:
    """One line of column names, then one a row."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)


def write_json(table: Table, stream: TextIO) -> None:
    """A list of objects, one a line."""
    start = "["
    for row in table.rows:
        record = dict(zip(table.columns, row, strict=True))
        stream.write(f"{start}\n  {json.dumps(record, ensure_ascii=False)}")
        start = ","
    stream.write("\n]\n" if start == "," else "[]\n")
