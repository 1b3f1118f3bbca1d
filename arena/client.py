"""Plays a Python bot in its own process, over gRPC: `arena.client.serve(decide)` is all a bot needs.

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
from arena.errors import ArenaError
from arena.v1 import play_pb2, play_pb2_grpc
from arena.wire import action_message
from engine_core import Game, Legal

CONNECT_S = 10.0
# Answers of a batch that are ready leave before the rest when the batch takes longer than this.
FLUSH_S = 0.02
_REMEMBERED_ANSWERS = 4096
_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.initial_reconnect_backoff_ms", 100))
# Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# What a server says to a resume when the games have ended meanwhile.
_OVER = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND)

_load = lru_cache(maxsize=32)(engine_core.load_resolved)


def serve(
    answerer: Callable[..., Any],
    *,
    name: str = "",
    version: str = "1",
    address: str | None = None,
    token: str | None = None,
) -> None:
    """Play with a `decide` function or a `Bot` class until the server has no more games, then return.

    `address` (`host:port` or `unix:/path`) and `token` default to ARENA_ADDRESS and ARENA_TOKEN. A server
    that goes away is no error. ArenaError: no server at the address, or it refuses the bot; what the bot
    itself raises comes through.
    """
    address = address or os.environ.get("ARENA_ADDRESS", "")
    if not address:
        raise ArenaError("no server address: set ARENA_ADDRESS to host:port or unix:/path, or pass address=")
    factory = bot_of(answerer)
    join = play_pb2.Join(
        token=os.environ.get("ARENA_TOKEN", "") if token is None else token,
        name=name or factory.name,
        version=version,
        skip_events=True,  # bots of arena.bot's shape do not see them
    )
    with grpc.insecure_channel(address, options=_OPTIONS) as channel:
        if not _reachable(channel, CONNECT_S):
            raise ArenaError(f"no server answers at {address} within {CONNECT_S:g} s")
        _Session(factory).run(channel, join)


def _reachable(channel: grpc.Channel, seconds: float) -> bool:
    try:
        grpc.channel_ready_future(channel).result(timeout=seconds)
    except grpc.FutureTimeoutError:
        return False
    return True


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
    """All games of one bot process; outlives a broken stream."""

    def __init__(self, factory: BotFactory) -> None:
        self._factory = factory
        self._games: dict[int, tuple[Game, int, Decide]] = {}
        self._answers: OrderedDict[int, play_pb2.Act] = OrderedDict()
        self._connection_id = ""
        self._resume_s = 0.0
        self._received = 0

    def run(self, channel: grpc.Channel, join: play_pb2.Join) -> None:
        """Play until the server ends the stream; one that breaks is resumed once for every time it worked."""
        stub = play_pb2_grpc.PlayServiceStub(channel)
        resumable = False
        while True:
            stream = _Stream(join)
            try:
                for response in stub.Play(iter(stream)):
                    self._handle(response, stream)
                    resumable = resumable or response.WhichOneof("content") == "decides"
                return
            except grpc.RpcError as error:
                code = error.code()
                if join.connection_id and code in _OVER:
                    return
                if code not in _BROKEN:
                    raise ArenaError(f"the server ended the stream: {error.details()}") from None
                if not resumable or not _reachable(channel, self._resume_s):
                    return
            finally:
                stream.end()
            resumable = False
            join.connection_id, join.acknowledged = self._connection_id, self._received

    def _handle(self, response: play_pb2.PlayResponse, stream: _Stream) -> None:
        content = response.WhichOneof("content")
        if content == "decides":
            self._decide(response.decides, stream)
        elif content == "game_start":
            self._start(response.game_start)
        elif content == "game_end":
            self._games.pop(response.game_end.game, None)
        elif content == "welcome":
            self._connection_id = response.welcome.connection_id
            self._resume_s = response.welcome.resume_ms / 1000.0

    def _start(self, start: play_pb2.GameStart) -> None:
        if start.game in self._games:  # sent again after a resume
            return
        game = _load(start.ruleset)
        options = {key: json.loads(value) for key, value in start.options.items()}
        decide = self._factory.start(game, start.seat, Random(start.bot_seed), options)
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
