"""`arena bench`: the figures of this machine, each a ratio measured in one run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands._common import FAILED, console, example, json_option, print_json, table

if TYPE_CHECKING:
    from arena.bench import Figure, Part

SOURCES = Path(__file__).resolve().parents[2]


@click.command(
    "bench",
    short_help="Measure the core, variants, bots, gRPC, Ray and steps from Python.",
    epilog=example(
        "arena bench --quick",
        "arena bench core --output results/bench.md",
        "arena bench --terminations results/terminations",
    ),
)
@click.argument("parts", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="List the parts and measure nothing.")
@click.option("--quick", is_flag=True, help="Seconds instead of minutes; less exact.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write them as Markdown.")
@click.option(
    "--terminations",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Instead, count how games of every variant end, into FOLDER; goes on where it was broken off.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Games per variant, number of seats and bot for --terminations.",
)
@click.option(
    "--workers", type=click.IntRange(0), default=0, help="Ray workers for --terminations; 0: one a core."
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    parts: tuple[str, ...],
    listing: bool,
    quick: bool,
    output: Path | None,
    terminations: Path | None,
    games: int,
    workers: int,
    as_json: bool,
) -> None:
    """Measure PARTS (all when none is named): core, variants, bots, gRPC, Ray, steps from Python.

    Every figure stands beside another one of the same run, since machines differ and are shared. Exit code 1:
    a goal is not met, or a part could not be measured.
    """
    from arena.bench import parts as all_parts
    from arena.tables import one_of

    if terminations is not None:
        if parts or listing or quick or output:
            raise click.UsageError(
                "--terminations measures no parts: give it --games, --workers, --json alone"
            )
        _count_endings(terminations, games, workers, as_json=as_json)
        return
    known = all_parts()
    for name in parts:
        if name not in known:
            raise click.UsageError(one_of("part", name, known))
    chosen = {name: known[name] for name in parts or known}
    if listing:
        titles = {name: part.TITLE for name, part in chosen.items()}
        print_json(titles) if as_json else _print_titles(titles)
        return
    found = _measure(chosen, quick, show=not as_json)
    if as_json:
        print_json({"conditions": _conditions(quick), "figures": found})
    if output is not None:
        output.write_text(markdown(found, quick), encoding="utf-8")
        click.echo(f"wrote {output}", err=True)
    if any(figure.met is False for figures in found.values() for figure in figures):
        ctx.exit(FAILED)


def _count_endings(folder: Path, games: int, workers: int, *, as_json: bool) -> None:
    from arena.commands import _terminations

    rows = _terminations.survey(folder, games, workers, _commit())
    if as_json:
        print_json(rows)
    else:
        console().print(table(_terminations.HEADS, [_terminations.line(row) for row in rows]))
    click.echo(f"wrote {folder}", err=True)


def _measure(parts: Mapping[str, Part], quick: bool, *, show: bool) -> dict[str, list[Figure]]:
    found: dict[str, list[Figure]] = {}
    for name, part in parts.items():
        click.echo(f"measuring {name} ...", err=True)
        found[part.TITLE] = part.measure(quick)
        if show:
            _show(part.TITLE, found[part.TITLE])
    return found


def _print_titles(titles: Mapping[str, str]) -> None:
    for name, title in titles.items():
        click.echo(f"{name:>12}  {title}")


COLUMNS = ("what", ">value", "unit", "beside", ">its value", ">ratio", "goal", "met", "conditions")


def _row(figure: Figure) -> tuple[str, ...]:
    return (
        figure.name,
        _number(figure.value),
        figure.unit,
        figure.beside,
        _number(figure.beside_value),
        _number(figure.ratio),
        figure.goal,
        {True: "yes", False: "NO", None: ""}[figure.met],
        figure.conditions,
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _show(title: str, figures: Sequence[Figure]) -> None:
    console().print(table(COLUMNS[:-1], [_row(figure)[:-1] for figure in figures], title=title))


def _conditions(quick: bool) -> dict[str, str]:
    """When, of which commit, and on what."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "commit": _commit(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load before the end (1, 5, 15 minutes)": load,
        "mode": "quick" if quick else "full",
    }


def _commit() -> str:
    """The commit measured, marked when files differ from it, other than results."""
    git = ["git", "-C", str(SOURCES)]
    try:
        commit = subprocess.check_output([*git, "rev-parse", "--short=12", "HEAD"], text=True)
        changed = subprocess.check_output(
            [*git, "status", "--porcelain", "-uno", "--", ":!results"], text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit.strip() + (" with changes" if changed else "")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def markdown(found: Mapping[str, Sequence[Figure]], quick: bool) -> str:
    """The page that results/bench.md is: date, commit, conditions, and a table a part."""
    lines = ["# Benchmarks", "", "Written by `arena bench`; every ratio was measured in one run.", ""]
    lines += [f"- {name}: {value}" for name, value in _conditions(quick).items()]
    for title, figures in found.items():
        lines += ["", f"## {title}", "", "| " + " | ".join(name.removeprefix(">") for name in COLUMNS) + " |"]
        lines.append("|" + "|".join(" ---: " if name.startswith(">") else " --- " for name in COLUMNS) + "|")
        lines += ["| " + " | ".join(_row(figure)) + " |" for figure in figures]
    return "\n".join(lines) + "\n"
