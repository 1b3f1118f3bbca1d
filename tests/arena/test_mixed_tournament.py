"""180 classic games for 2 to 5 seats among in-process, Python and JavaScript bots, on Ray; again with a kill.

In-process, over gRPC from Python and over gRPC from Node: bots of all three kinds sit at the same tables. The
clocks are wide, so that what is compared cannot depend on how busy the machine is.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tournament_samples import (
    ROOT,
    Family,
    arena,
    command_line,
    committed,
    kill,
    outcome,
    start_arena,
    wait_until,
    write_tournament,
)

from arena.store import Store

IN_PROCESS = ("random", "greedy", "continent", "fortress")
PLAYERS = str([*IN_PROCESS, *(str(ROOT / "bots" / name) for name in ("outrider", "vanguard"))]).replace(
    "'", '"'
)
MATCHES = 15 + 20 + 15 + 6
GAMES = 15 * 2 + 20 * 3 + 15 * 4 + 6 * 5


def write_mixed(folder: Path) -> Path:
    return write_tournament(
        folder, rounds=1, seats="[2, 3, 4, 5]", turn_cap=30, runner="cluster", players=PLAYERS
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a run to which nothing happened."""
    folder = tmp_path_factory.mktemp("mixed")
    done = arena("tournament", "run", write_mixed(folder))
    assert done.returncode == 0, done.stderr
    return folder / "results.db"


def test_no_game_is_lost_or_doubled_and_no_bot_is_faulted(undisturbed: Path) -> None:
    with Store(f"sqlite:///{undisturbed}") as store:
        (row,) = store.tournaments()
        games = list(store.games(row.id))
    assert row.committed == row.total == MATCHES
    assert len(games) == GAMES
    assert set(Counter((game.sequence, game.rotation) for game in games).values()) == {1}
    assert {len(game.seats) for game in games} == {2, 3, 4, 5}
    assert {seat.player for game in games for seat in game.seats} == {*IN_PROCESS, "outrider", "vanguard"}
    assert [player.faults for player in outcome(undisturbed).table if player.faults] == []


def test_killed_in_the_middle_and_resumed_it_ends_with_the_same_table(
    tmp_path: Path, undisturbed: Path
) -> None:
    file = write_mixed(tmp_path)
    process = start_arena("tournament", "run", file, output=tmp_path / "output")
    wait_until(lambda: committed(tmp_path / "results.db") >= 10, "10 matches committed", seconds=600)
    family = Family(process.pid)
    commands = [command_line(pid) for pid in family.pids]
    for words in ("raylet", "arena.launcher", "python bot.py", "node bot.js"):
        assert any(words in command for command in commands), f"{words} is not among {commands}"
    kill(process)
    assert committed(tmp_path / "results.db") < MATCHES, "the run was over before it could be killed"
    wait_until(lambda: family.alive() == [], "no process of the run left")

    again = arena("tournament", "resume", "sample", "--db", tmp_path / "results.db")
    assert again.returncode == 0, again.stderr
    assert outcome(tmp_path / "results.db") == outcome(undisturbed)
