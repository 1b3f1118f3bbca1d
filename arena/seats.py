"""Seats as the platform sees them: the door to a bot, what is asked through it and what comes back.

A `Door` is a way to one bot (an object in this process, or a process of its own) for many games at once. The
driver asks through it; answers come back on the inbox the door was given. A door stamps the time an answer
arrived and nothing else about time: the clock is the driver's, one for every kind of door.
"""

from __future__ import annotations

import math
import signal
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from queue import SimpleQueue
from random import Random
from types import FrameType
from typing import NamedTuple, Protocol

import arena.bot
from arena.bot import Decide, action_code, load_bot
from arena.errors import BotFault
from arena.types import BotSpec, FaultKind, GameResult, Limits, Options
from engine_core.game import Event, Game, Legal, State, View

# Answer.decision_id of a fault that belongs to no decision: a crash, a disconnect, a flood.
NO_DECISION = -1
TRACEBACK_CHARS = 2000
# Whose frames of a traceback say nothing to a bot's author.
_OURS = (__file__, arena.bot.__file__)
# How long a bot that swallowed its cut may go on until it is cut again, in seconds.
CUT_AGAIN_S = 0.1
_TIMEOUT: FaultKind = "timeout"
_START_TIMEOUT: FaultKind = "start_timeout"


class Question:
    """One decision asked of one seat; `decision_id` counts the decisions of its game from 1.

    `limit_s` is what the answer may take, `bank_s` what is left of the seat's game bank, both in seconds and
    infinite where no clock runs. The driver fills in what does not count: `queue_s` until it could be thought
    about, `transport_s` on the way, `margin_s`, by which an answer may be late, and `host_s`, by which it was
    waited for longer since a crowded host took it from the bot. `faulted` tells a door that no answer of the
    bot was played, since there was none in time or a wrong one. `view` and `events` are made when first read
    and may be read until the question is answered.
    """

    __slots__ = (
        *("game_id", "seat", "decision_id", "legal", "limit_s", "bank_s"),
        *("queue_s", "transport_s", "margin_s", "host_s", "faulted"),
        *("_state", "_backlog", "_view", "_packed"),
    )

    def __init__(
        self,
        game_id: int,
        seat: int,
        decision_id: int,
        state: State,
        legal: Legal,
        backlog: Sequence[Sequence[Event]],
        limit_s: float,
        bank_s: float,
    ) -> None:
        """Ask `seat`; `backlog` holds all that happened since its last question, seen or not."""
        self.game_id = game_id
        self.seat = seat
        self.decision_id = decision_id
        self.legal = legal
        self.limit_s = limit_s
        self.bank_s = bank_s
        self.queue_s = self.transport_s = self.margin_s = self.host_s = 0.0
        self.faulted = False
        self._state = state
        self._backlog = backlog
        self._view: View | None = None
        self._packed = b""

    @property
    def view(self) -> View:
        """What the seat may see."""
        if self._view is None:
            self._view = self._state.view(self.seat)
        return self._view

    def packed_view(self) -> bytes:
        """The same, packed."""
        if not self._packed:
            self._packed = self._state.packed_view(self.seat)
        return self._packed

    @property
    def events(self) -> tuple[Event, ...]:
        """What the seat saw happen since its last question."""
        seat = self.seat
        return tuple(event for event in chain.from_iterable(self._backlog) if event.visible_to(seat))


class Answer(NamedTuple):
    """An action's int code, or a fault, for one question; `received` is time.monotonic() on arrival.

    A fault that belongs to no decision carries NO_DECISION. Answers to questions not open are ignored.
    `output` and `last_message` are what a fault's author is shown (see arena.types.Fault).
    """

    game_id: int
    seat: int
    decision_id: int
    action: int | None
    received: float
    fault: FaultKind | None = None
    message: str = ""
    output: str = ""
    last_message: str = ""


Inbox = SimpleQueue[Answer]


@dataclass(frozen=True, slots=True)
class GameOpening:
    """What a bot is told when a game opens: seat, game, its own seed, limits, settings, all labels."""

    game_id: int
    seat: int
    game: Game
    bot_seed: bytes
    limits: Limits
    options: Options
    labels: tuple[str, ...]


class Door(Protocol):
    """A way to one bot for many games at once; no call waits for the bot, unless it runs right here."""

    name: str
    # How many questions the bot may hold at once; None: any number.
    max_open: int | None
    # Whether questions to the bot carry what it saw happen.
    wants_events: bool
    # How far the bot is kept apart: "in_process", "remote", or the isolation level that was reached.
    guard: str
    # What carries questions and answers: "in_process", "grpc", "jsonlines" or "remote".
    protocol: str
    # The bot's process, if one was started for it on this host.
    pid: int | None

    @property
    def ready_at(self) -> float | None:
        """When (time.monotonic) the bot could first be asked; None: not yet."""

    def open_game(self, opening: GameOpening) -> None:
        """Tell the bot of a new game."""

    def ask(self, questions: Sequence[Question]) -> None:
        """Send a batch of questions; every answer or fault goes to the inbox."""

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        """Tell the bot that a game is over; None: it was broken off and does not count."""

    def close(self) -> None:
        """Give the bot up; safe to call twice."""


class Cut(BaseException):
    """A bot's time is up; not an Exception, so that a bot's own `except Exception` does not swallow it."""


class HangGuard:
    """Cuts Python code that runs past its limit, by SIGALRM; there is one, as a process has one such signal.

    It works on the main thread only. Elsewhere (see NoGuard), and inside C code that does not return to
    Python, a trusted bot cannot be cut: its time is counted, and the referee finds the answer late.
    """

    def __init__(self) -> None:
        """Nothing is touched before somebody takes the guard."""
        self._users = 0
        self._armed = False

    def take(self) -> None:
        """Install the guard, if nobody has taken it yet."""
        if not self._users:
            self._handler = signal.signal(signal.SIGALRM, self._cut)
            self._timer = signal.setitimer(signal.ITIMER_REAL, 0.0)
        self._users += 1

    def drop(self) -> None:
        """Give the guard back; the last user restores the handler and timer that were there before."""
        self._users -= 1
        if not self._users:
            signal.signal(signal.SIGALRM, self._handler)
            signal.setitimer(signal.ITIMER_REAL, *self._timer)

    def arm(self, limit_s: float) -> None:
        """Raise Cut in `limit_s` seconds (infinity: never), and again while it is swallowed."""
        if limit_s == math.inf:
            return
        self._armed = True
        # 0 would mean no limit, not an exhausted one.
        signal.setitimer(signal.ITIMER_REAL, max(limit_s, 1e-6), CUT_AGAIN_S)

    def disarm(self) -> None:
        """The code came back in time, or was cut."""
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _cut(self, _number: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise Cut


class NoGuard(HangGuard):
    """Stands in where no guard can work: off the main thread."""

    def take(self) -> None:
        """Do nothing."""

    def drop(self) -> None:
        """Do nothing."""

    def arm(self, limit_s: float) -> None:
        """Do nothing."""

    def disarm(self) -> None:
        """Do nothing."""


GUARD = HangGuard()
NO_GUARD = NoGuard()


class InProcessDoor:
    """Runs a trusted Python bot right here: exceptions are its faults, a hang is cut (see HangGuard)."""

    max_open: int | None = None
    wants_events = False
    guard = protocol = "in_process"
    pid: int | None = None

    def __init__(self, spec: BotSpec, inbox: Inbox) -> None:
        """Load the bot; PluginError names the file and what is wrong with it."""
        self.name = spec.name
        self._factory = load_bot(spec)
        self._inbox = inbox
        self._bots: dict[tuple[int, int], tuple[Decide, HangGuard]] = {}
        self.ready_at = time.monotonic()

    def open_game(self, opening: GameOpening) -> None:
        """Start the bot for one seat; its constructor has the start limit."""
        self._factory.check_options(opening.options)
        key = opening.game_id, opening.seat
        rng = Random(opening.bot_seed)
        guard = GUARD if threading.current_thread() is threading.main_thread() else NO_GUARD
        guard.take()
        self._bots[key] = _not_started, guard
        try:
            try:
                guard.arm(opening.limits.start)
                decide = self._factory.start(opening.game, opening.seat, rng, opening.options, opening.limits)
                guard.disarm()
                self._bots[key] = decide, guard
                return
            except (Exception, SystemExit) as error:
                kind, message, output = _crash("start", error)
            guard.disarm()
        except Cut:  # maybe while what the bot raised was put into words
            guard.disarm()
            kind, message, output = _START_TIMEOUT, f"start took over {opening.limits.start:g} s", ""
        self._inbox.put(Answer(*key, NO_DECISION, None, time.monotonic(), kind, message, output))

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer every question at once."""
        for question in questions:
            self._inbox.put(self._answer(question))

    def close_game(self, game_id: int, seat: int, _result: GameResult | None) -> None:
        """Forget the seat's bot."""
        if bot := self._bots.pop((game_id, seat), None):
            bot[1].drop()

    def close(self) -> None:
        """Forget all bots."""
        for key in list(self._bots):
            self.close_game(*key, None)

    def _answer(self, question: Question) -> Answer:
        game_id, seat, decision_id = question.game_id, question.seat, question.decision_id
        decide, guard = self._bots[game_id, seat]
        view, legal = question.view, question.legal
        try:
            try:
                guard.arm(question.limit_s)
                choice = decide(view, legal)
                guard.disarm()
                received = time.monotonic()
                return Answer(game_id, seat, decision_id, action_code(choice), received)
            except BotFault as fault:
                kind, message, output = fault.kind, str(fault), ""
            except (Exception, SystemExit) as error:
                kind, message, output = _crash("decide", error)
            guard.disarm()
        except Cut:  # maybe while what the bot raised was put into words
            guard.disarm()
            kind, message, output = _TIMEOUT, "", ""  # the referee words it: it knows the limits
        received = time.monotonic()
        return Answer(game_id, seat, decision_id, None, received, kind, message, output)


def _not_started(_view: View, _legal: Legal) -> object:
    raise BotFault("crash", "the bot did not start")


def _crash(what: str, error: BaseException) -> tuple[FaultKind, str, str]:
    """The fault an exception of a bot is, in one sentence, and its traceback as a program would print it."""
    kind: FaultKind = "resource" if isinstance(error, MemoryError) else "crash"
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in _OURS:
        trace = trace.tb_next
    printed = "".join(traceback.format_exception(error.with_traceback(trace or error.__traceback__)))
    sentence = f"{what} raised {type(error).__name__}: {error}".splitlines()[0]
    if trace is not None:
        last = traceback.extract_tb(trace)[-1]
        sentence += f" (line {last.lineno} of {last.filename})"
    return kind, sentence, printed[-TRACEBACK_CHARS:]
