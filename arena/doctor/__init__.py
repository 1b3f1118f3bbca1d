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
from arena.errors import PluginError
from arena.runners import UNGUARDED
from arena.runners.interview import Interview
from arena.types import Isolation, Limits, Player

Grade = Literal["ok", "warn", "fix", "skip"]
WARN_SHARE = 0.8  # of a limit: who uses more will miss it on a busier machine


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: `ok`, worth a warning, to be fixed (`advice` says how), or why it was not done."""

    check: str
    grade: Grade
    message: str
    advice: str = ""


@dataclass(slots=True)
class Patient:
    """The bot under examination, the variants it claims, and its limits; `lost` once it cannot go on.

    It is examined in `isolation`.
    """

    player: Player
    variants: tuple[str, ...]
    limits: Limits
    quick: bool = False
    isolation: Isolation = UNGUARDED
    lost: bool = False
    notes: dict[str, float] = field(default_factory=dict)
    # The kinds of faults it has shown.
    faults: set[str] = field(default_factory=set)

    @property
    def remote(self) -> bool:
        """Whether the bot runs in a process of its own."""
        return self.player.bot.kind == "command"

    def interview(self, isolation: Isolation | None = None) -> Interview:
        """The bot, started anew; see arena.runners.interview."""
        return Interview(self.player, self.limits, isolation or self.isolation)


def scan() -> list[ModuleType]:
    """The checks in their order."""
    found = [
        importlib.import_module(f"{checks.__name__}.{module.name}")
        for module in pkgutil.iter_modules(checks.__path__)
    ]
    return sorted(found, key=lambda module: int(module.ORDER))


def examine(patient: Patient) -> Iterator[Finding]:
    """Run every check; of a bot that is lost, the others say that they were not done."""
    lost_at = ""
    for check in scan():
        if patient.lost:
            yield Finding(check.NAME, "skip", f"not done: `{lost_at}` has to be fixed first")
            continue
        lost_at = check.NAME
        try:
            for grade, message, advice in check.examine(patient):
                yield Finding(check.NAME, grade, message, advice)
        except PluginError as error:
            patient.lost = True
            yield Finding(check.NAME, "fix", str(error), "it must start as often as it is asked to")


def share(used_s: float, limit_s: float) -> str:
    """A time and what part of its limit it is."""
    return f"{seconds(used_s)} ({100 * used_s / limit_s:.1f} % of {limit_s:g} s)"


def seconds(used_s: float) -> str:
    """A time, always in seconds, so that times can be compared at a glance."""
    return f"{used_s:.2f} s" if used_s >= 1 else f"{used_s:.4f} s"


def count(number: int, noun: str, nouns: str = "") -> str:
    """So many of something: `1 game`, `2 games`."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"
