"""The classic game still does what it did: perft, playthroughs, the behaviour signature (see goldens.py)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from math import perm
from typing import Any

import pytest
from goldens import (
    DECISIONS,
    INTERVAL,
    SEATS,
    SIGNATURE,
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
    assert perft_counts(entry, len(entry["counts"])) == entry["counts"]


def enumerated(state: State, depth: int) -> int:
    """Perft in Python, by legal(), copy() and apply()."""
    if depth == 0 or not state.pending():
        return 1
    (seat,) = state.pending()
    legal = state.legal(seat)
    if depth == 1:
        return legal.count()
    return sum(enumerated(child, depth - 1) for child in children(state, seat))


def children(state: State, seat: int) -> Iterator[State]:
    for entry in state.legal(seat):
        for amount in range(entry.lo, entry.hi + 1):
            child = state.copy()
            child.apply(seat, entry.action(amount))
            yield child


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_perft_agrees_with_an_enumeration_in_python(entry: dict[str, Any]) -> None:
    depths = [
        depth
        for depth in range(1, len(entry["counts"]) + 1)
        if depth == 1 or entry["counts"][depth - 2] < 20_000
    ]
    assert depths[-1] >= 3
    for depth in depths:
        assert enumerated(perft_state(entry), depth) == entry["counts"][depth - 1]


def test_perft_of_the_set_up_is_plain_combinatorics() -> None:
    counts = {entry["name"]: entry["counts"] for entry in ENTRIES}
    assert counts["claiming"] == [perm(42, depth) for depth in (1, 2, 3, 4)]
    assert counts["placing with the neutral colour"] == [14**depth for depth in (1, 2, 3, 4, 5)]


@pytest.mark.parametrize("seats", SEATS)
def test_playthrough(seats: int) -> None:
    lines = playthrough_file(seats).read_text(encoding="utf-8").splitlines()
    for number, (found, wanted) in enumerate(zip(playthrough(seats), lines, strict=True), 1):
        assert found == wanted, f"line {number}"


@pytest.mark.parametrize("seats", SEATS)
def test_playthroughs_are_worth_something(seats: int) -> None:
    lines = playthrough_file(seats).read_text(encoding="utf-8").splitlines()
    played = [line.split()[1] for line in lines if line[0].isdigit()]
    assert len(played) == DECISIONS
    assert sum(line.startswith("=") for line in lines) == DECISIONS // INTERVAL
    assert {"attack", "defend", "deploy", "place", "end", "fortify", "occupy", "trade"} <= set(played)


def test_behaviour_signature() -> None:
    written = tomllib.loads(SIGNATURE.read_text(encoding="utf-8"))
    assert {seats: f"{number:016x}" for seats, number in signatures().items()} == written
