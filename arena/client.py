"""Plays a Python bot in its own process, over gRPC: `arena.client.serve(decide)` is all a bot needs.

`serve` ends the process well or with one line; `play` raises what keeps the bot from playing.

`decide` and `Bot` have the shape of arena.bot, so the same file also runs inside the platform's process.
"""

from __future__ import annotations

import json
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import lru_cache
from queue import SimpleQueue
from random import Random
from typing import Any

import grpc

import engine_core
from arena.bot import BotFactory, Decide, action_code, bot_of
from arena.dialling import CONNECT_S, Line
from arena.errors import ArenaError
from arena.v1 import play_pb2, play_pb2_grpc
from arena.wire import action_message, limits_of
from engine_core import Game, Legal

# Answers of a batch that are ready leave before the rest when the batch takes longer than this.
FLUSH_S = 0.02
_REMEMBERED_ANSWERS = 4096
# Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 2.0
# Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# What a server says to a resume when the games have ended meanwhile.
_OVER = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND)

_load = lru_cache(maxsize=32)(engine_core.load_resolved)


def serve(answerer: Callable[..., Any], *, name: str = "", version: str = "1", **access: str | None) -> None:
    """Play as `play` does; what keeps the bot from playing ends its process with one line and exit code 1."""
    try:
        play(answerer, name=name, version=version, **access)
    except ArenaError as error:
        raise SystemExit(f"{name or answerer.__name__}: {error}") from None


def play(
    answerer: Callable[..., Any],
    *,
    name: str = "",
    version: str = "1",
    address: str | None = None,
    token: str | None = None,
) -> None:
    """Play with a `decide` function or a `Bot` class until the server has no more games, then return.

    `address` (`host:port` or `unix:/path`) and `token` default to ARENA_ADDRESS and ARENA_TOKEN. ARENA_CA
    names the file with the authority of a server that uses TLS. A server that goes away is no error; with
    ARENA_RETRY the bot dials again for so many seconds after it was last connected. ArenaError: no server at
    the address, or it refuses the bot; what the bot itself raises comes through.
    """
    factory = bot_of(answerer)
    join = play_pb2.Join(
        token=os.environ.get("ARENA_TOKEN", "") if token is None else token,
        name=name or factory.name,
        version=version,
        skip_events=True,  # bots of arena.bot's shape do not see them
    )
    retry_s = _retry_s()
    line = Line(address or os.environ.get("ARENA_ADDRESS", ""), os.environ.get("ARENA_CA", ""))
    with line.channel:
        line.connect(max(CONNECT_S, retry_s))
        _Session(factory, retry_s).run(line, join)


def _retry_s() -> float:
    """For how long ARENA_RETRY says to dial again, in seconds."""
    text = os.environ.get("ARENA_RETRY") or "0"
    try:
        return max(0.0, float(text))
    except ValueError:
        raise ArenaError(f"ARENA_RETRY must be a number of seconds, not {text!r}") from None


def _refusal(error: grpc.RpcError) -> ArenaError:
    if error.code() is grpc.StatusCode.UNAUTHENTICATED:
        return ArenaError(f"the server refuses the token in ARENA_TOKEN: {error.details()}")
    return ArenaError(f"the server ended the stream: {error.details()}")


class _Stream:
    """The outgoing side of one stream: what the session says, in order."""

    def __init__(self, join: play_pb2.Join) -> None:
        self._queue: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
        self._queue.put(play_pb2.PlayRequest(join=join))

    def __iter__(self) -> Iterator[play_pb2.PlayRequest]:
        return iter(self._queue.get, None)

    def send(self, acts: list[play_pb2.Act]) -> None:
        self._queue.put(play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=acts)))

    def end(self) -> None:
        self._queue.put(None)


class _Session:
    """All games of one bot process; outlives broken streams, and for `retry_s` seconds ended ones."""

    def __init__(self, factory: BotFactory, retry_s: float = 0.0) -> None:
        self._factory = factory
        self._retry_s = retry_s
        self._games: dict[int, tuple[Game, int, Decide]] = {}
        self._answers: OrderedDict[int, play_pb2.Act] = OrderedDict()
        self._connection_id = ""
        self._resume_s = 0.0
        self._received = 0
        self._welcomed = self._asked = False

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
            if wait_s <= 0.0 or not line.reachable(wait_s):
                return
            if not self._welcomed:
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            join.connection_id, join.acknowledged = self._connection_id, self._received

    def _play(self, stub: play_pb2_grpc.PlayServiceStub, join: play_pb2.Join) -> float:
        """Play one stream to its end; for how long it may be resumed, in seconds. ArenaError if refused."""
        stream = _Stream(join)
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

    def _forget(self) -> None:
        """Its games are over, or of a server that is no more."""
        self._games.clear()
        self._answers.clear()
        self._connection_id, self._received = "", 0

    def _handle(self, response: play_pb2.PlayResponse, stream: _Stream) -> None:
        content = response.WhichOneof("content")
        if content == "decides":
            self._asked = True
            self._decide(response.decides, stream)
        elif content == "game_start":
            self._start(response.game_start)
        elif content == "game_end":
            self._games.pop(response.game_end.game, None)
        elif content == "welcome":
            self._welcomed = True
            if not response.welcome.resumed:
                self._forget()
            self._connection_id = response.welcome.connection_id
            self._resume_s = response.welcome.resume_ms / 1000.0

    def _start(self, start: play_pb2.GameStart) -> None:
        if start.game in self._games:  # sent again after a resume
            return
        game = _load(start.ruleset)
        options = {key: json.loads(value) for key, value in start.options.items()}
        rng, limits = Random(start.bot_seed), limits_of(start.limits)
        decide = self._factory.start(game, start.seat, rng, options, limits)
        self._games[start.game] = game, start.seat, decide

    def _decide(self, batch: play_pb2.DecideBatch, stream: _Stream) -> None:
        acts: list[play_pb2.Act] = []
        flushed = time.monotonic()
        for question in batch.decides:
            acts.append(self._answer(question))
            if time.monotonic() - flushed > FLUSH_S:
                stream.send(acts)
                acts, flushed = [], time.monotonic()
        if acts:
            stream.send(acts)

    def _answer(self, question: play_pb2.Decide) -> play_pb2.Act:
        """The bot's answer; to a question sent again, the same as before."""
        known = self._answers.get(question.decision_id)
        if known is not None:
            return known
        game, seat, decide = self._games[question.game]
        choice = decide(game.unpack_view(question.view, seat), Legal.from_packed(question.legal))
        act = play_pb2.Act(decision_id=question.decision_id, actions=[action_message(action_code(choice))])
        self._received = max(self._received, question.decision_id)
        self._answers[question.decision_id] = act
        if len(self._answers) > _REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return act
