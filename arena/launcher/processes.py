"""What /proc tells about processes, and the two Linux calls that tie their lives together."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MARKER = "ARENA_RUN"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc: state letter, CPU seconds with those of children it waited for, memory in bytes.

    `started` is in clock ticks since boot: with the pid it names a process for good.
    """

    pid: int
    name: str
    state: str
    parent: int
    cpu_s: float
    started: str
    memory: int

    @property
    def runs(self) -> bool:
        """Whether it is not merely waiting to be collected by its parent."""
        return self.state not in "ZX"


def die_with_parent(parent: int, signum: int) -> bool:
    """Have the kernel send this process `signum` when its parent ends; False if it is gone already."""
    _libc.prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)
    return os.getppid() == parent


def adopt_orphans() -> None:
    """Make descendants whose parent ends children of this process, however they detached themselves."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def give_up_privileges() -> None:
    """Let no program that is started from here gain rights by its file's owner (setuid) or capabilities."""
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def processes() -> Iterator[int]:
    """Process ids that exist now."""
    return (int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit())


def look_at(pid: int) -> Process | None:
    """What /proc says of one process; None when it is gone."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        text = os.read(descriptor, 4096)  # a third of what Path.read_text takes: this is read very often
    except OSError:
        return None
    finally:
        os.close(descriptor)
    name, _, rest = text.partition(b"(")[2].rpartition(b")")  # the name may hold blanks and brackets
    fields = rest.split()
    return Process(
        pid,
        name=name.decode(errors="replace"),
        state=fields[0].decode(),
        parent=int(fields[1]),
        cpu_s=sum(map(int, fields[11:15])) / _TICKS,
        started=fields[19].decode(),
        memory=int(fields[21]) * _PAGE,
    )


def snapshot() -> dict[int, Process]:
    """Every process that exists now."""
    return {pid: found for pid in processes() if (found := look_at(pid)) is not None}


def below(root: int, seen: Mapping[int, Process]) -> list[Process]:
    """The processes below `root` that run."""
    children: dict[int, list[Process]] = {}
    for process in seen.values():
        if process.runs:
            children.setdefault(process.parent, []).append(process)
    found, queue = [], [root]
    while queue:
        offspring = children.get(queue.pop(), [])
        found += offspring
        queue += [process.pid for process in offspring]
    return found


def descendants(root: int) -> list[int]:
    """The ids of all processes below `root` that still run (zombies left out)."""
    return [process.pid for process in below(root, snapshot())]


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


def own_memory(pids: Iterable[int]) -> int:
    """Bytes that processes hold together, what they share counted once (their proportional set sizes)."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:  # gone, or not ours to read: then its resident size stands
            process = look_at(pid)
            total += process.memory if process else 0
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def kill(pid: int, signum: int = signal.SIGKILL, *, group: bool = False) -> None:
    """Send a signal to a process or its group; one that is gone is no error."""
    try:
        (os.killpg if group else os.kill)(pid, signum)
    except (ProcessLookupError, PermissionError):
        return


def newest_process() -> int:
    """The id given last, to a process or a thread, on this machine."""
    return int(Path("/proc/loadavg").read_text(encoding="ascii").rpartition(" ")[2])


def chase(parent: int) -> None:
    """SIGKILL the newest process of all if it is a child of `parent`.

    A process that keeps forking away from its own end is gone before a look at all of /proc is over.
    """
    newest = look_at(newest_process())
    if newest is not None and newest.parent == parent:
        kill(newest.pid)


def sweep(run: str = "", *, below: int | None = None, seconds: float = 2.0) -> list[int]:
    """SIGKILL all processes marked with `run`, if given, and, with `below`, all below that process.

    Repeats until none is left, since a process may fork while it is being looked for; returns what is left
    after `seconds` (processes stuck in the kernel).
    """
    deadline = time.monotonic() + seconds
    while left := {*(marked(run) if run else ()), *(descendants(below) if below is not None else ())}:
        for pid in left:
            kill(pid)
        if time.monotonic() > deadline:
            return sorted(left)
        time.sleep(0.005)
    return []
