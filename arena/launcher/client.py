"""The near end of the launcher: start it before anything initialises gRPC in this process."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from arena.errors import PlatformFault, PluginError
from arena.launcher.exits import Census, Exit
from arena.launcher.isolation import UNGUARDED
from arena.launcher.processes import MARKER, sweep
from arena.types import Isolation

ANSWER_S = 20.0
CLOSE_S = 3.0
SOURCES = Path(__file__).resolve().parents[2]


class BotProcess:
    """A bot's process: its pid, and how it ended once it has."""

    def __init__(self, launcher: Launcher, number: int, on_exit: Callable[[Exit], None] | None) -> None:
        self.pid = 0
        self.exit: Exit | None = None
        self._launcher, self._number, self._on_exit = launcher, number, on_exit
        self._reply: SimpleQueue[str | None] = SimpleQueue()
        self._census: SimpleQueue[Census | None] = SimpleQueue()
        self._written: SimpleQueue[str] = SimpleQueue()
        self._ended = threading.Event()

    def stop(self) -> None:
        """End it: SIGTERM to its group, SIGKILL half a second later; returns at once."""
        if self.exit is None:
            self._launcher.send(op="stop", bot=self._number)

    def wait(self, timeout: float | None = None) -> Exit | None:
        """How it ended; None if it still runs after `timeout` seconds."""
        self._ended.wait(timeout)
        return self.exit

    def census(self) -> Census | None:
        """What the bot holds at this moment; None when it has ended."""
        if self.exit is not None:
            return None
        self._launcher.send(op="census", bot=self._number)
        try:
            return self._census.get(timeout=ANSWER_S)
        except Empty:
            raise PlatformFault(f"the launcher did not answer within {ANSWER_S:g} s") from None

    def output(self) -> str:
        """Head and tail of what the bot has written so far, or had when it ended."""
        if self.exit is not None:
            return self.exit.output
        self._launcher.send(op="output", bot=self._number)
        try:
            return self._written.get(timeout=ANSWER_S)
        except Empty:
            raise PlatformFault(f"the launcher did not answer within {ANSWER_S:g} s") from None

    def started(self, timeout: float) -> None:
        """Wait for the launcher's word; PluginError when the command cannot be started."""
        try:
            problem = self._reply.get(timeout=timeout)
        except Empty:
            raise PlatformFault(f"the launcher did not answer within {timeout:g} s") from None
        if problem is not None:
            raise PluginError(problem)

    def handle(self, event: Mapping[str, Any]) -> None:
        """Take the launcher's message about this process."""
        if event["event"] == "started":
            self.pid = event["pid"]
            self._reply.put(None)
        elif event["event"] == "failed":
            self._reply.put(event["message"])
        elif event["event"] == "census":
            self._census.put(Census(event["children"], event["cpu_s"], event["memory_mib"]))
        elif event["event"] == "output":
            self._written.put(event["text"])
        else:
            how = {name: event[name] for name in ("code", "signal", "output", "stopped", "resource")}
            self.ended(Exit(**how, left=tuple(event["left"])))

    def ended(self, how: Exit) -> None:
        """Note the end and tell who asked for it."""
        self._reply.put("the launcher has ended")
        self.exit = how
        self._census.put(None)
        self._written.put(how.output)
        self._ended.set()
        if self._on_exit is not None:
            self._on_exit(how)


class Launcher:
    """Starts and stops bots through a launcher process of its own; use it as a context manager."""

    def __init__(self) -> None:
        # Inside a run that marks its processes, bots carry that mark too: who clears the run finds them.
        self.run = ".".join((*filter(None, [os.environ.get(MARKER)]), secrets.token_hex(8)))
        self._bots: dict[int, BotProcess] = {}
        self._lock = threading.Lock()
        self._numbers = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "arena.launcher", self.run, str(os.getpid())],
            cwd=SOURCES,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._ready: SimpleQueue[bool] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="launcher", daemon=True)
        self._reader.start()
        try:
            ready = self._ready.get(timeout=ANSWER_S)
        except Empty:
            ready = False
        if not ready:
            self.close()
            raise PlatformFault("the launcher process did not start; its own output says why")

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        address: str,
        token: str,
        on_exit: Callable[[Exit], None] | None = None,
        isolation: Isolation = UNGUARDED,
        jsonlines: str | None = None,
        build: bool = False,
    ) -> BotProcess:
        """Start a command in folder `cwd` with ARENA_ADDRESS and ARENA_TOKEN set.

        `jsonlines` is the path of the socket to which a JSON-lines bot's pipes are handed. In the sandbox
        `address` must be a Unix socket. A `build` step may write to `cwd` even there.
        `on_exit` is called once, from the launcher's reading thread. PluginError names the command and the
        reason when it cannot be started.
        """
        with self._lock:
            self._numbers += 1
            number = self._numbers
            bot = self._bots[number] = BotProcess(self, number, on_exit)
        self.send(
            op="start",
            bot=number,
            argv=[*argv],
            cwd=str(cwd),
            address=address,
            token=token,
            isolation=asdict(isolation),
            jsonlines=jsonlines,
            build=build,
        )
        try:
            bot.started(ANSWER_S)
        except PluginError as error:
            self._bots.pop(number, None)
            raise PluginError(f"cannot start `{' '.join(argv)}` in {cwd}: {error}") from None
        return bot

    @property
    def alive(self) -> bool:
        """Whether the launcher process runs."""
        return self._process.poll() is None

    def send(self, **command: object) -> None:
        """Write one command to the launcher; PlatformFault when it is gone."""
        line = json.dumps(command).encode() + b"\n"
        try:
            with self._lock:
                stream = self._process.stdin
                if stream is None or stream.closed:
                    raise BrokenPipeError("closed")
                stream.write(line)
                stream.flush()
        except OSError as error:
            raise PlatformFault(f"the launcher process {self.pid} is gone: {error}") from None

    def close(self) -> None:
        """End every bot and the launcher; returns when all are gone."""
        with self._lock:
            if self._process.stdin is not None:
                with suppress(OSError):  # it is gone, and what it was told last with it
                    self._process.stdin.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(CLOSE_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        stream = self._process.stdout
        for line in stream or ():
            event = json.loads(line)
            if event["event"] == "ready":
                self._ready.put(True)
            elif bot := self._bots.get(event["bot"]):
                if event["event"] == "exited":  # the last that is heard of it
                    del self._bots[event["bot"]]
                bot.handle(event)
        self._ready.put(False)
        sweep(self.run)  # a launcher that was killed could not do it itself
        for bot in list(self._bots.values()):
            bot.ended(Exit(None, "SIGKILL", "the launcher process ended", stopped=True))
        self._bots.clear()
