"""Tournaments end to end: commits, resume, interruption and order, with the real engine, bots and store."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import time
import tracemalloc
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from tournament_samples import (
    ROOT,
    Family,
    Outcome,
    arena,
    command_line,
    committed,
    kill,
    lingering,
    outcome,
    start_arena,
    wait_until,
    write_tournament,
)

from arena.plugins import Plugins, installed
from arena.record import unpack, verify
from arena.runners.inline import InlineRunner
from arena.runners.reaper import status
from arena.spec import load
from arena.store import Store
from arena.store.rows import QuarantineRow
from arena.tournament import Progress, create, plan_for, schedule
from arena.types import GameResult, MatchPlan, MatchResult

ENDLESS = 1_000_000  # rounds of a run that is killed, not finished

DYING_ONCE = """
import os, pathlib

def decide(view, legal):
    flag = pathlib.Path(__file__).with_suffix(".died")
    if not flag.exists():
        flag.touch()
        os._exit(9)
    return legal[0].first()
"""


class Silent:
    """Nobody watches."""

    def progressed(self, progress: Progress) -> None:
        pass

    def voided(self, result: MatchResult) -> None:
        pass

    def quarantined(self, row: QuarantineRow) -> None:
        pass

    def game_finished(self, plan: MatchPlan, game: GameResult) -> None:
        pass


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What the sample of 120 matches comes to when nothing happens to it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    file = write_tournament(folder, rounds=120)
    done = arena("tournament", "run", file)
    assert done.returncode == 0, done.stderr
    return outcome(folder / "results.db")


def has_ended(pid: int) -> bool:
    return status(pid)[0] in "ZX"


def resume_command(output: str) -> list[str]:
    """The arguments of the command that the program said would resume."""
    (line,) = [line for line in output.splitlines() if line.strip().startswith("arena tournament resume")]
    return shlex.split(line)[1:]


@pytest.mark.parametrize("runner", ["inline", "cluster"])
def test_a10_a_killed_run_resumes_to_the_same_table_and_leaves_no_process(
    tmp_path: Path, runner: str, undisturbed: Outcome
) -> None:
    file = write_tournament(tmp_path, rounds=120, runner=runner)
    database = tmp_path / "results.db"
    with lingering(tmp_path):
        process = start_arena("tournament", "run", file, output=tmp_path / "output")
        wait_until(lambda: committed(database) >= 5, "5 matches committed")
        family = Family(process.pid)
        assert any("raylet" in command_line(pid) for pid in family.pids) == (runner == "cluster")
        kill(process)
    assert committed(database) < 120, "the run was over before it could be killed"
    wait_until(lambda: family.alive() == [], "no process of the run left")

    rerun = arena("tournament", "run", file)
    assert rerun.returncode == 2
    assert "sample (1) of the same file is unfinished" in rerun.stderr
    listed = arena("tournament", "resume", "--db", str(database))
    assert resume_command(rerun.stderr) == resume_command(listed.stdout)
    again = arena(*resume_command(listed.stdout))
    assert again.returncode == 0, again.stderr
    assert outcome(database) == undisturbed


def test_c01_a_killed_run_on_ray_takes_its_bots_with_it(tmp_path: Path) -> None:
    bots = f'["random", "{ROOT / "bots" / "outrider"}", "{ROOT / "bots" / "vanguard"}"]'
    file = write_tournament(tmp_path, rounds=ENDLESS, runner="cluster", workers=1, players=bots)
    process = start_arena("tournament", "run", file, output=tmp_path / "output")
    wait_until(lambda: committed(tmp_path / "results.db") >= 1, "a match committed")
    family = Family(process.pid)
    commands = [command_line(pid) for pid in family.pids]
    for words in ("raylet", "arena.launcher", "python bot.py", "node bot.js"):
        assert any(words in command for command in commands), f"{words} is not among {commands}"
    kill(process)
    wait_until(lambda: family.alive() == [], "no process of the run left")


@pytest.mark.parametrize("level", ["none", "limits"])
def test_c01_a_daemon_that_hid_itself_ends_with_a_killed_run(level: str, tmp_path: Path) -> None:
    """Forked twice, a session of its own, no environment: only its keeper knows whose it is."""
    note = tmp_path / "pid"
    bot = tmp_path / "hider"
    bot.mkdir()
    argv = ["python", str(ROOT / "tests" / "mock_bots" / "double_forks.py"), str(note), "hide"]
    (bot / "bot.toml").write_text(f'name = "hider"\ncommand = {json.dumps(argv)}\nchildren = 1\n')
    file = write_tournament(tmp_path, rounds=ENDLESS, players=f'["random", "{bot}"]')
    file.write_text(f'{file.read_text()}\n[isolation]\nlevel = "{level}"\n')
    for _ in range(3):
        note.unlink(missing_ok=True)
        # Anew each time: a run that is killed while its bots start has not stored its tournament yet.
        process = start_arena("tournament", "run", file, "--new", output=tmp_path / "output")
        wait_until(lambda: note.exists() and note.read_text() != "", "the daemon")
        daemon = int(note.read_text())
        time.sleep(0.5)
        kill(process)
        wait_until(partial(has_ended, daemon), "the daemon's end")


def test_an_interrupt_that_was_swallowed_stops_the_run_after_the_next_match(tmp_path: Path) -> None:
    """As when it reached a library in the middle of what ignores errors."""
    spec = load(write_tournament(tmp_path, rounds=4), installed())
    with Store(f"sqlite:///{tmp_path}/results.db") as store, closing(InlineRunner(spec.players)) as runner:
        store.migrate()
        tournament = create(store, spec)
        assert not tournament.play(runner, Silent(), lambda: True)
        assert committed(tmp_path / "results.db") == 1
        assert store.tournaments()[0].state == "stopped"
        assert tournament.play(runner, Silent())
        assert store.tournaments()[0].state == "finished"


def test_a05_c09_a_lost_worker_voids_its_attempt_and_the_records_go_on(tmp_path: Path) -> None:
    """The log says why a match is played again, it counts once, and every game behind it is written down."""
    (tmp_path / "dying.py").write_text(DYING_ONCE)
    file = write_tournament(tmp_path, rounds=3, runner="cluster", players='["random", "./dying.py"]')
    done = arena("tournament", "run", file)
    assert done.returncode == 0, done.stderr
    assert "does not count and is played again: worker ray-" in done.stderr
    shown = arena("tournament", "show", "sample", "--db", tmp_path / "results.db", "--json").stdout
    assert "was lost" in json.loads(shown)["voided"][0]["error"]
    assert outcome(tmp_path / "results.db").table[0].games == 6
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        games = list(store.games(1))
        for game in games:
            assert verify(unpack(store.record(game.id))).digest() == game.digest
    assert [game.sequence for game in games] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("runner", "number"), [("inline", signal.SIGINT), ("cluster", signal.SIGINT), ("cluster", signal.SIGTERM)]
)
def test_a01_b14_an_interrupted_run_stops_soon_and_says_how_to_resume(
    tmp_path: Path, runner: str, number: signal.Signals, undisturbed: Outcome
) -> None:
    """Ctrl-C and `timeout` signal every process of the group."""
    file = write_tournament(tmp_path, rounds=120, runner=runner)
    database, output = tmp_path / "results.db", tmp_path / "output"
    with lingering(tmp_path):
        process = start_arena("tournament", "run", file, output=output)
        wait_until(lambda: committed(database) >= 3, "3 matches committed")
        family = Family(process.pid)
        os.killpg(process.pid, number)
        assert process.wait(timeout=180) == 1
    wait_until(lambda: family.alive() == [], "no process of the run left")
    again = arena(*resume_command(output.read_text()))
    assert again.returncode == 0, again.stderr
    assert outcome(database) == undisturbed


def test_h07_one_seed_is_one_table_whatever_the_runner_and_the_hash_seed(tmp_path: Path) -> None:
    found = []
    for number, (runner, hash_seed) in enumerate([("inline", "1"), ("inline", "2"), ("cluster", "3")]):
        folder = tmp_path / str(number)
        file = write_tournament(folder, rounds=15, runner=runner, seats="[2, 3]", players=THREE)
        done = arena("tournament", "run", file, PYTHONHASHSEED=hash_seed)
        assert done.returncode == 0, done.stderr
        found.append(outcome(folder / "results.db"))
    assert found[0] == found[1] == found[2]


THREE = '["random", "./attacker.py", { path = "./attacker.py", name = "twin", options = { twin = 1 } }]'


def test_another_seed_is_another_table(tmp_path: Path) -> None:
    hashes = []
    for seed in (77, 78):
        file = write_tournament(tmp_path / str(seed), rounds=3)
        file.write_text(file.read_text().replace("seed = 77", f"seed = {seed}"))
        assert arena("tournament", "run", file).returncode == 0
        hashes.append(outcome(tmp_path / str(seed) / "results.db").content_hash)
    assert hashes[0] != hashes[1]


def test_h01_every_match_has_a_key_of_its_own_and_its_rotations_share_it(tmp_path: Path) -> None:
    spec = load(write_tournament(tmp_path, rounds=50), Plugins())
    assert spec.seed is not None
    plans = [plan_for(spec, spec.seed, pairing) for pairing in schedule(spec, spec.seed).pairings()]
    assert len({plan.key for plan in plans}) == len(plans) == 50


def test_e16_a_schedule_of_any_length_is_lazy(tmp_path: Path) -> None:
    spec = load(write_tournament(tmp_path, rounds=10_000_000), Plugins())
    assert spec.seed is not None
    planned = schedule(spec, spec.seed)
    tracemalloc.start()
    assert planned.total() == 10_000_000
    pairings = planned.pairings(9_000_000)
    plans = [plan_for(spec, spec.seed, next(pairings)) for _ in range(100)]
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert [plan.sequence for plan in plans] == list(range(9_000_000, 9_000_100))


def test_e20_games_that_repeat_are_counted_once(tmp_path: Path) -> None:
    """Without luck, twins that change seats play the same game again."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("def decide(view, legal): return legal[0]\n")
    file = write_tournament(tmp_path, rounds=3, turn_cap=1, players='["./one.py", "./two.py"]')
    no_luck = 'turn_cap = 1, first_player = "first", two_player = "plain"'
    file.write_text(file.read_text().replace("turn_cap = 1", no_luck))
    assert "6 games, 3 of them different" in arena("tournament", "run", file).stdout


def test_without_a_seed_the_system_draws_one_and_its_hash_comes_before_the_games(tmp_path: Path) -> None:
    seeds = []
    for name in ("a", "b"):
        file = write_tournament(tmp_path / name, rounds=1)
        file.write_text(file.read_text().replace("seed = 77\n", ""))
        done = arena("tournament", "run", file)
        with Store(f"sqlite:///{tmp_path / name / 'results.db'}") as store:
            (row,) = store.tournaments()
        assert f"seed's hash: {row.commitment}" in done.stderr
        assert f"seed: {row.seed}" in done.stdout
        assert row.seed not in done.stderr
        seeds.append(row.seed)
    assert seeds[0] != seeds[1]


def test_d06_a_bot_that_cannot_start_aborts_before_game_1(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module\ndef decide(view, legal): ...\n")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "bot.toml").write_text('name = "gone"\ncommand = ["./no-such-program"]\n')
    file = write_tournament(tmp_path, players='["random", "./broken.py", "./gone"]')
    done = arena("tournament", "run", file)
    assert done.returncode == 2
    assert "broken" in done.stderr
    assert "no_such_module" in done.stderr
    assert "no-such-program" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results.db").exists()


@pytest.mark.parametrize(
    ("players", "more", "words"),
    [
        ('["random", "./attacker.py"]', '[isolation]\nlevel = "sandbox"\n', "inside the arena's own process"),
        ('["random", { path = "attacker.py", options = { speed = 3 } }]', "", "speed"),
        ('["./attacker.py", { path = "copy.py", name = "second" }]', "", "is one player with 'attacker'"),
    ],
)
def test_a_tournament_that_is_refused_leaves_no_database(
    tmp_path: Path, players: str, more: str, words: str
) -> None:
    file = write_tournament(tmp_path, players=players)
    (tmp_path / "copy.py").write_text((tmp_path / "attacker.py").read_text())
    file.write_text(file.read_text() + more)
    done = arena("tournament", "run", file)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "results.db").exists()


def test_resume_refuses_a_bot_that_is_not_the_same_any_more(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rounds=ENDLESS)
    process = start_arena("tournament", "run", file, output=tmp_path / "output")
    wait_until(lambda: committed(tmp_path / "results.db") >= 1, "a match committed")
    kill(process)
    bot = tmp_path / "attacker.py"
    bot.write_text(bot.read_text() + '\nVERSION = "2"\n')
    again = arena("tournament", "resume", "sample", "--db", str(tmp_path / "results.db"))
    assert again.returncode == 1
    assert "attacker" in again.stderr
    assert "`arena tournament run FILE --new`" in " ".join(again.stderr.split())


def test_resume_of_a_finished_tournament_is_wrong_use(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rounds=1)
    arena("tournament", "run", file)
    again = arena("tournament", "resume", "sample", "--db", str(tmp_path / "results.db"))
    assert again.returncode == 2
    assert "finished" in again.stderr
    assert "nothing to resume" in arena("tournament", "resume", "--db", str(tmp_path / "results.db")).stdout


def test_of_several_of_one_name_resume_takes_the_unfinished_and_all_say_which(tmp_path: Path) -> None:
    """The first was stopped, and another one of its file begun anew beside it."""
    file, database = write_tournament(tmp_path, rounds=3), tmp_path / "results.db"
    assert arena("tournament", "run", file).returncode == 0
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE tournaments SET state = 'stopped', finished = NULL")
    refused = arena("tournament", "run", file)
    assert refused.returncode == 2
    assert "sample (1) of the same file is unfinished, 3 of 3 matches are played" in refused.stderr
    assert "--new" in refused.stderr
    assert arena("tournament", "run", file, "--new").returncode == 0

    shown = arena("tournament", "show", "sample", "--db", database)
    assert "This is sample (2), finished; others of this name: 1 (stopped)." in shown.stderr
    assert shown.stdout.startswith("sample (2): finished")
    assert arena("tournament", "show", "1", "--db", database).stderr == ""
    resumed = arena("tournament", "resume", "sample", "--db", database)
    assert resumed.returncode == 0, resumed.stderr
    assert "This is sample (1), stopped; others of this name: 2 (finished)." in resumed.stderr
    for command in ("leaderboard", "verify"):
        said = arena(command, "sample", "--db", database).stderr
        assert "This is sample (2), finished; others of this name: 1 (finished)." in said


def test_a_database_is_found_by_a_url_with_options(tmp_path: Path) -> None:
    """So that a stopped tournament is not begun anew, and the command that is printed for it works."""
    file = write_tournament(tmp_path, rounds=1)
    url = f"sqlite:///{tmp_path / 'results.db'}?timeout=30"
    assert arena("tournament", "run", file, "--db", url).returncode == 0
    with sqlite3.connect(tmp_path / "results.db") as connection:
        connection.execute("UPDATE tournaments SET state = 'stopped', finished = NULL")
    refused = arena("tournament", "run", file, "--db", url)
    assert refused.returncode == 2
    assert "sample (1) of the same file is unfinished" in refused.stderr
    _, *resume = shlex.split(refused.stderr.splitlines()[-2])
    resumed = arena(*resume)
    assert resumed.returncode == 0, resumed.stderr
    assert arena("verify", "sample", "--db", url).returncode == 0


def test_verify_finds_what_was_changed_behind_its_back(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rounds=4)
    arena("tournament", "run", file)
    database = tmp_path / "results.db"
    sound = arena("verify", "--all", "--db", str(database))
    assert sound.returncode == 0, sound.stdout
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE placements SET score = 0.75 - score WHERE game_id = 1")
    changed = arena("verify", "--all", "--db", str(database))
    assert changed.returncode == 1
    assert "game 1" in changed.stdout
