"""The referee's door to a bot in a process of its own: games out, answers in, and each fault by its own kind.

no_show        nobody joined with the token within the start limit, or the process ended well without joining
start_timeout  the process runs but did not join within the start limit
crash          the process could not be started, or ended with an error code or by a signal
disconnect     the stream broke and was not resumed in time, or the process ended well in the middle of things
malformed      a message or answer that cannot be read, or a range that was not offered
flood          far more messages or bytes than answers to open questions (see flood.py)
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence

import grpc
from google.protobuf.message import DecodeError

from arena.launcher import Exit
from arena.seats import NO_DECISION, Answer, GameOpening, Inbox, Question
from arena.server.connection import Connection, Refused
from arena.server.flood import MAX_MESSAGE_BYTES, MESSAGES_PER_SECOND, FloodGauge
from arena.server.ledger import Ledger, Response
from arena.types import FaultKind, GameResult
from arena.v1 import play_pb2

RESUME_S = 2.0
_log = logging.getLogger(__name__)


class RemoteDoor:
    """A door to whoever joins with `token`; implements arena.seats.Door and is thread-safe.

    `start_s` seconds after `expect` or the first game the bot must have joined. `pid` is the id of the
    process that was started for it, if one was, `fault` what put it out for good.
    """

    wants_events = True

    def __init__(
        self,
        name: str,
        token: str,
        inbox: Inbox,
        *,
        start_s: float,
        resume_s: float = RESUME_S,
        max_open: int | None = 1,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        """Nobody has joined yet."""
        self.name = name
        self.token = token
        self.max_open = max_open
        self.wants_events = True
        self.guard, self.protocol = "none", "grpc"
        self.pid: int | None = None
        self.ready_at: float | None = None
        self.fault: tuple[FaultKind, str] | None = None
        self._inbox = inbox
        self._start_s, self._resume_s = start_s, resume_s
        self._on_close = on_close
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._gauge = FloodGauge(time.monotonic())
        self._connection: Connection | None = None
        self._connection_id = ""
        self._expected_at: float | None = None
        self._launched = False
        self._closed = False
        self._timer: threading.Timer | None = None

    # ---- what the driver calls (arena.seats.Door)

    def open_game(self, opening: GameOpening) -> None:
        """Tell the bot of a new game."""
        with self._lock:
            start = self._ledger.open(opening)
            if self.fault is not None:
                self._report(opening.game_id, opening.seat, NO_DECISION, *self.fault)
                return
            self._send(start)
        self.expect()

    def ask(self, questions: Sequence[Question]) -> None:
        """Send a batch of questions, but those that the bot's plans answer."""
        with self._lock:
            asked = []
            for question in questions:
                key = question.game_id, question.seat, question.decision_id
                if self.fault is not None:
                    self._report(*key, *self.fault)
                elif (code := self._ledger.planned(question)) is not None:
                    self._inbox.put(Answer(*key, code, time.monotonic()))
                else:
                    asked.append(self._ledger.ask(question))
            if self._connection is not None:
                for message in self._ledger.messages(asked):
                    self._send(message)

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        """Tell the bot that a game is over."""
        with self._lock:
            end = self._ledger.close(game_id, seat, result)
            if end is not None:
                self._send(end)

    def close(self) -> None:
        """End the stream, which tells the bot to go."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._set_timer(None)
            if self._connection is not None:
                self._connection.close()
        if self._on_close is not None:
            self._on_close()

    # ---- what the bot's process and stream bring about

    def expect(self, *, launched: bool = False) -> None:
        """Start the start clock, if it does not run; `launched`: a process was started for this door."""
        with self._lock:
            self._launched |= launched
            if self._expected_at is None and self.ready_at is None and not self._closed:
                self._expected_at = time.monotonic()
                self._set_timer(self._start_s, self._not_joined)

    def not_started(self, message: str) -> None:
        """Its process could not even be started."""
        with self._lock:
            self._fail("crash", message)

    def attach(self, connection: Connection, join: play_pb2.Join) -> None:
        """A stream has joined with this door's token; Refused says why it may not."""
        with self._lock:
            resumed = self._admit(join)
            self._set_timer(None)
            self._connection = connection
            self._ledger.typed = join.encoding == play_pb2.ENCODING_TYPED
            self._ledger.skip_events = join.skip_events
            self.wants_events = not join.skip_events
            if join.max_questions:
                self.max_open = min(self.max_open or join.max_questions, join.max_questions)
            now = time.monotonic()
            if not resumed:
                self._connection_id = secrets.token_hex(8)
            self._send(
                Response(
                    welcome=play_pb2.Welcome(
                        connection_id=self._connection_id,
                        resumed=resumed,
                        max_message_bytes=MAX_MESSAGE_BYTES,
                        max_messages_per_second=MESSAGES_PER_SECOND,
                        resume_ms=int(self._resume_s * 1000),
                    )
                )
            )
            for message in self._ledger.resend(join.acknowledged if resumed else 0):
                self._send(message)
            if self.ready_at is None:
                self.ready_at = now
                self._note_start(now - (self._expected_at or now))

    def detach(self, connection: Connection) -> None:
        """A stream has ended; it may be resumed for a while."""
        with self._lock:
            if connection is not self._connection:
                return
            self._connection = None
            connection.close()
            if not self._closed and self.fault is None:
                self._set_timer(self._resume_s, self._not_resumed)

    def receive(self, data: bytes, received: float) -> None:
        """Take one serialised PlayRequest behind the Join, received at time.monotonic() `received`."""
        with self._lock:
            if self._closed or self.fault is not None:
                return
            answers, idle = 0, 0
            try:
                request = play_pb2.PlayRequest.FromString(data)
            except DecodeError:
                self._malformed(f"a message of {len(data)} bytes that is no PlayRequest", received)
            else:
                answers, idle = self._handle(request, received)
            excess = self._gauge.excess(received, len(data), answers, idle)
            if excess:
                self._fail("flood", excess)

    def process_exited(self, how: Exit) -> None:
        """The launcher reports that the bot's process has ended."""
        with self._lock:
            if self._closed or self.fault is not None or how.stopped:
                return
            if how.signal is not None or how.code != 0:
                self._fail("crash", how.describe())
            elif self.ready_at is None:
                self._fail("no_show", f"{how.describe()}, without having joined")
            else:
                self._fail("disconnect", how.describe())

    # ---- inside, with the lock held

    def _admit(self, join: play_pb2.Join) -> bool:
        """Whether a Join resumes the connection; Refused if it may not join at all."""
        if self._closed or self.fault is not None:
            why = self.fault[1] if self.fault else "the games of this token are over"
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, why)
        if self._connection is not None:
            raise Refused(grpc.StatusCode.ALREADY_EXISTS, "this token is connected already")
        if join.connection_id and join.connection_id != self._connection_id:
            raise Refused(grpc.StatusCode.NOT_FOUND, "no such connection; join without connection_id")
        return bool(join.connection_id)

    def _handle(self, request: play_pb2.PlayRequest, received: float) -> tuple[int, int]:
        """(answers to open questions, other answers) that a message held."""
        content = request.WhichOneof("content")
        if content == "acts":
            answered = sum([self._act(act, received) for act in request.acts.acts])
            return answered, len(request.acts.acts) - answered
        if content == "log":
            _log.info("%s: %s", self.name, request.log.text[:1000])
        else:
            what = "a second Join" if content == "join" else "a message without content"
            self._malformed(f"{what}; expected acts or a log line", received)
        return 0, 0

    def _act(self, act: play_pb2.Act, received: float) -> bool:
        """Pass an answer on; False if its question is not open."""
        found = self._ledger.answer(act)
        if found is None:
            return False
        question, code, problem = found
        key = question.game_id, question.seat, question.decision_id
        self._inbox.put(Answer(*key, code, received, "malformed" if problem else None, problem))
        return True

    def _malformed(self, message: str, received: float) -> None:
        """A message that cannot be told to answer any one question spoils all that are open."""
        for question in self._ledger.take_open():
            key = question.game_id, question.seat, question.decision_id
            self._inbox.put(Answer(*key, None, received, "malformed", message))

    def _not_joined(self) -> None:
        if self._launched:
            self._fail("start_timeout", f"the bot's process runs but did not join within {self._start_s:g} s")
        else:
            self._fail("no_show", f"nobody joined with the bot's token within {self._start_s:g} s")

    def _not_resumed(self) -> None:
        self._fail("disconnect", f"the stream ended and was not resumed within {self._resume_s:g} s")

    def _fail(self, kind: FaultKind, message: str) -> None:
        """The bot is out: report it in every open game, and end the stream."""
        self.fault = kind, message
        self._set_timer(None)
        asked = self._ledger.take_open()
        for question in asked:
            self._report(question.game_id, question.seat, question.decision_id, kind, message)
        for game_id, seat in self._ledger.games.keys() - {(q.game_id, q.seat) for q in asked}:
            self._report(game_id, seat, NO_DECISION, kind, message)
        if self.ready_at is None:
            self.ready_at = time.monotonic()  # from now on every question is answered by the fault
        if self._connection is not None:
            self._connection.close(Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{kind}: {message}"))

    def _report(self, game_id: int, seat: int, decision_id: int, kind: FaultKind, message: str) -> None:
        self._inbox.put(Answer(game_id, seat, decision_id, None, time.monotonic(), kind, message))

    def _send(self, message: Response) -> None:
        """To the bot if it is connected; what it misses, a resume sends again."""
        if self._connection is not None:
            self._connection.send(message.SerializeToString())

    def _set_timer(self, seconds: float | None, action: Callable[[], None] | None = None) -> None:
        """Cancel the running timer, and start another unless `seconds` is None."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if seconds is None or action is None:
            return
        timer = threading.Timer(seconds, lambda: self._expire(timer, action))
        timer.daemon = True
        self._timer = timer
        timer.start()

    def _expire(self, timer: threading.Timer, action: Callable[[], None]) -> None:
        with self._lock:
            if timer is self._timer and not self._closed and self.fault is None:
                action()

    def _note_start(self, seconds: float) -> None:
        level = logging.WARNING if seconds > 0.8 * self._start_s else logging.INFO
        _log.log(level, "%s joined after %.2f s of %g s allowed", self.name, seconds, self._start_s)
