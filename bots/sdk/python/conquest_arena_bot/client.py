"""Plays a bot over gRPC: `serve(decide)` is all a bot needs, `play` raises its errors."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import grpc

from conquest_arena_bot.dialling import CONNECT_S, Line
from conquest_arena_bot.errors import ArenaError
from conquest_arena_bot.session import Session
from conquest_arena_bot.v1 import play_pb2, play_pb2_grpc

# Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 2.0
# Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# What a server says to a resume when the games have ended meanwhile.
_OVER = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND)


def serve(bot: Callable[..., Any], *, name: str = "", **settings: Any) -> None:
    """Play as `play` does; what keeps the bot from playing ends its process with one line and exit code 1."""
    try:
        play(bot, name=name, **settings)
    except ArenaError as error:
        raise SystemExit(f"{name or bot.__name__}: {error}") from None


def play(
    bot: Callable[..., Any],
    *,
    name: str = "",
    version: str = "1",
    address: str | None = None,
    token: str | None = None,
    ca: str | None = None,
    retry_s: float | None = None,
    connect_s: float = CONNECT_S,
) -> None:
    """Play with a `decide` function or a `Bot` class until the server has no more games, then return.

    `address` (`host:port`, `unix:/path`, or `https://host:port` for TLS), `token` and `ca` (the path of the
    certificate to trust; it turns TLS on) default to ARENA_ADDRESS, ARENA_TOKEN and ARENA_CA. A server that
    goes away is no error; with `retry_s` (ARENA_RETRY) the bot dials again for so many seconds after it was
    last connected. ArenaError: no server at the address, or it refuses the bot; what the bot itself raises
    comes through.
    """
    token = os.environ.get("ARENA_TOKEN", "") if token is None else token
    retry_s = _seconds("ARENA_RETRY") if retry_s is None else retry_s
    session = Session(bot, token=token, name=name, version=version)
    line = Line(
        address or os.environ.get("ARENA_ADDRESS", ""), os.environ.get("ARENA_CA", "") if ca is None else ca
    )
    with line.channel:
        line.connect(max(connect_s, retry_s))
        _run(line, session, retry_s)


def _run(line: Line, session: Session, retry_s: float) -> None:
    """Play until the server has no more games, or has been away for too long."""
    retry_until, pause_s = time.monotonic() + retry_s, _PAUSE_S
    while True:
        wait_s = _stream(line.channel, session, retry_s)
        if session.welcomed:
            retry_until, pause_s = time.monotonic() + retry_s, _PAUSE_S
        wait_s = max(wait_s, retry_until - time.monotonic())
        if wait_s <= 0.0 or not line.reachable(wait_s):
            return
        if not session.welcomed:
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


def _stream(channel: grpc.Channel, session: Session, retry_s: float) -> float:
    """One stream to its end; for how long it may be resumed, in seconds. ArenaError if refused."""
    resuming = session.connected
    outgoing: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    outgoing.put(session.join())
    requests: Iterator[play_pb2.PlayRequest] = iter(outgoing.get, None)
    try:
        for response in play_pb2_grpc.PlayServiceStub(channel).Play(requests):
            for request in session.handle(response):
                outgoing.put(request)
        session.forget()
    except grpc.RpcError as error:
        code = error.code()
        if code in _BROKEN:
            return session.resume_s if session.asked else 0.0
        if resuming and code in _OVER:
            session.forget()
        elif not retry_s or code is not grpc.StatusCode.ALREADY_EXISTS:
            # While it dials again, the server may not know yet that an earlier connection is dead.
            raise _refusal(error) from None
    finally:
        outgoing.put(None)
    return 0.0


def _refusal(error: grpc.RpcError) -> ArenaError:
    if error.code() is grpc.StatusCode.UNAUTHENTICATED:
        return ArenaError(f"the server refuses the token in ARENA_TOKEN: {error.details()}")
    return ArenaError(f"the server ended the stream: {error.details()}")


def _seconds(variable: str) -> float:
    text = os.environ.get(variable) or "0"
    try:
        return max(0.0, float(text))
    except ValueError:
        raise ArenaError(f"{variable} must be a number of seconds, not {text!r}") from None

