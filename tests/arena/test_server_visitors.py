"""Bounds on streams without a token: spectators that never leave do not keep bots out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from wire_samples import Table, status_of, table, wait_until

from arena.server import PlayServer, visitors
from arena.v1 import engine_pb2, engine_pb2_grpc, play_pb2, play_pb2_grpc

UNIX, TCP = 0, 1


@pytest.fixture
def seated() -> Iterator[Table]:
    with table() as made:
        yield made


def watch(channel: grpc.Channel) -> Any:
    """A call that stays open, from when it was answered."""
    stub: Any = health_pb2_grpc.HealthStub(channel)  # its types name no methods
    call = stub.Watch(health_pb2.HealthCheckRequest(), timeout=120.0)
    assert next(call).status == health_pb2.HealthCheckResponse.SERVING
    return call


def reflect(channel: grpc.Channel) -> Any:
    """The same over the other service that has streams."""
    out: SimpleQueue[reflection_pb2.ServerReflectionRequest | None] = SimpleQueue()
    out.put(reflection_pb2.ServerReflectionRequest(list_services=""))
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    call = stub.ServerReflectionInfo(iter(out.get, None), timeout=120.0)
    assert next(call).list_services_response.service
    return call


def is_refused(channel: grpc.Channel) -> bool:
    """Whether one more stream is; it ends at once."""
    try:
        watch(channel).cancel()
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "too many streams at once; " in status_of(error)[1]
        return True
    return False


def variants(channel: grpc.Channel) -> int:
    """A question about the rules: how many variants there are."""
    stub = engine_pb2_grpc.EngineServiceStub(channel)
    return len(stub.Variants(engine_pb2.VariantsRequest(), timeout=120.0).variants)


@pytest.mark.parametrize("bound", ["MAX_OF_HOST", "MAX_OF_ALL"])
def test_a_visitor_holds_so_many_streams_and_a_bot_still_joins(
    seated: Table, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(visitors, bound, 3)
    door = seated.server.door("honest", seated.inbox, start_s=10.0)
    out: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    out.put(play_pb2.PlayRequest(join=play_pb2.Join(token=door.token)))
    with ExitStack() as open_channels:
        socket, tcp = (
            open_channels.enter_context(grpc.insecure_channel(seated.server.addresses[where]))
            for where in (UNIX, TCP)
        )
        calls = [watch(tcp), watch(tcp), reflect(tcp)]
        assert is_refused(tcp)
        assert not is_refused(socket)
        assert variants(tcp) > 5
        playing = play_pb2_grpc.PlayServiceStub(tcp).Play(iter(out.get, None), timeout=120.0)
        assert next(playing).welcome.connection_id
        calls[0].cancel()
        for _ in range(5):  # a stream that is over holds nothing
            assert wait_until(lambda: not is_refused(tcp))
        playing.cancel()


def deaf_watch(address: str) -> socket.socket:
    """A call of Watch by a client that says it takes no byte: HTTP/2 with a flow-control window of 0."""

    def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload

    def text(value: bytes) -> bytes:
        return bytes((len(value),)) + value

    settings, headers, data, end_of_headers, end_of_stream = 4, 1, 0, 4, 1
    no_window = (4).to_bytes(2) + (0).to_bytes(4)
    packed = b"\x83\x86"  # :method POST, :scheme http, as of HPACK's table
    packed += b"\x04" + text(b"/grpc.health.v1.Health/Watch") + b"\x01" + text(b"arena")
    packed += b"\x00" + text(b"te") + text(b"trailers")
    packed += b"\x00" + text(b"content-type") + text(b"application/grpc")
    host, _, port = address.rpartition(":")
    line = socket.create_connection((host, int(port)))
    line.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, no_window))
    line.sendall(frame(headers, end_of_headers, 1, packed) + frame(data, end_of_stream, 1, bytes(5)))
    return line


def test_a_watcher_that_does_not_read_keeps_health_from_nobody_and_holds_no_server_up() -> None:
    with PlayServer(["127.0.0.1:0"]) as server, deaf_watch(server.addresses[0]) as line:
        line.settimeout(120.0)
        while b"application/grpc" not in line.recv(65536):  # the headers, which need no window
            pass
        with grpc.insecure_channel(server.addresses[0]) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            for _ in range(3):
                answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=120.0)
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
        since = time.monotonic()
        server.stop()
        assert time.monotonic() - since < 60.0  # half a second on a quiet machine
