"""A TCP relay that can cut its lines: in a test's process, or as a program that cuts on SIGUSR1."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from contextlib import suppress


class Cutter:
    """Relays connections to `target`, a host:port, cut after `cut_every` bytes; `accepted` counts them."""

    def __init__(self, target: str, port: int = 0, *, cut_every: int | None = None) -> None:
        host, _, number = target.rpartition(":")
        self._target = (host, int(number))
        self._listener = socket.create_server(("127.0.0.1", port))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.lines: list[socket.socket] = []
        self.accepted = 0
        self.cut_every = cut_every
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        lines, self.lines = self.lines, []
        for line in lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(self._target, timeout=5.0)
                except OSError:  # nobody serves there at the moment
                    near.close()
                    continue
                far.settimeout(None)
                self.accepted += 1
                for line in (near, far):  # small messages would wait for each other's receipt, 40 ms each
                    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.lines += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=pair, daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
                passed += len(data)
                if self.cut_every and passed > self.cut_every:
                    break
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def main(target: str, port: str) -> None:
    """Relay from a port of this host's loopback until the process is ended."""
    cutter = Cutter(target, int(port))
    signal.signal(signal.SIGUSR1, lambda *_: cutter.cut())
    print(cutter.address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
