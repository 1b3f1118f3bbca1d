"""What Ray costs: CPU per game on the cluster runner beside the inline runner, all processes counted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from arena import plugins, spec, tournament
from arena.bench import Figure
from arena.runners import Runner, cores
from arena.runners import start as start_runner
from arena.types import MatchPlan, MatchResult

TITLE = "Games on Ray beside games inline"
WARM_UP = 20  # matches
_TICKS = os.sysconf("SC_CLK_TCK")
_SPEC = """
name = "bench"
seed = 1
players = ["greedy", "random"]
rounds = {rounds}
[[variants]]
name = "classic"
seats = [2]
"""


def measure(quick: bool) -> list[Figure]:
    """CPU seconds per game without start-up, and games per wall second."""
    rounds = 100 if quick else 600
    inline_cpu, inline_pace, _ = _run("inline", rounds)
    ray_cpu, ray_pace, workers = _run("cluster", rounds)
    conditions = f"greedy against random, classic, 2 seats, {2 * rounds} games, {workers} workers"
    return [
        Figure(
            "CPU efficiency of Ray (inline CPU / Ray's CPU)",
            1000 * ray_cpu,
            "ms CPU/game",
            "inline",
            1000 * inline_cpu,
            inline_cpu / ray_cpu,
            conditions=conditions,
        ),
        Figure(
            "pace of Ray (times faster)",
            ray_pace,
            "games/s",
            "inline",
            inline_pace,
            ray_pace / inline_pace,
            conditions=f"{conditions}, {cores()} cores",
        ),
    ]


def _run(kind: str, rounds: int) -> tuple[float, float, int]:
    """(CPU seconds per game of this process and all below it, games per wall second, workers)."""
    catalog = plugins.installed()
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        text = _SPEC.format(rounds=rounds)
        wanted = spec.parse(text, Path(folder), catalog, source="bench", database="sqlite:///bench.db")
        plans = list(_plans(wanted))
        runner = start_runner(
            "inline" if kind == "inline" else "cluster", wanted.players, 0, plugins.installed
        )
        try:
            runner.check(wanted.limits)
            _timed(runner, plans[:WARM_UP])  # bots fill their tables of odds on first use
            return (*_timed(runner, plans), runner.workers)
        finally:
            runner.close()


def _plans(wanted: spec.TournamentSpec) -> Iterator[MatchPlan]:
    seed = wanted.seed or bytes(16)
    for pairing in tournament.schedule(wanted, seed).pairings():
        yield tournament.plan_for(wanted, seed, pairing)


def _timed(runner: Runner, plans: list[MatchPlan]) -> tuple[float, float]:
    games = 0

    def take(_plan: MatchPlan, result: MatchResult) -> None:
        nonlocal games
        games += len(result.games)

    cpu, wall = _cpu_of_family(), perf_counter()
    runner.run(plans, take)
    return (_cpu_of_family() - cpu) / games, games / (perf_counter() - wall)


def _cpu_of_family() -> float:
    """CPU seconds so far of this process and of every living descendant."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = int(fields[11]) + int(fields[12])
    return sum(ticks[process] for process in ticks if _descends(process, parents)) / _TICKS


def _descends(process: int, parents: dict[int, int]) -> bool:
    while process not in (0, os.getpid()):
        process = parents.get(process, 0)
    return process == os.getpid()
