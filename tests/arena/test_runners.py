"""Runners: workers, lost workers, what listens where, and that nothing stays behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
from match_samples import bot_file, classic, plan_of, randoms
from tournament_samples import Family, arena, command_line, wait_until

from arena.botfiles import load_bot
from arena.errors import PlatformFault
from arena.launcher.processes import MARKER, descendants, marked
from arena.plugins import installed
from arena.runners import Runner, choose, cores, start, worker_count
from arena.runners import reaper as reapers
from arena.runners.inline import InlineRunner
from arena.runners.reaper import PREFIX, Run, clear, new_mark, owner_lives, short_folder, sweep_stale
from arena.runners.worker import MatchWorker
from arena.types import Limits, MatchPlan, MatchResult, Player

ROOT = Path(__file__).resolve().parents[2]
DYING = """
    import os, pathlib

    def decide(view, legal):
        flag = pathlib.Path(__file__).with_suffix(".died")
        if not flag.exists():
            flag.touch()
            os._exit(9)
        return legal[0].first()
"""
# No good bot is late, however busy the machine is.
WIDE = Limits(start=120.0, decision=60.0, game=3600.0)
DEADLY = "import os\ndef decide(view, legal): os._exit(9)\n"


def outrider(name: str = "outrider") -> Player:
    """A bot in a process of its own."""
    return Player(name, load_bot(ROOT / "bots" / "outrider"))


def plans(players: tuple[Player, ...], count: int) -> Iterator[MatchPlan]:
    """Plans of a short game, told apart by sequence and key."""
    game = classic(len(players), turn_cap=2)
    for sequence in range(count):
        yield plan_of(players, game, sequence=sequence, key=sequence.to_bytes(16, "big"), limits=WIDE)


class Played:
    """Collects attempts as a runner hands them back."""

    def __init__(self) -> None:
        self.attempts: list[MatchResult] = []

    def __call__(self, plan: MatchPlan, result: MatchResult) -> None:
        assert plan.sequence == result.sequence
        self.attempts.append(result)

    @property
    def counted(self) -> list[int]:
        return sorted(result.sequence for result in self.attempts if not result.error)

    @property
    def digests(self) -> dict[tuple[int, int], str]:
        return {
            (result.sequence, game.rotation): game.final_digest
            for result in self.attempts
            for game in result.games
        }


# ---- choice


def test_auto_takes_ray_only_where_its_start_pays() -> None:
    assert choose("auto", 10) == "inline"
    assert choose("auto", 100_000) == ("cluster" if cores() > 1 else "inline")
    assert choose("inline", 100_000) == "inline"
    assert choose("cluster", 1) == "cluster"


def test_b01_bots_processes_have_cores_of_their_own() -> None:
    python, command = randoms(1)[0], outrider()
    assert worker_count([python, python]) == cores()
    assert worker_count([python, command]) == max(1, cores() // 2)
    assert worker_count([command, command, command]) == max(1, cores() // 4)
    assert worker_count([command], workers=7) == 7


# ---- the worker


def test_a_worker_keeps_a_bots_process_over_many_matches() -> None:
    players = (randoms(1)[0], outrider())
    with closing(InlineRunner(players)) as runner:
        assert runner.check(WIDE) == []
        bots = set(bots_alive())
        played = Played()
        runner.run(plans(players, 3), played)
        assert set(bots_alive()) == bots
        family = Family(os.getpid())
    assert len(bots) == 1
    assert played.counted == [0, 1, 2]
    assert all(game.faults == () for result in played.attempts for game in result.games)
    wait_until(lambda: family.alive() == [], "no process left")


def test_c06_a_bot_that_died_is_started_anew_for_the_next_match() -> None:
    players = (randoms(1)[0], outrider())
    with closing(InlineRunner(players)) as runner:
        runner.check(WIDE)
        played = Played()

        def kill_after_the_first(plan: MatchPlan, result: MatchResult) -> None:
            played(plan, result)
            if plan.sequence == 0:
                for pid in bots_alive():
                    os.kill(pid, signal.SIGKILL)
                door = runner._worker._doors[players[1]]
                wait_until(lambda: getattr(door, "fault", None) is not None, "the loss to be noticed")

        runner.run(plans(players, 2), kill_after_the_first)
    assert played.counted == [0, 1]
    assert all(game.faults == () for game in played.attempts[1].games)


def bots_alive() -> list[int]:
    return [pid for pid in descendants(os.getpid()) if "bot.py" in command_line(pid)]


def test_a_worker_without_a_folder_voids_what_it_cannot_play() -> None:
    players = (randoms(1)[0], outrider())
    with closing(MatchWorker("bare")) as worker:
        (result,) = worker.play(list(plans(players, 1)))
    assert result.games == ()
    assert "no folder" in result.error


def test_check_names_every_bot_that_cannot_play(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "quitter"\ncommand = ["python", "-c", "raise SystemExit(4)"]\n'
    )
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "bot.toml").write_text('name = "built"\ncommand = ["true"]\nbuild = ["false"]\n')
    good = bot_file(tmp_path, "good", "def decide(view, legal): return legal[0]\n")
    unknown_option = Player("picky", good.bot, (("colour", "red"),))
    players = (
        good,
        unknown_option,
        Player("quitter", load_bot(tmp_path)),
        Player("built", load_bot(tmp_path / "built")),
    )
    with closing(InlineRunner(players)) as runner:
        found = dict(runner.check(WIDE))
    assert set(found) == {"picky", "quitter", "built"}
    assert "unknown option 'colour'" in found["picky"]
    assert found["quitter"].startswith("crash: ")
    assert "exited with code 4" in found["quitter"]
    assert found["built"].startswith("the build step `false`")  # the name is there already


def test_a_match_that_is_voided_again_and_again_stops_the_run(tmp_path: Path) -> None:
    players = (randoms(1)[0], bot_file(tmp_path, "gone", "def decide(view, legal): return legal[0]\n"))
    with closing(InlineRunner(players)) as runner:
        Path(players[1].bot.target).unlink()
        played = Played()
        with pytest.raises(PlatformFault, match=r"match 0 failed 3 times, last: PluginError: .*no such file"):
            runner.run(plans(players, 5), played)
    assert [result.sequence for result in played.attempts] == [0, 0, 0]


# ---- Ray


@pytest.fixture(scope="module")
def inline_digests() -> dict[tuple[int, int], str]:
    """How the plans of two random players end."""
    played = Played()
    with closing(InlineRunner(randoms(2))) as runner:
        runner.run(plans(randoms(2), 30), played)
    return played.digests


@pytest.fixture(scope="module")
def ray_runner() -> Iterator[Runner]:
    """Two workers on Ray, for tests that leave them usable; afterwards no process of theirs is left."""
    with closing(start("cluster", randoms(2), 2, installed)) as runner:
        assert runner.check(WIDE) == []
        yield runner
        family = Family(os.getpid())
        assert any("raylet" in command_line(pid) for pid in family.pids)
    wait_until(lambda: family.alive() == [], "no process left")


def test_ray_plays_the_same_games(ray_runner: Runner, inline_digests: dict[tuple[int, int], str]) -> None:
    played = Played()
    ray_runner.run(plans(randoms(2), 30), played)
    assert played.counted == list(range(30))
    assert played.digests == inline_digests
    assert {result.worker for result in played.attempts} == {"ray-0", "ray-1"}


@pytest.mark.usefixtures("ray_runner")
def test_ray_listens_on_loopback_only_and_runs_at_normal_priority() -> None:
    family = Family(os.getpid())
    assert foreign_listeners(family.pids) == []
    priorities = set()
    for pid in family.pids:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            priorities.add(os.getpriority(os.PRIO_PROCESS, pid))
    assert priorities == {os.getpriority(os.PRIO_PROCESS, 0)}


def test_b05_a_bot_that_hangs_is_cut_on_ray_too(ray_runner: Runner, tmp_path: Path) -> None:
    hanging = bot_file(tmp_path, "hanging", "def decide(view, legal):\n    while True: pass\n")
    players = (randoms(1)[0], hanging)
    (plan,) = plans(players, 1)
    played = Played()
    # The last attempt, of which nothing is voided: what the host did meanwhile counts as well.
    ray_runner.run([replace(plan, limits=Limits(decision=0.5), final=True)], played)
    (result,) = played.attempts
    found = [fault.kind for game in result.games for fault in game.faults if game.players[fault.seat] == 1]
    assert found == ["timeout"] * 6  # in both games the third one retires the seat


def foreign_listeners(pids: list[int]) -> list[str]:
    """Addresses beyond loopback on which one of the processes listens."""
    inodes = set()
    for link in chain.from_iterable(map(links_of, pids)):
        with suppress(OSError):  # it has ended meanwhile
            inodes.add(os.readlink(link))  # noqa: PTH115 - the link's text is no path
    found = []
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                address = address_of(fields[1].partition(":")[0], family)
                if not address.startswith("127.") and address not in ("::1", "::ffff:127.0.0.1"):
                    found.append(address)
    return found


def links_of(pid: int) -> list[Path]:
    """What a process holds open; nothing if it has ended."""
    try:
        return list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return []


def address_of(text: str, family: socket.AddressFamily) -> str:
    words = [bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8)]
    return socket.inet_ntop(family, b"".join(words))


def test_a11_a_lost_worker_voids_its_batch_which_is_played_again(
    ray_runner: Runner, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    players = (randoms(1)[0], bot_file(tmp_path, "dying", DYING))
    played = Played()
    ray_runner.run(plans(players, 6), played)
    assert played.counted == list(range(6))
    voided = [result for result in played.attempts if result.error]
    assert voided
    assert all(
        re.match(r"worker ray-[01] was lost: Actor(Died|Unavailable)Error", result.error) for result in voided
    )
    assert capfd.readouterr().out == ""


def test_a_match_that_kills_every_worker_stops_the_run_and_the_next_one_works(
    ray_runner: Runner, tmp_path: Path
) -> None:
    players = (randoms(1)[0], bot_file(tmp_path, "deadly", DEADLY))
    with pytest.raises(PlatformFault, match="failed 3 times"):
        ray_runner.run(plans(players, 1), Played())
    played = Played()
    ray_runner.run(plans(randoms(2), 3), played)
    assert played.counted == [0, 1, 2]


# ---- nothing stays behind

OWNER = """
import subprocess, sys, time
from arena.runners.reaper import Run
run = Run()
child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, start_new_session=True)
print(run.mark, run.folder, child.pid, run.reaper.pid, flush=True)
time.sleep(600)
"""


def owned() -> tuple[subprocess.Popen[str], str, Path, int, int]:
    """A process that owns a run with one child in another session; its mark, folder, child and reaper."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    mark, folder, child, reaper = owner.stdout.readline().split()
    return owner, mark, Path(folder), int(child), int(reaper)


def test_c01_a_killed_owner_takes_its_run_with_it() -> None:
    owner, mark, folder, _child, _reaper = owned()
    assert folder.is_dir()
    assert owner_lives(mark)
    owner.kill()
    owner.wait()
    assert not owner_lives(mark)
    wait_until(lambda: not marked(mark) and not folder.exists(), "the end of the run")


def test_c10_what_is_left_when_the_reaper_died_too_is_swept_at_the_next_start() -> None:
    for _ in range(5):  # a run that another test starts at this very moment may sweep first
        owner, mark, folder, child, reaper = owned()
        os.kill(reaper, signal.SIGKILL)
        owner.kill()
        owner.wait()
        left = child in marked(mark)
        swept = mark in sweep_stale()
        wait_until(partial(is_gone, mark, folder), "the end of what was left")
        if left and swept:
            return
    pytest.fail("never was anything left to sweep")


def is_gone(mark: str, folder: Path) -> bool:
    """Whether neither process nor folder of a run is left."""
    return not marked(mark) and not folder.exists()


def test_sweeping_spares_runs_that_live() -> None:
    owner, mark, folder, child, _reaper = owned()
    assert mark not in sweep_stale()
    assert child in marked(mark)
    owner.kill()
    owner.wait()
    wait_until(lambda: not marked(mark) and not folder.exists(), "the end of the run")


def test_clearing_ends_what_is_left_though_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As when the machine stalls at that moment."""
    monkeypatch.setattr(reapers, "CLEAR_S", -1.0)
    mark = new_mark()
    sleeper = subprocess.Popen(["sleep", "600"], env={**os.environ, MARKER: mark})
    try:
        clear(mark, tmp_path / "run")
        assert sleeper.wait(60) == -signal.SIGKILL
    finally:
        sleeper.kill()


def test_a_closed_run_leaves_the_environment_as_it_was() -> None:
    before = dict(os.environ)
    run = Run()
    assert os.environ[MARKER] == run.mark
    assert run.folder == short_folder() / f"{PREFIX}{run.mark}"
    sleeper = subprocess.Popen(["sleep", "600"], start_new_session=True)
    run.close()
    assert sleeper.wait(60) == -signal.SIGKILL
    wait_until(lambda: not run.folder.exists(), "the end of the run's folder")
    assert dict(os.environ) == before


def test_no_ray_is_imported_for_a_small_run() -> None:
    code = (
        "import sys, arena.tournament, arena.runners.inline, arena.cli;"
        "from arena.plugins import installed; installed().parts(); arena.cli.cli.load();"
        "assert 'ray' not in sys.modules and 'grpc' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_reaper_is_not_a_command() -> None:
    assert arena("reaper").returncode == 2
