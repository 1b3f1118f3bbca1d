"""Quarantine in real tournaments of real processes: alone, on workers, and after a kill (E17)."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tournament_samples import (
    ROOT,
    Family,
    arena,
    committed,
    kill,
    lingering,
    outcome,
    start_arena,
    wait_until,
    write_tournament,
)

from arena.store import Store

ROUNDS = 6
TOTAL = 3 * ROUNDS
AFTER = 5


def write(folder: Path, bot: str, runner: str = "inline") -> Path:
    """Two good bots in process, and the mock bot in one of its own, everyone against everyone."""
    file = write_tournament(
        folder,
        rounds=ROUNDS,
        turn_cap=6,
        runner=runner,
        players=f'["random", "./attacker.py", "./{bot}"]',
    )
    (folder / bot).mkdir()
    command = [sys.executable, str(ROOT / "tests" / "mock_bots" / f"{bot}.py")]
    (folder / bot / "bot.toml").write_text(f'name = "{bot}"\ncommand = {json.dumps(command)}\n')
    faults = f'\n[faults]\nretire = ["crash", "illegal"]\nquarantine_after = {AFTER}\n'
    file.write_text(file.read_text() + faults)
    return file


class Verdict(NamedTuple):
    """Who was quarantined since which match, and which matches count."""

    player: str
    sequence: int
    kind: str
    played: tuple[int, ...]
    unplayed: int


def verdict(database: Path) -> Verdict:
    with Store(f"sqlite:///{database}") as store:
        (row,) = store.tournaments()
        assert row.state == "finished"
        assert row.committed == row.total == TOTAL
        (found,) = store.quarantines(row.id)
        assert store.quarantine_differences(row.id) == ()
        played = tuple(dict.fromkeys(game.sequence for game in store.games(row.id)))
        return Verdict(found.player, found.sequence, found.kind, played, store.unplayed(row.id))


@pytest.fixture(scope="module")
def crashing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an undisturbed run, with its output in `stdout` and `stderr`."""
    folder = tmp_path_factory.mktemp("crashing")
    done = arena("tournament", "run", write(folder, "crash_at_once"))
    assert done.returncode == 0, done.stderr
    (folder / "stdout").write_text(done.stdout)
    (folder / "stderr").write_text(done.stderr)
    return folder


def test_e17_a_bot_that_always_crashes_plays_no_more_and_its_owner_is_told(crashing: Path) -> None:
    found = verdict(crashing / "results.db")
    assert (found.player, found.kind) == ("crash_at_once", "crash")
    assert found.unplayed == TOTAL - len(found.played) > 0
    notice = f"crash_at_once is quarantined since match {found.sequence}"
    with Store(f"sqlite:///{crashing}/results.db") as store:
        fault = store.quarantines(1)[0].fault
        last = store.fault(fault)
        games = [game for game in store.games(1) if any(seat.player == found.player for seat in game.seats)]
    assert len(games) == 2 * -(-AFTER // 2), "the match in which the fifth game falls still counts"
    assert last.quarantine
    assert "no book for this opening" in last.output
    for text in ((crashing / "stderr").read_text(), (crashing / "stdout").read_text()):
        assert notice in text, "told while it runs, and at the end"
        assert f"arena fault {fault}" in text
    assert f"{found.unplayed} matches not played (quarantine)" in (crashing / "stderr").read_text()
    assert f"{TOTAL} of {TOTAL} matches" in (crashing / "stderr").read_text()


def test_e17_the_tables_show_it(crashing: Path) -> None:
    database = crashing / "results.db"
    found = verdict(database)
    shown = arena("tournament", "show", "sample", "--db", database).stdout
    assert f"{TOTAL} of {TOTAL} matches, {found.unplayed} of them not played (quarantine)" in shown
    assert f"crash_at_once is quarantined since match {found.sequence}" in shown
    facts = json.loads(arena("tournament", "show", "sample", "--db", database, "--json").stdout)
    conduct = {row["player"]["label"]: row for row in facts["conduct"]}
    assert conduct["crash_at_once"]["quarantine"]["sequence"] == found.sequence
    assert conduct["crash_at_once"]["retired_rate"] == 1.0
    assert conduct["crash_at_once"]["guards"] == ["none"]
    assert conduct["random"]["guards"] == ["in_process"]
    assert conduct["random"]["unplayed"] + conduct["attacker"]["unplayed"] == found.unplayed
    board = arena("leaderboard", "sample", "--db", database).stdout
    assert "crash_at_once (quarantined)" in board
    assert "random (quarantined)" not in board
    verified = arena("verify", "sample", "--all", "--db", database)
    assert verified.returncode == 0, verified.stdout


def test_e17_a_killed_run_resumes_to_the_same_verdict(tmp_path: Path, crashing: Path) -> None:
    file, database = write(tmp_path, "crash_at_once"), tmp_path / "results.db"
    with lingering(tmp_path):
        process = start_arena("tournament", "run", file, output=tmp_path / "output")
        wait_until(lambda: committed(database) >= 2, "2 matches committed")
        family = Family(process.pid)
        kill(process)
    wait_until(lambda: family.alive() == [], "no process of the run left")
    assert committed(database) < TOTAL, "the run was over before it could be killed"
    again = arena("tournament", "resume", "sample", "--db", database)
    assert again.returncode == 0, again.stderr
    assert verdict(database) == verdict(crashing / "results.db")


def test_e17_workers_end_with_the_table_of_one(tmp_path: Path) -> None:
    """A bot that is deterministic in its badness, so that everything can be compared."""
    outcomes = []
    for runner in ("inline", "cluster"):
        folder = tmp_path / runner
        done = arena("tournament", "run", write(folder, "illegal", runner))
        assert done.returncode == 0, done.stderr
        outcomes.append((outcome(folder / "results.db"), verdict(folder / "results.db")))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1].kind == "illegal"


def test_e17_a_new_version_starts_clean(tmp_path: Path, crashing: Path) -> None:
    """The same tournament again with the bot's next version: it is a new player, and plays."""
    folder, database = crashing / "crash_at_once", tmp_path / "results.db"
    shutil.copy(crashing / "results.db", database)
    toml = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(toml.replace("crash_at_once.py", "first_legal.py") + 'version = "2"\n')
    try:
        done = arena("tournament", "run", crashing / "sample.toml", "--db", database)
    finally:
        (folder / "bot.toml").write_text(toml)
    assert done.returncode == 0, done.stderr
    with Store(f"sqlite:///{database}") as store:
        newest, first = store.tournaments()
        assert store.quarantines(newest.id) == ()
        assert store.unplayed(newest.id) == 0
        assert len(store.quarantines(first.id)) == 1
