"""How long the network takes to bots that dial in: the round trips that the kernel's TCP measures by itself.

Nothing is asked of the bot: Linux times every acknowledgement of a connection and tells the figures of all
connections of this host through a netlink socket (sock_diag(7), `struct tcp_info` of linux/tcp.h).
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from arena.clocks import NO_WAY, RoundTrip

_NETLINK_SOCK_DIAG, _SOCK_DIAG_BY_FAMILY = 4, 20
_REQUEST_DUMP = 0x301
_DONE, _ERROR = 3, 2
_ESTABLISHED = 1 << 1
_TCP_INFO = 2
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI48s")  # family, protocol, extensions, states; the rest matches any socket
_SOCKET = struct.Struct("!BBBBHH16s16s32x")
_ATTRIBUTE = struct.Struct("=HH")
# Smoothed round trip and its mean deviation; the least of them, which kernels before 4.9 lack. Microseconds.
_SMOOTHED, _LEAST = struct.Struct("=68xII"), struct.Struct("=148xI")
_US = 1e-6
# By how many mean deviations TCP's own timer lets a round trip be longer than usual (RFC 6298).
_DEVIATIONS = 4

Peer = tuple[str, int]


class TcpWay(NamedTuple):
    """Round trips of one connection in seconds: the shortest, the usual one, its mean deviation."""

    least_s: float
    usual_s: float
    deviation_s: float


def peer_of(name: str) -> Peer | None:
    """Host and port of gRPC's name of a peer, such as `ipv4:192.0.2.7:50123`; None for a Unix socket."""
    kind, _, rest = unquote(name).partition(":")
    host, _, port = rest.rpartition(":")
    return (_plain(host.strip("[]")), int(port)) if kind in ("ipv4", "ipv6") else None


def round_trip(way: TcpWay, most_s: float) -> RoundTrip:
    """What a question's way over the network takes, and by how much an answer may be late for it.

    A receiver may acknowledge with its answer, up to 40 ms later, so only the shortest round trip is the
    network's alone; what is usual goes into the margin. Neither is more than `most_s`.
    """
    late_s = max(way.least_s, way.usual_s + _DEVIATIONS * way.deviation_s)
    return RoundTrip(min(most_s, way.least_s), min(most_s, late_s)) if most_s > 0.0 else NO_WAY


def ways() -> dict[Peer, TcpWay]:
    """The way to the other end of every TCP connection of this host; OSError where nobody says."""
    return {peer: way for family in (socket.AF_INET, socket.AF_INET6) for peer, way in _dump(family)}


def _dump(family: int) -> Iterator[tuple[Peer, TcpWay]]:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)
        wanted = _REQUEST.pack(family, socket.IPPROTO_TCP, 1 << (_TCP_INFO - 1), _ESTABLISHED, b"")
        size = _HEADER.size + len(wanted)
        kernel.send(_HEADER.pack(size, _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0) + wanted)
        while True:
            for kind, body in _messages(kernel.recv(1 << 18)):
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    code = -struct.unpack_from("=i", body)[0]
                    raise OSError(code or errno.EIO, os.strerror(code or errno.EIO))
                yield from _connection(family, body)


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= _HEADER.size:
        size, kind, *_ = _HEADER.unpack_from(data)
        yield kind, data[_HEADER.size : size]
        data = data[_aligned(size) :]


def _connection(family: int, body: bytes) -> Iterator[tuple[Peer, TcpWay]]:
    """The other end of a connection and its way, if the kernel has told of it."""
    *_, port, _, host = _SOCKET.unpack_from(body)
    peer = _plain(socket.inet_ntop(family, host[: 4 if family == socket.AF_INET else 16])), port
    rest = body[_SOCKET.size :]
    while len(rest) >= _ATTRIBUTE.size:
        size, kind = _ATTRIBUTE.unpack_from(rest)
        if kind == _TCP_INFO and size - _ATTRIBUTE.size >= _SMOOTHED.size:
            yield peer, _way(rest[_ATTRIBUTE.size : size])
        rest = rest[max(_aligned(size), _ATTRIBUTE.size) :]


def _way(info: bytes) -> TcpWay:
    usual, deviation = _SMOOTHED.unpack_from(info)
    least = _LEAST.unpack_from(info)[0] if len(info) >= _LEAST.size else usual
    return TcpWay(min(least, usual) * _US, usual * _US, deviation * _US)


def _plain(host: str) -> str:
    """An address in its usual form; an IPv4 address that IPv6 wraps is the IPv4 address."""
    address = ipaddress.ip_address(host.partition("%")[0])
    return str(getattr(address, "ipv4_mapped", None) or address)


def _aligned(size: int) -> int:
    return (size + 3) & ~3
