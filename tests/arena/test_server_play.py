"""Games over gRPC: external bots, batches, plans, both forms of a question, and what a resume repeats."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from random import Random
from typing import Any

import grpc
import pytest
from wire_samples import (
    LIMITS,
    OWN_PID,
    RANDOM,
    Table,
    alive,
    bundled,
    faults_of,
    mock,
    plan,
    table,
    wait_until,
)

import engine_core
from arena import wire
from arena.driver import Driver
from arena.seats import Answer, GameOpening, Question
from arena.server import RemoteDoor
from arena.server.connection import Stream
from arena.types import BotSpec
from arena.v1 import play_pb2, play_pb2_grpc, rules_pb2
from engine_core import Action, State

Request = play_pb2.PlayRequest
OPTIONS = {"level": 3, "bold": True}


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


# ---- whole games


def test_python_and_node_play_in_processes_of_their_own(shared: Table) -> None:
    """Two external processes and one bot in this process finish every rotation of a match without a fault."""
    game = plan(bundled("outrider"), bundled("vanguard"), RANDOM, cap=10)
    result = shared.play(game)
    pids = {door.pid for door in shared.doors.values() if isinstance(door, RemoteDoor)}
    assert len(pids | {OWN_PID, shared.launcher.pid}) == 4
    assert all(pid is not None and alive(pid) for pid in pids)
    shared.leave()
    assert wait_until(lambda: not any(alive(pid) for pid in pids if pid))
    assert len(result.games) == 3
    assert [faults_of(result, player) for player in range(3)] == [[], [], []]
    assert all(abs(sum(game.scores) - 1.0) < 1e-9 for game in result.games)


def test_same_bot_plays_the_same_game_inside_and_outside(shared: Table) -> None:
    """One function, the bot's own seed: a process of its own changes nothing."""
    inside = BotSpec("outrider", "python", str(bundled("outrider").target) + "/bot.py")
    outside = bundled("outrider")
    digests = []
    for bot in (inside, outside):
        result = shared.play(plan(bot, RANDOM, cap=6))
        shared.leave()
        digests.append([game.final_digest for game in result.games])
    assert digests[0] == digests[1]


def test_a_seat_that_dies_never_stops_the_others(shared: Table) -> None:
    result = shared.play(plan(mock("crash_mid_game"), bundled("vanguard"), RANDOM, cap=6))
    shared.leave()
    assert {kind for kind, _, _ in faults_of(result, 0)} == {"crash"}
    assert faults_of(result, 1) == faults_of(result, 2) == []
    assert len(result.games) == 3


# ---- one stream, closely


class Bot:
    """A bot in this process on a real stream, one message at a time."""

    def __init__(self, shared: Table, door: RemoteDoor, **join: Any) -> None:
        self._out: SimpleQueue[Request | None] = SimpleQueue()
        self.channel = grpc.insecure_channel(shared.server.addresses[0])
        self.say(join=play_pb2.Join(token=door.token, **join))
        self._call = play_pb2_grpc.PlayServiceStub(self.channel).Play(
            iter(self._out.get, None), timeout=900.0
        )
        self.welcome = next(self._call).welcome

    def say(self, **content: Any) -> None:
        self._out.put(Request(**content))

    def act(self, *acts: play_pb2.Act) -> None:
        self.say(acts=play_pb2.ActBatch(acts=acts))

    def hear(self, content: str) -> Any:
        message = next(self._call)
        assert message.WhichOneof("content") == content, message
        return getattr(message, content)

    def decides(self) -> list[play_pb2.Decide]:
        return list(self.hear("decides").decides)


class Seat:
    """One seat of a game asked through a door by hand."""

    def __init__(self, door: RemoteDoor, inbox: SimpleQueue[Answer], game_id: int = 1) -> None:
        self.door, self.inbox, self.game_id = door, inbox, game_id
        self.game = engine_core.load("classic", seats=2, setup="deal")
        self.state = self.game.new_state(game_id)
        self.asked = 0
        self.backlog: list[list[engine_core.Event]] = [[]]

    @property
    def seat(self) -> int:
        return self.state.pending()[0]

    def open(self) -> None:
        for seat in range(2):
            self.door.open_game(
                GameOpening(
                    self.game_id, seat, self.game, b"s" * 16, LIMITS, {"level": 3, "bold": True}, ("a", "b")
                )
            )

    def question(self) -> Question:
        self.asked += 1
        seat, state = self.seat, self.state
        return Question(self.game_id, seat, self.asked, state, state.legal(seat), self.backlog, 2.0, 50.0)

    def ask(self) -> Question:
        question = self.question()
        self.door.ask([question])
        return question

    def answer(self) -> Answer:
        return self.inbox.get(timeout=LIMITS.decision)

    def play(self, code: int) -> None:
        self.backlog = [self.state.play(self.seat, code)]


@pytest.fixture
def seated(shared: Table) -> Iterator[Callable[..., tuple[Seat, Bot]]]:
    """Makes a seat with a connected bot."""
    doors = []

    def make(resume_s: float = LIMITS.start, **join: Any) -> tuple[Seat, Bot]:
        inbox: SimpleQueue[Answer] = SimpleQueue()
        door = shared.server.door("bot", inbox, start_s=LIMITS.start, resume_s=resume_s, max_open=None)
        doors.append(door)
        seat, bot = Seat(door, inbox), Bot(shared, door, **join)
        seat.open()
        return seat, bot

    yield make
    for door in doors:
        door.close()


Make = Callable[..., tuple[Seat, Bot]]


def test_game_start_describes_the_game(seated: Make) -> None:
    seat, bot = seated()
    starts = [bot.hear("game_start") for _ in range(2)]
    assert [(start.game, start.seat) for start in starts] == [(1, 0), (2, 1)]
    start = starts[0]
    assert engine_core.load_resolved(start.ruleset).ruleset.hash == start.ruleset_hash
    assert [kind.name for kind in start.rules.actions] == [
        kind.name for kind in seat.game.description.actions
    ]
    assert (start.limits.decision_ms, start.limits.game_ms) == (1000 * LIMITS.decision, 1000 * LIMITS.game)
    assert (start.bot_seed, list(start.players)) == (b"s" * 16, ["a", "b"])
    assert dict(start.options) == {"level": "3", "bold": "true"}


def test_question_packed_and_typed_say_the_same(seated: Make) -> None:
    for encoding in (play_pb2.ENCODING_PACKED, play_pb2.ENCODING_TYPED):
        seat, bot = seated(encoding=encoding)
        for _ in range(2):
            bot.hear("game_start")
        seat.backlog = [seat.state.play(seat.seat, seat.state.legal(seat.seat).pick(0))]
        question = seat.ask()
        (asked,) = bot.decides()
        assert (asked.decision_id, asked.game, asked.game_left_ms) == (1, 1 + seat.seat, 50_000)
        if encoding == play_pb2.ENCODING_PACKED:
            assert (asked.view, asked.legal) == (question.view.packed(), question.legal.packed())
            assert wire.unpack_events(asked.events)
            assert not (asked.typed_view or asked.typed_legal or asked.typed_events)
        else:
            assert list(asked.typed_view) == wire.view_messages(question.view)
            assert list(asked.typed_legal) == wire.range_messages(question.legal)
            assert list(asked.typed_events) == wire.event_messages(question.events) != []
            assert not (asked.view or asked.legal or asked.events)


def test_events_are_left_out_on_request(seated: Make) -> None:
    seat, bot = seated(skip_events=True)
    for _ in range(2):
        bot.hear("game_start")
    seat.backlog = [seat.state.play(seat.seat, seat.state.legal(seat.seat).pick(0))]
    seat.ask()
    assert bot.decides()[0].events == b""
    assert not seat.door.wants_events


def test_questions_and_answers_travel_in_batches(seated: Make) -> None:
    """64 questions are one message, answered in one, in any order."""
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    questions = [seat.question() for _ in range(64)]
    seat.door.ask(questions)
    asked = bot.decides()
    assert len(asked) == 64
    Random(1).shuffle(asked)
    bot.act(*(play_pb2.Act(decision_id=q.decision_id, amount=questions[0].legal[0].lo) for q in asked))
    answers = [seat.answer() for _ in range(64)]
    assert {answer.decision_id for answer in answers} == {question.decision_id for question in questions}
    assert {answer.action for answer in answers} == {int(questions[0].legal[0].first())}
    assert {answer.fault for answer in answers} == {None}
    assert answers[0] == Answer(*answers[0][:5])  # what is left out of it has its usual value


def test_huge_batches_are_split_below_what_clients_accept(seated: Make) -> None:
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    seat.door.ask([seat.question() for _ in range(3000)])
    sizes: list[int] = []
    while sum(sizes) < 3000:
        sizes.append(len(bot.decides()))
    assert len(sizes) > 1


def test_c16_late_repeated_and_invented_answers_are_harmless(seated: Make) -> None:
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    question = seat.ask()
    (asked,) = bot.decides()
    act = play_pb2.Act(decision_id=asked.decision_id, amount=question.legal[0].lo)
    bot.act(act, act, play_pb2.Act(decision_id=99))
    bot.act(act)
    assert seat.answer().action == int(question.legal[0].first())
    later = seat.ask()
    (asked,) = bot.decides()
    bot.act(play_pb2.Act(decision_id=asked.decision_id, amount=later.legal[0].lo))
    assert seat.answer().decision_id == later.decision_id
    assert seat.inbox.empty()


def test_c16_answer_to_a_game_that_is_over_reaches_no_other(seated: Make) -> None:
    """Numbers of questions and games are never used twice: what comes too late finds nothing to answer."""
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    old = seat.ask()
    (asked,) = bot.decides()
    for chair in range(2):
        seat.door.close_game(1, chair, None)
        assert bot.hear("game_end").game == 1 + chair
    new = Seat(seat.door, seat.inbox, game_id=2)
    new.open()
    assert [bot.hear("game_start").game for _ in range(2)] == [3, 4]
    question = new.ask()
    (later,) = bot.decides()
    assert later.decision_id > asked.decision_id
    bot.act(play_pb2.Act(decision_id=asked.decision_id, amount=old.legal[0].lo))
    bot.act(play_pb2.Act(decision_id=later.decision_id, range=1))
    answer = seat.answer()
    assert (answer.game_id, answer.action) == (2, int(question.legal[1].first()))
    assert seat.inbox.empty()


def test_c16_connection_that_was_replaced_is_heard_no_more(shared: Table) -> None:
    """What was still under way on a stream that the bot has given up changes nothing."""
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = shared.server.door("bot", inbox, start_s=LIMITS.start)
    seat, old, new = Seat(door, inbox), Stream(), Stream()
    seat.open()
    door.attach(old, play_pb2.Join())
    welcome = play_pb2.PlayResponse.FromString(next(old.outgoing())).welcome
    question = seat.ask()
    door.attach(new, play_pb2.Join(connection_id=welcome.connection_id))
    acts = Request(acts=play_pb2.ActBatch(acts=[play_pb2.Act(decision_id=1)])).SerializeToString()
    door.receive(old, acts, time.monotonic())
    assert inbox.empty()
    door.receive(new, acts, time.monotonic())
    assert inbox.get(timeout=LIMITS.decision).action == int(question.legal[0].first())
    door.close()


# ---- what a fault shows


def test_malformed_answer_shows_the_message_it_came_in(seated: Make) -> None:
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    seat.ask()
    (asked,) = bot.decides()
    bot.act(play_pb2.Act(decision_id=asked.decision_id, range=9999))
    answer = seat.answer()
    assert answer.fault == "malformed"
    assert answer.last_message == '{"acts": {"acts": [{"decisionId": 1, "range": 9999}]}}'


def test_last_message_is_cut_and_never_tells_the_token(seated: Make) -> None:
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    seat.ask()
    bot.decides()
    bot.say(join=play_pb2.Join(token=seat.door.token, name="x" * 5000))
    answer = seat.answer()
    assert (answer.fault, len(answer.last_message)) == ("malformed", 2048)
    assert answer.last_message.startswith('{"join": {"token": "(token)"')


def test_bot_that_does_not_read_its_stream_is_out_before_memory_grows(shared: Table) -> None:
    """gRPC stops taking messages from us when the bot takes none from it."""
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = shared.server.door("deaf", inbox, start_s=LIMITS.start, max_open=None)
    seat, bot = Seat(door, inbox), Bot(shared, door)
    seat.open()
    for _ in range(200):
        seat.door.ask([seat.question() for _ in range(500)])
        if seat.door.fault is not None:
            break
    assert seat.door.fault is not None
    assert seat.door.fault[0] == "flood"
    assert "it does not read" in seat.door.fault[1]
    bot.channel.close()
    door.close()


# ---- plans


def reinforce(state: State) -> list[Action]:
    """Play until a seat may deploy several troops one by one; the deployments of one."""
    deploy = state.game.description.action_kind("deploy")
    while True:
        legal = state.legal(state.pending()[0])
        single = [r for r in legal if r.kind == deploy and r.hi >= 3]
        if single:
            return [single[0].action(1)] * 2
        state.apply(state.pending()[0], legal[0].first())


def message(action: Action) -> rules_pb2.Action:
    return wire.action_message(int(action))


def planned(seat: Seat, bot: Bot, *actions: Action) -> None:
    for _ in range(2):
        bot.hear("game_start")
    seat.ask()
    (asked,) = bot.decides()
    bot.act(play_pb2.Act(decision_id=asked.decision_id, actions=[message(action) for action in actions]))
    answer = seat.answer()
    assert answer.action == int(actions[0])
    seat.play(answer.action)


def test_plan_answers_without_asking_while_it_is_legal(seated: Make) -> None:
    seat, bot = seated()
    planned(seat, bot, *reinforce(seat.state))
    second = seat.ask()
    assert seat.answer()[:4] == (1, second.seat, second.decision_id, int(second.legal[0].action(1)))
    seat.play(int(second.legal[0].action(1)))
    seat.ask()
    assert bot.decides()[0].decision_id == 2  # the planned answer was never a question on the wire


def test_plan_is_dropped_at_the_first_action_that_is_not_legal(seated: Make) -> None:
    seat, bot = seated()
    first, _ = reinforce(seat.state)
    planned(seat, bot, first, Action(first.kind, first.a, n=1_000_000), first)
    for decision_id in (2, 3):
        question = seat.ask()
        (asked,) = bot.decides()
        assert asked.decision_id == decision_id
        bot.act(play_pb2.Act(decision_id=decision_id, amount=question.legal[0].lo))
        seat.answer()


@pytest.mark.parametrize("surprise", ["dice", "draw", "another seat"])
def test_plan_is_dropped_at_a_surprise(seated: Make, surprise: str) -> None:
    seat, bot = seated()
    planned(seat, bot, *reinforce(seat.state))
    seat.backlog = [happened(seat.state, surprise, seat.seat)]
    seat.ask()
    assert len(bot.decides()) == 1


@pytest.mark.parametrize("moment", ["before its answer", "behind its answer", "behind the next question"])
def test_plan_of_an_answer_that_was_not_played_is_dropped(seated: Make, moment: str) -> None:
    """The referee found it late or illegal, and played another action for the seat."""
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    deployments = [message(action) for action in reinforce(seat.state)]
    answer = play_pb2.Act(decision_id=1, actions=deployments)
    first = seat.ask()
    bot.decides()
    default = int(first.legal[0].action(1))
    if moment == "behind its answer":
        bot.act(answer)
        seat.answer()
    first.faulted = True
    seat.play(default)
    if moment == "before its answer":
        bot.act(answer)
        seat.answer()
    seat.ask()
    assert bot.decides()[0].decision_id == 2
    if moment == "behind the next question":
        bot.act(answer)
    bot.act(play_pb2.Act(decision_id=2, amount=1))
    assert wait_until(lambda: seat.answer().decision_id == 2)
    seat.play(default)
    seat.ask()
    assert bot.decides()[0].decision_id == 3


def happened(state: State, surprise: str, seat: int) -> list[engine_core.Event]:
    """Events of the kind that a plan does not survive, from a copy of the game played on."""
    state, rng = state.copy(), Random(4)
    while True:
        mover = state.pending()[0]
        events = state.play(mover, state.legal(mover).sample(rng))
        if surprise == "dice":
            found = [event for event in events if event.dice]
        elif surprise == "draw":
            kinds = state.game.description.events
            found = [event for event in events if kinds[event.kind].name == "drew" and event.seat == seat]
        else:
            found = [event for event in events if event.seat == mover != seat and not event.dice]
        if found:
            return found[:1]


# ---- slots


@pytest.mark.parametrize(("slots", "wish", "most"), [(1, 0, 1), (None, 1, 1), (2, 0, 2), (5, 2, 2)])
def test_c13_a_bot_never_holds_more_questions_than_its_slots(
    shared: Table, slots: int | None, wish: int, most: int
) -> None:
    """Three games ask at once, before the bot has even joined and from then on."""
    game = plan(mock("holds", str(most), str(wish)), RANDOM, RANDOM, cap=1)
    result = shared.play(game, max_open=slots)
    shared.leave()
    assert len(result.games) == 3
    assert faults_of(result, 0) == []


def test_c13_the_bot_that_counts_notices_more_than_its_slots(shared: Table) -> None:
    result = shared.play(plan(mock("holds", "1", "0"), RANDOM, RANDOM, cap=1), max_open=None)
    shared.leave()
    assert {kind for kind, _, _ in faults_of(result, 0)} == {"crash"}
    assert any("holds" in message for _, _, message in faults_of(result, 0))


# ---- resuming


def test_c12_answer_lost_with_its_stream_is_given_again_by_its_number(shared: Table, seated: Make) -> None:
    """A question is closed by an answer that arrived, not by one that was sent; twice is once."""
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    question = seat.ask()
    bot.decides()
    bot.channel.close()  # the answer, ready as it was, never left
    assert wait_until(lambda: seat.door._connection is None)
    bot = Bot(shared, seat.door, connection_id=bot.welcome.connection_id, acknowledged=1)
    (again,) = bot.decides()
    assert again.decision_id == 1
    act = play_pb2.Act(decision_id=1, range=0)
    bot.act(act, act)
    answer = seat.answer()
    assert (answer.decision_id, answer.action) == (question.decision_id, int(question.legal[0].first()))
    assert answer.fault is None
    assert seat.inbox.empty()


def test_resume_repeats_what_was_missed_and_no_more(shared: Table, seated: Make) -> None:
    """Cut after question 2; meanwhile a game ends, another begins and a question is asked."""
    seat, bot = seated()
    for _ in range(2):
        bot.hear("game_start")
    question = seat.ask()
    bot.decides()
    bot.act(play_pb2.Act(decision_id=1, amount=question.legal[0].lo))
    assert seat.answer().fault is None
    seat.ask()
    bot.decides()
    bot.channel.close()
    assert wait_until(lambda: seat.door._connection is None)
    other = 1 - seat.seat
    seat.door.close_game(1, other, None)
    later = Seat(seat.door, seat.inbox, game_id=2)
    later.open()
    later.ask()

    bot = Bot(shared, seat.door, connection_id=bot.welcome.connection_id, acknowledged=2)
    assert bot.welcome.resumed
    assert [bot.hear("game_start").game for _ in range(2)] == [3, 4]
    assert bot.hear("game_end").game == 1 + other
    assert [asked.decision_id for asked in bot.decides()] == [2, 3]
    assert seat.inbox.empty()


@pytest.mark.parametrize("encoding", [play_pb2.ENCODING_PACKED, play_pb2.ENCODING_TYPED])
def test_resume_repeats_a_question_as_it_was(
    shared: Table, seated: Make, encoding: play_pb2.Encoding.ValueType
) -> None:
    """The game went on without its answer, which was late: what is legal and what is seen still fit."""
    seat, bot = seated(encoding=encoding)
    for _ in range(2):
        bot.hear("game_start")
    question = seat.ask()
    (asked,) = bot.decides()
    seat.play(int(question.legal[0].first()))
    bot.channel.close()
    assert wait_until(lambda: seat.door._connection is None)
    bot = Bot(shared, seat.door, connection_id=bot.welcome.connection_id, acknowledged=1, encoding=encoding)
    assert bot.decides() == [asked]


def test_process_that_starts_anew_is_told_all_open_games(shared: Table, seated: Make) -> None:
    seat, bot = seated()
    seat.ask()
    bot.channel.close()
    assert wait_until(lambda: seat.door._connection is None)
    again = Bot(shared, seat.door)
    assert not again.welcome.resumed
    assert again.welcome.connection_id != bot.welcome.connection_id
    assert [again.hear("game_start").game for _ in range(2)] == [1, 2]
    assert [asked.decision_id for asked in again.decides()] == [1]


def test_stream_that_is_not_resumed_is_a_fault_in_every_open_game(seated: Make) -> None:
    seat, bot = seated(resume_s=0.1)
    question = seat.ask()
    bot.channel.close()
    faults = [seat.answer() for _ in range(2)]
    assert {fault.fault for fault in faults} == {"disconnect"}
    assert {(fault.seat, fault.decision_id) for fault in faults} == {
        (question.seat, question.decision_id),
        (1 - question.seat, -1),
    }
    seat.ask()
    assert seat.answer().fault == "disconnect"


def test_asked_before_the_bot_has_joined(shared: Table) -> None:
    """Questions wait for the bot in the form it will ask for, and the start clock is not theirs."""
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = shared.server.door("bot", inbox, start_s=LIMITS.start)
    seat = Seat(door, inbox)
    seat.open()
    seat.ask()
    assert door.ready_at is None
    before = time.monotonic()
    bot = Bot(shared, door, encoding=play_pb2.ENCODING_TYPED, max_questions=5)
    for _ in range(2):
        bot.hear("game_start")
    assert bot.decides()[0].typed_legal
    assert door.ready_at is not None
    assert before <= door.ready_at <= time.monotonic()
    assert door.max_open == 1
    door.close()


def test_time_is_stamped_on_arrival(shared: Table) -> None:
    """What the driver bills an external bot is about the time it took."""
    game = plan(mock("first_legal"), RANDOM, cap=2)
    shared.seat(game)
    started = time.monotonic()
    result = Driver(shared.doors, shared.inbox).play(game)
    shared.leave()
    assert faults_of(result, 0) == []
    assert time.monotonic() - started < LIMITS.game
