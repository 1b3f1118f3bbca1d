"""Points and places, from the facts of every kind of end."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine_core
from arena.errors import PlatformFault
from arena.scores import DECIDED, Facts, placements, scores, termination_of, winners
from arena.types import PointRule, Termination

RULES: tuple[PointRule, ...] = get_args(PointRule)


def facts(
    termination: Termination,
    fallen: Sequence[int],
    *,
    won: Sequence[int] = (),
    territories: Sequence[int] = (),
    troops: Sequence[int] = (),
    retired: Sequence[int] = (),
) -> Facts:
    """Facts from the fall order by seat (-1 = stands); holdings default to nothing, `retired` lists seats."""
    seats = range(len(fallen))
    return Facts(
        termination,
        tuple(won),
        tuple(seat for seat in seats if fallen[seat] < 0),
        tuple(fallen),
        tuple(territories) or tuple(0 for _ in seats),
        tuple(troops) or tuple(0 for _ in seats),
        tuple(int(seat in retired) for seat in seats),
        10,
        100,
    )


@st.composite
def any_end(draw: st.DrawFn) -> tuple[Facts, tuple[int, ...]]:
    """Facts that an engine can report, with or without teams."""
    seats = draw(st.integers(2, 8))
    teams = draw(st.one_of(st.just(tuple(range(seats))), st.tuples(*[st.integers(0, 2)] * seats)))
    termination = draw(st.sampled_from(get_args(Termination)))
    fallen = list(draw(st.tuples(*[st.integers(-1, 4)] * seats)))
    standing = draw(st.integers(0, seats - 1))
    fallen[standing] = -1
    retired = [seat for seat in range(seats) if seat != standing and draw(st.booleans())]
    team = [seat for seat in range(seats) if teams[seat] == teams[standing]]
    won = team if termination in DECIDED else []
    holdings = [draw(st.tuples(*[st.integers(0, 3)] * seats)) for _ in range(2)]
    end = facts(termination, fallen, won=won, territories=holdings[0], troops=holdings[1], retired=retired)
    return end, teams


@given(any_end(), st.sampled_from(RULES))
def test_scores_sum_to_one_and_retired_seats_get_nothing(
    end: tuple[Facts, tuple[int, ...]], rule: PointRule
) -> None:
    end_facts, teams = end
    points = scores(end_facts, rule, teams)
    dropped = rule == "void" and end_facts.termination not in DECIDED
    assert math.fsum(points) == (0.0 if dropped else 1.0)
    assert all(0.0 <= share <= 1.0 for share in points)
    assert not any(share for share, mode in zip(points, end_facts.retired, strict=True) if mode)


@given(any_end(), st.sampled_from(RULES))
def test_places_are_intervals_that_cover_all_seats(
    end: tuple[Facts, tuple[int, ...]], rule: PointRule
) -> None:
    end_facts, teams = end
    places = placements(end_facts, rule, teams)
    taken: list[int] = []
    for lo, hi in sorted(set(places)):
        assert places.count((lo, hi)) == hi - lo + 1
        taken += range(lo, hi + 1)
    assert taken == list(range(1, len(places) + 1))


@given(any_end(), st.sampled_from(RULES))
def test_who_scores_is_first_and_who_wins_scores(end: tuple[Facts, tuple[int, ...]], rule: PointRule) -> None:
    end_facts, teams = end
    points, places = scores(end_facts, rule, teams), placements(end_facts, rule, teams)
    if any(points):
        assert [share > 0 for share in points] == [lo == 1 for lo, _ in places]
    for seat in winners(end_facts, rule, teams):
        assert points[seat] > 0


@given(any_end(), st.sampled_from(RULES), st.permutations(range(8)))
def test_seats_have_no_say(
    end: tuple[Facts, tuple[int, ...]], rule: PointRule, permutation: list[int]
) -> None:
    """Renumbering the seats renumbers points and places, and changes nothing else."""
    end_facts, teams = end
    order = [seat for seat in permutation if seat < len(teams)]
    moved = replace(
        end_facts,
        winners=tuple(order.index(seat) for seat in end_facts.winners),
        survivors=tuple(order.index(seat) for seat in end_facts.survivors),
        eliminated_at=tuple(end_facts.eliminated_at[seat] for seat in order),
        territories=tuple(end_facts.territories[seat] for seat in order),
        troops=tuple(end_facts.troops[seat] for seat in order),
        retired=tuple(end_facts.retired[seat] for seat in order),
    )
    moved_teams = [teams[seat] for seat in order]
    for measure in (scores, placements):
        before = measure(end_facts, rule, teams)
        assert measure(moved, rule, moved_teams) == tuple(before[seat] for seat in order)


@pytest.mark.parametrize("winner", range(4))
def test_d03_the_winner_takes_it_at_every_seat(winner: int) -> None:
    fallen = [2, 0, 1]
    fallen.insert(winner, -1)
    end = facts("rules", fallen, won=[winner])
    places = [(2, 2), (4, 4), (3, 3)]
    places.insert(winner, (1, 1))
    for rule in RULES:
        assert scores(end, rule) == tuple(float(seat == winner) for seat in range(4))
        assert placements(end, rule) == tuple(places)
        assert winners(end, rule) == (winner,)


@pytest.mark.parametrize("winner", range(3))
def test_d03_a_forfeit_is_won_by_who_is_left(winner: int) -> None:
    retired = [seat for seat in range(3) if seat != winner]
    # The retired seats hold more than the winner: it does not matter.
    end = facts("forfeit", [-1] * 3, won=[winner], territories=[20, 20, 20], retired=retired)
    assert scores(end, "adjudicate") == tuple(float(seat == winner) for seat in range(3))
    assert placements(end, "split") == tuple((1, 1) if seat == winner else (2, 3) for seat in range(3))


@pytest.mark.parametrize("termination", ["turn_cap", "game_limit"])
def test_survivors_share_a_capped_game(termination: Termination) -> None:
    end = facts(termination, [-1, 0, -1, 1], territories=[30, 0, 12, 0])
    assert scores(end, "split") == (0.5, 0.0, 0.5, 0.0)
    assert placements(end, "split") == ((1, 2), (4, 4), (1, 2), (3, 3))
    assert winners(end, "split") == ()


@pytest.mark.parametrize("rule", RULES)
def test_c15_a_game_stopped_before_its_first_decision_counts_for_nobody(rule: PointRule) -> None:
    end = replace(facts("game_limit", [-1] * 3, territories=[14, 15, 13]), decisions=0)
    assert scores(end, rule) == (0.0,) * 3
    assert placements(end, rule) == ((1, 3),) * 3
    assert winners(end, rule) == ()
    assert sum(scores(replace(end, decisions=1), rule)) == float(rule != "void")


def test_a_position_at_the_cap_that_counts_no_decisions_has_its_scores() -> None:
    """In the text of a position what is 0 may be left out, and this figure says nothing of the board."""
    game = engine_core.load("classic", seats=3, turn_cap=2)
    rng, state = Random(1), game.new_state(seed=7)
    while pending := state.pending():
        state.apply(pending[0], state.legal(pending[0]).sample(rng))
    text = re.sub(r"decisions=\d+ ", "", state.text())
    end = Facts.of(game.position(text).result())
    assert (end.termination, end.decisions) == ("turn_cap", 0)
    assert scores(end, "split") == (1 / 3,) * 3


def test_adjudication_counts_territories_then_troops() -> None:
    end = facts("turn_cap", [-1, -1, -1, 0], territories=[14, 14, 13, 0], troops=[30, 31, 99, 0])
    assert scores(end, "adjudicate") == (0.0, 1.0, 0.0, 0.0)
    assert placements(end, "adjudicate") == ((2, 2), (1, 1), (3, 3), (4, 4))
    assert winners(end, "adjudicate") == (1,)


def test_an_adjudicated_tie_is_shared() -> None:
    end = facts("turn_cap", [-1, -1, -1], territories=[14, 14, 14], troops=[30, 30, 9])
    assert scores(end, "adjudicate") == (0.5, 0.5, 0.0)
    assert placements(end, "adjudicate") == ((1, 2), (1, 2), (3, 3))


def test_a_void_rule_drops_capped_games_only() -> None:
    assert scores(facts("turn_cap", [-1, -1]), "void") == (0.0, 0.0)
    assert scores(facts("rules", [-1, 0], won=[0]), "void") == (1.0, 0.0)


def test_a_retired_seat_never_shares_even_if_it_stands_and_leads() -> None:
    end = facts("turn_cap", [-1, -1, -1, 0], territories=[40, 1, 1, 0], retired=[0])
    assert scores(end, "split") == (0.0, 0.5, 0.5, 0.0)
    assert placements(end, "adjudicate") == ((4, 4), (1, 2), (1, 2), (3, 3))


def test_those_who_fall_together_are_tied() -> None:
    end = facts("rules", [0, 0, -1, 1], won=[2])
    assert placements(end, "split") == ((3, 4), (3, 4), (1, 1), (2, 2))


def test_survivors_of_a_won_game_come_behind_the_winner() -> None:
    end = facts("rules", [-1, -1, -1], won=[1], territories=[30, 6, 6])
    assert scores(end, "split") == (0.0, 1.0, 0.0)
    assert placements(end, "split") == ((2, 3), (1, 1), (2, 3))


def test_a_team_wins_together_also_its_fallen_seat() -> None:
    end = facts("rules", [-1, 0, 2, 1], won=[0, 2])
    assert scores(end, "split", (0, 1, 0, 1)) == (0.5, 0.0, 0.5, 0.0)
    assert placements(end, "split", (0, 1, 0, 1)) == ((1, 2), (3, 4), (1, 2), (3, 4))


def test_unequal_teams_share_a_capped_game_by_team() -> None:
    end = facts("turn_cap", [-1, -1, -1])
    assert scores(end, "split", (0, 1, 1)) == (0.5, 0.25, 0.25)


def test_a_retired_team_mate_leaves_its_part_to_the_team() -> None:
    end = facts("rules", [-1, 0, -1, 1], won=[0, 2], retired=[2])
    assert scores(end, "split", (0, 1, 0, 1)) == (1.0, 0.0, 0.0, 0.0)
    assert placements(end, "split", (0, 1, 0, 1)) == ((1, 1), (2, 3), (4, 4), (2, 3))


def test_a_retired_team_mate_of_a_losing_team_shares_its_place() -> None:
    end = facts("forfeit", [-1, -1, -1, -1], won=[0, 3], retired=[2])
    assert placements(end, "split", (0, 1, 1, 0)) == ((1, 2), (3, 4), (3, 4), (1, 2))
    assert scores(end, "split", (0, 1, 1, 0)) == (0.5, 0.0, 0.0, 0.5)


def test_a_team_that_retired_as_a_whole_is_last() -> None:
    end = facts("rules", [-1, -1, 0, -1, -1, 1], won=[0, 3], retired=[1, 4])
    assert placements(end, "split", (0, 1, 2, 0, 1, 2)) == ((1, 2), (5, 6), (3, 4), (1, 2), (5, 6), (3, 4))


def test_nobody_takes_the_point_when_every_seat_is_retired() -> None:
    with pytest.raises(PlatformFault, match="every seat"):
        scores(facts("forfeit", [-1, -1], won=[0], retired=[0, 1]), "split")


def test_an_unknown_termination_is_refused() -> None:
    with pytest.raises(PlatformFault, match="'checkmate' is not known; valid: rules, turn_cap"):
        termination_of("checkmate")
