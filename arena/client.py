"""Plays a Python bot in its own process, over gRPC: `arena.client.serve(decide)` is all a bot needs.

`serve` ends the process well or with one line; `play` raises what keeps the bot from playing.

`decide` and `Bot` have the shape of arena.bot, so the same file also runs inside the platform's process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

import engine_core
from arena.bot import BotFactory, Decide, action_code, bot_of
from arena.dialling import CONNECT_S, Line
from arena.errors import ArenaError, BotFault
from arena.session import Session, Stream, retry_s
from arena.v1 import play_pb2
from arena.wire import NO_RANGE, action_message, limits_of
from engine_core import Game, Legal

# Answers of a batch that are ready leave before the rest when the batch takes longer than this.
FLUSH_S = 0.02
_REMEMBERED_ANSWERS = 4096

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
    again_s = retry_s()
    line = Line(address or os.environ.get("ARENA_ADDRESS", ""), os.environ.get("ARENA_CA", ""))
    with line.channel:
        line.connect(max(CONNECT_S, again_s))
        _BotSession(factory, again_s).run(line, join)


class _BotSession(Session):
    """All games of one bot process."""

    def __init__(self, factory: BotFactory, retry_s: float = 0.0) -> None:
        super().__init__(retry_s)
        self._factory = factory
        self._games: dict[int, tuple[Game, int, Decide]] = {}
        self._answers: OrderedDict[int, play_pb2.Act] = OrderedDict()

    def forget(self) -> None:
        """See Session."""
        self._games.clear()
        self._answers.clear()

    def take(self, response: play_pb2.PlayResponse, stream: Stream) -> None:
        """See Session."""
        content = response.WhichOneof("content")
        if content == "decides":
            self._decide(response.decides, stream)
        elif content == "game_start":
            self._start(response.game_start)
        elif content == "game_end":
            self._games.pop(response.game_end.game, None)

    def _start(self, start: play_pb2.GameStart) -> None:
        if start.game in self._games:  # sent again after a resume
            return
        game = _load(start.ruleset)
        options = {key: json.loads(value) for key, value in start.options.items()}
        rng, limits = Random(start.bot_seed), limits_of(start.limits)
        decide = self._factory.start(game, start.seat, rng, options, limits)
        self._games[start.game] = game, start.seat, decide

    def _decide(self, batch: play_pb2.DecideBatch, stream: Stream) -> None:
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
        act = _act(decide(game.unpack_view(question.view, seat), Legal.from_packed(question.legal)))
        act.decision_id = question.decision_id
        self.received = max(self.received, question.decision_id)
        self._answers[question.decision_id] = act
        if len(self._answers) > _REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return act


def _act(choice: object) -> play_pb2.Act:
    """What a bot returned as it travels; for what is no action, stderr says so and the referee judges it."""
    try:
        return play_pb2.Act(actions=[action_message(action_code(choice))])
    except BotFault as fault:
        print(fault, file=sys.stderr, flush=True)
    except ValueError as error:
        print(f"decide returned {choice!r:.80}; {error}", file=sys.stderr, flush=True)
    return play_pb2.Act(range=NO_RANGE)
