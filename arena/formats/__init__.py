"""Tournament formats: pure rules that say who plays whom; one file a format, found by scanning this folder.

A format module names its class in a module constant `FORMAT`. Formats are lazy and seeded: the same arguments
give the same schedule, and no schedule is ever held in memory.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from typing import Protocol

from arena.types import Pairing, VariantSetup


class Format(Protocol):
    """A schedule over entries 0..players-1; built as `Format(setups, players, rounds, seed)`."""

    name: str

    def __init__(self, setups: Sequence[VariantSetup], players: int, rounds: int, seed: bytes) -> None:
        """Take arguments for which `problems` finds nothing; `seed` decides every order that is drawn."""

    @staticmethod
    def problems(setups: Sequence[VariantSetup], players: int, rounds: int) -> tuple[tuple[str, str], ...]:
        """Return what makes these arguments unusable as (argument, message); arguments are named
        `players`, `rounds` or `setups[i]`.
        """

    def total(self) -> int:
        """Return the number of matches without enumerating them."""

    def pairings(self, start: int = 0) -> Iterator[Pairing]:
        """Yield the pairings with sequence numbers `start`, `start + 1`, ... in scheduled order, lazily."""


def scan() -> dict[str, type[Format]]:
    """Return the formats of this folder by name."""
    found: dict[str, type[Format]] = {}
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        found[module.FORMAT.name] = module.FORMAT
    return found
