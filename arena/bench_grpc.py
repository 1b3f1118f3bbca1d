"""Decisions per second over gRPC, beside a bare stream echo of the same bytes in the same run.

`measure()` plays ping-pong with two child processes in turn: a bot on arena.client that answers with the
first legal action, asked through PlayServer and RemoteDoor, and a process that sends back a fixed answer on a
bare gRPC stream. Both get the bytes of the same questions, on Unix sockets, one batch under way at a time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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
from arena.types import BotSpec, Limits
from arena.v1 import play_pb2
from arena.wire import action_message
from engine_core import ActionRange, Event, Legal, State, View

BATCHES = (1, 8, 64)
START_S = 20.0
WAIT_S = 10.0
_ECHO = ("arena.bench.Echo", "Echo")


@dataclass(frozen=True, slots=True)
class GrpcFigure:
    """Decisions a second with `batch` questions a message: medians of alternating repeats in one run."""

    batch: int
    question_bytes: int
    decisions_per_s: float
    echo_per_s: float

    @property
    def share_of_echo(self) -> float:
        """What of the bare stream's pace is left."""
        return self.decisions_per_s / self.echo_per_s


def measure(
    batches: tuple[int, ...] = BATCHES, *, seconds: float = 0.5, repeats: int = 5, variant: str = "classic"
) -> list[GrpcFigure]:
    """One figure a batch size; every repeat lasts about `seconds` for the bot and again for the echo."""
    with Launcher() as launcher, tempfile.TemporaryDirectory(prefix="arena-") as folder:
        state, events = _middle_of_a_game(variant)
        with (
            PlayServer([f"unix:{folder}/play"]) as server,
            _EchoServer(f"unix:{folder}/echo", launcher) as echo,
        ):
            bot = _Bot(server, launcher, state, events)
            return [_figure(bot, echo, batch, seconds, repeats) for batch in batches]


def _figure(bot: _Bot, echo: _EchoServer, batch: int, seconds: float, repeats: int) -> GrpcFigure:
    question, answer = bot.messages(batch)
    bot_paces, echo_paces = [], []
    for _ in range(repeats):
        bot_paces.append(batch * _pace(lambda: bot.ask(batch), seconds))
        echo_paces.append(batch * _pace(lambda: echo.ask(question, answer), seconds))
    return GrpcFigure(
        batch, len(question) // batch, statistics.median(bot_paces), statistics.median(echo_paces)
    )


def _pace(once: Callable[[], None], seconds: float) -> float:
    """Calls per second."""
    calls, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        once()
        calls += 1
    return calls / passed


def _middle_of_a_game(variant: str, seed: int = 1, decisions: int = 300) -> tuple[State, list[Event]]:
    """A state some way into a game of first legal actions, and its last events."""
    state, events = engine_core.load(variant).new_state(seed), []
    for number in range(decisions):
        seat = state.pending()[0]
        events = state.play(seat, state.legal(seat).pick(number))
    return state, events


class _Bot:
    """The real way: a bot on arena.client in its own process, behind a RemoteDoor."""

    def __init__(self, server: PlayServer, launcher: Launcher, state: State, events: list[Event]) -> None:
        self._inbox: SimpleQueue[Answer] = SimpleQueue()
        self._state, self._events = state, events
        self._seat = state.pending()[0]
        spec = BotSpec("first legal", "command", str(Path.cwd()), _command("bot"))
        self._door = launch_bot(server, launcher, spec, self._inbox, start_s=START_S, max_open=None)
        _wait_until(lambda: self._door.ready_at is not None, self._door)
        limits = Limits()
        self._door.open_game(GameOpening(0, self._seat, state.game, bytes(16), limits, {}, ()))
        self._decisions = 0

    def ask(self, batch: int) -> None:
        """Ask, and wait for all answers."""
        self._door.ask([self._question() for _ in range(batch)])
        for _ in range(batch):
            answer = self._inbox.get(timeout=WAIT_S)
            if answer.fault is not None:
                raise PlatformFault(f"the bench's bot: {answer.fault}: {answer.message}")

    def messages(self, batch: int) -> tuple[bytes, bytes]:
        """The bytes of `batch` questions and of their answers."""
        q = self._question()
        decide = play_pb2.Decide(
            decision_id=1000,
            game=1,
            legal=q.legal.packed(),
            view=q.view.packed(),
            game_left_ms=100_000,
        )
        act = play_pb2.Act(decision_id=1000, actions=[action_message(int(q.legal[0].first()))])
        question = play_pb2.PlayResponse(decides=play_pb2.DecideBatch(decides=[decide] * batch))
        answer = play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[act] * batch))
        return question.SerializeToString(), answer.SerializeToString()

    def _question(self) -> Question:
        self._decisions += 1
        legal = self._state.legal(self._seat)
        return Question(0, self._seat, self._decisions, self._state, legal, [self._events], 10.0, 100.0)


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


if __name__ == "__main__":
    _echo_back() if sys.argv[1:] == ["echo"] else serve(_first_legal, name="first legal")
