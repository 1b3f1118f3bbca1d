"""Examines a bot before it meets others: one file a check in `checks`, found by scanning the folder.

A check module has ORDER (a number), NAME, and `examine(patient)`, which yields findings.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Literal

from arena.doctor import checks
from arena.runners.interview import Interview
from arena.types import Isolation, Limits, Player

Grade = Literal["ok", "warn", "fix"]
WARN_SHARE = 0.8  # of a limit: who uses more will miss it on a busier machine


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: `ok`, worth a warning, or to be fixed; `advice` says how."""

    check: str
    grade: Grade
    message: str
    advice: str = ""


@dataclass(slots=True)
class Patient:
    """The bot under examination, the variants it claims, and its limits; `lost` once it cannot go on."""

    player: Player
    variants: tuple[str, ...]
    limits: Limits
    quick: bool = False
    lost: bool = False
    notes: dict[str, float] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Whether the bot runs in a process of its own."""
        return self.player.bot.kind == "command"

    def interview(self, isolation: Isolation | None = None) -> Interview:
        """The bot, started anew; see arena.runners.interview."""
        return Interview(self.player, self.limits, isolation or Isolation())


def scan() -> list[ModuleType]:
    """The checks in their order."""
    found = [
        importlib.import_module(f"{checks.__name__}.{module.name}")
        for module in pkgutil.iter_modules(checks.__path__)
    ]
    return sorted(found, key=lambda module: int(module.ORDER))


def examine(patient: Patient) -> Iterator[Finding]:
    """Run every check; a bot that is lost is not examined further."""
    for check in scan():
        if patient.lost:
            return
        for grade, message, advice in check.examine(patient):
            yield Finding(check.NAME, grade, message, advice)


def share(used_s: float, limit_s: float) -> str:
    """A time and what part of its limit it is."""
    return f"{_time(used_s)} ({100 * used_s / limit_s:.1f} % of {limit_s:g} s)"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.2f} ms"
