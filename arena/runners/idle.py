"""Measures the CPU time that bots' processes burn while they owe no answer.

Counted are spans between two beats in which a bot held no question at all, from end to end: of a bot that is
asked again and again within one beat nothing is known, so that the figure is a lower bound.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from arena.driver.table import Line
from arena.launcher.processes import descendants, look_at

# How often new processes of a bot are looked for.
FAMILY_S = 1.0


@dataclass(slots=True)
class _Bot:
    """One bot's process, the way to it, and what was seen of both last."""

    pid: int
    line: Line
    cpu_s: float | None = None
    sent: int = -1
    family: tuple[int, ...] = ()
    family_at: float = field(default=-FAMILY_S)

    def burnt_s(self) -> float:
        """CPU seconds since the last look, if it held no question from then to now."""
        free, sent = not self.line.open, self.line.sent
        before, was_free_since = self.cpu_s, self.sent
        self.cpu_s = self._cpu_s() if free else None
        self.sent = sent
        if before is None or self.cpu_s is None or was_free_since != sent:
            return 0.0
        return max(0.0, self.cpu_s - before)

    def _cpu_s(self) -> float:
        now = time.monotonic()
        if now - self.family_at >= FAMILY_S:
            self.family, self.family_at = (self.pid, *descendants(self.pid)), now
        return sum(process.cpu_s for pid in self.family if (process := look_at(pid)) is not None)


class IdleMeter:
    """`look` at each beat of a clock; `take` what was burnt since it was last asked for. Thread-safe."""

    def __init__(self) -> None:
        """Nobody is watched."""
        self._lock = threading.Lock()
        self._bots: dict[str, _Bot] = {}
        self._burnt_s: defaultdict[str, float] = defaultdict(float)

    def follow(self, lines: Collection[tuple[str, Line]]) -> None:
        """Watch the bots at the ends of these lines, by name, and no others."""
        with self._lock:
            pids = {name: (line.door.pid, line) for name, line in lines}
            self._bots = {name: _Bot(pid, line) for name, (pid, line) in pids.items() if pid is not None}

    def look(self) -> None:
        """Add up what was burnt since the last look."""
        with self._lock:
            for name, bot in self._bots.items():
                self._burnt_s[name] += bot.burnt_s()

    def take_ms(self) -> dict[str, float]:
        """What each bot burnt since this was last called, in milliseconds of CPU time."""
        with self._lock:
            taken, self._burnt_s = self._burnt_s, defaultdict(float)
        return {name: 1000.0 * seconds for name, seconds in taken.items()}
