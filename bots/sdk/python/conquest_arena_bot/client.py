"""Plays a bot over gRPC: `serve(decide)`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc

from conquest_arena_bot.session import Session
from conquest_arena_bot.v1 import play_pb2, play_pb2_grpc

CONNECT_S = 10.0
_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.initial_reconnect_backoff_ms", 100))
_TLS = ("https://", "grpcs://")
# Statuses of a stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails.
_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
# What a server says to a resume when the games have ended meanwhile.
_OVER = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND)


class ArenaError(Exception):
    """No server at the address, or it refuses the bot."""


def serve(
    bot: Callable[..., Any],
    *,
    name: str = "",
    version: str = "1",
    address: str | None = None,
    token: str | None = None,
    ca: str | None = None,
    connect_s: float = CONNECT_S,
) -> None:
    """Play with a `decide` function or a `Bot` class until the server has no more games, then return.

    `address` (`host:port`, `unix:/path`, or `https://host:port` for TLS), `token` and `ca` (the path of the
    certificate to trust; it turns TLS on) default to ARENA_ADDRESS, ARENA_TOKEN and ARENA_CA. A server that
    goes away is no error. ArenaError: no server at the address, or it refuses the bot; what the bot itself
    raises comes through.
    """
    address = address or os.environ.get("ARENA_ADDRESS", "")
    if not address:
        raise ArenaError("no server address: set ARENA_ADDRESS to host:port or unix:/path, or pass address=")
    token = os.environ.get("ARENA_TOKEN", "") if token is None else token
    session = Session(bot, token=token, name=name, version=version)
    with _channel(address, os.environ.get("ARENA_CA", "") if ca is None else ca) as channel:
        if not _reachable(channel, connect_s):
            raise ArenaError(f"no server answers at {address} within {connect_s:g} s")
        while not _played(channel, session):
            if not session.asked or not _reachable(channel, session.resume_s):
                return


def _played(channel: grpc.Channel, session: Session) -> bool:
    """One stream; whether it ended for good. One that broke ends with False."""
    resuming = session.connected
    outgoing: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    outgoing.put(session.join())
    requests: Iterator[play_pb2.PlayRequest] = iter(outgoing.get, None)
    try:
        for response in play_pb2_grpc.PlayServiceStub(channel).Play(requests):
            for request in session.handle(response):
                outgoing.put(request)
        return True
    except grpc.RpcError as error:
        if resuming and error.code() in _OVER:
            return True
        if error.code() not in _BROKEN:
            raise ArenaError(f"the server ended the stream: {error.details()}") from None
        return False
    finally:
        outgoing.put(None)


def _channel(address: str, ca: str) -> grpc.Channel:
    secure = bool(ca) or address.startswith(_TLS)
    for scheme in (*_TLS, "http://"):
        address = address.removeprefix(scheme)
    if not secure:
        return grpc.insecure_channel(address, options=_OPTIONS)
    trusted = Path(ca).read_bytes() if ca else None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(trusted), options=_OPTIONS)


def _reachable(channel: grpc.Channel, seconds: float) -> bool:
    try:
        grpc.channel_ready_future(channel).result(timeout=seconds)
    except grpc.FutureTimeoutError:
        return False
    return True
