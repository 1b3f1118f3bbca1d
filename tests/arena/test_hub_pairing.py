"""Fair pairings of the lobby: games evenly, opponents varied, whatever the order in which matches end."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.hub.pairing import Meetings, line_up


def meetings(*tables: tuple[str, ...]) -> Meetings[str]:
    made: Meetings[str] = Meetings()
    for table in tables:
        made.add(table)
    return made


def test_fewest_games_come_first() -> None:
    assert line_up("abc", 2, meetings(("a", "b"), ("a", "d"))) == ("c", "b")
    assert line_up("abc", 2, meetings(("a", "x"), ("c", "x"))) == ("b", "a")


def test_whom_one_met_least_sits_beside() -> None:
    assert line_up("abc", 2, meetings(("a", "b"))) == ("c", "a")
    assert line_up("ab", 2, meetings(("a", "b"))) == ("a", "b")
    known = meetings(("a", "b"), ("c", "d"), ("a", "c"), ("b", "d"))
    assert line_up("abcd", 2, known) == ("a", "d")


def test_a_table_of_four_mixes() -> None:
    known = meetings(("a", "b", "c", "d"))
    assert set(line_up("abcdef", 4, known) or ()) >= {"e", "f"}


def test_too_few_play_nothing() -> None:
    assert line_up("a", 2, meetings()) is None
    assert line_up("", 2, meetings()) is None


def test_two_who_met_wait_for_those_who_play_elsewhere() -> None:
    known = meetings(("a", "b"), ("c", "d"))
    assert line_up("ab", 2, known, awaited="cd") is None
    assert line_up("ab", 2, known) == ("a", "b")
    everybody = meetings(("a", "b"), ("c", "d"), ("a", "c"), ("b", "d"), ("a", "d"), ("b", "c"))
    assert line_up("ab", 2, everybody, awaited="cd") == ("a", "b")


@pytest.mark.parametrize(("players", "seats"), [(2, 2), (5, 2), (6, 3), (7, 4)])
@given(seed=st.integers(0, 1000))
def test_e08_games_stay_even_and_opponents_varied(players: int, seats: int, seed: int) -> None:
    """A lobby in which matches end in any order: a hard bound on how far game counts lie apart."""
    rng, known = Random(seed), meetings()
    names = [f"p{number}" for number in range(players)]
    playing: list[tuple[str, ...]] = []
    for _ in range(60):
        busy = {name for table in playing for name in table}
        free = [name for name in names if name not in busy]
        chosen = line_up(free, seats, known, awaited=busy)
        if chosen is None:
            assert playing, "nobody plays and nobody may begin"
            playing.pop(rng.randrange(len(playing)))
            continue
        assert len(set(chosen)) == seats
        known.add(chosen)
        playing.append(chosen)
        if rng.random() < 0.5:
            playing.pop(rng.randrange(len(playing)))
    counts = [known.games[name] for name in names]
    assert max(counts) - min(counts) <= 4
    met = [known.met(one, other) for one in names for other in names if one < other]
    assert min(met) > 0
