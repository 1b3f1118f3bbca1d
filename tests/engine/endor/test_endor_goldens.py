"""The endor variants still do what they did: perft, playthroughs, signatures (see endor_goldens.py)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from endor_goldens import (
    INTERVAL,
    SIGNATURE,
    VARIANTS,
    perft_counts,
    perft_entries,
    perft_state,
    playthrough,
    playthrough_file,
    signatures,
)

from engine_core import State

ENTRIES = perft_entries()


def entry_name(entry: dict[str, Any]) -> str:
    return str(entry["name"])


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_perft(entry: dict[str, Any]) -> None:
    assert len(entry["counts"]) >= 3
    assert perft_counts(entry, len(entry["counts"])) == entry["counts"]


def enumerated(state: State, depth: int) -> int:
    """Perft in Python, by legal(), copy() and apply(); of several seats the first one moves."""
    if depth == 0 or not state.pending():
        return 1
    seat = state.pending()[0]
    total = 0
    for entry in state.legal(seat):
        for amount in range(entry.lo, entry.hi + 1):
            child = state.copy()
            child.apply(seat, entry.action(amount))
            total += enumerated(child, depth - 1)
    return total


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_perft_agrees_with_an_enumeration_in_python(entry: dict[str, Any]) -> None:
    for depth, count in enumerate(entry["counts"], 1):
        if count < 30_000:
            assert enumerated(perft_state(entry), depth) == count


@pytest.mark.parametrize("variant", VARIANTS)
def test_playthrough(variant: str) -> None:
    lines = playthrough_file(variant).read_text(encoding="utf-8").splitlines()
    for number, (found, wanted) in enumerate(zip(playthrough(variant), lines, strict=True), 1):
        assert found == wanted, f"line {number}"


@pytest.mark.parametrize("variant", VARIANTS)
def test_playthroughs_are_worth_something(variant: str) -> None:
    lines = playthrough_file(variant).read_text(encoding="utf-8").splitlines()
    played = [line.split()[1] for line in lines if line[0].isdigit()]
    assert sum(line.startswith("=") for line in lines) == len(played) // INTERVAL
    assert {"pass", "pick", "order", "deploy", "move", "attack", "hit", "fire"} <= set(played)


def test_behaviour_signatures() -> None:
    written = tomllib.loads(SIGNATURE.read_text(encoding="utf-8"))
    assert {variant: f"{number:016x}" for variant, number in signatures().items()} == written
