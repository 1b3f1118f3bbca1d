"""File descriptors of the launcher: opened, closed in time, and those of a JSON-lines bot handed on."""

from __future__ import annotations

import os
import socket
from types import TracebackType

HAND_OVER_S = 5.0


class Descriptors:
    """Closes on exit what it opened, but for what was kept."""

    def __init__(self) -> None:
        """Nothing is open."""
        self._open: list[int] = []

    def pipe(self) -> tuple[int, int]:
        """(read end, write end), neither inherited by programs that are started."""
        ends = os.pipe()
        self._open += ends
        return ends

    def holding(self, data: bytes) -> int:
        """A read end that holds `data`, no more than a pipe takes (4 KiB on any machine)."""
        reading, writing = self.pipe()
        os.write(writing, data)
        self.close(writing)
        return reading

    def null(self) -> int:
        """A standard input that holds nothing."""
        opened = os.open(os.devnull, os.O_RDONLY)
        self._open.append(opened)
        return opened

    def close(self, *descriptors: int) -> None:
        """Close these now, each once."""
        for descriptor in {*descriptors}:
            self._open.remove(descriptor)
            os.close(descriptor)

    def keep(self, *descriptors: int) -> None:
        """Leave these open: somebody else closes them."""
        for descriptor in descriptors:
            self._open.remove(descriptor)

    def __enter__(self) -> Descriptors:
        """Use it as a context manager."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """Close what is still open."""
        self.close(*self._open)


def hand_over(address: str, token: str, from_bot: int, to_bot: int) -> None:
    """Give the platform's ends of a bot's pipes to the server that listens on the Unix socket `address`.

    OSError with the address when nobody takes them.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.settimeout(HAND_OVER_S)
            server.connect(address)
            socket.send_fds(server, [token.encode()], [from_bot, to_bot])
    except OSError as error:
        raise OSError(f"its pipes cannot be handed to the server at {address}: {error}") from None
