"""Bounds on streams that need no token: games to watch, health and reflection.

Each holds one of the server's for as long as its caller likes, and without bounds those of a few spectators
that never leave would keep bots out. Questions about rules are over at once, and are not counted.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import grpc

from arena.server.joins import host_of

# How many of them may be open at once: of one host, and of all.
MAX_OF_HOST, MAX_OF_ALL = 32, 256
_STREAMS = ("unary_stream", "stream_unary", "stream_stream")


class Visitors(grpc.ServerInterceptor):
    """Counts streams by host, but those of `service`, which wants tokens, and those from Unix sockets."""

    def __init__(self, service: str) -> None:
        """Nobody is here."""
        self._prefix = f"/{service}/"
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def intercept_service(
        self, continuation: Callable[[Any], Any], handler_call_details: grpc.HandlerCallDetails
    ) -> Any:
        """The handler of a call, which counts a stream."""
        handler = continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith(self._prefix):
            return handler
        found = {kind: behavior for kind in _STREAMS if (behavior := getattr(handler, kind))}
        return handler._replace(**{kind: self._counted(behavior) for kind, behavior in found.items()})

    def _counted(self, behavior: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(behavior)  # with the attributes by which gRPC knows how to call it
        def call(request: Any, context: grpc.ServicerContext, *more: Any, **named: Any) -> Any:
            if host := host_of(context.peer()):
                if not self._enter(host):
                    context.abort(
                        grpc.StatusCode.RESOURCE_EXHAUSTED,
                        f"too many streams at once; {MAX_OF_HOST} of a host are allowed, {MAX_OF_ALL} in all",
                    )
                if not context.add_callback(lambda: self._leave(host)):
                    self._leave(host)  # it is over already
            return behavior(request, context, *more, **named)

        return call

    def _enter(self, host: str) -> bool:
        with self._lock:
            if self._open[host] >= MAX_OF_HOST or self._open.total() >= MAX_OF_ALL:
                return False
            self._open[host] += 1
            return True

    def _leave(self, host: str) -> None:
        with self._lock:
            self._open[host] -= 1
            if not self._open[host]:
                del self._open[host]
