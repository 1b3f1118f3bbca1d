"""The line to a server: where it goes, whom it trusts, and what is wrong with it when nobody answers.

arena/dialling.py and bots/sdk/python/conquest_arena_bot/dialling.py are one text; a test compares them.
"""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import grpc

from arena.errors import ArenaError

CONNECT_S = 10.0
# A server that has not answered so soon is looked at more closely: some mistakes no waiting mends.
_LOOK_AFTER_S, _LOOK_S = 1.0, 2.0
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.keepalive_time_ms", 20_000),  # a server that vanished without a word is noticed
    ("grpc.keepalive_timeout_ms", 10_000),
)
_TLS = ("https://", "grpcs://")


class Line:
    """A channel to a server; `ca` is the file with the certificates to trust, which turns TLS on over TCP.

    `address` is `host:port`, `unix:/path`, or `https://host:port` for TLS that trusts what the system does.
    ArenaError: either cannot be used.
    """

    def __init__(self, address: str, ca: str = "") -> None:
        """Prepare the channel; it connects by itself."""
        if not address:
            raise ArenaError(
                "no server address: set ARENA_ADDRESS to host:port or unix:/path, or pass address="
            )
        self._address, self._ca = address, ca
        secure = address.startswith(_TLS) or (bool(ca) and not address.startswith("unix:"))
        for scheme in (*_TLS, "http://"):
            address = address.removeprefix(scheme)
        self._tcp = None if address.startswith("unix:") else _host_and_port(address)
        self._trusted = _trusted(ca) if secure else None
        if secure:
            roots = grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None)
            self.channel = grpc.secure_channel(address, roots, options=_OPTIONS)
        else:
            self.channel = grpc.insecure_channel(address, options=_OPTIONS)

    def connect(self, seconds: float) -> None:
        """Wait until the server answers, so long at most; ArenaError says what is wrong and what to set."""
        # Of trouble with certificates gRPC writes lines of its own: it is looked for before that.
        if self._trusted is None and self.reachable(min(seconds, _LOOK_AFTER_S)):
            return
        self._look_for_trouble_with_tls()
        if self.reachable(seconds):
            return
        self._look_for_trouble_with_tls()
        raise ArenaError(
            f"no server answers at {self._address} within {seconds:g} s: "
            f"is it running, and is ARENA_ADDRESS right? ({self._silence()})"
        )

    def reachable(self, seconds: float) -> bool:
        """Whether the server answers within that time."""
        ready = grpc.channel_ready_future(self.channel)
        try:
            ready.result(timeout=max(0.0, seconds))
        except grpc.FutureTimeoutError:
            ready.cancel()
            return False
        return True

    def _silence(self) -> str:
        """Why nobody answers, in the system's words: no such host, no such port, no way there."""
        try:
            if self._tcp is not None:
                socket.create_connection(self._tcp, _LOOK_S).close()
            else:
                with socket.socket(socket.AF_UNIX) as line:
                    line.settimeout(_LOOK_S)
                    line.connect(self._address.removeprefix("unix:").removeprefix("//"))
        except OSError as error:
            return error.strerror or str(error)
        except UnicodeError:
            return "no host can have this name"
        return "what listens there does not answer in gRPC"

    def _look_for_trouble_with_tls(self) -> None:
        if trouble := self._trouble_with_tls():
            raise ArenaError(f"the server at {self._address} {trouble}")

    def _trouble_with_tls(self) -> str:
        """What no waiting mends; "" where the server may just not be there yet."""
        if self._tcp is None:
            return ""
        context = self._trusted or _trusting_anybody()
        try:
            with (
                socket.create_connection(self._tcp, _LOOK_S) as line,
                context.wrap_socket(line, server_hostname=self._tcp[0]),
            ):
                return "" if self._trusted else "speaks TLS: set ARENA_CA to the path of its ca.pem"
        except ssl.SSLCertVerificationError as error:
            return (
                f"has a certificate that ARENA_CA{f' ({self._ca})' if self._ca else ''} does not vouch for "
                f"({error.verify_message}): set it to the path of the server's ca.pem"
            )
        except UnicodeError:  # no host name
            return ""
        except OSError as error:
            plain = getattr(error, "reason", "") == "WRONG_VERSION_NUMBER"
            return "does not speak TLS: unset ARENA_CA" if plain and self._trusted else ""


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ArenaError(f"ARENA_ADDRESS: {address} is neither host:port nor unix:/path")
    return host.strip("[]"), int(port)


def _trusted(ca: str) -> ssl.SSLContext:
    """Trust in the certificates of a file, or in the system's."""
    try:
        context = ssl.create_default_context(cafile=ca or None)
    except OSError as error:
        why = "it is no PEM file" if isinstance(error, ssl.SSLError) else error.strerror
        raise ArenaError(
            f"ARENA_CA: no certificate can be read from {ca} ({why}): name the server's ca.pem"
        ) from None
    context.set_alpn_protocols(["h2"])
    return context


def _trusting_anybody() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
