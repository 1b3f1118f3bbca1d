"""Decisions per second of a no-op bot in a process of its own, beside a bare stream echo of the same bytes.

`measure()` asks bots that answer without reading: through PlayServer and RemoteDoor over gRPC, with one game
at a time and with 64 games on one stream, with and without plans; and over JSON lines. In turn with them, a
process sends a fixed answer back on a bare gRPC stream. All get the bytes of the same questions. CPU time is
the server's: this process's, less what the asking thread, which stands for the referee, does besides asking;
bots and echo have processes of their own.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import grpc

import engine_core
from arena.client import serve
from arena.errors import PlatformFault
from arena.launcher import Launcher
from arena.seats import Answer, GameOpening, Question
from arena.server import PlayServer, RemoteDoor, launch_bot
from arena.types import BotSpec, Limits, Protocol
from arena.v1 import play_pb2
from arena.wire import action_message
from engine_core import ActionRange, Event, Legal, State, View

GAMES = 64
PLAN = 8
START_S = 20.0
WAIT_S = 10.0
# The bots by the part of this module that plays them.
BOTS = {
    "noop": "gRPC",
    "plans": f"gRPC, plans of {PLAN}",
    "lines": "JSON lines",
    "python": "gRPC, arena.client",
}
_ECHO = ("arena.bench.Echo", "Echo")
_PLAY = "/arena.v1.PlayService/Play"
_DECIDES = (
    play_pb2.PlayResponse.DESCRIPTOR.fields_by_name["decides"].number << 3 | 2
)  # a message's first byte


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one bot was asked, in one run: medians of alternating repeats.

    `games` questions are open at once; `cpu_us` is the server's CPU time a decision, `beside` the decisions a
    second of what was measured in turn with it, and `ratio` the median of the ratios to it, pair by pair.
    """

    name: str
    games: int
    question_bytes: int
    decisions_per_s: float
    cpu_us: float
    beside: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One repeat: decisions a second, and microseconds of the server's CPU time a decision."""

    decisions_per_s: float
    cpu_us: float


def measure(*, seconds: float = 0.5, repeats: int = 5, variant: str = "classic") -> list[Pace]:
    """One game at a time beside the echo; all else beside one game at a time, which is measured in turn."""
    with (
        Launcher() as launcher,
        tempfile.TemporaryDirectory(prefix="arena-") as folder,
        PlayServer([f"unix:{folder}/play"]) as server,
        _EchoServer(f"unix:{folder}/echo", launcher) as echo,
    ):
        bots = {part: _Bot(server, launcher, part, variant) for part in BOTS}
        noop = bots["noop"]
        question, answer = noop.messages()

        def one() -> Sample:
            return noop.sample(1, seconds)

        def bare() -> Sample:
            return echo.sample(question, answer, seconds)

        def pace(part: str, games: int, beside: Callable[[], Sample] = one) -> Pace:
            pairs = [(bots[part].sample(games, seconds), beside()) for _ in range(repeats)]
            return _pace(BOTS[part], games, len(question), pairs)

        figures = [pace("noop", 1, bare)]
        figures += [pace(part, GAMES) for part in ("noop", "plans")]
        return figures + [pace(part, games) for part in ("lines", "python") for games in (1, GAMES)]


def _pace(name: str, games: int, question_bytes: int, pairs: Sequence[tuple[Sample, Sample]]) -> Pace:
    return Pace(
        name,
        games,
        question_bytes,
        decisions_per_s=statistics.median(ours.decisions_per_s for ours, _ in pairs),
        cpu_us=statistics.median(ours.cpu_us for ours, _ in pairs),
        beside=statistics.median(theirs.decisions_per_s for _, theirs in pairs),
        ratio=statistics.median(ours.decisions_per_s / theirs.decisions_per_s for ours, theirs in pairs),
    )


def _middle_of_a_game(variant: str, seed: int = 1, decisions: int = 300) -> tuple[State, list[Event]]:
    """A state some way into a game of first legal actions, and its last events."""
    state, events = engine_core.load(variant).new_state(seed), []
    for number in range(decisions):
        seat = state.pending()[0]
        events = state.play(seat, state.legal(seat).pick(number))
    return state, events


class _Bot:
    """The real way to one bot: its own process, a RemoteDoor, and a game for each question open at once."""

    def __init__(self, server: PlayServer, launcher: Launcher, part: str, variant: str) -> None:
        self._inbox: SimpleQueue[Answer] = SimpleQueue()
        self._state, events = _middle_of_a_game(variant)
        if part == "plans":
            events = []  # a plan does not survive what others do
        self._backlog = [events]
        self._seat = self._state.pending()[0]
        self._legal = self._state.legal(self._seat)  # the rules' work, not the server's
        protocol: Protocol = "jsonlines" if part == "lines" else "grpc"
        spec = BotSpec(part, "command", str(Path.cwd()), _command(part), protocol=protocol)
        self._door = launch_bot(server, launcher, spec, self._inbox, start_s=START_S, max_open=None)
        _wait_until(lambda: self._door.ready_at is not None, self._door)
        for game in range(GAMES):
            self._door.open_game(GameOpening(game, self._seat, self._state.game, bytes(16), Limits(), {}, ()))
        self._decisions = 0
        self._asking_s = 0.0  # CPU time of what this thread asks

    def sample(self, games: int, seconds: float) -> Sample:
        """Ask for so many games at once for about so long; each is asked again as soon as it has answered."""
        answered, self._asking_s = 0, 0.0
        cpu, own, start = time.process_time(), time.thread_time(), time.perf_counter()
        deadline = start + seconds
        self._ask([self._question(game) for game in range(games)])
        open_questions = games
        while open_questions:
            answers = [self._inbox.get(timeout=WAIT_S)]
            answers += [self._inbox.get() for _ in range(self._inbox.qsize())]
            for answer in answers:
                if answer.fault is not None:
                    raise PlatformFault(f"the bench's bot: {answer.fault}: {answer.message}")
            answered += len(answers)
            if time.perf_counter() < deadline:
                self._ask([self._question(answer.game_id) for answer in answers])
            else:
                open_questions -= len(answers)
        passed = time.perf_counter() - start
        used = time.process_time() - cpu - (time.thread_time() - own) + self._asking_s
        return Sample(answered / passed, 1e6 * used / answered)

    def _ask(self, questions: list[Question]) -> None:
        begun = time.thread_time()
        self._door.ask(questions)
        self._asking_s += time.thread_time() - begun

    def messages(self) -> tuple[bytes, bytes]:
        """The bytes of a question and of its answer."""
        q = self._question(0)
        decide = play_pb2.Decide(
            decision_id=1000,
            game=1,
            legal=q.legal.packed(),
            view=q.view.packed(),
            game_left_ms=100_000,
        )
        question = play_pb2.PlayResponse(decides=play_pb2.DecideBatch(decides=[decide]))
        answer = play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[play_pb2.Act(decision_id=1000)]))
        return question.SerializeToString(), answer.SerializeToString()

    def _question(self, game: int) -> Question:
        self._decisions = number = self._decisions + 1
        return Question(game, self._seat, number, self._state, self._legal, self._backlog, 10.0, 100.0)


class _EchoServer:
    """The yardstick: bytes out, bytes back, on one bare stream to a child process."""

    def __init__(self, address: str, launcher: Launcher) -> None:
        self._out: SimpleQueue[bytes | None] = SimpleQueue()
        self._back: SimpleQueue[bytes] = SimpleQueue()
        self._answer = b""
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._echo)
        self._server = grpc.server(ThreadPoolExecutor(4))
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_ECHO[0], {_ECHO[1]: handler}),)
        )
        self._server.add_insecure_port(address)
        self._server.start()
        self._process = launcher.start(_command("echo"), cwd=Path.cwd(), address=address, token="")
        self._back.get(timeout=START_S)

    def ask(self, question: bytes, answer: bytes) -> None:
        """Send a message and wait for one of the answer's size."""
        if answer != self._answer:  # tells the process what to answer from now on
            self._answer = answer
            self._out.put(b"")
            self._out.put(answer)
        self._out.put(question)
        self._back.get(timeout=WAIT_S)

    def sample(self, question: bytes, answer: bytes, seconds: float) -> Sample:
        """Ask one at a time for about so long."""
        calls, cpu, start = 0, time.process_time(), time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            self.ask(question, answer)
            calls += 1
        return Sample(calls / passed, 1e6 * (time.process_time() - cpu) / calls)

    def __enter__(self) -> _EchoServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._out.put(None)
        self._server.stop(0.5).wait()

    def _echo(self, requests: Iterator[bytes], _context: grpc.ServicerContext) -> Iterator[bytes]:
        reader = ThreadPoolExecutor(1)
        reader.submit(self._read, requests)
        return iter(self._out.get, None)

    def _read(self, requests: Iterator[bytes]) -> None:
        for data in requests:
            self._back.put(data)


def _command(part: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "arena.bench_grpc", part)


def _wait_until(condition: Callable[[], bool], door: RemoteDoor) -> None:
    deadline = time.monotonic() + START_S
    while not condition() or door.fault is not None:
        if door.fault is not None or time.monotonic() > deadline:
            raise PlatformFault(f"the bench's bot did not join: {door.fault or 'too slow'}")
        time.sleep(0.005)


def _first_legal(_view: View, legal: Legal) -> ActionRange:
    return legal[0]


def _converse(reply: Callable[[bytes], bytes], *, skip_events: bool) -> None:
    """A bot over gRPC: to each message goes the reply's bytes, if any."""
    answers: SimpleQueue[bytes | None] = SimpleQueue()
    join = play_pb2.Join(token=os.environ["ARENA_TOKEN"], name="no-op", skip_events=skip_events)
    answers.put(play_pb2.PlayRequest(join=join).SerializeToString())
    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(_PLAY)
        try:
            for data in call(iter(answers.get, None)):
                if answer := reply(data):
                    answers.put(answer)
        except grpc.RpcError:  # the server is gone: the run is over
            return


def _unread(data: bytes) -> bytes:
    """The first range to every question, whose bytes are passed over: the bot is not what is measured.

    What stands in the way is only where each question's first field lies, which is that of its answer, too.
    """
    if data[0] != _DECIDES:
        return b""
    acts, at = b"", 1
    while data[at] > 127:
        at += 1
    end = len(data) - 1
    while at < end:
        size, shift, at = data[at + 2] & 127, 7, at + 2
        while data[at] > 127:
            at += 1
            size |= (data[at] & 127) << shift
            shift += 7
        start, at = at + 1, at + 2
        while data[at] > 127:
            at += 1
        acts += b"\n%c%b" % (at + 1 - start, data[start : at + 1])
        at = start + size - 1
    return b"\x12" + _varint(len(acts)) + acts


def _varint(value: int) -> bytes:
    """Protobuf's encoding of a number."""
    return bytes((value,)) if value < 128 else bytes((value & 127 | 128,)) + _varint(value >> 7)


def _plans(data: bytes) -> bytes:
    """The first action to every question, and the same again as a plan."""
    request = play_pb2.PlayRequest()
    for question in play_pb2.PlayResponse.FromString(data).decides.decides:
        first = action_message(int(Legal.from_packed(question.legal)[0].first()))
        request.acts.acts.add(decision_id=question.decision_id, actions=[first] * PLAN)
    return request.SerializeToString()


def _answer_lines() -> None:
    """The no-op bot over JSON lines."""
    print('{"join":{"name":"no-op"}}', flush=True)
    for line in sys.stdin.buffer:
        if found := re.findall(rb'"decisionId":(\d+)', line):
            acts = ",".join(f'{{"decisionId":{int(number)}}}' for number in found)
            print(f'{{"acts":{{"acts":[{acts}]}}}}', flush=True)


def _echo_back() -> None:
    """The child of the yardstick: after an empty message comes the answer to give to all that follow."""
    answers: SimpleQueue[bytes | None] = SimpleQueue()
    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        grpc.channel_ready_future(channel).result(timeout=START_S)
        answers.put(b"here")
        answer, announced = b"", False
        try:
            call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/" + "/".join(_ECHO))
            for data in call(iter(answers.get, None)):
                if announced:
                    answer, announced = data, False
                elif not data:
                    announced = True
                else:
                    answers.put(answer)
        except grpc.RpcError:  # the server is gone: the run is over
            return


PARTS: dict[str, Callable[[], None]] = {
    "noop": lambda: _converse(_unread, skip_events=True),
    "plans": lambda: _converse(_plans, skip_events=False),  # a plan holds as long as nothing surprises
    "lines": _answer_lines,
    "python": lambda: serve(_first_legal, name="first legal"),
    "echo": _echo_back,
}

if __name__ == "__main__":
    PARTS[sys.argv[1]]()
