"""Round robin: the exact multiset of pairings, lazily and from the seed alone."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_samples import setup

from arena.formats import scan
from arena.formats.round_robin import RoundRobin

SEED = b"sixteen bytes 16"


@given(
    st.lists(st.integers(2, 6), min_size=1, max_size=3),
    st.integers(6, 9),
    st.integers(1, 3),
    st.binary(max_size=80),
)
def test_every_line_up_meets_once_on_every_setup_in_every_round(
    seats: list[int], players: int, rounds: int, seed: bytes
) -> None:
    """The multiset of pairings is exact, their number is total(), their order the scheduled one (E01)."""
    schedule = RoundRobin([setup(k) for k in seats], players, rounds, seed)
    pairings = list(schedule.pairings())
    assert [pairing.sequence for pairing in pairings] == list(range(schedule.total()))
    assert [(p.round, p.setup) for p in pairings] == sorted((p.round, p.setup) for p in pairings)
    assert Counter((p.round, p.setup, tuple(sorted(p.players))) for p in pairings) == Counter(
        (round_number, index, line_up)
        for round_number in range(rounds)
        for index, k in enumerate(seats)
        for line_up in combinations(range(players), k)
    )


@given(st.integers(0, 60), st.binary(max_size=16))
def test_a_schedule_can_be_entered_anywhere(start: int, seed: bytes) -> None:
    schedule = RoundRobin([setup(2), setup(3)], 5, 3, seed)
    assert list(schedule.pairings(start)) == list(schedule.pairings())[start:]


def test_ten_million_matches_start_in_constant_memory() -> None:
    """The schedule is lazy (E16): its beginning, its middle and its end cost the same."""
    tracemalloc.start()
    try:
        schedule = RoundRobin([setup(4)], 40, 110, SEED)
        assert schedule.total() == 110 * comb(40, 4) == 10_052_900
        for start in (0, schedule.total() // 2, schedule.total() - 1000):
            assert sum(1 for _ in islice(schedule.pairings(start), 1000)) == 1000
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


def test_order_and_seats_depend_on_the_seed_and_differ_by_round() -> None:
    setups = [setup(4)]
    one, again, other = (list(RoundRobin(setups, 8, 2, seed).pairings()) for seed in (b"a", b"a", b"b"))
    assert one == again
    line_ups = [[tuple(sorted(p.players)) for p in schedule] for schedule in (one, other)]
    assert line_ups[0] != line_ups[1]
    assert line_ups[0][:70] != line_ups[0][70:]
    seating = {tuple(sorted(p.players)): p.players for p in one[:70]}
    assert any(seating[tuple(sorted(p.players))] != p.players for p in one[70:])


def test_circular_orders_are_drawn_evenly() -> None:
    """All 6 circular orders of 4 players occur about equally often, and so does every first seat."""
    pairings = list(RoundRobin([setup(4)], 4, 6000, SEED).pairings())
    circles: Counter[tuple[int, ...]] = Counter()
    for pairing in pairings:
        first = pairing.players.index(0)
        circles[pairing.players[first:] + pairing.players[:first]] += 1
    firsts = Counter(pairing.players[0] for pairing in pairings)
    assert len(circles) == 6
    assert _chi_square(circles, 6000) < 20.5  # 0.1 % point for 5 degrees of freedom
    assert _chi_square(firsts, 6000) < 16.3  # and for 3


def test_line_ups_come_in_an_even_order() -> None:
    """Over many rounds each of the 10 line-ups is equally often the first of its round."""
    pairings = RoundRobin([setup(2)], 5, 5000, SEED).pairings()
    firsts = Counter(tuple(sorted(p.players)) for p in pairings if p.sequence % 10 == 0)
    assert len(firsts) == 10
    assert _chi_square(firsts, 5000) < 27.9  # 0.1 % point for 9 degrees of freedom


def _chi_square(counts: Counter[tuple[int, ...]] | Counter[int], total: int) -> float:
    mean = total / len(counts)
    return sum((count - mean) ** 2 / mean for count in counts.values())


def test_the_schedule_is_the_same_under_every_hash_seed() -> None:
    """Ordered iteration only (H05): separate processes with different hash seeds agree."""
    code = (
        "from store_samples import setup; from arena.formats.round_robin import RoundRobin;"
        "print([p.players for p in RoundRobin([setup(2), setup(3)], 6, 2, b'x').pairings()])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {
        str([p.players for p in RoundRobin([setup(2), setup(3)], 6, 2, b"x").pairings()]) + "\n"
    }


def test_problems_name_the_argument_and_what_would_be_right() -> None:
    assert RoundRobin.problems([setup(2), setup(3)], 3, 1) == ()
    found = dict(RoundRobin.problems([setup(2), setup(6)], 4, 0))
    assert set(found) == {"rounds", "setups[1]"}
    assert "at least 1" in found["rounds"]
    assert "classic with 6 seats needs at least 6 players, but 4 are entered" in found["setups[1]"]
    assert dict(RoundRobin.problems([], 4, 1)) == {"setups": "no variant to play; at least 1 is needed"}


def test_a_schedule_with_problems_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="needs at least 5 players, but 1 is entered"):
        RoundRobin([setup(5)], 1, 1, SEED)


def test_pairings_outside_the_schedule_are_refused() -> None:
    schedule = RoundRobin([setup(2)], 3, 1, SEED)
    for sequence in (-1, 3):
        with pytest.raises(IndexError, match=r"the schedule has 0\.\.2"):
            schedule.pairing(sequence)


@pytest.mark.parametrize("name", sorted(scan()))
def test_formats_found_by_scanning_keep_their_promises(name: str) -> None:
    """Every format of the folder: sequence numbers without gap, as many as announced, seats filled."""
    form = scan()[name]
    setups = [setup(2), setup(4)]
    assert form.problems(setups, 6, 2) == ()
    schedule = form(setups, 6, 2, SEED)
    pairings = list(schedule.pairings())
    assert schedule.name == name
    assert [p.sequence for p in pairings] == list(range(schedule.total()))
    assert all(len(set(p.players)) == setups[p.setup].seats for p in pairings)
    assert all(0 <= player < 6 for p in pairings for player in p.players)
    assert list(schedule.pairings(5)) == pairings[5:]
