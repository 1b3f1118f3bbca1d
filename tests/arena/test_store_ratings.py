"""Stored ratings: a pure function of the committed results, kept up to date and recomputable to the bit."""

from __future__ import annotations

import math
import random
import re
import sqlite3
from itertools import groupby
from pathlib import Path

import pytest
from store_samples import Sample, finished, open_store, result_of, setup

from arena.errors import StoreError
from arena.ratings.live_elo import LiveElo
from arena.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "arena.db")


@pytest.fixture
def sample(store: Store) -> Sample:
    sample = Sample(store, rounds=4)
    sample.commit_all()
    return sample


def ratings(sample: Sample, setup_index: int) -> dict[int, float]:
    pool = sample.store.setups(sample.id)[setup_index].id
    rows = sample.store.leaderboard(tournament_id=sample.id, pool_id=pool)
    rated = {row.player.id: row.rating for row in rows if row.rating is not None}
    assert len(rated) == len(rows)
    return rated


def tamper(sample: Sample, statement: str) -> None:
    with sqlite3.connect(sample.path) as connection:
        assert connection.execute(statement).rowcount > 0


@pytest.mark.parametrize("setup_index", [0, 1])
def test_stored_ratings_are_those_of_the_games_in_order(sample: Sample, setup_index: int) -> None:
    pool = sample.store.setups(sample.id)[setup_index].id
    games = list(sample.store.games_in_order(pool))
    assert [(g.sequence, g.rotation) for g in games] == sorted((g.sequence, g.rotation) for g in games)
    computed = {player: rating.value for player, rating in LiveElo().rate(games).items()}
    assert ratings(sample, setup_index) == computed


def test_the_tournament_shows_the_mean_over_its_pools(sample: Sample) -> None:
    one, two = ratings(sample, 0), ratings(sample, 1)
    for row in sample.store.leaderboard(tournament_id=sample.id):
        assert row.rating == math.fsum([one[row.player.id], two[row.player.id]]) / 2


def test_one_tournaments_pool_over_all_tournaments_is_its_own_rating(sample: Sample) -> None:
    pool = sample.store.setups(sample.id)[1].id
    rows = sample.store.leaderboard(pool_id=pool)
    assert {row.player.id: row.rating for row in rows} == ratings(sample, 1)


@pytest.mark.parametrize("seed", range(3))
def test_completion_order_does_not_matter(tmp_path: Path, sample: Sample, seed: int) -> None:
    """Matches finish in any order; ratings follow the schedule, in every step (fast bots finish first)."""
    other = Sample(open_store(tmp_path / "other.db"), rounds=4)
    matches = list(other.matches())
    random.Random(seed).shuffle(matches)
    for low in range(0, len(matches), 4):
        other.store.commit_matches(other.id, matches[low : low + 4])
        other.store.update_ratings(other.id)
    assert [ratings(other, index) for index in (0, 1)] == [ratings(sample, index) for index in (0, 1)]
    assert other.store.rating_changes(other.id) == sample.store.rating_changes(sample.id)


def test_only_matches_without_a_gap_before_them_are_rated(store: Store) -> None:
    """What merely finished first is not rated yet."""
    sample = Sample(store)
    matches = list(sample.matches())
    pool = store.setups(sample.id)[0].id
    store.commit_matches(sample.id, [matches[0], *matches[2:6]])
    assert store.update_ratings(sample.id) == 1
    assert {game.sequence for game in store.games_in_order(pool)} == {0}
    store.commit_matches(sample.id, [matches[1]])
    assert store.update_ratings(sample.id) == 5
    assert store.update_ratings(sample.id) == 0
    assert {change.sequence for change in store.rating_changes(sample.id)} == set(range(6))


def test_each_change_is_explained_and_leads_to_the_next(sample: Sample) -> None:
    """Before, after, expected and actual points (F08): K x (actual - expected), chained from 1500."""
    k = {2: 16, 4: 8}
    changes = sample.store.rating_changes(sample.id)
    by_player = sorted(changes, key=lambda change: (change.pool.id, change.player))
    for (pool, player), own in groupby(by_player, key=lambda change: (change.pool, change.player)):
        value = 1500.0
        for change in own:
            assert change.before == value
            move = k[pool.seats] * (change.actual - change.expected)
            assert change.after - change.before == pytest.approx(move, abs=1e-9)
            assert change.games == pool.seats
            value = change.after
        entry = next(entry for entry in sample.store.entries(sample.id) if entry.label == player)
        assert ratings(sample, 0 if pool.seats == 2 else 1)[entry.id] == value


def test_changes_of_one_player(sample: Sample) -> None:
    entry = sample.store.entries(sample.id)[2]
    own = sample.store.rating_changes(sample.id, player_id=entry.id)
    assert own == tuple(c for c in sample.store.rating_changes(sample.id) if c.player == entry.label)


def test_ratings_sum_to_1500_a_player(sample: Sample) -> None:
    for index in (0, 1):
        values = list(ratings(sample, index).values())
        assert math.fsum(values) == pytest.approx(1500 * len(values), abs=1e-9)


def test_recompute_is_equal_to_the_bit(sample: Sample) -> None:
    before = sample.store.rating_changes(sample.id)
    report = sample.store.recompute_ratings()
    assert report.equal
    assert (report.tournaments, report.matches) == (1, 60)
    assert sample.store.rating_changes(sample.id) == before


def test_recompute_works_in_windows(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut into small pieces, the result is the same."""
    monkeypatch.setattr("arena.store.rating_log.WINDOW", 7)
    before = sample.store.rating_changes(sample.id)
    assert sample.store.recompute_ratings().equal
    assert sample.store.rating_changes(sample.id) == before


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("UPDATE ratings SET value = value + 1e-12 WHERE pool_id = 1 AND player_id = 1", "pool 1, A: stored"),
        ("UPDATE rating_changes SET expected = 0 WHERE match_id = 5", "match 4, "),
        ("DELETE FROM rating_changes WHERE match_id = 9", "match 8, .*: stored nothing, computed"),
        ("DELETE FROM ratings WHERE player_id = 2", "pool 1, B: stored nothing"),
        ("DELETE FROM rating_marks", "match 0, .*, computed nothing"),
        ("UPDATE placements SET score = 1 - score WHERE game_id = 5", "match 2, "),
    ],
)
def test_recompute_finds_and_repairs_what_was_changed(sample: Sample, statement: str, line: str) -> None:
    tamper(sample, statement)
    report = sample.store.recompute_ratings()
    assert not report.equal
    assert any(re.match(line, difference) for difference in report.differences)
    assert sample.store.recompute_ratings().equal


def test_recompute_without_repair_leaves_everything_as_it_is(sample: Sample) -> None:
    tamper(sample, "UPDATE ratings SET value = 1234 WHERE player_id = 3")
    reports = [sample.store.recompute_ratings(repair=False) for _ in range(2)]
    assert reports[0] == reports[1]
    assert [line.split(":")[0] for line in reports[0].differences] == ["pool 1, C", "pool 2, C"]
    entry = sample.store.entries(sample.id)[2]
    assert ratings(sample, 0)[entry.id] == 1234


def test_recompute_shows_the_first_differences_and_counts_the_rest(sample: Sample) -> None:
    tamper(sample, "UPDATE rating_changes SET before = before + 1")
    lines = sample.store.recompute_ratings().differences
    assert len(lines) == 51
    assert lines[-1] == f"and {len(sample.store.rating_changes(sample.id)) - 50} more"


def test_recompute_rates_what_was_not_rated_yet_and_calls_it_no_difference(store: Store) -> None:
    sample = Sample(store)
    matches = list(sample.matches())
    store.commit_matches(sample.id, matches[:10])
    store.update_ratings(sample.id)
    store.commit_matches(sample.id, matches[10:])
    report = store.recompute_ratings(tournament_id=sample.id)
    assert report.equal
    assert report.matches == 30
    assert store.update_ratings(sample.id) == 0
    whole = Sample(store)
    whole.commit_all()
    assert [ratings(sample, index) for index in (0, 1)] == [ratings(whole, index) for index in (0, 1)]


def test_other_options_are_refused_until_recomputed(sample: Sample) -> None:
    with pytest.raises(StoreError, match=r"was rated with k=16\.0 start=1500\.0, not k=32"):
        sample.store.update_ratings(sample.id, LiveElo(k=32.0))
    report = sample.store.recompute_ratings(LiveElo(k=32.0))
    assert report.differences[0] == "stored with k=16.0 start=1500.0, computed with k=32.0 start=1500.0"
    assert sample.store.recompute_ratings(LiveElo(k=32.0)).equal
    assert not sample.store.recompute_ratings().equal


def test_tournaments_do_not_touch_each_others_ratings(store: Store, sample: Sample) -> None:
    before = ratings(sample, 1)
    later = Sample(store)
    later.commit_all()
    assert ratings(sample, 1) == before


def test_a_pool_over_tournaments_is_rated_in_the_order_of_tournament_and_schedule(store: Store) -> None:
    """Even when the older tournament is resumed after the newer one was played."""
    older, newer = Sample(store, setups=(setup(4),)), Sample(store, setups=(setup(4),))
    newer.commit_all()
    older.commit_all()
    pool = store.pools()[0].id
    order = [(game.tournament, game.sequence, game.rotation) for game in store.games_in_order(pool)]
    assert order == sorted(order)
    assert {tournament for tournament, _, _ in order} == {older.id, newer.id}
    one = store.games_in_order(pool, tournament_id=newer.id)
    assert {game.tournament for game in one} == {newer.id}


def test_faulted_games_are_rated_with_their_scores(store: Store) -> None:
    """Crashed games are never dropped."""
    sample = Sample(store, setups=(setup(2),), rounds=4)
    sample.commit_all()
    crashed = {
        pairing.sequence
        for pairing in sample.schedule.pairings()
        if any(game.faults for game in result_of(finished(pairing)).games)
    }
    assert crashed
    assert crashed <= {change.sequence for change in store.rating_changes(sample.id)}
