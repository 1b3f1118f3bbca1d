"""Bounds on joining: failures of one host, streams that do not join, streams at all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from queue import SimpleQueue

import grpc
import pytest
from wire_samples import Table, table, wait_until

from arena.seats import Answer
from arena.server import engine, play, server
from arena.server.connection import Refused
from arena.server.joins import FAILED_JOINS, FORGIVEN_S, MAX_JOINING, JoinGate, host_of
from arena.v1 import engine_pb2, engine_pb2_grpc, play_pb2, play_pb2_grpc

HERE, THERE = "ipv4:192.0.2.7:50123", "ipv4:198.51.100.4:40000"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> JoinGate:
    return JoinGate(clock)


def fail(gate: JoinGate, peer: str, code: grpc.StatusCode = grpc.StatusCode.UNAUTHENTICATED) -> str:
    """One attempt with a bad token; the words it is refused with."""
    with pytest.raises(Refused) as caught, gate.attempt(peer):
        raise Refused(code, "unknown token")
    return str(caught.value)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:192.0.2.7:50123", "192.0.2.7"),
        ("ipv6:%5B2001:db8::1%5D:50123", "2001:db8::1"),
        ("ipv6:[::1]:1", "::1"),
        ("unix:", ""),
        ("unix:/tmp/arena.sock", ""),
    ],
)
def test_a_peer_is_known_by_its_host(peer: str, host: str) -> None:
    assert host_of(peer) == host


def test_a_host_that_failed_too_often_waits_whatever_port_it_comes_from(gate: JoinGate, clock: Clock) -> None:
    assert {fail(gate, f"ipv4:192.0.2.7:{port}") for port in range(FAILED_JOINS)} == {"unknown token"}
    assert fail(gate, HERE) == "too many failed joins from 192.0.2.7; try again in 6 s"
    assert fail(gate, THERE) == "unknown token"
    clock.now += FORGIVEN_S
    assert fail(gate, HERE) == "unknown token"
    assert "too many" in fail(gate, HERE)


def test_being_early_is_no_failure(gate: JoinGate) -> None:
    for _ in range(2 * FAILED_JOINS):
        assert fail(gate, HERE, grpc.StatusCode.ALREADY_EXISTS) == "unknown token"
    with gate.attempt(HERE):
        pass


def test_a_socket_of_this_host_is_free(gate: JoinGate) -> None:
    for _ in range(2 * FAILED_JOINS):
        assert fail(gate, "unix:") == "unknown token"


def test_a_host_has_so_many_streams_that_have_not_joined(gate: JoinGate) -> None:
    entered = [gate.attempt(HERE) for _ in range(MAX_JOINING)]
    for attempt in entered:
        attempt.__enter__()
    assert "streams of 192.0.2.7 have not joined yet" in fail(gate, HERE)
    entered[0].__exit__(None, None, None)
    assert fail(gate, HERE) == "unknown token"


# ---- on a real server


@pytest.fixture
def seated(gate: JoinGate, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """A table whose server forgives nothing, as the clock of its gate stands still."""
    monkeypatch.setattr(play, "JoinGate", lambda: gate)
    with table() as made:
        yield made


def join(table: Table, token: str) -> grpc.RpcError:
    """Try to join over TCP; how it is refused."""
    with grpc.insecure_channel(table.server.addresses[1]) as channel:
        request = play_pb2.PlayRequest(join=play_pb2.Join(token=token))
        with pytest.raises(grpc.RpcError) as caught:
            list(play_pb2_grpc.PlayServiceStub(channel).Play(iter([request]), timeout=120.0))
    return caught.value


def test_a_guesser_is_slowed_down_and_a_bot_on_the_socket_is_not(seated: Table) -> None:
    codes = [join(seated, f"guess {number}").code() for number in range(FAILED_JOINS + 2)]
    assert codes[:FAILED_JOINS] == FAILED_JOINS * [grpc.StatusCode.UNAUTHENTICATED]
    assert codes[FAILED_JOINS:] == 2 * [grpc.StatusCode.RESOURCE_EXHAUSTED]
    door = seated.server.door("honest", seated.inbox, start_s=10.0)
    out: SimpleQueue[play_pb2.PlayRequest] = SimpleQueue()
    out.put(play_pb2.PlayRequest(join=play_pb2.Join(token=door.token)))
    with grpc.insecure_channel(seated.server.addresses[0]) as channel:
        call = play_pb2_grpc.PlayServiceStub(channel).Play(iter(out.get, None), timeout=120.0)
        assert next(call).welcome.connection_id
        call.cancel()


def test_a_stream_that_says_nothing_is_cut_and_counts(
    seated: Table, gate: JoinGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    monkeypatch.setattr(play, "JOIN_S", 0.2)
    with grpc.insecure_channel(seated.server.addresses[1]) as channel:
        call = play_pb2_grpc.PlayServiceStub(channel).Play(iter(silent.get, None), timeout=120.0)
        with pytest.raises(grpc.RpcError):
            next(call)
        silent.put(None)
    assert wait_until(lambda: "127.0.0.1" in gate._paid)
    monkeypatch.undo()
    codes = [join(seated, f"guess {number}").code() for number in range(FAILED_JOINS)]
    assert codes[:-1] == (FAILED_JOINS - 1) * [grpc.StatusCode.UNAUTHENTICATED]
    assert codes[-1] is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_calls_of_one_connection_that_never_send_their_message_leave_room_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They want no token, and each holds a thread."""
    monkeypatch.setattr(server, "MAX_STREAMS", server.STREAMS_OF_CONNECTION + 4)
    silent: SimpleQueue[bytes | None] = SimpleQueue()
    own = [("grpc.use_local_subchannel_pool", 1)]  # channels with the same options share a connection
    method = f"/{engine.SERVICE}/Variants"
    with server.PlayServer(["127.0.0.1:0"]) as small, grpc.insecure_channel(small.addresses[0]) as many:
        call: grpc.StreamUnaryMultiCallable[bytes, bytes] = many.stream_unary(method)
        started = [call.future(iter(silent.get, None)) for _ in range(server.MAX_STREAMS + 8)]
        with grpc.insecure_channel(small.addresses[0], options=own) as other:
            stub = engine_pb2_grpc.EngineServiceStub(other)
            for _ in range(20):
                assert stub.Variants(engine_pb2.VariantsRequest(), timeout=120.0).variants
                time.sleep(0.05)
        for silence in started:
            silence.cancel()
            silent.put(None)


def test_there_are_so_many_streams_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_STREAMS", 2)
    inbox: SimpleQueue[Answer] = SimpleQueue()
    out: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    with server.PlayServer(["127.0.0.1:0"]) as small, grpc.insecure_channel(small.addresses[0]) as channel:
        stub = play_pb2_grpc.PlayServiceStub(channel)

        def joined(name: str) -> Iterator[play_pb2.PlayResponse]:
            request = play_pb2.PlayRequest(
                join=play_pb2.Join(token=small.door(name, inbox, start_s=10.0).token)
            )
            return stub.Play(chain([request], iter(out.get, None)), timeout=120.0)

        streams = [joined(name) for name in ("one", "two")]
        assert all(next(stream).welcome.connection_id for stream in streams)
        with pytest.raises(grpc.RpcError) as caught:
            next(joined("three"))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        for _ in range(3):
            out.put(None)
