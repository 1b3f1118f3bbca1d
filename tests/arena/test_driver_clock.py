"""The driver's one clock, with doors elsewhere, on a clock that moves only when somebody waits."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

import pytest
from match_samples import checked, plan_of, randoms

from arena.clocks import Lost, RoundTrip, StallLog
from arena.driver import Driver
from arena.seats import NO_DECISION, Answer, Door, GameOpening, Question
from arena.types import FaultPolicy, GameResult, Limits, MatchResult


class ManualClock:
    """Time that moves only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class ManualInbox(SimpleQueue[Answer]):
    """Waiting on it moves the clock to the timeout, or on to the next planned answer."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self.clock = clock
        self.planned: list[tuple[float, Answer]] = []
        self.oversleeps: list[float] = []

    def get(self, _block: bool = True, timeout: float | None = None) -> Answer:
        if not self.empty():
            return super().get()
        assert timeout is not None
        wake = self.clock.now + timeout
        self.planned.sort(key=lambda entry: entry[0])
        if self.planned and self.planned[0][0] <= wake:
            self.clock.now, answer = self.planned.pop(0)
            return answer
        if self.oversleeps:
            self.oversleep(wake + self.oversleeps.pop())
            return self.get_nowait()
        self.clock.now = wake
        raise Empty

    def oversleep(self, until: float) -> None:
        """The host stalls: what arrives meanwhile is found when it goes on."""
        self.clock.now = until
        for when, answer in [entry for entry in self.planned if entry[0] <= until]:
            self.planned.remove((when, answer))
            self.put(answer)


class DistantDoor:
    """A door to a bot elsewhere that takes `think` seconds an answer (None: never answers)."""

    wants_events = True
    protocol = "grpc"

    def __init__(
        self, name: str, inbox: ManualInbox, think: float | None, ready_after: float | None = 0.0
    ) -> None:
        self.name = name
        self.max_open: int | None = 1
        self.guard = "none"
        self.pid: int | None = None
        self.inbox = inbox
        self.think = think
        self.ready = None if ready_after is None else inbox.clock.now + ready_after
        self.asked: list[tuple[float, Question]] = []
        self.closed: list[GameResult | None] = []
        self.events = 0
        self.free = 0.0
        self.ask: Callable[[Sequence[Question]], None] = self.ask_as_usual

    @property
    def ready_at(self) -> float | None:
        return self.ready if self.ready is not None and self.ready <= self.inbox.clock.now else None

    def open_game(self, opening: GameOpening) -> None:
        pass

    def ask_as_usual(self, questions: Sequence[Question]) -> None:
        now = self.inbox.clock.now
        for question in questions:
            self.asked.append((now, question))
            self.events += len(question.events)
            if self.think is not None:
                begun = max(now, self.ready or now)
                self.plan(question, begun + self.think, int(question.legal[0].first()))

    def plan(self, question: Question, when: float, action: int | None, **fault: Any) -> None:
        answer = Answer(question.game_id, question.seat, question.decision_id, action, when, **fault)
        self.inbox.planned.append((when, answer))

    def close_game(self, _game_id: int, _seat: int, result: GameResult | None) -> None:
        self.closed.append(result)

    def close(self) -> None:
        pass


class Stage:
    """Two distant doors, one clock, one driver."""

    def __init__(self, *thinks: float | None, ready_after: float | None = 0.0, **settings: Any) -> None:
        self.clock = ManualClock()
        self.inbox = ManualInbox(self.clock)
        self.players = randoms(len(thinks))
        self.doors = [
            DistantDoor(player.name, self.inbox, think, ready_after if index == 0 else 0.0)
            for index, (player, think) in enumerate(zip(self.players, thinks, strict=True))
        ]
        doors = dict(zip(self.players, self.doors, strict=True))
        self.driver = Driver(doors, self.inbox, clock=self.clock, **settings)

    def play(self, **plan: Any) -> MatchResult:
        return checked(self.driver.play(plan_of(self.players, **plan)))


def test_answers_in_time_are_no_faults_and_reach_the_game() -> None:
    stage = Stage(1.9, 0.5)
    result = stage.play(limits=Limits(game=1e6))
    assert [game.faults for game in result.games] == [(), ()]
    assert all(door.events > 0 for door in stage.doors)
    assert stage.doors[0].closed == list(result.games)


def test_c07_b11_a_door_that_never_answers_times_out_by_the_clock() -> None:
    stage = Stage(None, 0.1)
    begun = stage.clock.now
    result = stage.play(rotations=1)
    faults = result.games[0].faults
    assert [fault.kind for fault in faults] == ["timeout"] * 3
    assert [fault.used_ms for fault in faults] == pytest.approx([2000.0] * 3)
    assert result.games[0].winners == (result.games[0].players.index(1),)
    assert stage.clock.now - begun < 3 * 2.0 + 60 * 0.1


def test_b01_waiting_for_a_busy_bot_is_not_billed() -> None:
    """Many games share two bots that think 1.5 s and take one question at a time."""
    stage = Stage(1.5, 1.5)
    plans = [
        plan_of(stage.players, sequence=n, key=bytes([n]) * 16, limits=Limits(game=1e6)) for n in range(5)
    ]
    for result in stage.driver.play_many(plans):
        assert [game.faults for game in checked(result).games] == [(), ()]


def test_a_batch_is_clocked_from_the_previous_answer() -> None:
    """A bot that may hold many questions and answers one every 1.5 s is never late."""
    stage = Stage(0.1, 0.1)
    for door in stage.doors:
        door.max_open = None

    def ask(door: DistantDoor, questions: Sequence[Question]) -> None:
        free = max(stage.clock.now, door.free)
        for question in questions:
            free += 1.5
            door.plan(question, free, int(question.legal[0].first()))
        door.free = free

    for door in stage.doors:
        door.ask = partial(ask, door)
    plans = [
        plan_of(stage.players, sequence=n, key=bytes([n]) * 16, limits=Limits(game=1e6)) for n in range(5)
    ]
    for result in stage.driver.play_many(plans):
        assert [game.faults for game in checked(result).games] == [(), ()]


def test_b07_the_start_has_its_own_limit() -> None:
    """A bot that needs 9 s of 10 to connect loses nothing, and thinks from then on."""
    stage = Stage(1.9, 0.5, ready_after=9.0)
    result = stage.play(limits=Limits(game=1e6))
    assert [game.faults for game in result.games] == [(), ()]


def test_c15_a_bot_that_never_connects_is_a_no_show() -> None:
    stage = Stage(None, 0.1, ready_after=None)
    result = stage.play()
    for game in result.games:
        (fault,) = game.faults
        assert (game.players[fault.seat], fault.kind, fault.action) == (0, "no_show", "retire")
        assert fault.limit_ms == 10_000.0
        assert 10_000.0 <= fault.used_ms < 13_000.0
        assert "random0 was not ready within 10 s" in fault.message
        assert game.scores[fault.seat] == 0.0


def stalled_once(stage: Stage, think: float | None) -> None:
    """The host stalls for 5 s when the first question of the first door is due, and it thinks so long."""
    door = stage.doors[0]
    usual = door.ask

    def ask(questions: Sequence[Question]) -> None:
        stage.inbox.oversleeps = [5.0]
        door.ask = usual
        if think is not None:
            for question in questions:
                door.plan(question, stage.clock.now + think, int(question.legal[0].first()))

    door.ask = ask


def test_b01_an_answer_that_only_a_stall_of_the_host_makes_late_voids_the_attempt() -> None:
    stage = Stage(0.1, 0.1)
    stalled_once(stage, think=6.5)
    result = stage.driver.play(plan_of(stage.players, rotations=1))
    assert result.games == ()
    assert "random0 would be late by the host's doing: decision 4 took 6.500 s of 2.000 s" in result.error
    assert result.error.endswith("the host stalled for 4.500 s")
    assert stage.doors[0].closed == stage.doors[1].closed == [None]


def test_b01_the_final_attempt_counts_whatever_the_host_did() -> None:
    stage = Stage(0.1, 0.1)
    stalled_once(stage, think=6.5)
    plan = replace(plan_of(stage.players, rotations=1), final=True)
    (fault,) = checked(stage.driver.play(plan)).games[0].faults
    assert (fault.kind, round(fault.used_ms)) == ("timeout", 6500)


def test_b01_a_bot_that_never_answers_gets_no_excuse_from_a_stall() -> None:
    stage = Stage(None, 0.1)
    stalled_once(stage, think=None)
    faults = stage.play(rotations=1).games[0].faults
    assert [(fault.kind, round(fault.used_ms)) for fault in faults] == [("timeout", 2000)] * 3


def test_b01_a_stall_moves_a_deadline_once_by_its_length() -> None:
    """The watch saw 1 s of stall within the first decision; the bot that never answers has 3 s then."""
    stage = Stage(None, 0.1, host=(host := StallLog()))
    begun = stage.clock.now
    host.note(begun + 0.5, begun + 1.5)
    result = stage.play(rotations=1)
    faults = result.games[0].faults
    assert [(fault.kind, round(fault.used_ms)) for fault in faults] == [("timeout", 2000)] * 3
    answers = 0.1 * len(stage.doors[1].asked)
    assert stage.clock.now - begun == pytest.approx(3.0 + 2.0 + 2.0 + answers, abs=0.01)


def test_b01_an_answer_in_time_is_billed_without_the_stall() -> None:
    stage = Stage(1.5, 0.1, host=(host := StallLog()))
    host.note(stage.clock.now + 0.25, stage.clock.now + 1.25)
    left: list[float] = []
    door = stage.doors[0]
    usual = door.ask

    def ask(questions: Sequence[Question]) -> None:
        left.extend(question.bank_s for question in questions)
        usual(questions)

    door.ask = ask
    assert stage.play(rotations=1, limits=Limits(game=1e6)).games[0].faults == ()
    assert left[:3] == pytest.approx([1e6, 1e6 - 0.5, 1e6 - 2.0])


def test_a_late_answer_is_ignored_and_resets_no_clock() -> None:
    stage = Stage(2.5, 0.1)
    result = stage.play(rotations=1)
    faults = result.games[0].faults
    assert [(fault.kind, round(fault.used_ms)) for fault in faults] == [("timeout", 2000)] * 3


def test_a_fault_between_decisions_takes_the_seat_out_and_others_go_on() -> None:
    stage = Stage(0.1, 0.1, 0.1)
    door = stage.doors[1]
    usual = door.ask

    def ask(questions: Sequence[Question]) -> None:
        usual(questions)
        if len(door.asked) == 20:
            game_id, seat = questions[0].game_id, questions[0].seat
            gone = Answer(game_id, seat, NO_DECISION, None, stage.clock.now, "disconnect", "the stream broke")
            stage.inbox.planned.append((stage.clock.now + 0.3, gone))

    door.ask = ask
    result = stage.play(rotations=1)
    (fault,) = result.games[0].faults
    assert (fault.kind, fault.action) == ("disconnect", "retire")
    assert "the stream broke" in fault.message
    assert result.games[0].termination == "turn_cap"
    assert result.games[0].players[fault.seat] == 1
    assert result.games[0].scores[fault.seat] == 0.0


def test_b10_an_overlong_game_ends_by_the_game_limit() -> None:
    stage = Stage(1.0, 1.0, game_limit_s=30.0)
    result = stage.play(limits=Limits(game=1e6))
    for game in result.games:
        assert game.termination == "game_limit"
        assert game.scores == (0.5, 0.5)
        assert game.wall_ms == pytest.approx(30_000.0, abs=1500.0)
        assert 10 < game.decisions < 60


def test_the_clock_policy_may_forgive_everything() -> None:
    stage = Stage(None, 0.1)
    policy = FaultPolicy(retire=frozenset(), strikes=10**6)
    result = stage.play(rotations=1, policy=policy, limits=Limits(game=1e6))
    assert result.games[0].termination == "turn_cap"
    assert {fault.action for fault in result.games[0].faults} == {"default"}


class Crowded(StallLog):
    """A host that gives every bot half a core."""

    def lost(self, begin: float, end: float, limit_s: float, door: Door) -> Lost:
        share = 0.0 if door.guard == "in_process" else 0.5
        return Lost(0.0, min(share * (end - begin), 4 * limit_s), "8 threads wanted 4 cores")


def test_b01_on_a_crowded_host_a_silent_bot_gets_the_time_that_was_taken_and_then_its_fault() -> None:
    stage = Stage(None, 0.1, host=Crowded())
    faults = stage.play(rotations=1).games[0].faults
    assert [fault.kind for fault in faults] == ["timeout"] * 3
    assert [fault.used_ms for fault in faults] == pytest.approx([4000.0] * 3, abs=5.0)
    words = r"took (3\.99\d|4\.000) s of 2\.000 s allowed and (1\.99\d|2\.000) s that the crowded host took;"
    assert all(re.search(words, fault.message) for fault in faults), faults[0].message


def test_b01_an_answer_that_is_late_even_for_a_crowded_host_is_told_what_the_host_took() -> None:
    """As for a silent bot; it came before the driver had looked at the clock again."""

    class NeverStalled(Crowded):
        def note(self, begin: float, end: float, *, busy: bool = False) -> None:
            pass

    stage = Stage(0.1, 0.1, host=NeverStalled())
    stalled_once(stage, think=5.0)
    (fault,) = stage.play(rotations=1).games[0].faults
    words = r"took 5\.000 s of 2\.000 s allowed and 2\.500 s that the crowded host took, 0\.500 s over;"
    assert re.search(words, fault.message), fault.message


def test_b01_an_answer_that_only_a_crowd_makes_late_voids_the_attempt_but_the_last() -> None:
    stage = Stage(3.0, 0.1, host=Crowded())
    plan = plan_of(stage.players, rotations=1)
    error = stage.driver.play(plan).error
    assert "would be late by the host's doing: decision" in error
    assert error.endswith("took 3.000 s of 2.000 s allowed, 1.000 s over; 8 threads wanted 4 cores")
    faults = checked(stage.driver.play(replace(plan, final=True))).games[0].faults
    assert {fault.kind for fault in faults} == {"timeout"}


# ---- what counts


TRIP = RoundTrip(median_s=0.1, p99_s=0.3)


@pytest.mark.parametrize(("wall", "late"), [(2.05, False), (2.35, False), (2.45, True)])
def test_b01_only_thinking_counts_and_a_forfeit_needs_more_than_limit_and_margin(
    wall: float, late: bool
) -> None:
    """Limit 2 s, 0.1 s on the way, 0.3 s of margin: 2.4 s of wall time are not too late."""
    stage = Stage(wall, 0.1, round_trips={"grpc": TRIP})
    faults = stage.play(rotations=1, limits=Limits(game=1e6)).games[0].faults
    assert {fault.kind for fault in faults} == ({"timeout"} if late else set())
    for fault in faults:
        assert (fault.limit_ms, fault.transport_ms, fault.queue_ms) == (2000.0, 100.0, 0.0)
        assert fault.used_ms == pytest.approx(2300.0)
        assert "0.300 s over (not counted: 0.1000 s transport, a margin of 0.3000 s); " in fault.message


def test_b01_the_time_of_a_decision_is_queue_and_transport_and_thinking() -> None:
    """Both games of a match ask the same bot, which takes one question at a time and is late with each."""
    stage = Stage(3.0, 0.1, round_trips={"grpc": TRIP})
    games = stage.play(limits=Limits(game=1e6)).games
    faults = [fault for game in games for fault in game.faults]
    assert {fault.kind for fault in faults} == {"timeout"}
    assert all(fault.used_ms == pytest.approx(2300.0) for fault in faults)
    waits = sorted(round(fault.queue_ms, 3) for fault in faults)
    assert waits[0] == 0.0
    assert 0.0 < waits[-1] <= 2400.0


def test_the_way_is_not_taken_from_the_bank_and_an_answer_earns_the_increment() -> None:
    stage = Stage(1.1, 0.1, round_trips={"grpc": TRIP})
    banks: list[float] = []
    door = stage.doors[0]
    usual = door.ask

    def ask(questions: Sequence[Question]) -> None:
        banks.extend(question.bank_s for question in questions)
        usual(questions)

    door.ask = ask
    assert stage.play(rotations=1, limits=Limits(game=50.0, increment=0.75)).games[0].faults == ()
    assert banks[:3] == pytest.approx([50.0, 49.75, 49.5])


def test_without_a_clock_no_answer_is_late() -> None:
    stage = Stage(3600.0, 0.1)
    result = stage.play(rotations=1, limits=Limits(decision=0.5, game=1.0, clocked=False))
    assert result.games[0].faults == ()
    assert all(question.limit_s == question.bank_s == math.inf for _, question in stage.doors[0].asked)


# ---- who is there


@pytest.mark.parametrize(("guard", "limit"), [("none", 4.0), ("remote", 7.0)])
def test_b07_a_bot_that_dials_in_has_a_limit_of_its_own(guard: str, limit: float) -> None:
    stage = Stage(None, 0.1, ready_after=None)
    stage.doors[0].guard = guard
    result = stage.play(rotations=1, limits=Limits(start=4.0, connect=7.0))
    (fault,) = result.games[0].faults
    assert (fault.kind, fault.limit_ms) == ("no_show", 1000.0 * limit)
    assert result.games[0].guards == tuple("none" if p else guard for p in result.games[0].players)


@pytest.mark.parametrize("clocked", [True, False])
def test_c07_a_process_that_is_gone_without_a_word_is_noticed(clocked: bool) -> None:
    """Nobody reports its end, its stream stays open, and its limit is far away or there is none."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    stage = Stage(None, 0.1)
    stage.doors[0].pid = ended.pid
    begun = stage.clock.now
    limits = Limits(decision=7200.0, game=7200.0, clocked=clocked)
    result = stage.driver.play(plan_of(stage.players, limits=limits))
    assert result.games == ()
    assert f"PlatformFault: process {ended.pid} of random0 is gone, unreported for 5 s" in result.error
    assert stage.clock.now - begun <= 20.0


def test_a_game_without_a_clock_says_for_whom_it_waits(caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(150.0, 0.1, game_limit_s=160.0)
    stage.play(rotations=1, limits=Limits(clocked=False))
    assert "random0 has owed decision" in caplog.text
    assert "for 60 s; no clock runs" in caplog.text
