"""Each kind of fault through the real path: driver, server, launcher and a mock bot's own process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from queue import SimpleQueue

import pytest
from wire_samples import LIMITS, RANDOM, Table, faults_of, mock, plan, score_of, table, wait_until

from arena.clocks import StallLog
from arena.driver import Driver
from arena.launcher import Exit
from arena.seats import InProcessDoor
from arena.server import PlayServer, RemoteDoor
from arena.server import door as doors
from arena.server.spelling import NOT_GRPC
from arena.types import FaultPolicy, Limits, MatchResult, Protocol

# Each for the one thing in which a bot must be late; whoever else plays has all the time.
START = replace(LIMITS, start=1.5)
HASTE = replace(LIMITS, decision=0.2)


@pytest.fixture(scope="module")
def shared_table() -> Iterator[Table]:
    with table() as made:
        yield made


@pytest.fixture
def seated(shared_table: Table) -> Iterator[Table]:
    yield shared_table
    shared_table.leave()


def play(
    seated: Table, bot: str, *, limits: Limits = LIMITS, policy: FaultPolicy | None = None, cap: int = 8
) -> MatchResult:
    """A match of the mock bot against a random one, which is over whatever the mock bot does."""
    result = seated.play(plan(mock(bot), RANDOM, limits=limits, policy=policy, cap=cap))
    assert len(result.games) == 2
    return result


def assert_retired(result: MatchResult, kind: str, *words: str) -> None:
    """The mock bot was taken out of every game for this kind of fault alone; the message has the words."""
    assert faults_of(result, 1) == []
    faults = faults_of(result, 0)
    assert {fault[:2] for fault in faults} == {(kind, "retire")}
    assert len(faults) == len(result.games)
    assert all(word in fault[2] for fault in faults for word in words), faults
    assert all(score_of(game, 0) == 0.0 for game in result.games)


def test_crash_before_joining_names_code_and_last_line(seated: Table) -> None:
    assert_retired(play(seated, "crash_at_start"), "crash", "exited with code 3", "no licence file")


def test_crash_mid_game_names_the_signal(seated: Table) -> None:
    assert_retired(play(seated, "crash_mid_game"), "crash", "SIGSEGV")


def test_exception_mid_game_names_it(seated: Table) -> None:
    assert_retired(
        play(seated, "raises_mid_game"), "crash", "code 1", "KeyError: 'no plan for this position'"
    )


def test_process_that_never_joins_is_a_start_timeout(seated: Table) -> None:
    assert_retired(play(seated, "never_joins", limits=START), "start_timeout", "did not join within 1.5 s")


def test_start_timeout_that_its_door_tells_late_is_one(seated: Table) -> None:
    """As when the machine stalls while the time to start runs out: the driver does not say it first."""
    match = plan(mock("never_joins"), RANDOM, limits=START)
    late, good = match.players
    seated.doors[late] = seated.door(late.bot, replace(LIMITS, start=4.0))
    seated.doors[good] = InProcessDoor(good.bot, seated.inbox)
    host = StallLog()
    host.note(time.monotonic(), time.monotonic() + LIMITS.start)
    result = Driver(seated.doors, seated.inbox, host=host).play(match)
    assert {kind for kind, _, _ in faults_of(result, 0)} == {"start_timeout"}


def test_process_that_leaves_without_joining_is_a_no_show(seated: Table) -> None:
    assert_retired(play(seated, "leaves_at_once"), "no_show", "code 0", "without having joined")


def test_process_that_leaves_mid_game_is_a_disconnect(seated: Table) -> None:
    assert_retired(play(seated, "leaves_mid_game"), "disconnect", "code 0")


def test_process_that_ends_before_its_door_knows_it_is_told_the_other_protocol() -> None:
    """The launcher's thread may be quicker than the one that starts the bot."""
    with PlayServer() as server:
        door = server.door("quick", SimpleQueue(), start_s=LIMITS.start)
        door.expect(launched=True)
        door.process_exited(Exit(0, None, '{"join":{}}\n'))
        assert door.fault is not None
        assert (door.fault[0], NOT_GRPC in door.fault[1]) == ("no_show", True)


@pytest.mark.parametrize("protocol", ["grpc", "jsonlines"])
def test_process_whose_end_is_told_late_has_crashed(
    seated: Table, monkeypatch: pytest.MonkeyPatch, protocol: Protocol
) -> None:
    """The launcher may need longer on a busy machine than a bot has to resume its stream."""
    monkeypatch.setattr(doors, "LAST_WORDS_S", 0.5)
    bot = mock("first_legal") if protocol == "grpc" else replace(mock("lines", "plain"), protocol=protocol)
    door = seated.door(bot)
    door._resume_s = 0.5
    assert wait_until(lambda: door.ready_at)
    os.kill(seated.launcher.pid, signal.SIGSTOP)  # it can tell nothing
    try:
        assert door.pid is not None
        os.kill(door.pid, signal.SIGSEGV)
        assert wait_until(lambda: door._connection is None)
        time.sleep(1.2)
        assert door.fault is None
    finally:
        os.kill(seated.launcher.pid, signal.SIGCONT)
    assert wait_until(lambda: door.fault)
    assert door.fault is not None
    assert (door.fault[0], "SIGSEGV" in door.fault[1]) == ("crash", True)
    door.close()


def test_broken_stream_that_is_not_resumed_is_a_disconnect(seated: Table) -> None:
    assert_retired(play(seated, "drops_stream"), "disconnect", "not resumed within 2 s")


def test_broken_stream_that_is_resumed_is_no_fault(seated: Table) -> None:
    match = plan(mock("resumes"), RANDOM)
    seated.seat(match)
    (door,) = [door for door in seated.doors.values() if isinstance(door, RemoteDoor)]
    door._resume_s = LIMITS.start  # on a busy machine two seconds may be too few for a new connection
    result = Driver(seated.doors, seated.inbox).play(match)
    assert result.error == ""
    assert len(result.games) == 2
    assert faults_of(result, 0) == []


def test_hang_is_a_timeout_each_time_and_retires_at_the_third(seated: Table) -> None:
    # The last attempt: what the host took from the bot counts as well.
    result = seated.play(replace(plan(mock("hang"), RANDOM, limits=HASTE), final=True))
    assert {kind for kind, _, _ in faults_of(result, 0)} == {"timeout"}
    assert {action for _, action, _ in faults_of(result, 0)} == {"default", "retire"}


def test_illegal_action_costs_the_default_and_the_third_the_seat(seated: Table) -> None:
    result = play(seated, "illegal")
    faults = faults_of(result, 0)
    costs = [("illegal", "default"), ("illegal", "default"), ("illegal", "retire")]
    assert [fault[:2] for fault in faults] == costs * len(result.games)
    assert all("1000000" in message for _, _, message in faults), faults


@pytest.mark.parametrize(
    ("bot", "words"), [("wrong_range", "range 9999 does not exist"), ("garbage", "no PlayRequest")]
)
def test_unreadable_answer_is_malformed(seated: Table, bot: str, words: str) -> None:
    faults = faults_of(play(seated, bot), 0)
    assert {kind for kind, _, _ in faults} == {"malformed"}
    assert all(words in message for _, _, message in faults)
    assert faults[0][1] == "default"
    assert faults[-1][1] == "retire"


@pytest.mark.parametrize(
    ("how", "what", "words"),
    [
        ("returns_none", "decide returned None; expected an Action", "the bot's answer is no action"),
        ("returns_minus_one", "decide returned -1; -1 is not the code", "the bot's answer is no action"),
        ("returns_a_number", "", "does not fit an action"),  # it travels as an action that cannot be
    ],
)
def test_answer_that_is_no_action_is_malformed_and_no_crash(
    seated: Table, how: str, what: str, words: str
) -> None:
    """By `arena.client` it costs what it costs in this process, and what was returned is in its output."""
    result = seated.play(plan(mock("ill", how), RANDOM))
    costs = [("malformed", "default"), ("malformed", "default"), ("malformed", "retire")]
    assert [fault[:2] for fault in faults_of(result, 0)] == costs * len(result.games)
    assert all(words in message for _, _, message in faults_of(result, 0))
    door = next(door for door in seated.doors.values() if isinstance(door, RemoteDoor))
    assert wait_until(lambda: what in door.written())


@pytest.mark.parametrize(
    ("bot", "words"), [("floods", "answer no open question"), ("floods_bytes", "are allowed")]
)
def test_flood_retires_at_once(seated: Table, bot: str, words: str) -> None:
    assert_retired(play(seated, bot), "flood", words)


def test_no_fault_retires_a_seat_that_the_policy_keeps(seated: Table) -> None:
    keep = FaultPolicy(retire=frozenset(), strikes=10_000)
    result = play(seated, "crash_mid_game", policy=keep, cap=2)
    assert {fault[:2] for fault in faults_of(result, 0)} == {("crash", "default")}
