"""Who may try to join: bounds on a host's streams that have not joined yet, and on its joins that failed."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote

import grpc

from arena.server.connection import Refused

# A host may fail so often at once, and one failure is forgiven every so many seconds.
FAILED_JOINS = 20
FORGIVEN_S = 6.0
# How many streams of one host may be on their way to joining.
MAX_JOINING = 32
# What is the caller's own doing; a token that is connected already may just be early.
_FAILURES = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT)


class JoinGate:
    """Counts by host, whatever the port; Unix sockets are the launcher's and free. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nobody has tried yet."""
        self._clock = clock
        self._lock = threading.Lock()
        self._joining: Counter[str] = Counter()
        # When the host's failures will all be forgiven: a leaky bucket in one number.
        self._paid: dict[str, float] = {}

    @contextmanager
    def attempt(self, peer: str) -> Iterator[None]:
        """Hold one attempt to join by a gRPC peer; Refused if the host has to wait."""
        host = host_of(peer)
        if not host:
            yield
            return
        self._enter(host)
        try:
            yield
        except (Refused, grpc.RpcError) as error:  # the latter: silent until it was cut, or gone
            if not isinstance(error, Refused) or error.code in _FAILURES:
                self.failed(peer)
            raise
        finally:
            with self._lock:
                self._joining[host] -= 1
                if not self._joining[host]:
                    del self._joining[host]

    def failed(self, peer: str) -> None:
        """Count one failure against a peer's host."""
        if host := host_of(peer):
            with self._lock:
                self._paid[host] = max(self._paid.get(host, 0.0), self._clock()) + FORGIVEN_S

    def _enter(self, host: str) -> None:
        now = self._clock()
        with self._lock:
            self._paid = {known: paid for known, paid in self._paid.items() if paid > now}
            wait = self._paid.get(host, now) - now - (FAILED_JOINS - 1) * FORGIVEN_S
            if wait > 0:
                raise Refused(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    f"too many failed joins from {host}; try again in {wait:.0f} s",
                )
            if self._joining[host] >= MAX_JOINING:
                raise Refused(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    f"{MAX_JOINING} streams of {host} have not joined yet; send Join as the first message",
                )
            self._joining[host] += 1


def host_of(peer: str) -> str:
    """The address in gRPC's name of a peer, such as `ipv4:192.0.2.7:50123`; empty for a Unix socket."""
    kind, _, rest = unquote(peer).partition(":")
    return rest.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else ""
