"""The way to a remote bot, as the kernel knows it: compared with what it tells of a socket directly."""

from __future__ import annotations

import socket
import struct

import pytest

from arena.clocks import NO_WAY
from arena.hub.network import TcpWay, peer_of, round_trip, ways

TCP_INFO = 11  # of linux/tcp.h; Python's socket module has it from 3.12 on


@pytest.mark.parametrize(
    ("listening", "calling", "own"),
    [("127.0.0.1", "127.0.0.1", "127.9.8.7"), ("::1", "::1", "::1"), ("::", "127.0.0.1", "127.9.8.7")],
)
def test_ways_are_those_of_the_kernel(listening: str, calling: str, own: str) -> None:
    """Over IPv4, IPv6, and IPv4 to a socket of both; nobody else here comes from the same host and port."""
    family = socket.AF_INET6 if ":" in listening else socket.AF_INET
    with (
        socket.create_server((listening, 0), family=family, dualstack_ipv6=listening == "::") as server,
        socket.create_connection((calling, server.getsockname()[1]), source_address=(own, 0)) as far,
        server.accept()[0] as near,
    ):
        for _ in range(5):
            near.sendall(b"question")
            far.recv(64)
            far.sendall(b"answer")
            near.recv(64)
        way = ways()[far.getsockname()[:2]]
        told = near.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
    usual, deviation = struct.unpack_from("=II", told, 68)
    assert (way.usual_s, way.deviation_s) == (usual * 1e-6, deviation * 1e-6)
    assert 0.0 < way.least_s <= way.usual_s < 1.0


def test_a_peer_is_named_as_the_kernel_does() -> None:
    assert peer_of("ipv4:192.0.2.7:50123") == ("192.0.2.7", 50123)
    assert peer_of("ipv6:%5B2001:db8::7%5D:50123") == ("2001:db8::7", 50123)
    assert peer_of("ipv6:%5B::ffff:192.0.2.7%5D:50123") == ("192.0.2.7", 50123)
    assert peer_of("unix:") is None


def test_the_shortest_way_is_deducted_and_the_usual_one_is_the_margin() -> None:
    """Up to the operator's bound, since a bot's host has a hand in what the kernel sees."""
    way = round_trip(TcpWay(0.03, 0.05, 0.01), 1.0)
    assert way[0] == 0.03
    assert way[1] == pytest.approx(0.09)
    assert round_trip(TcpWay(0.03, 9.0, 0.01), 0.02) == (0.02, 0.02)
    assert round_trip(TcpWay(0.03, 0.05, 0.01), 0.0) is NO_WAY
