"""PlayService: turns streams into connections of doors; messages stay bytes, so garbage is a bot's fault.

One thread a stream reads, the server's own thread of the call writes: as fast as grpc.aio when measured, and
simpler, since the driver has threads of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain

import grpc
from google.protobuf.message import DecodeError

from arena.server.connection import Refused, Stream
from arena.server.door import RemoteDoor
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.server.joins import JoinGate
from arena.v1 import play_pb2

JOIN_S = 10.0
UNKNOWN = "unknown token; ARENA_TOKEN holds the one that was given"
SERVICE = play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name

# The door that a Join from a gRPC peer opens; it may raise Refused.
FindDoor = Callable[[play_pb2.Join, str], RemoteDoor | None]


class PlayService:
    """Serves PlayService.Play; `find_door` gives the door that a Join opens."""

    def __init__(self, find_door: FindDoor) -> None:
        """Keep the way to doors."""
        self._find_door = find_door
        self._gate = JoinGate()

    def handler(self) -> grpc.GenericRpcHandler:
        """What a grpc.Server takes; no (de)serialisers, so both directions are bytes."""
        return grpc.method_handlers_generic_handler(
            SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
        )

    def _play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        peer = context.peer()
        connection = Stream(peer)
        context.add_callback(connection.close)
        try:
            with self._gate.attempt(peer):
                join = _first_message(requests, context)
                door = self._find_door(join, peer)
                if door is None:
                    raise Refused(grpc.StatusCode.UNAUTHENTICATED, UNKNOWN)
                door.attach(connection, join)
        except Refused as refusal:
            context.abort(refusal.code, str(refusal))
        threading.Thread(
            target=_read, args=(requests, connection, door), name=f"read {door.name}", daemon=True
        ).start()
        return chain(connection.outgoing(), self._end(connection, context))

    def _end(self, connection: Stream, context: grpc.ServicerContext) -> Iterator[bytes]:
        """Nothing more; ends the stream with its refusal if there is one."""
        if connection.refusal is not None:
            self._gate.failed(connection.peer)
            context.abort(connection.refusal.code, str(connection.refusal))
        yield from ()


def _first_message(requests: Iterator[bytes], context: grpc.ServicerContext) -> play_pb2.Join:
    """The Join a stream opens with; Refused for anything else, and the stream is cut if it stays silent."""
    watchdog = threading.Timer(JOIN_S, context.cancel)
    watchdog.daemon = True
    watchdog.start()
    try:
        data = next(requests, b"")
        if len(data) > MAX_MESSAGE_BYTES:
            raise Refused(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"a Join of {len(data)} bytes; {MAX_MESSAGE_BYTES} are allowed",
            )
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        request = play_pb2.PlayRequest()
    finally:
        watchdog.cancel()
    if request.WhichOneof("content") != "join":
        raise Refused(grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream must be Join")
    return request.join


def _read(requests: Iterator[bytes], connection: Stream, door: RemoteDoor) -> None:
    try:
        for data in requests:
            door.receive(connection, data, time.monotonic())
            if connection.refusal is not None:
                return  # it is out: gRPC need not even take in what else it sends
    except grpc.RpcError:
        pass  # the stream broke: the door decides what that means
    finally:
        door.detach(connection)
