"""What clocks are made of: banks, round trips, stalls, crowds, and the words for a late answer."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from queue import SimpleQueue
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_samples import classic, plan_of, randoms
from wire_samples import mock

from arena.clocks import Bank, StallLog, time_text
from arena.errors import PlatformFault
from arena.hostwatch import (
    MOST_CROWD,
    Beat,
    HostWatch,
    crowd_share,
    process_gone,
    runnable,
    runnable_threads,
)
from arena.runners import MAX_ATTEMPTS, Attempts
from arena.runners.aftermath import add_idle_cpu
from arena.runners.calibration import summary
from arena.runners.worker import batched
from arena.seats import Door, InProcessDoor, Question
from arena.types import BotSpec, Limits, MatchResult, Player


class Far:
    """A door to a process; only what the clocks look at."""

    guard = "none"
    pid: int | None = None


FAR = cast(Door, Far())
SECONDS = st.floats(0, 100)


# ---- banks


@given(st.lists(SECONDS), SECONDS, SECONDS)
def test_a_bank_is_never_negative_and_grows_by_the_increment_after_each_answer(
    thinks: list[float], game: float, increment: float
) -> None:
    bank, left = Bank(Limits(game=game, increment=increment)), game
    for think in thinks:
        bank.answered(think)
        left = max(0.0, left - think) + increment
        assert bank.left_s == pytest.approx(left)


def test_a_fault_earns_no_increment() -> None:
    bank = Bank(Limits(game=10.0, increment=3.0))
    bank.bill(4.0)
    assert bank.left_s == 6.0
    bank.bill(7.0)
    assert bank.left_s == 0.0


def test_without_a_clock_the_bank_is_endless() -> None:
    bank = Bank(Limits(game=10.0, clocked=False))
    bank.answered(1e9)
    assert bank.left_s == math.inf


# ---- words


def question(limit_s: float, bank_s: float = 60.0) -> Question:
    state = classic(2).new_state(seed=1)
    return Question(1, 0, 7, state, state.legal(state.pending()[0]), (), limit_s, bank_s)


def test_b04_a_late_answer_is_told_with_limit_time_overrun_and_split() -> None:
    late = question(2.0)
    late.queue_s, late.transport_s, late.margin_s = 0.25, 0.0005, 0.002
    assert time_text(late, Limits(), 2.5, 2.0) == (
        "decision 7 took 2.500 s of 2.000 s allowed, 0.500 s over "
        "(not counted: 0.2500 s queueing, 0.0005 s transport, a margin of 0.0020 s)"
    )


def test_b04_an_answer_that_is_hardly_late_is_told_to_be_over_the_limit() -> None:
    """The limit and what was needed look the same to the millisecond."""
    late = question(2.0)
    late.margin_s = 0.0002
    assert time_text(late, Limits(), 2.0003, 2.0) == (
        "decision 7 took 2.000 s of 2.000 s allowed, less than 0.001 s over "
        "(not counted: a margin of 0.0002 s)"
    )
    assert " over" not in time_text(late, Limits(), 2.0, 2.0)


def test_b04_an_empty_bank_is_told() -> None:
    limits = Limits(game=60.0, increment=0.5)
    told = time_text(question(0.4, 0.4), limits, 0.5, 0.4)
    assert told.endswith("; that was all of its bank of 60 s for the game and 0.5 s an answer")


# ---- stalls


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=6), SECONDS, SECONDS)
def test_no_stall_counts_twice_nor_outside_its_time(
    stalls: list[tuple[float, float]], one: float, other: float
) -> None:
    log, (begin, end) = StallLog(), sorted((one, other))
    for since, length in sorted(stalls):
        log.note(since, since + length)
    assert 0.0 <= log.stalled_s(begin, end, FAR) <= end - begin + 1e-9


def test_a_busy_process_is_no_stall_to_a_bot_that_runs_in_it() -> None:
    log = StallLog()
    log.note(1.0, 3.0, busy=True)
    log.note(5.0, 6.0)
    assert log.stalled_s(0.0, 10.0, FAR) == 3.0
    inside = InProcessDoor(randoms(1)[0].bot, SimpleQueue())
    assert log.stalled_s(0.0, 10.0, inside) == 1.0


STALLED = """
import sys, time
from arena.hostwatch import HostWatch
class Far: guard, pid = "none", None
watch = HostWatch().start()
begin = time.monotonic()
print("watching", flush=True)
sys.stdin.readline()
print(watch.lost(begin, time.monotonic(), 1.0, Far()).stalled_s, flush=True)
watch.close()
"""


def test_b01_a_stopped_process_knows_how_long_it_stalled() -> None:
    watching = subprocess.Popen(
        [sys.executable, "-c", STALLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert watching.stdin is not None
    assert watching.stdout is not None
    assert watching.stdout.readline() == "watching\n"
    watching.send_signal(signal.SIGSTOP)
    time.sleep(0.8)
    watching.send_signal(signal.SIGCONT)
    watching.stdin.write("\n")
    watching.stdin.flush()
    assert float(watching.stdout.readline()) >= 0.75
    assert watching.wait(60) == 0


def test_a_watch_closes_its_thread() -> None:
    watch = HostWatch().start()
    watch.close()
    watch.close()
    assert not watch._thread.is_alive()


# ---- crowds


@pytest.mark.parametrize(
    ("wanting", "own", "cores", "share"),
    [(2, 1, 2, 0.0), (4, 1, 2, 0.5), (8, 1, 2, 0.75), (66, 64, 2, 1 / 3), (1, 1, 1, 0.0), (0, 0, 4, 0.0)],
)
def test_b01_a_crowd_takes_what_others_than_the_bot_want(
    wanting: int, own: int, cores: int, share: float
) -> None:
    assert crowd_share(wanting, own, cores) == pytest.approx(share)


def test_b01_a_crowd_excuses_a_bots_process_by_what_it_took_and_not_for_ever() -> None:
    """Ten threads on two cores leave each a fifth: of 1 s, 0.8 s were taken."""
    watch, cores = HostWatch(), os.cpu_count() or 1
    begin = time.monotonic() + 3600.0  # when no beat of its own comes
    watch._beats.extend(Beat(begin + 0.05 * number, 0.05, 5 * cores) for number in range(1, 401))
    bot = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        far = Far()
        far.pid = bot.pid
        door = cast(Door, far)
        lost = watch.lost(begin, begin + 1.01, 1.0, door)
        assert lost.stalled_s == 0.0
        assert lost.crowded_s == pytest.approx(0.8)
        assert f"{5.0 * cores:.1f} threads wanted {cores} cores, which took about 0.800 s" in lost.why
        assert watch.lost(begin, begin + 20.0, 1.0, door).crowded_s == MOST_CROWD * 1.0
        assert watch.lost(begin, begin + 1.01, 1.0, FAR).seconds == 0.0
    finally:
        bot.kill()
        bot.wait()


def test_threads_that_run_are_counted_with_those_of_children() -> None:
    code = "import os, time; os.fork(); end = time.monotonic() + 120\nwhile time.monotonic() < end: pass"
    busy = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        most = 0
        deadline = time.monotonic() + 60
        while most < 2 and time.monotonic() < deadline:
            most = max(most, runnable_threads(busy.pid))
            time.sleep(0.01)
        assert most == 2
        assert runnable() >= 0
    finally:
        os.killpg(busy.pid, signal.SIGKILL)
        busy.wait()


def test_c07_a_process_that_ended_is_gone_collected_or_not() -> None:
    process = subprocess.Popen(["true"])
    deadline = time.monotonic() + 60
    while not process_gone(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.wait()
    assert process_gone(process.pid)
    assert not process_gone(os.getpid())


# ---- attempts, round trips, groups


def test_b01_the_last_attempt_is_final_and_no_bot_stops_a_run_by_load() -> None:
    attempts, plan = Attempts(), plan_of(randoms(2), sequence=4)
    voided = MatchResult(4, (), "w", 0.0, 0.0, "the host stalled")
    finals = []
    for _ in range(MAX_ATTEMPTS - 1):
        plan = attempts.again(plan, voided)
        finals.append(plan.final)
    assert finals == [False, True]
    with pytest.raises(PlatformFault, match="match 4 failed 3 times, last: the host stalled"):
        attempts.again(plan, voided)


def test_a_round_trip_is_the_median_and_the_99th_percentile() -> None:
    trip = summary([float(number) for number in range(101)])
    assert trip == (50.0, 99.0)
    assert summary([1.0, 1.0]) == (1.0, 1.0)


def test_b02_players_start_in_groups_each_once() -> None:
    one, two, three = randoms(3)
    assert list(batched([one, two, one, three], 2)) == [(one, two), (three,)]


def test_idle_cpu_is_shared_between_matches_played_at_once() -> None:
    pair, quiet = (Player("a", mock("burns")), Player("b", mock("first_legal"))), BotSpec("c", "python", "c")
    plans = [plan_of(pair), plan_of((pair[0], Player("c", quiet)), sequence=1)]
    results = [MatchResult(plan.sequence, (), "w", 0.0, 0.0) for plan in plans]
    found = add_idle_cpu(plans, results, {"a": 30.0, "b": 4.0})
    assert [result.idle_cpu_ms for result in found] == [(15.0, 4.0), (15.0, 0.0)]
    assert replace(found[0], idle_cpu_ms=()) == results[0]
