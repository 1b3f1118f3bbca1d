"""One bot's process, as the launcher sees it: its own session, a clean environment, its output kept."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from arena.launcher.exits import OUTPUT_BYTES, Census, Exit
from arena.launcher.processes import MARKER, count, descendants, die_with_parent, kill, sweep

STOP_GRACE_S = 0.5


class Bot:
    """A running bot; `output` is a file descriptor to watch, `bury` is for when it has ended.

    OSError when the command cannot be started.
    """

    def __init__(self, argv: list[str], cwd: str, address: str, token: str, marker: str) -> None:
        self.marker = marker
        self.kill_at: float | None = None
        self._tail = bytearray()
        self._home = tempfile.mkdtemp(prefix="arena-bot-")
        self.output, write_end = os.pipe()
        os.set_blocking(self.output, False)
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=self._environment(address, token),
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=write_end,
                start_new_session=True,
                preexec_fn=partial(_tie_to, os.getpid()),  # safe: the launcher has one thread
            )
        except BaseException:
            self._discard()
            raise
        finally:
            os.close(write_end)
        self.pid = self._process.pid

    def read(self, times: int = 1) -> bool:
        """Take in what the bot wrote, in at most `times` steps; False at the end of its output."""
        for _ in range(times):
            try:
                data = os.read(self.output, 65536)
            except BlockingIOError:
                return True
            self._tail += data
            del self._tail[:-OUTPUT_BYTES]
            if not data:
                return False
        return True

    def census(self) -> Census:
        """What it and all below it hold now."""
        return count([self.pid, *descendants(self.pid)])

    def stop(self) -> None:
        """Ask it to end; `kill_at` is when to stop asking."""
        kill(self.pid, signal.SIGTERM, group=True)
        self.kill_at = time.monotonic() + STOP_GRACE_S

    def kill(self) -> None:
        """End it and all that it started."""
        kill(self.pid, group=True)
        sweep(self.marker)

    def bury(self) -> Exit:
        """Its process has ended: end what it left behind, collect it, and say how it went."""
        self.kill()  # before collecting: until then its process id, which is its group's, is not given away
        code = self._process.wait()
        self.read(times=64)  # bounded: a stuck process may still write to the pipe
        self._discard()
        return Exit(
            code=code if code >= 0 else None,
            signal=signal.Signals(-code).name if code < 0 else None,
            output=self._tail.decode("utf-8", errors="replace"),
            stopped=self.kill_at is not None,
        )

    def _environment(self, address: str, token: str) -> dict[str, str]:
        """Nothing of the launcher's own, except where programs are; `python` is this interpreter."""
        here = str(Path(sys.executable).parent)
        return {
            "PATH": os.pathsep.join((here, os.environ.get("PATH", os.defpath))),
            "HOME": self._home,
            "LANG": "C.UTF-8",
            "ARENA_ADDRESS": address,
            "ARENA_TOKEN": token,
            MARKER: self.marker,
        }

    def _discard(self) -> None:
        os.close(self.output)
        shutil.rmtree(self._home, ignore_errors=True)


def _tie_to(launcher: int) -> None:
    """Runs in the new process before the bot's program."""
    if not die_with_parent(launcher, signal.SIGKILL):
        os._exit(1)
