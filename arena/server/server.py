"""The server process's part: services, health checking, reflection and addresses in one object."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import ArenaError
from arena.seats import Inbox
from arena.server import engine, play, spectate
from arena.server.door import RESUME_S, RemoteDoor
from arena.server.jsonlines import JsonLines
from arena.server.memory import give_back_large_buffers
from arena.server.visitors import Visitors
from arena.v1 import engine_pb2_grpc, play_pb2, spectator_pb2_grpc

# Every connected bot holds one thread of the pool; threads are made when needed. Who comes beyond is refused.
MAX_STREAMS = 512
# Far above flood.MAX_MESSAGE_BYTES, so that what is too long is seen and named instead of a broken stream; it
# is what anybody may make the server hold for a moment.
HARD_LIMIT_BYTES = 16 * 1024 * 1024
STOP_S = 0.5
# Of one connection, which must not take all: a call that never sends its message holds a thread, too. A bot
# needs one; gRPC lets the bots of one process share a connection.
STREAMS_OF_CONNECTION = 64
OPTIONS = (
    ("grpc.max_concurrent_streams", STREAMS_OF_CONNECTION),
    ("grpc.so_reuseport", 0),  # an address in use is an error, not a shared one
    ("grpc.max_receive_message_length", HARD_LIMIT_BYTES),
    ("grpc.keepalive_time_ms", 30_000),  # a peer that vanished without a word is noticed
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # clients may look after us, too
)


class PlayServer:
    """Serves on TCP (`127.0.0.1:0` picks a port) and Unix sockets (`unix:/path`); a context manager.

    `addresses` are those really bound. Give `spectators.watch` to the driver whose games may be watched.
    `jsonlines_address` is where pipes of bots that speak JSON lines are handed over (see jsonlines.py).
    ArenaError names an address that cannot be bound.
    """

    def __init__(
        self,
        addresses: Sequence[str] = ("127.0.0.1:0",),
        *,
        credentials: grpc.ServerCredentials | None = None,
        admit: play.FindDoor | None = None,
    ) -> None:
        """Bind, but serve only from start() on.

        `credentials` encrypt what comes over TCP. `admit` is asked about tokens that no `door` was made for.
        """
        give_back_large_buffers()
        self._credentials, self._admit = credentials, admit
        self._doors: dict[str, RemoteDoor] = {}
        self._pool = ThreadPoolExecutor(MAX_STREAMS, thread_name_prefix="grpc")
        self._server = grpc.server(
            self._pool,
            interceptors=[Visitors(play.SERVICE)],
            options=OPTIONS,
            maximum_concurrent_rpcs=MAX_STREAMS,
        )
        self._server.add_generic_rpc_handlers((play.PlayService(self._find_door).handler(),))
        engine_pb2_grpc.add_EngineServiceServicer_to_server(engine.EngineService(), self._server)
        self.spectators = spectate.Spectators()
        spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(self.spectators, self._server)
        # Each watcher is told on its own thread: one that does not read would else keep the service from all.
        self._health = health.HealthServicer(experimental_non_blocking=False)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (play.SERVICE, engine.SERVICE, spectate.SERVICE)
        reflection.enable_server_reflection(
            (*names, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server
        )
        for name in (*names, ""):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self.addresses = tuple(self._bind(address) for address in addresses)
        self._jsonlines: JsonLines | None = None
        self._lock = threading.Lock()

    @property
    def jsonlines_address(self) -> str:
        """The path of a Unix socket in a private folder, made when it is first asked for."""
        with self._lock:
            if self._jsonlines is None:
                self._jsonlines = JsonLines(self._doors.get)
            return self._jsonlines.address

    def start(self) -> PlayServer:
        """Serve."""
        self._server.start()
        return self

    def door(
        self,
        name: str,
        inbox: Inbox,
        *,
        start_s: float,
        token: str = "",
        max_open: int | None = 1,
        resume_s: float = RESUME_S,
        guard: str = "none",
        protocol: str = "grpc",
        on_close: Callable[[], None] | None = None,
    ) -> RemoteDoor:
        """A door for whoever joins with the token (a fresh secret unless given) within `start_s` seconds.

        `name` is a label. `max_open` is how many questions the bot may hold at once (None: any number).
        `guard` and `protocol`: see arena.seats.Door.
        """
        token = token or secrets.token_urlsafe(24)
        if token in self._doors:
            raise ArenaError(f"the token of {name} is in use already; every door needs its own")

        def forget() -> None:
            self._doors.pop(token, None)
            if on_close is not None:
                on_close()

        door = RemoteDoor(
            name,
            token,
            inbox,
            start_s=start_s,
            resume_s=resume_s,
            max_open=max_open,
            guard=guard,
            protocol=protocol,
            on_close=forget,
        )
        self._doors[token] = door
        return door

    def stop(self) -> None:
        """Close every door, say so to health checkers, and end all calls within half a second."""
        self._health.enter_graceful_shutdown()
        for door in list(self._doors.values()):
            door.close()
        if self._jsonlines is not None:
            self._jsonlines.close()
        self._server.stop(STOP_S).wait()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> PlayServer:
        """Serve."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()

    def _find_door(self, join: play_pb2.Join, peer: str) -> RemoteDoor | None:
        door = self._doors.get(join.token)
        return self._admit(join, peer) if door is None and self._admit is not None else door

    def _bind(self, address: str) -> str:
        try:
            if self._credentials is not None and not address.startswith("unix:"):
                port = self._server.add_secure_port(address, self._credentials)
            else:
                port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise ArenaError(f"cannot serve on {address}: {error}") from None
        if address.startswith("unix:"):
            return address
        return f"{address.rpartition(':')[0]}:{port}"
