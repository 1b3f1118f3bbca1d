"""What /proc tells about processes, and the two Linux calls that tie their lives together."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.launcher.exits import Census

MARKER = "ARENA_RUN"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int, signum: int) -> bool:
    """Have the kernel send this process `signum` when its parent ends; False if it is gone already."""
    _libc.prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)
    return os.getppid() == parent


def adopt_orphans() -> None:
    """Make descendants whose parent ends children of this process, however they detached themselves."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes() -> Iterator[int]:
    """Process ids that exist now."""
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def marked(run: str) -> list[int]:
    """Processes started with ARENA_RUN = `run`, or `run` and a dot and more, in their environment."""
    prefix = f"{MARKER}={run}".encode()
    found = []
    for pid in processes():
        try:
            entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:  # gone meanwhile, or another user's
            continue
        if pid != os.getpid() and any(e == prefix or e.startswith(prefix + b".") for e in entries):
            found.append(pid)
    return found


def descendants(root: int) -> list[int]:
    """All processes below `root` that still run (zombies left out)."""
    children: dict[int, list[int]] = {}
    for pid in processes():
        state, parent = _state_and_parent(pid)
        if state not in "ZX":
            children.setdefault(parent, []).append(pid)
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _state_and_parent(pid: int) -> tuple[str, int]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "X", 0
    fields = text.rpartition(")")[2].split()  # the name before may hold blanks and brackets
    return fields[0], int(fields[1])


def count(tree: Sequence[int]) -> Census:
    """What the processes of a bot, itself the first of them, hold together."""
    cpu_s = memory = 0.0
    for pid in tree:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        cpu_s += sum(map(int, fields[11:15])) / _TICKS  # its own and that of children it has waited for
        memory += int(fields[21]) * _PAGE / 2**20
    return Census(len(tree) - 1, cpu_s, memory)


def kill(pid: int, signum: int = signal.SIGKILL, *, group: bool = False) -> None:
    """Send a signal to a process or its group; one that is gone is no error."""
    try:
        (os.killpg if group else os.kill)(pid, signum)
    except (ProcessLookupError, PermissionError):
        return


def sweep(run: str, *, below: int | None = None, seconds: float = 2.0) -> list[int]:
    """SIGKILL all processes marked with `run` and, with `below`, all descendants of that process.

    Repeats until none is left, since a process may fork while it is being looked for; returns what is left
    after `seconds` (processes stuck in the kernel).
    """
    deadline = time.monotonic() + seconds
    while left := {*marked(run), *(descendants(below) if below is not None else ())}:
        for pid in left:
            kill(pid)
        if time.monotonic() > deadline:
            return sorted(left)
        time.sleep(0.005)
    return []
