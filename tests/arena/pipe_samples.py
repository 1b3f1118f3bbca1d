"""Bots on JSON lines for tests: processes whose pipes are handed to a server as the launcher does it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence

from wire_samples import LIMITS, MOCK_BOTS

from arena.launcher import Exit
from arena.seats import Inbox
from arena.server import PlayServer, RemoteDoor


def lines(mode: str) -> list[str]:
    """The command of the mock bot that misbehaves on lines."""
    return [sys.executable, str(MOCK_BOTS / "lines.py"), mode]


def hand_over(server: PlayServer, token: str, reading: int, writing: int) -> None:
    """Give a server its ends of two pipes, and close them here."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.connect(server.jsonlines_address)
        socket.send_fds(peer, [token.encode()], [reading, writing])
    os.close(reading)
    os.close(writing)


class PipedBot:
    """A process and its door; `close` ends both."""

    def __init__(
        self,
        server: PlayServer,
        inbox: Inbox,
        argv: Sequence[str],
        *,
        start_s: float = LIMITS.start,
        max_open: int | None = 1,
    ) -> None:
        self.door: RemoteDoor = server.door(
            argv[-1], inbox, start_s=start_s, max_open=max_open, protocol="jsonlines", on_close=self._kill
        )
        self.door.expect(launched=True)
        reading, bot_writes = os.pipe()
        bot_reads, writing = os.pipe()
        self.process = subprocess.Popen(argv, stdin=bot_reads, stdout=bot_writes, stderr=subprocess.PIPE)
        os.close(bot_reads)
        os.close(bot_writes)
        self.door.pid = self.process.pid
        hand_over(server, self.door.token, reading, writing)
        self._watch = threading.Thread(target=self._wait, daemon=True)
        self._watch.start()

    def close(self) -> None:
        """End it; returns when the process is gone."""
        self.door.close()
        self._watch.join(10.0)

    def _kill(self) -> None:
        self.process.kill()

    def _wait(self) -> None:
        errors = self.process.stderr
        output = errors.read().decode() if errors is not None else ""
        code = self.process.wait()
        name = signal.Signals(-code).name if code < 0 else None
        self.door.process_exited(Exit(code if code >= 0 else None, name, output))
