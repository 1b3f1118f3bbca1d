"""Benchmarks: one file a part, found by scanning; every figure is a ratio measured in one run.

A part is a module with TITLE, and measure(quick: bool) -> list[Figure]. `arena bench` runs them and writes
results/bench.md. Nothing here is timed by the tests: machines are shared and noisy.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value beside another of the same run; `ratio` is a median of ratios, not a ratio of medians.

    The ratio says how our time compares with theirs, or how many times faster we are where the name says so.
    `goal` is the bound on the ratio, such as "<= 1.5", or "" where the figure is only reported.
    """

    name: str
    value: float
    unit: str
    beside: str = ""
    beside_value: float | None = None
    ratio: float | None = None
    goal: str = ""
    conditions: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if not self.goal or self.ratio is None:
            return None
        sign, bound = self.goal.split()
        return self.ratio <= float(bound) if sign == "<=" else self.ratio >= float(bound)


class Part(Protocol):
    """What a module of this package offers."""

    TITLE: str

    def measure(self, quick: bool) -> list[Figure]:
        """Measure; `quick` trades precision for time. PlatformFault when something needed is missing."""


def parts() -> dict[str, Part]:
    """All parts by name, sorted; importing them is cheap, measuring is not."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: cast(Part, import_module(f"{__name__}.{name}")) for name in names}


def paired(
    ours: Callable[[], float], theirs: Callable[[], float], repeats: int
) -> tuple[float, float, float]:
    """Medians of two measurements taken in turn, and of their ratios (ours / theirs) pair by pair."""
    pairs = [(ours(), theirs()) for _ in range(repeats)]
    return _median([a for a, _ in pairs]), _median([b for _, b in pairs]), _median([a / b for a, b in pairs])


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)
