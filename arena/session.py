"""A bot's session with a server over gRPC: joined, resumed after breaks, dialled again for a while."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from queue import SimpleQueue

import grpc

from arena.dialling import Line
from arena.errors import ArenaError
from arena.v1 import play_pb2, play_pb2_grpc

# Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 2.0
# Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# What a server says to a resume when the games have ended meanwhile.
_OVER = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND)


def retry_s() -> float:
    """For how long ARENA_RETRY says to dial again, in seconds."""
    text = os.environ.get("ARENA_RETRY") or "0"
    try:
        return max(0.0, float(text))
    except ValueError:
        raise ArenaError(f"ARENA_RETRY must be a number of seconds, not {text!r}") from None


class Stream:
    """The outgoing side of one stream: what the session says, in order; any thread may say it."""

    def __init__(self, join: play_pb2.Join) -> None:
        """Begin with the Join."""
        self._queue: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
        self._queue.put(play_pb2.PlayRequest(join=join))

    def __iter__(self) -> Iterator[play_pb2.PlayRequest]:
        """What is said until the end."""
        return iter(self._queue.get, None)

    def say(self, request: play_pb2.PlayRequest) -> None:
        """Say one thing."""
        self._queue.put(request)

    def send(self, acts: list[play_pb2.Act]) -> None:
        """Say some answers."""
        self.say(play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=acts)))

    def end(self) -> None:
        """Say no more."""
        self._queue.put(None)


class Session(ABC):
    """All games of one bot; outlives broken streams, and for `retry_s` seconds ended ones.

    `received` is the highest decision that came, `over` ends the session when its stream ends.
    """

    def __init__(self, retry_s: float = 0.0) -> None:
        """Nobody has joined yet."""
        self.received = 0
        self.over = False
        self._retry_s = retry_s
        self._connection_id = ""
        self._resume_s = 0.0
        self._welcomed = self._asked = False

    @abstractmethod
    def take(self, response: play_pb2.PlayResponse, stream: Stream) -> None:
        """Take what the server says; answers go to the stream."""

    @abstractmethod
    def forget(self) -> None:
        """The games are over, or of a server that is no more."""

    def run(self, line: Line, join: play_pb2.Join) -> None:
        """Play until the server has no more games, and while ARENA_RETRY lasts, until it is there again."""
        stub = play_pb2_grpc.PlayServiceStub(line.channel)
        retry_until, pause_s = time.monotonic() + self._retry_s, _PAUSE_S
        while True:
            self._welcomed = self._asked = False
            wait_s = self._play(stub, join)
            if self._welcomed:
                retry_until, pause_s = time.monotonic() + self._retry_s, _PAUSE_S
            wait_s = max(wait_s, retry_until - time.monotonic())
            if self.over or wait_s <= 0.0 or not line.reachable(wait_s):
                return
            if not self._welcomed:
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            join.connection_id, join.acknowledged = self._connection_id, self.received

    def _play(self, stub: play_pb2_grpc.PlayServiceStub, join: play_pb2.Join) -> float:
        """Play one stream to its end; for how long it may be resumed, in seconds. ArenaError if refused."""
        stream = Stream(join)
        try:
            for response in stub.Play(iter(stream)):
                self._handle(response, stream)
            self._forget()
        except grpc.RpcError as error:
            code = error.code()
            if code in _BROKEN:
                return self._resume_s if self._asked else 0.0
            if join.connection_id and code in _OVER:
                self._forget()
            elif not self._retry_s or code is not grpc.StatusCode.ALREADY_EXISTS:
                # With ARENA_RETRY, the server may just not know yet that an earlier connection is dead.
                raise _refusal(error) from None
        finally:
            stream.end()
        return 0.0

    def _handle(self, response: play_pb2.PlayResponse, stream: Stream) -> None:
        if response.HasField("decides"):
            self._asked = True
        elif response.HasField("welcome"):
            self._welcomed = True
            if not response.welcome.resumed:
                self._forget()
            self._connection_id = response.welcome.connection_id
            self._resume_s = response.welcome.resume_ms / 1000.0
        self.take(response, stream)

    def _forget(self) -> None:
        self._connection_id, self.received = "", 0
        self.forget()


def _refusal(error: grpc.RpcError) -> ArenaError:
    if error.code() is grpc.StatusCode.UNAUTHENTICATED:
        return ArenaError(f"the server refuses the token in ARENA_TOKEN: {error.details()}")
    return ArenaError(f"the server ended the stream: {error.details()}")
