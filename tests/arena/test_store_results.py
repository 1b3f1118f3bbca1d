"""Standings, pairwise scores, games, faults, exports and the content hash, against plain recounts."""

from __future__ import annotations

import csv
import io
import math
import random
import statistics
from collections import defaultdict
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import pytest
from store_samples import Sample, finished, open_store, player, result_of, setup

from arena.errors import StoreError
from arena.store import Store
from arena.store.rows import ExportName, FinishedMatch
from arena.types import GameResult

LABELS = "ABCDE"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "arena.db")


@pytest.fixture
def sample(store: Store) -> Sample:
    sample = Sample(store)
    sample.commit_all()
    return sample


def played(sample: Sample) -> list[tuple[FinishedMatch, GameResult, list[str]]]:
    """All games with the labels by seat."""
    return [
        (match, game, [LABELS[match.pairing.players[index]] for index in game.players])
        for match in sample.matches()
        for game in result_of(match).games
    ]


@pytest.mark.parametrize("setup_index", [None, 0, 1])
def test_the_leaderboard_counts_what_was_played(sample: Sample, setup_index: int | None) -> None:
    """Denominators are a player's own games (F09)."""
    pool = None if setup_index is None else sample.store.setups(sample.id)[setup_index].id
    rows = sample.store.leaderboard(tournament_id=sample.id, pool_id=pool)
    assert sorted(row.player.label for row in rows) == list(LABELS)
    for row in rows:
        own = [
            (match, game, seats.index(row.player.label))
            for match, game, seats in played(sample)
            if row.player.label in seats and setup_index in (None, match.pairing.setup)
        ]
        scores = [game.scores[seat] for _, game, seat in own]
        assert row.games == len(own)
        assert row.matches == len({match.pairing.sequence for match, _, _ in own})
        assert row.score == pytest.approx(statistics.fmean(scores))
        assert row.wins == sum(seat in game.winners for _, game, seat in own)
        assert row.capped == sum(game.termination == "turn_cap" for _, game, _ in own) / len(own)
        assert row.faults == sum(fault.seat == seat for _, game, seat in own for fault in game.faults)
        assert row.void == 0
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    assert math.fsum(row.score * row.games for row in rows) == pytest.approx(
        sum(setup_index in (None, match.pairing.setup) for match, _, _ in played(sample))
    )


def test_the_standard_error_has_the_match_as_its_unit(sample: Sample) -> None:
    """On one pool it is the standard error of the match means."""
    pool = sample.store.setups(sample.id)[1].id
    for row in sample.store.leaderboard(tournament_id=sample.id, pool_id=pool):
        means: dict[int, list[float]] = defaultdict(list)
        for match, game, seats in played(sample):
            if match.pairing.setup == 1 and row.player.label in seats:
                means[match.pairing.sequence].append(game.scores[seats.index(row.player.label)])
        values = [statistics.fmean(scores) for scores in means.values()]
        assert row.score_se == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))


def test_one_match_has_no_standard_error(store: Store) -> None:
    sample = Sample(store)
    store.commit_matches(sample.id, list(sample.matches())[:1])
    rows = store.leaderboard(tournament_id=sample.id)
    assert [row.score_se for row in rows] == [None, None]
    assert [row.rating for row in rows] == [None, None]


def test_a_pool_is_counted_over_all_tournaments(store: Store, sample: Sample) -> None:
    again = Sample(store)
    again.commit_all()
    pool = store.setups(sample.id)[0].id
    alone = {row.player.label: row for row in store.leaderboard(tournament_id=sample.id, pool_id=pool)}
    both = {row.player.label: row for row in store.leaderboard(pool_id=pool)}
    for label in LABELS:
        assert both[label].games == 2 * alone[label].games
        assert both[label].score == pytest.approx(alone[label].score)
        assert both[label].rating != alone[label].rating


def test_a_leaderboard_over_everything_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="numbers of different pools do not mix"):
        store.leaderboard()


def test_voided_games_count_in_no_score(store: Store) -> None:
    two = (player("A"), player("B"))
    sample = Sample(store, setups=(setup(2, point_rule="void"),), players=two)
    first, second = sample.matches()
    void = tuple(replace(game, scores=(0.0, 0.0), winners=()) for game in result_of(first).games)
    won = tuple(replace(game, scores=(1.0, 0.0), winners=(0,)) for game in result_of(second).games)
    store.commit_matches(
        sample.id,
        [
            replace(first, result=replace(result_of(first), games=void)),
            replace(second, result=replace(result_of(second), games=won)),
        ],
    )
    store.update_ratings(sample.id)
    for row in store.leaderboard(tournament_id=sample.id):
        assert (row.games, row.void, row.score, row.wins, row.rating) == (4, 2, 0.5, 1, 1500)
    assert [row.games for row in store.pairwise(tournament_id=sample.id)] == [2, 2]


def test_the_pairwise_table_compares_those_who_sat_together(sample: Sample) -> None:
    rows = sample.store.pairwise(tournament_id=sample.id)
    assert [(row.player.label, row.opponent.label) for row in rows] == list(permutations(LABELS, 2))
    for row in rows:
        one, two = row.player.label, row.opponent.label
        met = [
            (game.scores[seats.index(one)], game.scores[seats.index(two)])
            for _, game, seats in played(sample)
            if one in seats and two in seats
        ]
        assert row.games == len(met)
        assert row.score == pytest.approx(statistics.fmean(own for own, _ in met))
        assert row.opponent_score == pytest.approx(statistics.fmean(other for _, other in met))
        assert row.outscored == sum(own > other for own, other in met) / len(met)
        assert row.tied == sum(own == other for own, other in met) / len(met)


def test_pairwise_shares_of_both_sides_and_ties_are_one(sample: Sample) -> None:
    shares = {
        (r.player.id, r.opponent.id): (r.outscored, r.tied)
        for r in sample.store.pairwise(tournament_id=sample.id)
    }
    for (one, two), (outscored, tied) in shares.items():
        assert outscored + tied + shares[two, one][0] == pytest.approx(1)


def test_i10_seats_have_their_mean_score_whoever_sat_there(sample: Sample) -> None:
    shares = sample.store.seat_shares(sample.id)
    expected: dict[tuple[int, int], list[float]] = defaultdict(list)
    for match, game, _ in played(sample):
        for seat, score in enumerate(game.scores):
            expected[sample.setups[match.pairing.setup].seats, seat].append(score)
    assert {(share.pool.seats, share.seat): share.games for share in shares} == {
        place: len(scores) for place, scores in expected.items()
    }
    for share in shares:
        assert share.score == pytest.approx(statistics.fmean(expected[share.pool.seats, share.seat]))


def test_e20_games_with_equal_ends_are_counted_once(sample: Sample) -> None:
    games = [game for _, game, _ in played(sample)]
    assert sample.store.distinct_games(sample.id) == (len(games), len({game.final_digest for game in games}))


def test_games_come_back_as_they_were_committed(sample: Sample) -> None:
    rows = list(sample.store.games(sample.id))
    assert [(row.sequence, row.rotation) for row in rows] == [
        (match.pairing.sequence, game.rotation) for match, game, _ in played(sample)
    ]
    for row, (match, game, labels) in zip(rows, played(sample), strict=True):
        assert (row.round, row.pool.seats) == (match.pairing.round, len(labels))
        assert (row.termination, row.laps, row.decisions) == (game.termination, game.laps, game.decisions)
        assert (row.digest, row.wall_ms) == (game.final_digest, game.wall_ms)
        assert tuple(seat.player for seat in row.seats) == tuple(labels)
        assert tuple(seat.score for seat in row.seats) == game.scores
        assert tuple(seat.placement for seat in row.seats) == game.placements
        assert tuple(seat.eliminated_at for seat in row.seats) == game.eliminated_at
        assert tuple(seat.seat for seat in row.seats if seat.won) == game.winners
        assert sample.store.record(row.id) == game.record
        assert sample.store.game(row.id) == row
        seated = sample.store.seated(row.id)
        assert [place.player.label for place in seated] == labels
        assert [place.guard for place in seated] == [seat.guard for seat in row.seats]
    with pytest.raises(StoreError, match="no game with id 999"):
        sample.store.seated(999)


def test_games_of_one_match(sample: Sample) -> None:
    rows = list(sample.store.games(sample.id, sequence=12))
    assert [(row.sequence, row.rotation) for row in rows] == [(12, rotation) for rotation in range(4)]


def test_every_seat_has_a_reason_in_words(sample: Sample) -> None:
    """The author of a bot can tell why its game ended (I09)."""
    reasons = {seat.reason for game in sample.store.games(sample.id) for seat in game.seats}
    assert "won: the rules ended the game" in reasons
    assert "eliminated, place 2" in reasons
    assert "alive, place 1-2: the turn cap was reached" in reasons
    assert any(reason.startswith("retired after crash at decision") for reason in reasons)
    assert any(reason.endswith(": boom") for reason in reasons)


def test_who_came_to_a_game_that_was_not_played_is_told_why(store: Store) -> None:
    sample = Sample(store, setups=(setup(2),))
    match = next(sample.matches())
    game = replace(result_of(match).games[0], termination="game_limit", decisions=0, faults=(), winners=())
    games = (replace(game, eliminated_at=(-1, -1), placements=((1, 2),) * 2), *result_of(match).games[1:])
    store.commit_matches(sample.id, [replace(match, result=replace(result_of(match), games=games))])
    reasons = {seat.reason for seat in next(store.games(sample.id)).seats}
    assert reasons == {"alive, place 1-2: too few bots had come to it"}


def test_a_reason_mentions_faults_that_did_not_retire_the_seat(store: Store) -> None:
    sample = Sample(store)
    match = next(match for match in sample.matches() if result_of(match).games[0].faults)
    result = result_of(match)
    game = result.games[0]
    slow = replace(game.faults[0], kind="timeout", action="default", message="late")
    games = (replace(game, faults=(slow, slow, *game.faults)), *result.games[1:])
    store.commit_matches(sample.id, [replace(match, result=replace(result, games=games))])
    reason = next(store.games(sample.id)).seats[slow.seat].reason
    decision = game.faults[0].decision
    assert reason == f"retired after crash at decision {decision}: boom; faults: 2 timeout"


def test_faults_are_listed_by_player(sample: Sample) -> None:
    expected = [
        (match.pairing.sequence, game.rotation, seats[fault.seat], fault.kind, fault.used_ms)
        for match, game, seats in played(sample)
        for fault in game.faults
    ]
    faults = sample.store.faults(sample.id)
    assert [(f.sequence, f.rotation, f.player, f.kind, f.used_ms) for f in faults] == expected
    one = sample.store.entries(sample.id)[1]
    assert sample.store.faults(sample.id, player_id=one.id) == tuple(
        fault for fault in faults if fault.player == one.label
    )
    with pytest.raises(StoreError, match="no player with id 77"):
        sample.store.faults(sample.id, player_id=77)


@pytest.mark.parametrize("name", get_args(ExportName))
def test_exports_have_fixed_columns_and_plain_values(sample: Sample, name: ExportName) -> None:
    """No column is missing or silently empty, in CSV neither (I06, I07)."""
    table = sample.store.export(sample.id, name)
    rows = list(table.rows)
    assert rows
    assert all(len(row) == len(table.columns) == len(set(table.columns)) for row in rows)
    unknown = {"idle_cpu_ms", "quarantined_after"}  # what no bot of the sample has
    for column, value in ((c, v) for row in rows for c, v in zip(table.columns, row, strict=True)):
        assert isinstance(value, str | int | float) or (value is None and column in unknown), column
    text = io.StringIO()
    csv.writer(text).writerows([table.columns, *rows])
    read = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert len(read) == len(rows)
    assert all(value is not None for row in read for value in row.values())


def test_exported_games_are_one_row_a_seat(sample: Sample) -> None:
    table = sample.store.export(sample.id, "games")
    rows: list[dict[str, Any]] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert len(rows) == sum(len(seats) for _, _, seats in played(sample))
    assert {row["teams"] for row in rows} == {"0,1", "0,1,2,3"}
    scores: dict[object, float] = defaultdict(float)
    for row in rows:
        scores[row["sequence"], row["rotation"]] += row["score"]
    assert all(total == pytest.approx(1) for total in scores.values())


def test_exports_refuse_unknown_names_at_once(sample: Sample) -> None:
    with pytest.raises(StoreError, match="no table 'ratings' to export; there are standings"):
        sample.store.export(sample.id, "ratings")  # type: ignore[arg-type]  # wrong on purpose


def test_an_interrupted_tournament_exports_whole_matches_only(store: Store) -> None:
    """What is visible is complete (A04)."""
    sample = Sample(store)
    matches = list(sample.matches())
    store.commit_matches(sample.id, [matches[14], matches[3]])
    games = [(game.sequence, game.rotation) for game in store.games(sample.id)]
    assert games == [(3, 0), (3, 1), *((14, rotation) for rotation in range(4))]


def test_the_same_results_in_any_order_are_the_same_content(tmp_path: Path, sample: Sample) -> None:
    """Times, workers, voided attempts, commit order and batches leave hash and exports as they are."""
    other = Sample(open_store(tmp_path / "other.db"))
    matches = list(other.matches(worker="elsewhere"))
    random.Random(4).shuffle(matches)
    for match in matches:
        if match.pairing.sequence % 5 == 0:
            other.store.commit_matches(other.id, [finished(match.pairing, error="host went away")])
        assert other.store.commit_matches(other.id, [match]) == (True,)
        other.store.update_ratings(other.id)
    assert other.store.content_hash(other.id) == sample.store.content_hash(sample.id)
    for name in set(get_args(ExportName)) - {"attempts"}:
        one, two = (list(s.store.export(s.id, name).rows) for s in (sample, other))
        if name == "faults":  # whose ids count in the order of commits
            one, two = ([row[1:] for row in rows] for rows in (one, two))
        assert one == two


@pytest.mark.parametrize(
    "change",
    [
        {"scores": (0.0, 1.0)},
        {"placements": ((1, 2), (1, 2))},
        {"termination": "game_limit"},
        {"final_digest": "00"},
        {"laps": 1000},
        {"decisions": 1000},
        {"faults": ()},
        {"eliminated_at": (0, 0)},
        {"winners": (0, 1)},
    ],
)
def test_the_content_hash_sees_every_part_of_a_result(store: Store, change: dict[str, Any]) -> None:
    hashes = []
    for changes in ({}, change):
        sample = Sample(store)
        matches = list(sample.matches())
        match = next(match for match in matches if result_of(match).games[0].faults)
        result = result_of(match)
        games = (replace(result.games[0], **changes), *result.games[1:])
        store.commit_matches(sample.id, [replace(match, result=replace(result, games=games))])
        hashes.append(store.content_hash(sample.id))
    assert hashes[0] != hashes[1]


def test_the_content_hash_sees_keys_and_missing_matches(store: Store) -> None:
    hashes = set()
    for change in (lambda m: m, lambda m: m[:1], lambda m: [replace(m[0], key=bytes(16)), m[1]]):
        sample = Sample(store)
        store.commit_matches(sample.id, change(list(sample.matches())[:2]))
        hashes.add(store.content_hash(sample.id))
    assert len(hashes) == 3
