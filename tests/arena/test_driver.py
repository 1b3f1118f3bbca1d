"""The driver with real bots: rotations, one clock for every door, faults by kind, and voided attempts."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest
from match_samples import FIRST, KEY, bot_file, driver_of, plan_of, randoms

from arena.driver import Driver
from arena.record import unpack, verify
from arena.seats import NO_DECISION, Answer, GameOpening, InProcessDoor, Question
from arena.types import Fault, FaultPolicy, GameResult, Limits, MatchResult, Player
from engine_core import Event, View

QUICK = Limits(start=0.2, decision=0.1, game=60.0)


def checked(result: MatchResult) -> MatchResult:
    """A result without platform fault, whose records verify."""
    assert result.error == ""
    for game in result.games:
        verify(unpack(game.record))
        assert unpack(game.record).final_digest == game.final_digest
    return result


def facts(result: MatchResult) -> list[GameResult]:
    """Its games without what the clock measured."""
    return [replace(game, wall_ms=0.0) for game in result.games]


def faults_of(result: MatchResult, player: int) -> list[Fault]:
    """The faults of one of the plan's players."""
    return [fault for game in result.games for fault in game.faults if game.players[fault.seat] == player]


def play_against_random(bot: Player, limits: Limits = QUICK, **plan: Any) -> MatchResult:
    players = (bot, *randoms(1))
    return checked(driver_of(players).play(plan_of(players, limits=limits, **plan)))


# ---- matches


def test_a_match_is_every_rotation_on_one_key() -> None:
    players = randoms(3)
    result = checked(driver_of(players, worker="w1").play(plan_of(players, sequence=7)))
    assert (result.sequence, result.worker) == (7, "w1")
    assert [game.rotation for game in result.games] == [0, 1, 2]
    assert [game.players for game in result.games] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    records = [unpack(game.record) for game in result.games]
    assert {record.key for record in records} == {KEY}
    assert records[1].players == ("random2", "random0", "random1")
    assert len({game.final_digest for game in result.games}) == 3
    assert result.wall_ms > 0 < result.cpu_ms
    assert all(0 < game.wall_ms <= result.wall_ms for game in result.games)


def test_a_match_repeats_exactly() -> None:
    players = randoms(3)
    one, two = (driver_of(players).play(plan_of(players)) for _ in range(2))
    assert facts(one) == facts(two)
    other = driver_of(players).play(plan_of(players, key=bytes(16)))
    assert facts(one) != facts(other)


def test_matches_played_together_are_the_matches_played_alone() -> None:
    everybody = randoms(4)
    pairs = [(0, 1), (1, 2), (3, 0), (2, 3), (1, 3)]
    plans = [
        plan_of([everybody[i] for i in pair], sequence=n, key=bytes([n]) * 16) for n, pair in enumerate(pairs)
    ]
    together = driver_of(everybody).play_many(plans)
    assert [result.sequence for result in together] == [0, 1, 2, 3, 4]
    for plan, result in zip(plans, together, strict=True):
        assert facts(checked(result)) == facts(driver_of(everybody).play(plan))


def test_a_driver_plays_one_match_after_the_other() -> None:
    players = randoms(2)
    driver = driver_of(players)
    assert facts(driver.play(plan_of(players))) == facts(driver.play(plan_of(players)))


class Spy(InProcessDoor):
    """An in-process door that remembers what passes through it."""

    def __init__(self, player: Player, inbox: SimpleQueue[Answer]) -> None:
        super().__init__(player.bot, inbox)
        self.openings: list[GameOpening] = []
        self.batches: list[list[Question]] = []
        self.closed: list[tuple[int, int, GameResult | None]] = []

    def open_game(self, opening: GameOpening) -> None:
        self.openings.append(opening)
        super().open_game(opening)

    def ask(self, questions: Sequence[Question]) -> None:
        self.batches.append(list(questions))
        super().ask(questions)

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        self.closed.append((game_id, seat, result))
        super().close_game(game_id, seat, result)


def spied(players: Sequence[Player], spy: type[Spy] = Spy, **settings: Any) -> tuple[Driver, list[Spy]]:
    inbox: SimpleQueue[Answer] = SimpleQueue()
    doors = [spy(player, inbox) for player in players]
    return Driver(dict(zip(players, doors, strict=True)), inbox, **settings), doors


def test_every_bot_is_told_its_seat_seed_limits_and_labels() -> None:
    players = randoms(3)
    driver, doors = spied(players)
    result = checked(driver.play(plan_of(players)))
    openings = [opening for door in doors for opening in door.openings]
    assert len({opening.bot_seed for opening in openings}) == 9
    for index, door in enumerate(doors):
        for opening, game in zip(door.openings, result.games, strict=True):
            assert game.players[opening.seat] == index
            assert opening.labels == tuple(players[i].name for i in game.players)
            assert opening.limits == Limits()
        assert [(game_id, seat) for game_id, seat, _ in door.closed] == [
            (opening.game_id, opening.seat) for opening in door.openings
        ]
        assert [end for _, _, end in door.closed] == list(result.games)


def test_games_move_together_so_that_questions_come_in_batches() -> None:
    players = randoms(2)
    driver, doors = spied(players)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16) for n in range(8)]
    driver.play_many(plans)
    sizes = [len(batch) for door in doors for batch in door.batches]
    assert max(sizes) >= 8
    assert sum(sizes) / len(sizes) > 4


class OneAtATime(Spy):
    """Takes one question at a time, like a clocked external bot."""

    max_open = 1


def test_a_bounded_door_holds_no_more_questions_than_it_takes() -> None:
    players = randoms(2)
    driver, doors = spied(players, OneAtATime)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16) for n in range(3)]
    bounded = driver.play_many(plans)
    assert {len(batch) for door in doors for batch in door.batches} == {1}
    assert [facts(r) for r in bounded] == [facts(r) for r in spied(players)[0].play_many(plans)]


def test_options_reach_the_bot_and_wrong_ones_void_the_match(tmp_path: Path) -> None:
    bot = bot_file(
        tmp_path,
        "choosy",
        """
        class Bot:
            def __init__(self, game, seat, rng, *, pick=0): self.pick = pick
            def decide(self, view, legal): return legal[min(self.pick, len(legal) - 1)]
        """,
    )
    ends = set()
    for pick in (0, 1):
        player = replace(bot, options=(("pick", pick),))
        ends.add(play_against_random(player).games[0].final_digest)
    assert len(ends) == 2
    wrong = replace(bot, options=(("prick", 1),))
    players = (wrong, *randoms(1))
    result = driver_of(players).play(plan_of(players))
    assert "unknown option 'prick'; valid: pick" in result.error
    assert result.games == ()


def test_a_spectator_follows_each_rotation() -> None:
    players = randoms(2)
    steps: dict[int, int] = {}

    def watch(_plan: object, rotation: int) -> Any:
        def step(_events: tuple[Event, ...], view: View) -> None:
            assert view.seat == -1
            steps[rotation] = steps.get(rotation, -1) + 1

        return step

    result = checked(driver_of(players, watch=watch).play(plan_of(players)))
    assert steps == {game.rotation: len(unpack(game.record).steps) for game in result.games}


# ---- faults of bots in this process


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        (
            "def decide(view, legal): return 1 / 0",
            "crash",
            "decide raised ZeroDivisionError: division by zero",
        ),
        ("import sys\ndef decide(view, legal): sys.exit(3)", "crash", "decide raised SystemExit: 3"),
        ("def decide(view, legal): raise MemoryError", "resource", "decide raised MemoryError"),
        ("def decide(view, legal): return None", "malformed", "decide returned None; expected an Action"),
        ("def decide(view, legal): return -1", "malformed", "-1 is not the code of an action"),
        ("def decide(view, legal): return 12345", "illegal", "may not play"),
        ("def decide(view, legal):\n while True: pass", "timeout", "of 0.100 s allowed"),
        ("import time\ndef decide(view, legal): time.sleep(60)", "timeout", "of 0.100 s allowed"),
        (
            "class Bot:\n def __init__(self, game, seat, rng): raise OSError('no model')\n"
            " def decide(self, view, legal): pass",
            "crash",
            "start raised OSError: no model",
        ),
        (
            "import time\nclass Bot:\n def __init__(self, game, seat, rng): time.sleep(60)\n"
            " def decide(self, view, legal): pass",
            "start_timeout",
            "start took over 0.2 s",
        ),
    ],
)
def test_b08_every_fault_has_its_own_kind_and_the_game_ends(
    tmp_path: Path, code: str, kind: str, message: str
) -> None:
    result = play_against_random(bot_file(tmp_path, "faulty", code))
    for game in result.games:
        seat = game.players.index(0)
        faults = [fault for fault in game.faults if fault.seat == seat]
        strikes = 3 if kind in ("malformed", "illegal", "timeout") else 1
        assert [fault.kind for fault in faults] == [kind] * strikes
        assert message in faults[0].message
        assert faults[-1].action == "retire"
        assert game.termination == "forfeit"
        assert game.scores[seat] == 0.0
        assert game.winners == (1 - seat,)


def test_i01_a_crash_shows_where_in_the_bot(tmp_path: Path) -> None:
    code = """
        def helper():
            raise RuntimeError("deep inside")

        def decide(view, legal):
            helper()
        """
    message = faults_of(play_against_random(bot_file(tmp_path, "deep", code)), 0)[0].message
    assert "deep.py" in message
    assert "line 3, in helper" in message
    assert len(message) < 3000


def test_a_hang_that_swallows_its_cut_is_cut_again(tmp_path: Path) -> None:
    code = """
        import time
        tries = []
        def decide(view, legal):
            while len(tries) < 3:
                try:
                    time.sleep(60)
                except BaseException:
                    tries.append(1)
            return legal[0]
        """
    result = play_against_random(bot_file(tmp_path, "stubborn", code), rotations=1)
    (fault,) = faults_of(result, 0)
    assert fault.kind == "timeout"
    assert 240 < fault.used_ms < 2000  # the limit and two more cuts 100 ms apart


def test_the_cut_leaves_the_signal_as_it_was(tmp_path: Path) -> None:
    def mine(_number: int, _frame: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGALRM, mine)
    signal.setitimer(signal.ITIMER_REAL, 3600.0)
    try:
        code = "def decide(view, legal):\n while True: pass"
        play_against_random(bot_file(tmp_path, "hang", code))
        assert signal.getsignal(signal.SIGALRM) is mine
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 3000.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_off_the_main_thread_an_overlong_answer_is_billed(tmp_path: Path) -> None:
    code = """
        import time
        def decide(view, legal):
            time.sleep(0.15)
            return legal[0]
        """
    bot = bot_file(tmp_path, "slow", code)
    results: list[MatchResult] = []
    thread = threading.Thread(target=lambda: results.append(play_against_random(bot, rotations=1)))
    thread.start()
    thread.join()
    faults = faults_of(results[0], 0)
    assert [fault.kind for fault in faults] == ["timeout"] * 3
    assert all(150.0 <= fault.used_ms < 1000.0 for fault in faults)


def test_b05_only_its_own_thinking_is_billed_to_a_bot(tmp_path: Path) -> None:
    """Two bots share this process, games and batches; one is slow, and only that one is late."""
    slow = """
        import time
        def decide(view, legal):
            time.sleep(0.3)
            return legal[0]
        """
    players = (bot_file(tmp_path, "slow", slow), bot_file(tmp_path, "fast", FIRST))
    limits = Limits(decision=0.1)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16, limits=limits) for n in range(2)]
    for result in driver_of(players).play_many(plans):
        checked(result)
        assert faults_of(result, 1) == []
        assert {fault.kind for fault in faults_of(result, 0)} == {"timeout"}


def test_a_game_bank_is_shared_by_all_decisions_of_a_game(tmp_path: Path) -> None:
    code = """
        import time
        def decide(view, legal):
            time.sleep(0.004)
            return legal[0]
        """
    limits = Limits(decision=1.0, game=0.1)
    result = play_against_random(bot_file(tmp_path, "steady", code), limits)
    for game in result.games:
        (fault,) = (fault for fault in game.faults if game.players[fault.seat] == 0)
        assert (fault.kind, fault.action) == ("timeout", "retire")
        assert 4 < fault.decision < 60
        assert "its 0.1 s for the game are used up" in fault.message


# ---- clocks and doors elsewhere, on a clock of the test's own


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
        self.clock.now = wake + (self.oversleeps.pop() if self.oversleeps else 0.0)
        raise Empty


class DistantDoor:
    """A door to a bot elsewhere that takes `think` seconds an answer (None: never answers)."""

    wants_events = True

    def __init__(
        self, name: str, inbox: ManualInbox, think: float | None, ready_after: float | None = 0.0
    ) -> None:
        self.name = name
        self.max_open: int | None = 1
        self.inbox = inbox
        self.think = think
        self.ready = None if ready_after is None else inbox.clock.now + ready_after
        self.asked: list[tuple[float, Question]] = []
        self.closed: list[GameResult | None] = []
        self.events = 0

    @property
    def ready_at(self) -> float | None:
        return self.ready if self.ready is not None and self.ready <= self.inbox.clock.now else None

    def open_game(self, opening: GameOpening) -> None:
        pass

    def ask(self, questions: Sequence[Question]) -> None:
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
        free = max(stage.clock.now, getattr(door, "free", 0.0))
        for question in questions:
            free += 1.5
            door.plan(question, free, int(question.legal[0].first()))
        door.free = free

    for door in stage.doors:
        door.ask = lambda questions, door=door: ask(door, questions)
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


@pytest.mark.parametrize(("stalls", "kinds"), [(1, []), (2, ["timeout"] * 3)])
def test_a_stall_of_the_host_is_not_billed_but_once(stalls: int, kinds: list[str]) -> None:
    """The host sleeps 5 s past a deadline, and the bot answers 1 s after the last wake-up."""
    stage = Stage(None, 0.1)
    door = stage.doors[0]

    def ask(questions: Sequence[Question]) -> None:
        stage.inbox.oversleeps = [5.0] * stalls
        for question in questions:
            answered = stage.clock.now + stalls * (2.0 + 5.0) + 1.0
            door.plan(question, answered, int(question.legal[0].first()))

    door.ask = ask
    result = stage.play(rotations=1, limits=Limits(game=1e6))
    assert [fault.kind for fault in result.games[0].faults] == kinds


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


# ---- faults of the platform


class Breaking(Spy):
    """Breaks, as a platform can, at its fifth batch."""

    def ask(self, questions: Sequence[Question]) -> None:
        if len(self.batches) == 5:
            raise OSError("the socket is gone")
        super().ask(questions)


def test_a11_a_platform_fault_voids_its_match_and_no_other() -> None:
    everybody = randoms(4)
    inbox: SimpleQueue[Answer] = SimpleQueue()
    doors: list[Spy] = [Spy(p, inbox) for p in everybody]
    doors[0] = Breaking(everybody[0], inbox)
    driver = Driver(dict(zip(everybody, doors, strict=True)), inbox)
    voided, fine = driver.play_many([plan_of(everybody[:2]), plan_of(everybody[2:], sequence=1)])
    assert voided.error.startswith("OSError: the socket is gone (")
    assert "test_driver.py" in voided.error
    assert voided.games == ()
    assert facts(checked(fine)) == facts(driver_of(everybody).play(plan_of(everybody[2:], sequence=1)))
    assert [end for _, _, end in doors[1].closed] == [None, None]
    assert all(end is not None for _, _, end in doors[2].closed)


def test_a_player_without_a_door_voids_the_match() -> None:
    players = randoms(3)
    result = driver_of(players[:2]).play(plan_of(players))
    assert "player random2 has no door" in result.error


def test_b14_an_interrupt_closes_every_game_at_once(tmp_path: Path) -> None:
    players = (bot_file(tmp_path, "one", "def decide(view, legal): raise KeyboardInterrupt"), *randoms(1))
    driver, doors = spied(players)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        driver.play(plan_of(players))
    assert time.monotonic() - begun < 2.0
    assert [[end for _, _, end in door.closed] for door in doors] == [[None, None]] * 2
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
