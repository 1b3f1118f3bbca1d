"""Small real tournaments for tests: files, the program as a process, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.launcher.processes import descendants, processes
from arena.runners.reaper import status
from arena.store import Store
from arena.store.rows import LeaderboardRow, RatingChangeRow

ROOT = Path(__file__).resolve().parents[2]
ARENA = Path(sys.executable).parent / "arena"

ATTACKER = '''
"""Attacks whenever it can: another deterministic bot to have somebody to play with."""

import pathlib
import time

NAME = "attacker"


class Bot:
    def __init__(self, game, seat, rng, twin=0):
        if pathlib.Path(__file__).with_name("linger").exists():
            time.sleep(0.25)
        self.attack = game.description.action_kind("attack")

    def decide(self, view, legal):
        return next((option.last() for option in legal if option.kind == self.attack), legal[0].first())
'''

SETTINGS = """
name = "sample"
players = {players}
rounds = {rounds}
seed = 77
database = "{database}"
{clocks}

[[variants]]
name = "classic"
seats = {seats}
options = {{ turn_cap = {turn_cap} }}

[runner]
kind = "{runner}"
workers = {workers}
"""
# A good bot is never late, however busy the machine is.
WIDE = "clocks = { start = 60, decision = 60, game = 3600 }"


def write_tournament(
    folder: Path,
    *,
    rounds: int = 10,
    seats: str = "2",
    turn_cap: int = 4,
    runner: str = "inline",
    workers: int = 2,
    players: str = '["random", "./attacker.py"]',
    database: str = "results.db",
    clocks: str = WIDE,
) -> Path:
    """A tournament file of deterministic bots, beside the bots it names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "attacker.py").write_text(ATTACKER)
    file = folder / "sample.toml"
    file.write_text(
        SETTINGS.format(
            players=players,
            rounds=rounds,
            seats=seats,
            turn_cap=turn_cap,
            runner=runner,
            workers=workers,
            database=f"sqlite:///{database}",
            clocks=clocks,
        )
    )
    return file


def arena(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [ARENA, *arguments],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, **environment},
        check=False,
    )


@contextmanager
def lingering(folder: Path) -> Iterator[None]:
    """Meanwhile `attacker` takes a moment for each game, so that no run is over too soon to be stopped."""
    mark = folder / "linger"
    mark.touch()
    try:
        yield
    finally:
        mark.unlink()


def start_arena(*arguments: str | Path, output: Path) -> subprocess.Popen[bytes]:
    """Start the program in a session of its own; its output goes to a file."""
    with output.open("wb") as stream:
        return subprocess.Popen([ARENA, *arguments], stdout=stream, stderr=stream, start_new_session=True)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 300.0) -> None:
    """Wait for something that must come about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"after {seconds} s still not: {what}"
        time.sleep(0.02)


def committed(database: Path) -> int:
    """How many matches of the only tournament are committed; 0 before there is one."""
    if not database.is_file():
        return 0
    with Store(f"sqlite:///{database}") as store:
        try:
            return store.tournaments()[0].committed
        except Exception:  # the tables are being made
            return 0


class Outcome(NamedTuple):
    """What must not depend on how a tournament went: results, table, and each step of the ratings."""

    content_hash: str
    table: tuple[LeaderboardRow, ...]
    changes: tuple[RatingChangeRow, ...]


def outcome(database: Path) -> Outcome:
    """The outcome of the only tournament, which must be complete."""
    with Store(f"sqlite:///{database}") as store:
        (row,) = store.tournaments()
        assert row.state == "finished"
        assert row.committed == row.total
        table = store.leaderboard(tournament_id=row.id)
        return Outcome(store.content_hash(row.id), table, store.rating_changes(row.id))


class Family:
    """All processes below one now, and whatever joins their sessions later; not the process's own session."""

    def __init__(self, owner: int) -> None:
        self.pids = descendants(owner)
        gone = 0  # what `status` says of one that has ended meanwhile
        self.sessions = {status(pid)[1] for pid in self.pids} - {status(owner)[1], gone}

    def alive(self) -> list[str]:
        """Those that still run, with their commands."""
        found = []
        for pid in processes():
            state, session, _ = status(pid)
            if session in self.sessions and state not in "ZX":
                found.append(f"{pid} {command_line(pid)}")
        return found


def command_line(pid: int) -> str:
    """A process's command line, "" when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL, and collect it."""
    process.send_signal(signal.SIGKILL)
    process.wait()
