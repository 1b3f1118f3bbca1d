"""The limits of isolation levels `limits` and `sandbox`, and in words which of them a bot has met.

The kernel enforces file size, CPU time, open files and core dumps of each process. Memory and the number of
processes are counted over the bot's whole tree and enforced by the launcher, because no rlimit fits:
RLIMIT_AS counts address space, of which Java, Go and Node reserve far more than they use, and RLIMIT_NPROC
counts all processes of the user.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Iterable, Mapping

from arena.launcher.processes import Process, below, look_at, newest_process, own_memory, snapshot
from arena.types import Isolation

WATCH_S = 0.1
MIB = 2**20
OPEN_FILES = 1024, 4096
_CPU_GRACE_S = 1
# What a program says that catches the error and gives up; each in the words of the C library.
_REFUSALS = {
    errno.EFBIG: "wrote a file of more than {file_mib} MiB, the limit ([isolation] file_mib)",
    errno.ENOSPC: "filled the space for its files, {room_mib} MiB (twice [isolation] file_mib)",
    errno.EMFILE: f"had more than {OPEN_FILES[1]} files open, the limit",
}


def apply(isolation: Isolation) -> None:
    """Set the limits of this process, which are inherited by all it starts."""
    if isolation.level == "none":
        return
    wanted = {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (isolation.file_mib * MIB,) * 2,
        resource.RLIMIT_CPU: (isolation.cpu_s, isolation.cpu_s + _CPU_GRACE_S),
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for which, (soft, hard) in wanted.items():
        present = resource.getrlimit(which)[1]
        top = hard if present == resource.RLIM_INFINITY else min(hard, present)
        resource.setrlimit(which, (min(soft, top), top))


class Watch:
    """Counts, again and again, what limited bots' trees hold."""

    def __init__(self) -> None:
        """Nothing is known of any tree."""
        self._newest = 0
        self._trees: dict[int, list[Process]] = {}
        self._cpu_s: dict[int, float] = {}

    def look(self, keepers: Mapping[int, Isolation]) -> dict[int, str]:
        """Of the bots below these keepers, those over a limit, each with the limit in words."""
        newest = newest_process()  # changes whenever a process or thread begins
        if newest != self._newest or keepers.keys() != self._trees.keys():
            seen = snapshot()
            self._trees = {keeper: below(keeper, seen) for keeper in keepers}
            self._newest = newest
        else:  # no process has begun since: those known are all
            self._trees = {keeper: _again(tree) for keeper, tree in self._trees.items()}
        self._cpu_s = {
            keeper: max(self.cpu_s(keeper), _most_cpu_s(self._trees[keeper])) for keeper in keepers
        }
        found = {keeper: _over(isolation, self._trees[keeper]) for keeper, isolation in keepers.items()}
        return {keeper: words for keeper, words in found.items() if words}

    def cpu_s(self, keeper: int) -> float:
        """The most CPU seconds that a single process of a tree was seen to have used."""
        return self._cpu_s.get(keeper, 0.0)


def at_exit(isolation: Isolation, code: int | None, signame: str | None, output: str, cpu_s: float) -> str:
    """In words, the limit that ended a process by itself; "" if none did."""
    if isolation.level == "none" or code == 0:
        return ""
    if signame == "SIGXCPU" or (signame == "SIGKILL" and cpu_s >= isolation.cpu_s):
        return f"used {isolation.cpu_s} s of CPU time, the limit of one process ([isolation] cpu_s)"
    room_mib = 2 * isolation.file_mib
    if signame == "SIGXFSZ":
        return _REFUSALS[errno.EFBIG].format(file_mib=isolation.file_mib, room_mib=room_mib)
    last_words = output[-4096:].lower()
    for number, words in _REFUSALS.items():
        if os.strerror(number).lower() in last_words:
            return words.format(file_mib=isolation.file_mib, room_mib=room_mib)
    return ""


def _over(isolation: Isolation, tree: list[Process]) -> str:
    if len(tree) > isolation.processes + overhead(isolation):
        number = len(tree) - overhead(isolation)
        return f"ran {number} processes, the limit is {isolation.processes} ([isolation] processes)"
    limit = isolation.memory_mib * MIB
    if sum(process.memory for process in tree) <= limit:
        return ""
    held = own_memory(process.pid for process in tree)  # dear, but pages that processes share count once
    if held <= limit:
        return ""
    return f"held {held // MIB} MiB of memory, the limit is {isolation.memory_mib} ([isolation] memory_mib)"


def overhead(isolation: Isolation) -> int:
    """How many processes below a bot's keeper are the sandbox's own."""
    return 2 if isolation.level == "sandbox" else 0


def signal_of(code: int) -> str | None:
    """The signal in an exit code as shells, and bubblewrap, write it; None if there is none."""
    try:
        return signal.Signals(code - 128).name if code > 128 else None
    except ValueError:
        return None


def _most_cpu_s(tree: Iterable[Process]) -> float:
    return max((process.cpu_s for process in tree), default=0.0)


def _again(tree: Iterable[Process]) -> list[Process]:
    found = (look_at(process.pid) for process in tree)
    return [process for process in found if process is not None and process.runs]
