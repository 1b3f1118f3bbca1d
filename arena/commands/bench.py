"""`arena bench`: measure, compare, and keep the table."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands._common import FAILED, example, json_option, print_json

if TYPE_CHECKING:
    from arena.bench import Figure

Measured = dict[str, "list[Figure]"]


@click.command("bench", epilog=example("arena bench core --quick", "arena bench --write results/bench.md"))
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option("--quick", is_flag=True, help="Fewer repeats: a look, not a record.")
@click.option(
    "--write", "target", type=click.Path(dir_okay=False, path_type=Path), help="Add a dated section."
)
@json_option
@click.pass_context
def command(
    ctx: click.Context, names: tuple[str, ...], quick: bool, target: Path | None, as_json: bool
) -> None:
    """Measure the PARTs (all when none is named), each beside a yardstick in the same run.

    Parts: core, python_step, runners, wire. Ratios can be compared between machines, absolute figures cannot.
    Exit code 1: a goal is missed.
    """
    from arena.bench import parts

    known = parts()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"unknown part {unknown[0]!r}; valid: {', '.join(known)}")
    measured: Measured = {}
    for name in names or known:
        click.echo(f"measuring {name} ...", err=True)
        measured[name] = known[name].measure(quick)
        if not as_json:
            _show(known[name].TITLE, measured[name])
    if as_json:
        print_json(measured)
    if target is not None:
        _write(target, {known[name].TITLE: figures for name, figures in measured.items()})
    if any(figure.met is False for figures in measured.values() for figure in figures):
        ctx.exit(FAILED)


HEADINGS = ("figure", "measured", "beside", "ratio", "goal", "conditions")


def _row(figure: Figure) -> tuple[str, ...]:
    value = (
        f"{figure.value:,.4g} {figure.unit}"
        if figure.value < 10_000
        else f"{figure.value:,.0f} {figure.unit}"
    )
    beside = f"{figure.beside} {figure.beside_value:,.4g}" if figure.beside_value is not None else ""
    ratio = f"{figure.ratio:.2f}" if figure.ratio is not None else ""
    goal = f"{figure.goal} {'met' if figure.met else 'MISSED'}" if figure.goal else ""
    return figure.name, value, beside, ratio, goal, figure.conditions


def _show(title: str, figures: Sequence[Figure]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEADINGS[:-1], title=title, title_justify="left")
    for figure in figures:
        table.add_row(*_row(figure)[:-1])
    Console().print(table)


def _write(target: Path, measured: dict[str, list[Figure]]) -> None:
    """Put a section before the older ones, with the date, the commit and the machine."""
    lines = [f"## {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {_commit()}", "", _machine(), ""]
    for title, figures in measured.items():
        lines += [f"### {title}", "", _markdown_row(HEADINGS), _markdown_row(["---"] * len(HEADINGS))]
        lines += [*(_markdown_row(_row(figure)) for figure in figures), ""]
    head, mark, older = (
        target.read_text().partition("\n## ") if target.exists() else ("# Benchmarks\n", "", "")
    )
    target.write_text(f"{head.rstrip()}\n\n" + "\n".join(lines) + (mark + older if mark else ""))


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _commit() -> str:
    """The commit measured, marked when the tree had changes."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def _machine() -> str:
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    name = model[0].partition(":")[2].strip() if model else platform.machine()
    return (
        f"{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}."
    )
