"""The referee's door to a bot in a process of its own: games out, answers in, and each fault by its own kind.

no_show        nobody joined with the token within the start limit, or the process ended well without joining
start_timeout  the process runs but did not join within the start limit
crash          the process could not be started, or ended with an error code or by a signal
disconnect     the stream broke and was not resumed in time, or the process ended well in the middle of things
resource       the process was ended for what it used, or holds what it may not
malformed      a message or answer that cannot be read, or a range that was not offered
flood          far more messages or bytes than answers to open questions (see flood.py), or it does not read
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence

import grpc

from arena.errors import PlatformFault
from arena.hostwatch import process_gone
from arena.launcher import BotProcess, Exit
from arena.seats import NO_DECISION, Answer, GameOpening, Inbox, Question
from arena.server.connection import MAX_WAITING_BYTES, Connection, Refused
from arena.server.flood import MAX_MESSAGE_BYTES, MESSAGES_PER_SECOND, FloodGauge
from arena.server.ledger import Ledger
from arena.server.questions import Asked, Response, Wishes
from arena.server.spelling import NOT_GRPC, NOT_LINES, claims_message, shown
from arena.types import FaultKind, GameResult
from arena.v1 import play_pb2

RESUME_S = 2.0
# How long the end of a bot's output and that of its process wait for each other's word.
LAST_WORDS_S = 1.0
CHATTER_BYTES = 4096
LAST_MESSAGE_CHARS = 2048
_log = logging.getLogger(__name__)


class RemoteDoor:
    """A door to whoever joins with `token`; implements arena.seats.Door and is thread-safe.

    `start_s` seconds after `expect` or the first game the bot must have joined. `pid` is the id of the
    process that was started for it, if one was, `fault` what put it out for good. `guard` and `protocol` are
    what they are for arena.seats.Door. Until it has joined, and said how many it takes, a bot may hold one
    question. `overhears` puts into words why a bot that said something was not heard.
    """

    def __init__(
        self,
        name: str,
        token: str,
        inbox: Inbox,
        *,
        start_s: float,
        resume_s: float = RESUME_S,
        max_open: int | None = 1,
        guard: str = "none",
        protocol: str = "grpc",
        on_close: Callable[[], None] | None = None,
    ) -> None:
        """Nobody has joined yet."""
        self.name = name
        self.token = token
        self.max_open: int | None = 1
        self.wants_events = True
        self.guard, self.protocol = guard, protocol
        self.pid: int | None = None
        self.process: BotProcess | None = None
        self.ready_at: float | None = None
        self.overhears: Callable[[], str] = str
        self.fault: tuple[FaultKind, str] | None = None
        self._inbox = inbox
        self._start_s, self._resume_s = start_s, resume_s
        self._most_open = max_open
        self._on_close = on_close
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._gauge = FloodGauge(time.monotonic())
        self._connection: Connection | None = None
        self._connection_id = ""
        self._last: tuple[Connection, bytes] | str = ""  # put into words only when a fault shows it
        self._chatter = bytearray()
        self._exit: Exit | None = None
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
            if self.fault is not None:
                for question in questions:
                    self._report_on(question, *self.fault)
                return
            asked, planned = self._ledger.ask(questions)
            for question, action in planned:
                key = question.game_id, question.seat, question.decision_id
                self._inbox.put(Answer(*key, action, time.monotonic()))
            self._ask(asked)

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

    def fail(self, kind: FaultKind, message: str) -> None:
        """Put the bot out for something its owner has seen; the first fault stays."""
        with self._lock:
            if not self._closed and self.fault is None:
                self._fail(kind, message)

    def not_started(self, message: str) -> None:
        """Its process could not even be started."""
        self.fail("crash", message)

    def attach(self, connection: Connection, join: play_pb2.Join) -> None:
        """A stream has joined with this door's token; Refused says why it may not."""
        with self._lock:
            resumed = self._admit(join)
            self._set_timer(None)
            if self._connection is not None:
                self._connection.close()  # its bot knows that it is dead before this host does
            self._connection = connection
            if self.protocol != "remote":
                self.protocol = connection.protocol
            self._take_wishes(join, connection)
            now = time.monotonic()
            if not resumed:
                self._connection_id = secrets.token_hex(8)
            self._send(self._welcome(connection, resumed=resumed))
            for message in self._ledger.resend(join.acknowledged if resumed else 0):
                self._send(message)
            self._ask(self._ledger.open_questions())
            if self.ready_at is None:
                self.ready_at = now
                self._note_start(now - (self._expected_at or now))

    def cut(self) -> None:
        """Break the stream, as a bad network would: the bot may resume it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close(Refused(grpc.StatusCode.UNAVAILABLE, "the stream was cut"))

    def detach(self, connection: Connection) -> None:
        """A stream has ended; it may be resumed for a while."""
        with self._lock:
            if connection is not self._connection:
                return
            self._connection = None
            connection.close()
            if self._closed or self.fault is not None:
                return
            if self._exit is not None:
                self._judge_exit()
            elif connection.resumable:
                self._set_timer(self._resume_s, self._not_resumed)
            else:
                self._set_timer(LAST_WORDS_S, self._fell_silent)

    def receive(self, connection: Connection, data: bytes, received: float) -> None:
        """Take one message behind the Join, as it came, at time.monotonic() `received`."""
        with self._lock:
            if self._closed or self.fault is not None or connection is not self._connection:
                return
            self._last = connection, data
            answers: Sequence[Answer] = ()
            answered, idle = 0, 0
            if len(data) <= MAX_MESSAGE_BYTES:
                try:
                    message = connection.read(data)
                except ValueError as error:
                    self._malformed(str(error), received)
                else:
                    if isinstance(message, play_pb2.PlayRequest):
                        self._hear(message, received)
                    else:
                        answers, wrong, idle = self._ledger.answers(message, received)
                        answered = len(answers) + len(wrong)
                        for question, problem in wrong:
                            self._report_on(question, "malformed", problem, received)
            excess = self._gauge.excess(received, len(data), answered, idle)
            for answer in answers:  # after all else: the thread that they wake would only wait for this one
                self._inbox.put(answer)
            if excess:
                self._fail("flood", excess)

    def reject(self, connection: Connection, data: bytes, message: str) -> None:
        """What came first is no Join that this door can take, and nothing else will come."""
        with self._lock:
            if not self._closed and self.fault is None:
                self._last = connection, data
                self._fail("malformed", message)

    def chatter(self, data: bytes, received: float) -> None:
        """Keep the end of what the bot writes beside its messages; too much of it is a flood."""
        with self._lock:
            if self._closed or self.fault is not None:
                return
            self._keep(data)
            excess = self._gauge.excess_chatter(received, len(data) + 1)
            if excess:
                self._fail("flood", excess)

    def dismiss(self, message: str) -> None:
        """Send the bot away for good, in the middle of its games if need be: it may not play any more."""
        with self._lock:
            if not self._closed and self.fault is None:
                self._fail("disconnect", message)

    def process_exited(self, how: Exit) -> None:
        """The launcher reports that the bot's process has ended."""
        with self._lock:
            if self._closed or self.fault is not None or how.stopped:
                return
            self._exit = how
            if self._connection is None or self._connection.resumable:
                self._judge_exit()
            else:
                self._set_timer(LAST_WORDS_S, self._judge_exit)  # the pipe may still hold its last lines

    # ---- inside, with the lock held

    def _admit(self, join: play_pb2.Join) -> bool:
        """Whether a Join resumes the connection; Refused if it may not join at all."""
        if self._closed or self.fault is not None:
            why = self.fault[1] if self.fault else "the games of this token are over"
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, why)
        if join.connection_id and join.connection_id != self._connection_id:
            raise Refused(grpc.StatusCode.NOT_FOUND, "no such connection; join without connection_id")
        if self._connection is not None and not join.connection_id:
            raise Refused(grpc.StatusCode.ALREADY_EXISTS, "this token is connected already")
        return bool(join.connection_id)

    def _hear(self, request: play_pb2.PlayRequest, received: float) -> None:
        """Take a message that answers nothing."""
        content = request.WhichOneof("content")
        if content == "log":
            _log.info("%s: %s", self.name, request.log.text[:1000].replace(self.token, "(token)"))
            self._keep(b"log: " + request.log.text.encode())
        elif content != "acts":
            what = "a second Join" if content == "join" else "a message without content"
            self._malformed(f"{what}; expected acts or a log line", received)

    def _keep(self, said: bytes) -> None:
        """Keep the end of what the bot says to its author alone."""
        self._chatter += said + b"\n"
        del self._chatter[:-CHATTER_BYTES]

    def _malformed(self, message: str, received: float) -> None:
        """A message that cannot be told to answer any one question spoils all that are open."""
        for question in self._ledger.take_open():
            self._report_on(question, "malformed", message, received)

    def _not_joined(self) -> None:
        if self._launched:
            why = f"the bot's process runs but did not join within {self._start_s:g} s"
            self._fail("start_timeout", self._hinted(why))
        else:
            self._fail("no_show", f"nobody joined with the bot's token within {self._start_s:g} s")

    def _not_resumed(self) -> None:
        if self._end_is_due():
            self._set_timer(LAST_WORDS_S, self._not_resumed)
            return
        self._fail("disconnect", f"the stream ended and was not resumed within {self._resume_s:g} s")

    def _fell_silent(self) -> None:
        if self._end_is_due():
            self._set_timer(LAST_WORDS_S, self._fell_silent)
            return
        self._fail("disconnect", "the bot closed its output, by which it plays, and its process runs on")

    def _end_is_due(self) -> bool:
        """Whether its process has ended, and the launcher, which this host kept waiting, will say how."""
        process = self.process
        if process is None or self._exit is not None or not process_gone(process.pid):
            return False
        return process.exit is None or not process.exit.stopped

    def _judge_exit(self) -> None:
        """Its process has ended: what fault that is."""
        how = self._exit
        if how is None:
            return
        if how.resource:
            self._fail("resource", how.describe())
        elif how.signal is not None or how.code != 0:
            self._fail("crash", self._hinted(how.describe()) if self.ready_at is None else how.describe())
        elif self.ready_at is None:
            self._fail("no_show", self._hinted(f"{how.describe()}, without having joined"))
        else:
            self._fail("disconnect", how.describe())

    def _hinted(self, why: str) -> str:
        """A fault's reason, with what may lie behind it."""
        return "; ".join(filter(None, (why, self.hint())))

    def _fail(self, kind: FaultKind, message: str) -> None:
        """The bot is out: report it in every open game, and end the stream."""
        self.fault = kind, message
        self.last_message()  # from now on only the words are kept of what may have been megabytes
        self._set_timer(None)
        asked = self._ledger.take_open()
        for question in asked:
            self._report_on(question, kind, message)
        for game_id, seat in self._ledger.games.keys() - {(q.game_id, q.seat) for q in asked}:
            self._report(game_id, seat, NO_DECISION, kind, message)
        if self.ready_at is None:
            self.ready_at = time.monotonic()  # from now on every question is answered by the fault
        if self._connection is not None:
            self._connection.close(Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{kind}: {message}"))

    def _report_on(
        self, question: Question, kind: FaultKind, message: str, received: float | None = None
    ) -> None:
        self._report(question.game_id, question.seat, question.decision_id, kind, message, received)

    def _report(
        self,
        game_id: int,
        seat: int,
        decision_id: int,
        kind: FaultKind,
        message: str,
        received: float | None = None,
    ) -> None:
        """Tell the driver of a fault, with what its author will want to see."""
        received = time.monotonic() if received is None else received
        last = self.last_message()
        self._inbox.put(
            Answer(game_id, seat, decision_id, None, received, kind, message, self._output(), last)
        )

    @property
    def owes(self) -> bool:
        """Whether the bot has not answered everything it was asked, be it too late or the game over."""
        with self._lock:
            return self._ledger.owes

    def hint(self) -> str:
        """Why what the bot said may not have been heard, as text for people; "" if nothing is known."""
        return (self.overhears() or self._misdirected()).replace(self.token, "(token)")

    def _misdirected(self) -> str:
        """What to say of a bot that never joined and, by what it wrote, speaks the other protocol."""
        if self.ready_at is not None:
            return ""
        try:  # a process may have ended before its door was told of it
            output = self._exit.output if self._exit else self.process.output() if self.process else ""
        except PlatformFault:
            return ""
        if self.protocol == "jsonlines":
            return f"it joins over gRPC: {NOT_LINES}" if "ARENA_ADDRESS" in output else ""
        line = next(filter(claims_message, output.encode().splitlines()), None)
        return f"it wrote JSON lines, such as `{shown(line)}`: {NOT_GRPC}" if line is not None else ""

    def last_message(self) -> str:
        """What the bot sent last, as text for people."""
        with self._lock:
            if not isinstance(self._last, str):
                connection, data = self._last
                self._last = connection.quote(data).replace(self.token, "(token)")[:LAST_MESSAGE_CHARS]
            return self._last

    def written(self) -> str:
        """What the bot has written so far, as text for people; waits for the launcher's answer."""
        output = self.process.output() if self.process is not None else ""
        with self._lock:
            return self._words(output)

    def _output(self) -> str:
        """What the bot wrote, if that is known without asking the launcher; "" where it has to be asked."""
        if self._exit is None and self.process is not None:
            return ""
        return self._words(self._exit.output if self._exit is not None else "")

    def _words(self, output: str) -> str:
        """The bot's chatter and its process's output in one text; at its end stands how the process ended."""
        if self._chatter:
            said = self._chatter.decode("utf-8", errors="replace")
            output = f"said beside its messages:\n{said}" + (f"on stderr:\n{output}" if output else "")
        return output.replace(self.token, "(token)")

    def _welcome(self, connection: Connection, *, resumed: bool) -> Response:
        return Response(
            welcome=play_pb2.Welcome(
                connection_id=self._connection_id,
                resumed=resumed,
                max_message_bytes=MAX_MESSAGE_BYTES,
                max_messages_per_second=MESSAGES_PER_SECOND,
                resume_ms=int(self._resume_s * 1000) if connection.resumable else 0,
            )
        )

    def _take_wishes(self, join: play_pb2.Join, connection: Connection) -> None:
        """How the bot wants to be spoken to; an encoding of 0 is the connection's usual one."""
        typed = connection.typed if not join.encoding else join.encoding == play_pb2.ENCODING_TYPED
        self._ledger.wishes = Wishes(typed, join.skip_events)
        self.wants_events = not join.skip_events
        bounds = (self._most_open, join.max_questions or None)
        self.max_open = min((bound for bound in bounds if bound is not None), default=None)

    def _send(self, message: Response) -> None:
        """To the bot if it is connected; what it misses, a resume sends again."""
        if self._connection is not None and self.fault is None:
            self._check_that_it_reads(self._connection.send(message))

    def _ask(self, asked: Sequence[Asked]) -> None:
        if asked and self._connection is not None and self.fault is None:
            self._check_that_it_reads(self._connection.ask(asked, self._ledger.wishes))

    def _check_that_it_reads(self, waiting: int) -> None:
        if waiting > MAX_WAITING_BYTES:
            self._fail("flood", f"it does not read: over {MAX_WAITING_BYTES} bytes wait for it")

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
