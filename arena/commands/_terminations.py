"""`arena bench --terminations`: count how games end, cell by cell, and keep the counts in a folder.

cells.csv is the truth and is replaced whole after every cell, so a run that is broken off goes on behind the
last cell it finished. table.md and run.json are written from it.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.terminations import (
    RANDOM,
    SEED,
    Cell,
    Ending,
    Row,
    keys,
    play_at_random,
    play_with,
    row,
    setup_of,
)
from arena.terminations import cells as cells_of

if TYPE_CHECKING:
    from arena.runners import Runner

CELLS, TABLE, RUN = "cells.csv", "table.md", "run.json"
LINE_S = 10.0
NUMBERS = {field.name for field in fields(Row) if field.type == "int"}
HEADS = (
    "variant", ">seats", "bot", ">games", ">elimination", ">goal", ">turn cap", ">forfeit", ">faults",
    ">decisions: 10 %", ">median", ">90 %", ">laps: 10 %", ">median", ">90 %",
)  # fmt: skip
LEGEND = """\
How games end with one bot in all seats: by `elimination` (one side is left), by a `goal` while others live (a
mission, the headquarters, or objectives and the capital), at the variant's own `turn cap`, or by `forfeit`.
`random` is the core's own playout: a uniformly random legal range, then a uniformly random amount of it, the
policy of `bots/random.py`. `greedy` and `greedy_endor` are the bots of `bots/`, through the referee."""


def survey(folder: Path, games: int, workers: int, commit: str) -> list[Row]:
    """Play what the folder does not hold yet, so many games a cell; all rows, in the order of the cells."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = cells()
    kept = {row.cell: row for row in read(folder) if row.cell in wanted and _holds(row, games)}
    left = [cell for cell in wanted if cell not in kept]
    command = shlex.join(["arena", "bench", "--terminations", str(folder), "--games", str(games)])
    click.echo(f"{len(left)} of {len(wanted)} cells to play; go on after a break with: {command}", err=True)
    progress = _Progress(games, left)
    with _Tables(games * len(left), workers) as tables:
        for cell in left:
            endings = tables.play(cell, games, progress.game)
            kept[cell] = row(cell, setup_of(cell), endings, date=_today(), commit=commit)
            progress.cell(cell)
            write(folder, [kept[cell] for cell in wanted if cell in kept], command)
    rows = [kept[cell] for cell in wanted]
    write(folder, rows, command)
    return rows


def cells() -> list[Cell]:
    """What is counted: every variant and number of seats with `random` and its greedy bot."""
    from arena import plugins

    return cells_of(plugins.installed().bots.values())


def read(folder: Path) -> list[Row]:
    """The rows of a folder's cells.csv; none if there is no such file."""
    file = folder / CELLS
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return [_row(values) for values in csv.DictReader(stream)]


def write(folder: Path, rows: Sequence[Row], command: str) -> None:
    """Replace the folder's files by these rows; a kill leaves each of them old or new, never half."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    run = {
        "command": command,
        "seed": SEED.hex(),
        "cells": len(rows),
        "games": sum(row.games for row in rows),
        "commits": dict(Counter(row.commit for row in rows)),
        "dates": sorted({row.date for row in rows}),
    }
    _replace(folder / CELLS, text.getvalue())
    _replace(folder / TABLE, markdown(rows, command))
    _replace(folder / RUN, json.dumps(run, indent=2) + "\n")


def markdown(rows: Sequence[Row], command: str) -> str:
    """The table as a page, with what the words mean, the command, dates and commits."""
    commits = Counter((row.date, row.commit) for row in rows)
    made = [f"- {date}, commit {commit}: {count} rows" for (date, commit), count in sorted(commits.items())]
    lines = ["# How games end", "", LEGEND, "", f"Made by `{command}`:", "", *made, ""]
    lines.append("| " + " | ".join(head.removeprefix(">") for head in HEADS) + " |")
    lines.append("|" + "|".join(" ---: " if head.startswith(">") else " --- " for head in HEADS) + "|")
    lines += ["| " + " | ".join(line(row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def line(row: Row) -> tuple[str, ...]:
    """A row in the words and order of HEADS."""
    kinds = (row.elimination, row.goal, row.turn_cap, row.forfeit)
    times = (row.decisions_10, row.decisions_50, row.decisions_90, row.laps_10, row.laps_50, row.laps_90)
    shares = (f"{100 * count / row.games:.1f} %" for count in kinds)
    what = (row.variant, str(row.seats), row.bot, f"{row.games:,}")
    return (*what, *shares, str(row.faults), *(f"{number:,}" for number in times))


class _Tables:
    """Where games are played: random ones here, the others on a runner that starts when it is needed."""

    def __init__(self, games: int, workers: int) -> None:
        self._games = games
        self._workers = workers
        self._open = ExitStack()
        self._runner: Runner | None = None

    def __enter__(self) -> _Tables:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    def play(self, cell: Cell, games: int, on_game: Callable[[], None]) -> list[Ending]:
        """A cell's games."""
        setup = setup_of(cell)
        if cell.bot == RANDOM:
            return list(play_at_random(setup, keys(cell, games)))
        from arena import plugins

        bot = plugins.installed().find_bot(cell.bot)
        return play_with(self._started(), bot, setup, keys(cell, games), on_game)

    def _started(self) -> Runner:
        if self._runner is None:
            from arena import plugins
            from arena.runners import choose, start

            kind = choose("cluster" if self._workers else "auto", self._games)
            self._runner = start(kind, (), self._workers, plugins.installed)
            self._open.callback(self._runner.close)
        return self._runner


class _Progress:
    """A line on stderr after every cell, and every LINE_S seconds inside one."""

    def __init__(self, games: int, left: Sequence[Cell]) -> None:
        self._games = games
        self._left = len(left)
        self._cells = 0
        self._in_cell = 0
        self._began = self._started = self._said = time.monotonic()

    def game(self) -> None:
        """A game of the present cell is over."""
        self._in_cell += 1
        if time.monotonic() - self._said > LINE_S:
            click.echo(f"  {self._in_cell} of {self._games} games, {self._pace(self._in_cell)}", err=True)
            self._said = time.monotonic()

    def cell(self, cell: Cell) -> None:
        """A cell is complete."""
        self._cells += 1
        pace = self._pace(self._games)
        self._in_cell, self._began = 0, time.monotonic()
        self._said = self._began
        spent = (self._began - self._started) / 60
        left = spent / self._cells * (self._left - self._cells)
        done = f"{self._cells} of {self._left} cells"
        click.echo(f"{cell}: {pace}; {done}, {spent:.1f} minutes so far, {left:.1f} left", err=True)

    def _pace(self, games: int) -> str:
        seconds = max(time.monotonic() - self._began, 1e-9)
        return f"{games / seconds:,.1f} games/s"


def _holds(row: Row, games: int) -> bool:
    """Whether a row is of so many games of the rules as they are now."""
    return row.games == games and row.ruleset == setup_of(row.cell).ruleset_hash


def _row(values: Mapping[str, str]) -> Row:
    typed: dict[str, Any] = {name: int(text) if name in NUMBERS else text for name, text in values.items()}
    return Row(**typed)


def _replace(file: Path, text: str) -> None:
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
