"""One small process above each bot: whatever the bot leaves behind becomes the keeper's child, and ends.

A bot may fork twice, make its own session and drop its environment; its keeper is still its nearest living
ancestor that adopts orphans, so the tree below the keeper is the bot, and nothing else.
The keeper writes JSON lines to a pipe: {"pid": 4711} or {"error": "...", "why": "..."}, then
{"status": 3, "left": [...]}.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from arena.launcher import limits
from arena.launcher.keyrings import leave_session_keyring
from arena.launcher.processes import (
    adopt_orphans,
    below,
    chase,
    descendants,
    die_with_parent,
    give_up_privileges,
    kill,
    snapshot,
    sweep,
)
from arena.types import Isolation

NAMED = 20
CLEAR_S = 2.0
CHASES = 20


@dataclass(frozen=True, slots=True)
class Order:
    """What to run, and the file descriptors it gets as standard input, output and error.

    Those in `passed` it gets as they are.
    """

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str]
    isolation: Isolation
    stdin: int
    stdout: int
    stderr: int
    passed: tuple[int, ...] = ()


def fork_keeper(order: Order, report: int) -> int:
    """Start a keeper that starts what is ordered, and return its pid; it writes to `report`.

    Forks: only for the launcher process, which has one thread and holds nothing that must not be copied.
    """
    launcher = os.getpid()
    if pid := os.fork():
        return pid
    try:
        _close_all_but(2, report, order.stdin, order.stdout, order.stderr, *order.passed)
        keep(order, report, launcher)
    except Exception as error:
        _say(report, error=f"its keeper failed: {type(error).__name__}: {error}")
    finally:
        os._exit(1)


def keep(order: Order, report: int, parent: int) -> NoReturn:
    """Be the keeper of a bot, started by `parent`, to the end of this process."""
    signal.set_wakeup_fd(-1)
    for signum in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(signum, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda *_: sweep(below=os.getpid()))
    # What comes before there is a bot to end has to wait for it.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    adopt_orphans()
    if not die_with_parent(parent, signal.SIGTERM):
        os._exit(1)
    try:
        bot = _start(order)
    except OSError as error:
        _say(report, error=str(error), why=error.strerror)
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    _say(report, pid=bot.pid)
    _close_all_but(2, report)
    _await(bot.pid)
    left = _names_below()
    kill(bot.pid, group=True)  # not collected yet, so its process id, which is its group's, is still its own
    status = bot.wait()
    _end_all()
    _say(report, status=status, left=left)
    os._exit(0)


def _end_all() -> None:
    """Kill and collect what is left, until the kernel says that there is no child: then the bot is gone.

    No look at /proc could prove that, since a process may fork and exit between two of them. Gives up after
    CLEAR_S on processes that are stuck in the kernel, but never before it has killed what it found.
    """
    deadline = time.monotonic() + CLEAR_S
    while True:
        for pid in descendants(os.getpid()):
            kill(pid)
        for _ in range(CHASES):
            chase(os.getpid())
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        if time.monotonic() > deadline:
            return
        time.sleep(0.0005)


def _names_below() -> list[str]:
    """What runs below this process, but for the sandbox's own helpers, which are about to end."""
    found = [process for process in below(os.getpid(), snapshot()) if process.name != "bwrap"]
    more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
    return [f"{process.name} (pid {process.pid})" for process in found[:NAMED]] + more


def _start(order: Order) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        order.argv,
        cwd=order.cwd,
        env=order.environment,
        stdin=order.stdin,
        stdout=order.stdout,
        stderr=order.stderr,
        start_new_session=True,
        pass_fds=order.passed,
        preexec_fn=partial(_prepare, os.getpid(), order.isolation),  # safe: the keeper has one thread
    )


def _prepare(keeper: int, isolation: Isolation) -> None:
    """Runs in the new process before the bot's program."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    limits.apply(isolation)
    if isolation.level == "limits":  # in the sandbox bubblewrap does it, which may itself be setuid
        give_up_privileges()
    if isolation.level != "none":
        leave_session_keyring()
    if not die_with_parent(keeper, signal.SIGKILL):
        os._exit(1)


def _await(bot: int) -> None:
    """Wait for the end of the bot's own process, and collect every orphan that ends before it."""
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        if ended is None or ended.si_pid == bot:
            return
        os.waitpid(ended.si_pid, 0)


def _say(report: int, **message: object) -> None:
    os.write(report, json.dumps(message).encode() + b"\n")


def _close_all_but(*kept: int) -> None:
    """Close what was inherited: a copy of another bot's pipe here would hide that bot's end."""
    for descriptor in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if descriptor not in kept:
            with contextlib.suppress(OSError):  # the one that listed them is closed already
                os.close(descriptor)
