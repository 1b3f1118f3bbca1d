"""The clocks with real processes: the wire, no clock at all, starts, stalls, and what bots do when idle."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from match_samples import classic, plan_of, randoms
from tournament_samples import ARENA, Family, arena, committed, start_arena, wait_until, write_tournament
from wire_samples import MOCK_BOTS, ROOT, mock

from arena.launcher.processes import descendants, look_at
from arena.runners import worker as workers
from arena.runners.calibration import ANSWER_S
from arena.runners.inline import InlineRunner
from arena.server import RemoteDoor
from arena.store import Store
from arena.types import BotSpec, Fault, Isolation, Limits, MatchPlan, MatchResult, Player

PATIENT = Limits(start=120.0, decision=60.0, game=3600.0)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    before = set(descendants(os.getpid()))
    yield
    wait_until(lambda: set(descendants(os.getpid())) <= before, "the end of all processes")


def player(name: str, *arguments: str) -> Player:
    """A player of a mock bot, in a process of its own."""
    return Player(name, mock(name, *arguments))


def lines(*arguments: str) -> Player:
    """A player of the mock bot that speaks JSON lines."""
    return Player("lines", replace(mock("lines", *arguments), protocol="jsonlines"))


def short(players: tuple[Player, ...], limits: Limits, **settings: Any) -> MatchPlan:
    """One short game, on an attempt that counts whatever this machine's load."""
    plan = plan_of(players, classic(len(players), turn_cap=3), limits=limits, rotations=1)
    return replace(plan, **{"final": True, **settings})


def play(runner: InlineRunner, plan: MatchPlan) -> MatchResult:
    results: list[MatchResult] = []
    runner.run([plan], lambda _plan, result: results.append(result))
    assert results[-1].error == ""
    return results[-1]


def faults_of(result: MatchResult) -> list[Fault]:
    return [fault for game in result.games for fault in game.faults]


# ---- the split


def test_b01_the_wire_is_measured_for_each_protocol_in_play_and_for_no_other() -> None:
    players = (player("first_legal"), lines("chatter"), *randoms(1))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        host = runner._worker._host
        assert host is not None
        trips = dict(host.round_trips)
        result = play(runner, short(players, PATIENT))
    assert set(trips) == {"grpc", "jsonlines"}
    assert all(0.0 < trip.median_s <= trip.p99_s < ANSWER_S for trip in trips.values())
    assert faults_of(result) == []
    guards = dict(zip(result.games[0].players, result.games[0].guards, strict=True))
    assert guards == {0: "none", 1: "none", 2: "in_process"}
    with closing(InlineRunner(randoms(2))) as runner:
        assert runner.check(PATIENT) == []
        play(runner, short(randoms(2), PATIENT))
        assert runner._worker._host is None


@pytest.mark.parametrize("late", [player("sleeps", "2"), lines("hangs")], ids=["grpc", "jsonlines"])
def test_b01_b04_a_forfeit_has_limit_time_split_and_a_message(late: Player) -> None:
    players = (late, *randoms(1))
    limits = replace(PATIENT, decision=0.3)
    with closing(InlineRunner(players)) as runner:
        assert runner.check(limits) == []
        result = play(runner, short(players, limits))
    faults = faults_of(result)
    assert [fault.kind for fault in faults] == ["timeout"] * 3
    for fault in faults:
        assert fault.limit_ms == 300.0
        assert 300.0 < fault.used_ms < 120_000.0
        assert 0.0 < fault.transport_ms < 300.0
        assert fault.queue_ms >= 0.0
        words = rf"decision {fault.decision} took \d+\.\d{{3}} s of 0\.300 s allowed"
        assert re.search(words, fault.message), fault.message
        assert "transport, a margin of" in fault.message


def test_b01_a_bot_is_not_late_by_its_games_waiting_for_each_other() -> None:
    """Four games at once share a bot that takes one question at a time and 0.1 s for the first 40."""
    players = (player("sleeps", "0.1", "40"), *randoms(1))
    limits = replace(PATIENT, decision=10.0)
    with closing(InlineRunner(players)) as runner:
        assert runner.check(limits) == []
        plans = [
            replace(short(players, limits), sequence=number, key=bytes([number]) * 16) for number in range(4)
        ]
        results = runner._worker.play(plans)
    assert [result.error for result in results] == [""] * 4
    assert [faults_of(result) for result in results] == [[]] * 4


# ---- no clock


def test_without_a_clock_a_slow_bot_plays_on() -> None:
    players = (player("sleeps", "0.4", "3"), *randoms(1))
    limits = replace(PATIENT, decision=0.1, game=0.1, clocked=False)
    with closing(InlineRunner(players)) as runner:
        assert runner.check(limits) == []
        result = play(runner, short(players, limits))
    assert faults_of(result) == []
    assert result.games[0].wall_ms > 1200.0


@pytest.mark.parametrize(
    ("bot", "kind"),
    [("crash_mid_game", "crash"), ("leaves_mid_game", "disconnect"), ("drops_stream", "disconnect")],
)
def test_c06_without_a_clock_the_end_of_process_or_stream_is_noticed(bot: str, kind: str) -> None:
    players = (player(bot), *randoms(1))
    limits = replace(PATIENT, clocked=False)
    with closing(InlineRunner(players)) as runner:
        assert runner.check(limits) == []
        plan = replace(short(players, limits), setup=plan_of(players, classic(2, turn_cap=12)).setup)
        begun = time.monotonic()
        result = play(runner, plan)
    assert {fault.kind for fault in faults_of(result)} == {kind}
    assert time.monotonic() - begun < 120.0


@pytest.mark.parametrize("extra", [(), ("--no-clock",)], ids=["clock", "no clock"])
def test_b14_ctrl_c_ends_a_game_in_which_a_bot_thinks_for_ten_minutes(
    tmp_path: Path, extra: tuple[str, ...]
) -> None:
    folder = tmp_path / "hangs"
    folder.mkdir()
    (folder / "bot.toml").write_text(
        f'name = "hangs"\ncommand = ["python", "{MOCK_BOTS}/lines.py", "hangs"]\nprotocol = "jsonlines"\n'
    )
    clocks = ("--decision", "600", "--game-bank", "3600")
    command: list[str | Path] = [ARENA, "play", str(folder), "random", "--seed", "1", *clocks, *extra]
    with (tmp_path / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    hangs = f"{MOCK_BOTS}/lines.py"
    wait_until(lambda: any(hangs in cmdline(pid) for pid in descendants(process.pid)), "the bot to start")
    time.sleep(1.0)
    family = Family(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) != 0
    wait_until(lambda: family.alive() == [], "the end of its processes")


def cmdline(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


# ---- starts


def test_b02_b07_bots_start_one_after_the_other_each_with_a_time_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 1)
    players = tuple(replace(player("first_legal"), name=f"bot{number}") for number in range(3))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        doors = [runner._worker._doors[each] for each in players]
        ready = [door.ready_at or 0.0 for door in doors]
        started = [started_at(door.pid) for door in doors]
    assert ready == sorted(ready)
    tick_s = 0.05
    assert all(later >= earlier - tick_s for earlier, later in zip(ready, started[1:], strict=False))


def started_at(pid: int | None) -> float:
    """When a process was started, on the clock of time.monotonic."""
    process = look_at(pid or 0)
    assert process is not None
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
    return int(process.started) / os.sysconf("SC_CLK_TCK") - since_boot


def test_b16_a_start_within_a_fifth_of_its_limit_is_told_with_both() -> None:
    worker = workers.MatchWorker("w")
    worker._note_start(player("first_legal"), 7.9, 10.0)
    assert worker.slow_starts == []
    worker._note_start(player("first_legal"), 8.1, 10.0)
    assert worker.slow_starts == ["first_legal needed 8.10 s of 10 s to start; raise `clocks.start`"]


def test_d06_b16_a_bot_that_does_not_start_in_time_is_a_problem_before_game_1() -> None:
    players = (player("never_joins"), *randoms(1))
    with closing(InlineRunner(players)) as runner:
        ((name, message),) = runner.check(replace(PATIENT, start=0.5))
    assert name == "never_joins"
    assert message == "start_timeout: the bot's process runs but did not join within 0.5 s"


def test_a_trusted_bot_is_refused_in_the_sandbox() -> None:
    with closing(InlineRunner(randoms(2))) as runner:
        problems = runner.check(PATIENT, Isolation("sandbox"))
    assert [name for name, _ in problems] == ["random0", "random1"]
    assert all("arena's own process" in message and "bot.toml" in message for _, message in problems)


def test_a_bot_is_started_anew_for_another_isolation() -> None:
    players = (player("first_legal"), *randoms(1))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        levels: list[Isolation] = [Isolation("none"), Isolation("limits"), Isolation("limits")]
        seen = []
        for isolation in levels:
            result = play(runner, short(players, PATIENT, isolation=isolation))
            seat = result.games[0].players.index(0)
            seen.append((result.games[0].guards[seat], runner._worker._doors[players[0]].pid))
    assert [guard for guard, _ in seen] == ["none", "limits", "limits"]
    assert seen[0][1] != seen[1][1] == seen[2][1]


def test_a_trusted_bot_never_plays_in_the_sandbox_even_unchecked() -> None:
    worker = workers.MatchWorker("w")
    (result,) = worker.play([short(randoms(2), PATIENT, isolation=Isolation("sandbox"))])
    worker.close()
    assert result.games == ()
    assert result.error.startswith("PlatformFault: random0 runs inside the arena's own process")
    for name in ("shell_random", "c_first", "outrider"):
        assert name in result.error
        assert (ROOT / "bots" / name / "bot.toml").is_file()


def test_c07_the_end_of_the_launcher_is_no_bots_fault() -> None:
    """It takes the bots along in the middle of a game; the match is played again with new ones."""
    players = (player("sleeps", "0.3", "10"), *randoms(1))
    results: list[MatchResult] = []
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        host = runner._worker._host
        assert host is not None
        launcher, door = host._launcher.pid, runner._worker._doors[players[0]]
        assert isinstance(door, RemoteDoor)

        def kill_in_the_game() -> None:
            wait_until(lambda: bool(door.last_message()), "a first answer")
            os.kill(launcher, signal.SIGKILL)

        killer = Thread(target=kill_in_the_game)
        killer.start()
        runner.run([short(players, PATIENT)], lambda _plan, result: results.append(result))
        killer.join()
    assert [result.error for result in results] == [
        "PlatformFault: the launcher process is gone, and the bots with it",
        "",
    ]
    assert faults_of(results[1]) == []


# ---- between matches


def test_c03_a_child_that_was_not_declared_is_a_fault_between_matches(tmp_path: Path) -> None:
    note = tmp_path / "child"
    players = (player("forks", str(note)), *randoms(1))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        result = play(runner, short(players, PATIENT))
        (fault,) = faults_of(result)
        assert (fault.kind, fault.action) == ("resource", "default")
        assert "keeps 1 child process between matches, 0 declared" in fault.message
        assert result.games[0].players[fault.seat] == 0
        child = int(note.read_text())
        wait_until(lambda: look_at(child) is None, "the end of the child")
        again = play(runner, short(players, PATIENT))
    assert len(faults_of(again)) == 1


def test_c03_a_bot_that_is_still_thinking_is_not_billed_for_what_it_thinks_with() -> None:
    """One cause, one fault: a shell that hangs in `sleep` is too late, and keeps no child for later."""
    script = (
        """echo '{"join":{}}'; while read -r line; do case $line in *decisionId*) sleep 60 ;; esac; done"""
    )
    shell = Player("shell", BotSpec("shell", "command", "/", ("sh", "-c", script), protocol="jsonlines"))
    players = (shell, *randoms(1))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        door = runner._worker.door(shell, PATIENT)
        result = play(runner, short(players, replace(PATIENT, decision=0.5)))
        assert [fault.kind for fault in faults_of(result)] == ["timeout"] * 3
        assert door.pid is not None
        wait_until(lambda: look_at(door.pid or 0) is None, "the end of the bot, and its new start")


def test_c03_a_child_that_was_declared_is_none(tmp_path: Path) -> None:
    bot: BotSpec = replace(mock("forks", str(tmp_path / "child")), children=1)
    players = (Player("forks", bot), *randoms(1))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        assert faults_of(play(runner, short(players, PATIENT))) == []


def test_cpu_burnt_while_owing_nothing_is_measured() -> None:
    """All wait for a third bot that sleeps 20 times 0.3 s; one of the waiting computes meanwhile."""
    players = (player("burns"), player("first_legal"), player("sleeps", "0.3", "20"))
    with closing(InlineRunner(players)) as runner:
        assert runner.check(PATIENT) == []
        result = play(runner, short(players, PATIENT))
    burns, quiet, _ = result.idle_cpu_ms
    assert burns > 100.0  # of 6 s: on a crowded machine others have most of them
    assert quiet < burns / 2


# ---- the platform's own stalls


def test_b01_a_stall_of_the_platform_voids_the_attempt_which_is_played_again(tmp_path: Path) -> None:
    """The arena stands still for longer than a decision may take, while a bot thinks for half of that."""
    (tmp_path / "sleeper").mkdir()
    asked = tmp_path / "asked"
    (tmp_path / "sleeper" / "bot.toml").write_text(
        f'name = "sleeper"\ncommand = ["python", "{MOCK_BOTS}/sleeps_once.py", "3", "{asked}"]\n'
    )
    clocks = "clocks = { start = 120, decision = 6.0 }"
    file = write_tournament(tmp_path, rounds=2, turn_cap=2, players='["random", "./sleeper"]', clocks=clocks)
    process = start_arena("tournament", "run", file, output=tmp_path / "output")
    wait_until(asked.exists, "the bot's first question")
    process.send_signal(signal.SIGSTOP)
    time.sleep(12.0)
    process.send_signal(signal.SIGCONT)
    assert process.wait(300) == 0, (tmp_path / "output").read_text()
    database = tmp_path / "results.db"
    assert committed(database) == 2
    assert "sleeper would be late by the host's doing" in voided(database)[0]
    assert "the host stalled for" in voided(database)[0]
    with Store(f"sqlite:///{database}") as store:
        assert sum(row.faults for row in store.leaderboard(tournament_id=1)) == 0
    shown = arena("tournament", "show", "1", "--db", database).stdout
    assert "Attempts that do not count" in shown


def voided(database: Path) -> list[str]:
    """Why attempts do not count; empty before there is a tournament."""
    try:
        with Store(f"sqlite:///{database}") as store:
            return [attempt.error for attempt in store.attempts(1, voided_only=True)]
    except Exception:  # the tables are being made
        return []
