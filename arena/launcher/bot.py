"""One bot, as the launcher sees it: a keeper with the bot's processes below it, its output, its work."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.launcher import limits, sandbox
from arena.launcher.exits import Census, Exit, Output
from arena.launcher.folders import work_folder
from arena.launcher.keeper import Order, fork_keeper
from arena.launcher.keyrings import key_filter
from arena.launcher.pipes import Descriptors, hand_over
from arena.launcher.processes import MARKER, below, descendants, kill, snapshot, sweep
from arena.types import Isolation

STOP_GRACE_S = 0.5
# Build steps fetch packages: where from, through what and checked against what is the machine's to say.
BUILD_SETTINGS = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT"),
    *("GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "NIX_SSL_CERT_FILE", "JAVA_HOME"),
    *(
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "GOPATH",
        "GOROOT",
        "GOMODCACHE",
        "GOPROXY",
        "PYENV_ROOT",
    ),
)


@dataclass(frozen=True, slots=True)
class Command:
    """A bot's, or its build step's, as it comes from the near end; `jsonlines` is a socket's path or None."""

    argv: list[str]
    cwd: str
    address: str
    token: str
    marker: str
    isolation: Isolation
    jsonlines: str | None = None
    build: bool = False


class Bot:
    """A running bot; `output` is a file descriptor to watch, `bury` is for when its keeper has ended.

    OSError when the command cannot be started.
    """

    def __init__(self, command: Command) -> None:
        """Start it and learn its process id."""
        self.isolation = command.isolation
        self.kill_at: float | None = None
        self._marker = command.marker
        self._stopped = False
        self._resource = ""
        self._written = Output()
        self._work = work_folder()
        try:
            self._start(command)
        except BaseException:
            shutil.rmtree(self._work, ignore_errors=True)
            raise

    def read(self, times: int = 1) -> bool:
        """Take in what the bot wrote, in at most `times` steps; False at the end of its output."""
        for _ in range(times):
            try:
                data = os.read(self.output, 65536)
            except BlockingIOError:
                return True
            self._written.add(data)
            if not data:
                return False
        return True

    def written(self) -> str:
        """Head and tail of what it has written so far."""
        self.read(times=64)
        return self._written.text()

    def census(self) -> Census:
        """What it and all below it hold now."""
        seen = snapshot()
        tree = below(self.keeper, seen)
        collected = seen[self.keeper].cpu_s if self.keeper in seen else 0.0  # of orphans that have ended
        return Census(
            children=max(0, len(tree) - 1 - limits.overhead(self.isolation)),
            cpu_s=collected + sum(process.cpu_s for process in tree),
            memory_mib=sum(process.memory for process in tree) / limits.MIB,
        )

    def stop(self) -> None:
        """Ask it to end; `kill_at` is when to stop asking."""
        self._stopped = True
        if self.isolation.level == "sandbox":  # a sandbox that is told to end kills the bot unasked
            for pid in descendants(self.pid):
                kill(pid, signal.SIGTERM)
        else:
            kill(self.pid, signal.SIGTERM, group=True)
        self.kill_at = time.monotonic() + STOP_GRACE_S

    def kill(self) -> None:
        """End it; its keeper then ends all that it started."""
        kill(self.pid, group=True)

    def end_by_us(self) -> None:
        """The launcher ends, and all bots with it."""
        self._stopped = True

    def end_for(self, resource: str) -> None:
        """It is over a limit."""
        self._resource = self._resource or resource
        self.kill()

    def bury(self, cpu_s: float) -> Exit:
        """Its keeper has ended: say how the bot went; `cpu_s` is the most that one process of it had used."""
        self.read(times=64)  # bounded: a stuck process may still write to the pipe
        with os.fdopen(self._report, "rb") as report:
            said = report.read()
        os.close(self.output)
        shutil.rmtree(self._work, ignore_errors=True)
        told: dict[str, Any] = json.loads(said) if said else {}
        if "status" not in told:  # the keeper itself was killed, or failed, and may not have cleared up
            kill(self.pid, group=True)
            sweep(self._marker)
            told = {"status": -signal.SIGKILL, "left": []}
        code, signame = _how(told["status"], self.isolation)
        output = self._written.text()
        met = limits.at_exit(self.isolation, code, signame, output, cpu_s) if not self._stopped else ""
        return Exit(code, signame, output, self._stopped, self._resource or met, tuple(told["left"]))

    def _start(self, command: Command) -> None:
        with Descriptors() as opened:
            self.output, output_end = opened.pipe()
            self._report, report_end = opened.pipe()
            stdin, stdout = opened.null(), output_end
            if command.jsonlines is not None:
                (stdin, to_bot), (from_bot, stdout) = opened.pipe(), opened.pipe()
            keys = opened.holding(key_filter()) if command.isolation.level == "sandbox" else None
            order = self._order(command, stdin, stdout, output_end, keys)
            self.keeper = fork_keeper(order, report_end)
            # Else their ends would never be seen.
            opened.close(stdin, stdout, output_end, report_end, *order.passed)
            self.pid = self._started()
            try:
                if command.jsonlines is not None:
                    hand_over(command.jsonlines, command.token, from_bot, to_bot)
            except OSError:
                self.kill()
                raise
            os.set_blocking(self.output, False)
            opened.keep(self.output, self._report)

    def _started(self) -> int:
        """The bot's process id, from the keeper; OSError when its program cannot be run."""
        said = b""
        while not said.endswith(b"\n"):  # a byte at a time: what comes later is for `bury`
            byte = os.read(self._report, 1)
            if not byte:
                raise OSError("the process that should keep it ended at once")
            said += byte
        told: dict[str, Any] = json.loads(said)
        if "error" in told:
            raise OSError(told["error"])
        return int(told["pid"])

    def _order(self, command: Command, stdin: int, stdout: int, stderr: int, keys: int | None) -> Order:
        environment = self._environment(command)
        argv: list[str] = command.argv
        if command.isolation.level == "sandbox":
            passwd = Path(self._work, "passwd")
            passwd.write_text(sandbox.PASSWD)
            socket = command.address.removeprefix("unix:") if command.address else ""
            argv = sandbox.command(
                argv,
                cwd=command.cwd,
                path=environment["PATH"],
                isolation=command.isolation,
                socket=socket,
                passwd=str(passwd),
                build=command.build,
                keys=keys,
            )
        passed = () if keys is None else (keys,)
        return Order(argv, command.cwd, environment, command.isolation, stdin, stdout, stderr, passed)

    def _environment(self, command: Command) -> dict[str, str]:
        """Nothing of the launcher's own, except where programs are; `python` is this interpreter."""
        level = command.isolation.level
        here = str(Path(sys.executable).parent)
        clean = {
            "PATH": os.pathsep.join((here, os.environ.get("PATH", os.defpath))),
            "HOME": sandbox.HOME if level == "sandbox" else self._work,
            "LANG": "C.UTF-8",
            MARKER: self._marker,
        }
        if level == "limits":
            clean["TMPDIR"] = self._work
        if not command.build:
            return clean | _connection(command)
        if level == "none":
            return {**os.environ, MARKER: self._marker}
        if level == "limits":  # the package tools' caches and settings are at home
            clean |= {name: os.environ[name] for name in ("HOME", *BUILD_SETTINGS) if name in os.environ}
        else:
            clean |= sandbox.build_settings()
        return clean


def _connection(command: Command) -> dict[str, str]:
    """Where the bot finds its games: a JSON-lines bot has them on its standard input."""
    if command.jsonlines is not None:
        return {"ARENA_TOKEN": command.token}
    sandboxed = command.isolation.level == "sandbox"
    return {
        "ARENA_ADDRESS": f"unix:{sandbox.SOCKET}" if sandboxed else command.address,
        "ARENA_TOKEN": command.token,
    }


def _how(status: int, isolation: Isolation) -> tuple[int | None, str | None]:
    """(exit code, signal): one of them is None. Inside a sandbox a signal shows as an exit code."""
    if status < 0:
        return None, limits.signal_of(128 - status) or f"signal {-status}"
    if isolation.level == "sandbox" and (inside := limits.signal_of(status)):
        return None, inside
    return status, None
