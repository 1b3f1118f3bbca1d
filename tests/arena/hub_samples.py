"""`arena serve` as a process with its events, bots that dial in to it, and networks between them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

from arena.store import Store

ROOT = Path(__file__).resolve().parents[2]
ARENA = Path(sys.executable).parent / "arena"
Event = dict[str, Any]


class Serving:
    """One process of `arena serve --json`; `events` are those it has told so far."""

    def __init__(self, arguments: Sequence[str | Path], prefix: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*prefix, ARENA, "serve", "--json", *arguments], stdout=subprocess.PIPE, text=True
        )
        self.events: list[Event] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def of(self, kind: str, **facts: object) -> list[Event]:
        """The events of a kind with these facts."""
        return [
            event
            for event in list(self.events)
            if event["event"] == kind and all(event[key] == value for key, value in facts.items())
        ]

    def wait_for(self, kind: str, count: int = 1, seconds: float = 90.0, **facts: object) -> list[Event]:
        """Wait until so many of them have come."""
        wait_until(lambda: len(self.of(kind, **facts)) >= count, f"{count} {kind} {facts}", seconds, self)
        return self.of(kind, **facts)

    @property
    def address(self) -> str:
        """The first address it serves on."""
        return str(self.wait_for("serving")[0]["addresses"][0])

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self._reader.join(60.0)

    def stop(self) -> float:
        """End it by SIGTERM; how long that took. It must end well."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=90) == 0
        took = time.monotonic() - began
        self._reader.join(60.0)
        return took


@contextmanager
def serving(*arguments: str | Path, prefix: Sequence[str] = ()) -> Iterator[Serving]:
    """`arena serve`, ended in any case."""
    made = Serving(arguments, prefix)
    try:
        yield made
    finally:
        made.kill()


def wait_until(
    condition: Callable[[], object], what: str, seconds: float = 90.0, server: Serving | None = None
) -> None:
    """Wait for something that must come about; what the server said is shown when it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        told = "\n".join(map(str, server.events[-30:])) if server else ""
        assert time.monotonic() < deadline, f"after {seconds} s still not: {what}\n{told}"
        time.sleep(0.02)


def add_player(database: Path, name: str) -> str:
    """Create an account; its token."""
    with Store(f"sqlite:///{database}") as store:
        store.migrate()
        return store.tokens.add_player(name)


class DialIn:
    """A bot's process that dials in by itself, from wherever `prefix` puts it.

    With `again` it is started anew whenever it ends, as a service manager would.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        address: str,
        token: str,
        prefix: Sequence[str] = (),
        again: bool = False,
        **environment: str,
    ) -> None:
        self._command = [*prefix, *command]
        self._folder = folder
        access = {"ARENA_ADDRESS": address, "ARENA_TOKEN": token}
        self._environment = {**os.environ, **access, **environment}
        self._again = again
        self.pids: list[int] = []
        self.codes: list[int] = []
        self._ended = threading.Event()
        self._starting = threading.Lock()  # who ends the bot for good ends the last process of it
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command, cwd=self._folder, env=self._environment)
        self.pids.append(process.pid)
        return process

    def _keep(self) -> None:
        while True:
            self.codes.append(self._process.wait())
            if not self._again or self._ended.wait(0.3):
                return
            with self._starting:
                if self._ended.is_set():
                    return
                self._process = self._start()

    def kill(self) -> None:
        """End the process as it stands; with `again` another follows."""
        self._process.kill()

    def wait(self, seconds: float) -> int:
        """Wait for its end; its exit code."""
        self._keeper.join(seconds)
        assert self.codes, f"the bot still runs after {seconds} s"
        return self.codes[-1]

    def close(self) -> None:
        """End it for good."""
        with self._starting:
            self._ended.set()
            self._process.kill()
        self._keeper.join(60.0)


@contextmanager
def dialling_in(*arguments: Any, **settings: Any) -> Iterator[DialIn]:
    """A DialIn, ended in any case."""
    made = DialIn(*arguments, **settings)
    try:
        yield made
    finally:
        made.close()


def free_port() -> int:
    """A TCP port nobody uses at the moment, and that the system gives to none who asks for any port."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Network:
    """Where a server and two bots run; `prefix(who)` goes before a command, `host(who)` is how `who` reaches
    the server.
    """

    kind = "processes of one network namespace, over loopback"
    listen = "127.0.0.1"

    def prefix(self, _who: str) -> list[str]:
        return []

    def host(self, _who: str) -> str:
        return "127.0.0.1"

    def address(self, _who: str) -> str:
        """Where `who` comes from, as the server sees it."""
        return "127.0.0.1"


class Namespaces(Network):
    """Network namespaces of their own: one for the server, one for each bot, a veth cable to each bot.

    The addresses (RFC 2544's, for tests of networks) exist inside the namespaces only.
    """

    kind = "network namespaces of their own"
    listen = "0.0.0.0"

    def __init__(self, bots: Sequence[str], stack: ExitStack) -> None:
        self._names = {who: f"arena{os.getpid()}{who}" for who in ("server", *bots)}
        self._bots = list(bots)
        for who, name in self._names.items():
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "del", name)
            self._inside(who, "link", "set", "lo", "up")
        for number, bot in enumerate(bots):
            near, far = f"s{os.getpid() % 10_000}{number}", f"b{os.getpid() % 10_000}{number}"
            ends = ("netns", self._names["server"]), ("name", far, "netns", self._names[bot])
            _ip("link", "add", near, *ends[0], "type", "veth", "peer", *ends[1])
            for who, link, host in (("server", near, self.host(bot)), (bot, far, self.address(bot))):
                self._inside(who, "address", "add", f"{host}/30", "dev", link)
                self._inside(who, "link", "set", link, "up")

    def name(self, who: str) -> str:
        """The namespace of the server or a bot."""
        return self._names[who]

    def prefix(self, who: str) -> list[str]:
        return ["ip", "netns", "exec", self._names[who]]

    def host(self, who: str) -> str:
        return f"198.18.{self._bots.index(who)}.1"

    def address(self, who: str) -> str:
        return f"198.18.{self._bots.index(who)}.2"

    def _inside(self, who: str, *arguments: str) -> None:
        _ip("-n", self._names[who], *arguments)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, timeout=30)


def _may_make_namespaces() -> bool:
    """Whether this process may; tried, since being root is not always enough."""
    name = f"arena{os.getpid()}try"
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        _ip("netns", "add", name)
        try:
            _ip("-n", name, "link", "add", "try0", "type", "veth", "peer", "name", "try1")
        finally:
            _ip("netns", "del", name)
    except (subprocess.SubprocessError, OSError):
        return False
    return True


@contextmanager
def network(*bots: str) -> Iterator[Network]:
    """Separate namespaces where that can be had, else this host's loopback."""
    with ExitStack() as stack:
        yield Namespaces(bots, stack) if _may_make_namespaces() else Network()
