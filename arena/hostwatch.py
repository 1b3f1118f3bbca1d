"""Watches the host while bots are on the clock: whether it stalls, and whether its cores are crowded.

A thread wakes at every beat. A wake-up far too late was a stall of the whole process: a suspended machine, or
C code that kept the interpreter's lock. At each beat it reads how many threads of the machine want a core:
with more of them than cores a bot gets but its share, and the rest of its time was taken by others.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from arena.clocks import STALL_S, Lost, StallLog, stall_text
from arena.seats import Door

BEAT_S = 0.05
# Where all bots run in this process: a crowd excuses none of them, and each beat interrupts them.
SLOW_BEAT_S = 0.25
# A crowd excuses at most this many times the limit: what is counted of it is an estimate.
MOST_CROWD = 4.0
_KEPT_BEATS = 4096
_LOAD = Path("/proc/loadavg")


class Beat(NamedTuple):
    """At one beat: when, how much time it stands for, and how many threads of the machine wanted a core."""

    at: float
    seconds: float
    runnable: int


class HostWatch(StallLog):
    """Watches from `start` to `close`; `also` is called at each beat, every `beat_s` seconds."""

    def __init__(self, also: Callable[[], None] = lambda: None, beat_s: float = BEAT_S) -> None:
        """Nothing is watched yet."""
        super().__init__()
        self.beat_s = beat_s
        self._also = also
        self._beats: deque[Beat] = deque(maxlen=_KEPT_BEATS)
        self._last = time.monotonic(), time.process_time()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="host watch", daemon=True)

    def start(self) -> HostWatch:
        """Watch."""
        self._beat()
        self._thread.start()
        return self

    def close(self) -> None:
        """Watch no longer; harmless twice."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(STALL_S)

    def lost(self, begin: float, end: float, limit_s: float, door: Door) -> Lost:
        """See StallLog; a crowd takes time from a bot's process, whose own threads are none to it."""
        if not self._ended.is_set():
            self._beat()  # after a stall, others may have woken before our thread
        stalled_s = self.stalled_s(begin, end, door)
        beats = [beat for beat in tuple(self._beats) if begin < beat.at <= end]
        if door.pid is None or not beats:
            return Lost(stalled_s, why=stall_text(stalled_s))
        own = runnable_threads(door.pid)
        cores = os.cpu_count() or 1
        crowded_s = sum(beat.seconds * crowd_share(beat.runnable, own, cores) for beat in beats)
        crowded_s = min(crowded_s, MOST_CROWD * limit_s)
        mean = sum(beat.runnable for beat in beats) / len(beats)
        crowd = f"{mean:.1f} threads wanted {cores} cores, which took about {crowded_s:.3f} s from the bot"
        return Lost(stalled_s, crowded_s, "; ".join(filter(None, [stall_text(stalled_s), crowd])))

    def _run(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are the main thread's
        while not self._ended.wait(self.beat_s):
            self._beat()
            self._also()

    def _beat(self) -> None:
        """Note how the time since the last beat was spent."""
        with self._lock:
            (before, cpu_before), now, cpu = self._last, time.monotonic(), time.process_time()
            self._last = now, cpu
            gap = now - before
            if gap > self.beat_s + STALL_S:
                self.note(before, now, busy=cpu - cpu_before > gap / 2)
            self._beats.append(Beat(now, min(gap, self.beat_s), runnable()))


def crowd_share(wanting: int, own: int, cores: int) -> float:
    """The share of its time a thread loses on `cores` cores where `wanting` run, `own` of them its bot's."""
    others = max(0, wanting - max(own, 1)) + 1
    return 1.0 - cores / others if others > cores else 0.0


def runnable() -> int:
    """How many threads of this machine run or wait for a core, besides the one that asks."""
    try:
        text = _LOAD.read_text(encoding="ascii")
    except OSError:  # not on Linux: nothing is known of a crowd
        return 0
    return max(0, int(text.split()[3].partition("/")[0]) - 1)


def runnable_threads(root: int) -> int:
    """How many threads of a process, of its session and of all below it run or wait for a core."""
    family, parents = {root}, {}
    for pid, parent, session in _processes():
        parents[pid] = parent
        if session == root:
            family.add(pid)
    for pid in parents:
        if not family.isdisjoint(_line(pid, parents)):
            family.add(pid)
    return sum(Counter(_thread_states(pid))["R"] for pid in family)


def process_gone(pid: int) -> bool:
    """Whether a process has ended, collected by its parent or not."""
    return Path("/proc/self").exists() and _stat(Path(f"/proc/{pid}"))[:1] in ([], ["Z"], ["X"])


def _line(pid: int, parents: dict[int, int]) -> Iterator[int]:
    """A process and those it comes from."""
    while pid > 1:
        yield pid
        pid = parents.get(pid, 0)


def _processes() -> Iterator[tuple[int, int, int]]:
    """(process, parent, session) of every process."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(entry)):
            yield int(entry.name), int(fields[1]), int(fields[3])


def _thread_states(pid: int) -> Iterator[str]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # gone meanwhile
        return
    for thread in threads:
        if fields := _stat(thread):
            yield fields[0]


def _stat(place: Path) -> list[str]:
    """What follows the name in a stat file: state, parent, group, session ...; [] when it is gone."""
    try:
        return (place / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
