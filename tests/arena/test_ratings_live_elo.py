"""Live Elo against published and brute-force values, and the properties that make it fair."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings import OnlineRatingSystem, RatedGame, scan
from arena.ratings.live_elo import LiveElo, expected_scores

A, B, C, D = range(4)
TABLE = {A: 1600.0, B: 1500.0, C: 1400.0, D: 1500.0}


def single(
    players: tuple[int, ...], scores: tuple[float, ...], sequence: int = 0, rotation: int = 0
) -> RatedGame:
    return RatedGame(1, sequence, rotation, players, scores)


def after(system: LiveElo, ratings: dict[int, float], *games: RatedGame) -> dict[int, float]:
    return {change.player: change.after for change in system.update(ratings, games)}


def k_at_table(k: float, seats: int) -> LiveElo:
    """The system whose K is `k` at a table of that many seats."""
    return LiveElo(k=k * seats / 2)


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(0, 0.5), (25, 0.5359), (50, 0.5715), (100, 0.6401), (200, 0.7597), (400, 0.9091), (800, 0.9901)],
)
def test_two_seats_have_the_logistic_expectation(difference: float, expected: float) -> None:
    assert expected_scores([1500 + difference, 1500])[0] == pytest.approx(expected, abs=5e-5)


def test_softmax_expectation_of_four_seats() -> None:
    assert expected_scores(list(TABLE.values())) == pytest.approx(
        [0.409683, 0.230382, 0.129553, 0.230382], abs=1e-6
    )


def test_expectation_survives_absurd_ratings() -> None:
    assert expected_scores([1e6, 0.0, -1e6]) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.0, 0.0, 1.0, 0.0), [1586.8901, 1492.6278, 1427.8543, 1492.6278]),
        ((0.5, 0.5, 0.0, 0.0), [1602.8901, 1508.6278, 1395.8543, 1492.6278]),
    ],
)
def test_softmax_update_with_k_32(scores: tuple[float, ...], expected: list[float]) -> None:
    new = after(k_at_table(32, 4), TABLE, single((A, B, C, D), scores))
    assert list(new.values()) == pytest.approx(expected, abs=1e-4)


def test_classic_elo_over_five_opponents() -> None:
    """Rating 1613, K 32, against 1609 1477 1388 1586 1720 with 0 0.5 1 1 0: expected 2.867, so 1601.27."""
    ratings = {0: 1613.0, 1: 1609.0, 2: 1477.0, 3: 1388.0, 4: 1586.0, 5: 1720.0}
    points = [0.0, 0.5, 1.0, 1.0, 0.0]
    games = [single((0, i + 1), (s, 1 - s), rotation=i) for i, s in enumerate(points)]
    change = LiveElo(k=32).update(ratings, games)[0]
    assert change.expected == pytest.approx(2.867, abs=5e-4)
    assert change.actual == 2.5
    assert change.after == pytest.approx(1601.27, abs=5e-3)
    assert change.games == 5


@given(st.floats(500, 2500), st.floats(500, 2500), st.sampled_from([0.0, 0.5, 1.0]))
def test_two_seats_are_classic_elo(mine: float, other: float, score: float) -> None:
    expected = 1 / (1 + 10 ** ((other - mine) / 400))
    new = after(LiveElo(k=16), {0: mine, 1: other}, single((0, 1), (score, 1 - score)))
    assert new[0] == pytest.approx(mine + 16 * (score - expected), abs=1e-9)


def test_k_is_16_for_two_seats_8_for_four_and_scales_with_the_option() -> None:
    assert [LiveElo().k_factor(seats) for seats in (2, 4)] == [16, 8]
    assert LiveElo().k_factor(6) == pytest.approx(16 / 3)
    assert [LiveElo(k=k).k_factor(4) for k in (32, 16, 8)] == [16, 8, 4]


@st.composite
def matches(draw: st.DrawFn) -> tuple[dict[int, float], list[RatedGame]]:
    """Ratings and all rotations of one match, with winners, shares at the cap, and voided games."""
    seats = draw(st.integers(2, 6))
    ratings = {player: draw(st.floats(800, 2200)) for player in range(seats)}
    games = []
    for rotation in range(seats):
        players = tuple((seat + rotation) % seats for seat in range(seats))
        alive = draw(st.sets(st.integers(0, seats - 1)))
        scores = tuple(1 / len(alive) if seat in alive else 0.0 for seat in range(seats))
        games.append(single(players, scores, rotation=rotation))
    return ratings, games


@given(matches())
def test_changes_sum_to_zero(match: tuple[dict[int, float], list[RatedGame]]) -> None:
    changes = LiveElo().update(*match)
    assert abs(math.fsum(change.after - change.before for change in changes)) < 1e-9


@given(matches(), st.randoms(use_true_random=False))
def test_order_of_games_and_seats_within_a_match_changes_nothing(
    match: tuple[dict[int, float], list[RatedGame]], rng: random.Random
) -> None:
    """Bit for bit, for every pattern of ties of 2 to 6 seats (F03, F05)."""
    ratings, games = match
    shuffled = []
    for game in rng.sample(games, len(games)):
        order = rng.sample(range(len(game.players)), len(game.players))
        players = tuple(game.players[seat] for seat in order)
        shuffled.append(single(players, tuple(game.scores[seat] for seat in order), rotation=game.rotation))
    assert LiveElo().update(ratings, shuffled) == LiveElo().update(ratings, games)


@given(matches())
def test_equal_ratings_and_equal_points_change_equally(
    match: tuple[dict[int, float], list[RatedGame]],
) -> None:
    _, games = match
    changes = LiveElo().update({}, games)
    by_points: dict[float, set[float]] = {}
    for change in changes:
        by_points.setdefault(change.actual, set()).add(change.after)
    assert all(len(values) == 1 for values in by_points.values())


def test_games_of_a_match_use_the_ratings_before_it() -> None:
    games = [single((0, 1), (1.0, 0.0)), single((1, 0), (0.0, 1.0), rotation=1)]
    assert after(LiveElo(), {}, *games) == {0: 1516.0, 1: 1484.0}


def test_voided_games_are_skipped() -> None:
    system = LiveElo()
    void = single((0, 1), (0.0, 0.0))
    assert system.update({}, [void]) == ()
    played = single((1, 0), (1.0, 0.0), rotation=1)
    assert system.update({}, [void, played]) == system.update({}, [played])


def test_a_player_with_several_seats_counts_once_with_their_sums() -> None:
    """Player 0 holds two of four seats: expected 1/2, made 1/2, so nobody moves."""
    changes = LiveElo().update({}, [single((0, 1, 0, 2), (0.25, 0.25, 0.25, 0.25))])
    assert [(c.player, c.expected, c.actual, c.games) for c in changes] == [
        (0, 0.5, 0.5, 1),
        (1, 0.25, 0.25, 1),
        (2, 0.25, 0.25, 1),
    ]
    assert all(change.before == change.after for change in changes)


def test_long_self_play_keeps_the_mean_and_bounds_the_spread() -> None:
    """Six equal players, 20,000 matches of random winners: nobody gains without end (F06)."""
    rng = random.Random(6)
    winners = ((rng.randrange(6), sequence, rotation) for sequence in range(20_000) for rotation in range(6))
    games = (
        single(
            tuple((seat + rotation) % 6 for seat in range(6)),
            tuple(float(seat == winner) for seat in range(6)),
            sequence,
            rotation,
        )
        for winner, sequence, rotation in winners
    )
    values = [rating.value for rating in LiveElo().rate(games).values()]
    assert math.fsum(values) / 6 == pytest.approx(1500, abs=1e-6)
    assert all(abs(value - 1500) < 100 for value in values)


def test_rate_counts_games_and_starts_at_1500() -> None:
    games = [single((0, 1), (1.0, 0.0), 0), single((1, 2), (0.5, 0.5), 1)]
    ratings = LiveElo().rate(games)
    assert {player: rating.games for player, rating in ratings.items()} == {0: 1, 1: 2, 2: 1}
    assert math.fsum(rating.value for rating in ratings.values()) == pytest.approx(4500)
    assert ratings[0].value == 1508


def test_rate_refuses_another_order_than_the_schedules() -> None:
    with pytest.raises(ValueError, match="match 3 of tournament 1 follows match 4"):
        LiveElo().rate([single((0, 1), (1.0, 0.0), 4), single((0, 1), (1.0, 0.0), 3)])


def test_systems_are_found_by_scanning_and_say_who_they_are() -> None:
    systems = scan()
    assert systems["live_elo"] is LiveElo
    for name, system in systems.items():
        made = system()
        assert made.id == name
        assert made.title
        assert made.settings
    assert isinstance(LiveElo(), OnlineRatingSystem)
