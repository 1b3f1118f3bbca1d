"""The launcher process: one thread, one loop over its input, the bots' output and their deaths."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import sys
import time
from dataclasses import asdict
from typing import Any

from arena.launcher.bot import Bot, Command
from arena.launcher.folders import sweep_folders
from arena.launcher.limits import WATCH_S, Watch
from arena.launcher.processes import adopt_orphans, die_with_parent, sweep
from arena.types import Isolation

PARENT_GONE = signal.SIGUSR1


class Loop:
    """Serves one parent until its input ends, a SIGTERM comes or the parent dies; then nothing is left."""

    def __init__(self, run: str, parent: int) -> None:
        self._run, self._parent = run, parent
        self._bots: dict[int, Bot] = {}
        self._lines = b""
        self._watch, self._watch_at = Watch(), 0.0
        self._open = True
        self._selector = selectors.DefaultSelector()
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(PARENT_GONE, self._end_if_orphaned)
        self._selector.register(self._woken, selectors.EVENT_READ, self._collect)
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._read_input)

    def run(self) -> None:
        """Serve, then kill everything."""
        adopt_orphans()
        if not die_with_parent(self._parent, PARENT_GONE):
            return
        self._say(event="ready")
        sweep_folders()
        try:
            while self._open:
                for key, _ in self._selector.select(self._patience()):
                    if self._selector.get_map().get(key.fd) == key:  # not closed by one before it
                        key.data()
                self._kill_overdue()
                self._enforce()
        finally:
            for bot in self._bots.values():
                bot.end_by_us()
            sweep(self._run, below=os.getpid())
            self._collect()

    def _end(self, *_: object) -> None:
        self._open = False

    def _end_if_orphaned(self, *_: object) -> None:
        """The kernel also signals when only the parent's starting thread ends: that is no reason to stop."""
        if os.getppid() != self._parent:
            self._open = False

    def _patience(self) -> float | None:
        times = [bot.kill_at for bot in self._bots.values() if bot.kill_at is not None]
        if self._limited():
            times.append(self._watch_at)
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _kill_overdue(self) -> None:
        for bot in self._bots.values():
            if bot.kill_at is not None and bot.kill_at <= time.monotonic():
                bot.kill()
                bot.kill_at = time.monotonic() + 1.0  # once more, should it be stuck

    def _limited(self) -> dict[int, Isolation]:
        """The limits by keeper, of the bots that have any."""
        bots = self._bots.values()
        return {bot.keeper: bot.isolation for bot in bots if bot.isolation.level != "none"}

    def _enforce(self) -> None:
        """End the bots whose processes together are over a limit."""
        if time.monotonic() < self._watch_at or not (limited := self._limited()):
            return
        self._watch_at = time.monotonic() + WATCH_S
        over = self._watch.look(limited)
        for bot in self._bots.values():
            if words := over.get(bot.keeper):
                bot.end_for(words)

    def _read_input(self) -> None:
        data = os.read(sys.stdin.fileno(), 65536)
        self._open = bool(data)
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            command: dict[str, Any] = json.loads(line)
            if command["op"] == "start":
                self._start(command)
            elif bot := self._bots.get(command["bot"]):
                if command["op"] == "census":
                    self._say(event="census", bot=command["bot"], **asdict(bot.census()))
                elif command["op"] == "output":
                    self._say(event="output", bot=command["bot"], text=bot.written())
                else:
                    bot.stop()

    def _start(self, command: dict[str, Any]) -> None:
        number: int = command["bot"]
        try:
            bot = Bot(_command(command, marker=f"{self._run}.{number}"))
        except OSError as error:
            self._say(event="failed", bot=number, message=str(error))
            return
        self._bots[number] = bot
        self._selector.register(bot.output, selectors.EVENT_READ, lambda: self._read_output(bot))
        self._say(event="started", bot=number, pid=bot.pid)

    def _read_output(self, bot: Bot) -> None:
        if not bot.read():
            self._selector.unregister(bot.output)

    def _collect(self) -> None:
        """Collect every child that ended: bots, and orphans they left to us."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        numbers = {bot.keeper: number for number, bot in self._bots.items()}
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if ended.si_pid in numbers:
                    self._bury(numbers[ended.si_pid])
                os.waitpid(ended.si_pid, 0)

    def _bury(self, number: int) -> None:
        bot = self._bots.pop(number)
        with contextlib.suppress(KeyError):  # its output may have ended before
            self._selector.unregister(bot.output)
        self._say(event="exited", bot=number, **asdict(bot.bury(self._watch.cpu_s(bot.keeper))))

    def _say(self, **message: object) -> None:
        try:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()
        except OSError:  # the parent is gone
            self._open = False


def _command(message: dict[str, Any], marker: str) -> Command:
    """A start message without its `op` and `bot`, as a value."""
    fields = {name: value for name, value in message.items() if name not in ("op", "bot", "isolation")}
    return Command(**fields, isolation=Isolation(**message["isolation"]), marker=marker)


if __name__ == "__main__":
    Loop(run=sys.argv[1], parent=int(sys.argv[2])).run()
