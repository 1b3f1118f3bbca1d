"""The compiled core: random playouts beside a plain C program of the same game at the same compiler flags."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import engine_core
from arena.bench import Figure, paired
from arena.errors import PlatformFault
from engine_core.bench import playouts

TITLE = "Random playouts inside the core"
# The flags of the extension modules in pyproject.toml; a test compares them.
FLAGS = ("-O3", "-fno-strict-aliasing")
DECISIONS = 2000
_SOURCES = Path(__file__).parent / "yardstick"


def measure(quick: bool) -> list[Figure]:
    """ns of CPU per decision at a fixed number of decisions a game, uniform random play, 3 and 6 seats."""
    games, repeats = (200, 3) if quick else (1000, 9)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        program = _compile(Path(folder))
        yardstick = [_beside_yardstick(program, seats, games, repeats) for seats in (3, 6)]
    return yardstick + [_full_classic(seats, games, repeats) for seats in (2, 3, 4, 5, 6)]


def _compile(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise PlatformFault("the core benchmark needs a C compiler (cc or gcc) on the PATH")
    program = folder / "yardstick"
    command = [compiler, *FLAGS, "-w", "-o", str(program), str(_SOURCES / "yardstick.c")]
    subprocess.run(command, check=True, cwd=_SOURCES)
    return program


def _beside_yardstick(program: Path, seats: int, games: int, repeats: int) -> Figure:
    game = engine_core.load("classic", seats=seats, defender_dice="max")
    ours, theirs, ratio = paired(
        lambda: _ns_per_decision(game, games), lambda: _yardstick_ns(program, seats, games), repeats
    )
    return Figure(
        name=f"classic, defender_dice = max, {seats} seats",
        value=ours,
        unit="ns/decision",
        beside="C yardstick",
        beside_value=theirs,
        ratio=ratio,
        goal="<= 1.5",
        conditions=f"{games} games of {DECISIONS} decisions, median of {repeats} pairs, {' '.join(FLAGS)}",
    )


def _full_classic(seats: int, games: int, repeats: int) -> Figure:
    game = engine_core.load("classic", seats=seats)
    best = min(_ns_per_decision(game, games) for _ in range(repeats))
    return Figure(
        name=f"classic, {seats} seats",
        value=best,
        unit="ns/decision",
        conditions=f"{games} games of at most {DECISIONS} decisions, best of {repeats}",
    )


def _ns_per_decision(game: engine_core.Game, games: int) -> float:
    decisions, _, seconds = playouts(game, games, DECISIONS)
    return seconds / decisions * 1e9


def _yardstick_ns(program: Path, seats: int, games: int) -> float:
    """The best of the three lines that the program prints."""
    command = [str(program), str(seats), str(DECISIONS), str(games)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return min(float(figure) for figure in re.findall(r"ns/dec=([\d.]+)", printed))
