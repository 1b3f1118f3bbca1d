"""Every variant still does what it did: perft, playthroughs, the behaviour signature (see goldens.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import perm
from typing import Any

import pytest
from goldens import (
    DECISIONS,
    GAMES,
    INTERVAL,
    VARIANTS,
    perft_counts,
    perft_entries,
    perft_state,
    playthrough,
    playthrough_file,
    signatures,
    written_signatures,
)

from engine_core import State

ENTRIES = [entry for variant in VARIANTS for entry in perft_entries(variant)]


def entry_name(entry: dict[str, Any]) -> str:
    return f"{entry['variant']}: {entry['name']}"


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_perft(entry: dict[str, Any]) -> None:
    assert perft_counts(entry, len(entry["counts"])) == entry["counts"]


def enumerated(state: State, depth: int) -> int:
    """Perft in Python, by legal(), copy() and apply()."""
    if depth == 0 or not state.pending():
        return 1
    seat = state.pending()[0]
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
    counts = {entry["name"]: entry["counts"] for entry in ENTRIES if entry["variant"] == "classic"}
    assert counts["claiming"] == [perm(42, depth) for depth in (1, 2, 3, 4)]
    assert counts["placing with the neutral colour"] == [14**depth for depth in (1, 2, 3, 4, 5)]


def test_perft_of_picking_headquarters_is_plain_combinatorics() -> None:
    """Every seat picks among its own territories, whatever the others pick."""
    (entry,) = [entry for entry in ENTRIES if entry["name"] == "picking headquarters"]
    owned = Counter(perft_state(entry).owner)
    picks = [owned[0], owned[0] * owned[1], owned[0] * owned[1] * owned[2]]
    assert entry["counts"][:3] == [*picks[:2], picks[2]]


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_playthrough(variant: str, seats: int) -> None:
    lines = playthrough_file(variant, seats).read_text(encoding="utf-8").splitlines()
    for number, (found, wanted) in enumerate(zip(playthrough(variant, seats), lines, strict=True), 1):
        assert found == wanted, f"line {number}"


@cache
def words_played(variant: str, seats: int) -> frozenset[str]:
    lines = playthrough_file(variant, seats).read_text(encoding="utf-8").splitlines()
    return frozenset(line.split()[1] for line in lines if line[0].isdigit())


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_playthroughs_are_worth_something(variant: str, seats: int) -> None:
    lines = playthrough_file(variant, seats).read_text(encoding="utf-8").splitlines()
    played = sum(line[0].isdigit() for line in lines)
    assert played == DECISIONS or "phase=over" in lines[-1]
    assert sum(line.startswith("=") for line in lines) == played // INTERVAL
    assert {"attack", "deploy", "place"} <= words_played(variant, seats)


def test_classic_playthroughs_are_long_and_have_everything() -> None:
    for seats in range(2, 7):
        lines = playthrough_file("classic", seats).read_text(encoding="utf-8").splitlines()
        assert sum(line[0].isdigit() for line in lines) == DECISIONS
        assert {"defend", "fortify", "trade"} <= words_played("classic", seats)


def test_playthroughs_show_what_the_variants_add() -> None:
    shown = {
        variant: frozenset[str]().union(
            *(words_played(name, seats) for name, seats in GAMES if name == variant)
        )
        for variant in VARIANTS
    }
    assert "headquarters" in shown["capital"]
    assert {"capital", "stars", "objective"} <= shown["objectives_basic"]
    assert {"capital", "claim", "stars", "objective", "airfield"} <= shown["command_room"]


def test_behaviour_signature() -> None:
    assert signatures() == written_signatures()
