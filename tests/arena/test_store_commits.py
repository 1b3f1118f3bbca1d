"""Committing matches exactly once: duplicates, voided attempts, bad results, two writers, kill -9."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from store_samples import Sample, finished, open_store, result_of

from arena.errors import StoreError
from arena.store import Store
from arena.store.rows import FinishedMatch
from arena.types import GameResult


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(open_store(tmp_path / "arena.db"))


def rows(sample: Sample, table: str) -> int:
    with sqlite3.connect(sample.path) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_match_is_committed_once(sample: Sample) -> None:
    match = next(sample.matches())
    again = finished(match.pairing, worker="other", seed=1)
    assert sample.store.commit_match(sample.id, match.pairing, match.key, result_of(match)) is True
    before = sample.store.content_hash(sample.id)
    assert sample.store.commit_match(sample.id, again.pairing, again.key, result_of(again)) is False
    assert sample.store.content_hash(sample.id) == before
    assert rows(sample, "attempts") == 1


def test_a_batch_answers_for_each_match(sample: Sample) -> None:
    one, two, three = list(sample.matches())[:3]
    store = sample.store
    assert store.commit_matches(sample.id, [one, two, one]) == (True, True, False)
    assert store.commit_matches(sample.id, [two, three]) == (False, True)
    assert store.commit_matches(sample.id, []) == ()
    assert list(store.done_sequences(sample.id)) == [0, 1, 2]


def test_tournaments_do_not_share_sequences(sample: Sample) -> None:
    other = Sample(sample.store)
    match = next(sample.matches())
    assert sample.store.commit_matches(sample.id, [match]) == (True,)
    assert sample.store.commit_matches(other.id, [match]) == (True,)


def test_a_voided_attempt_is_kept_with_its_reason_and_never_counts(sample: Sample) -> None:
    """A platform fault is no result; the log says why the match was played again (A05, A11)."""
    store = sample.store
    good = next(sample.matches(worker="w2"))
    bad = finished(good.pairing, worker="w1", error="worker died: out of memory")
    assert store.commit_matches(sample.id, [bad]) == (False,)
    assert store.commit_matches(sample.id, [bad, good]) == (False, True)
    assert rows(sample, "games") == 2
    attempts = store.attempts(sample.id)
    assert [(a.sequence, a.number, a.worker, a.error) for a in attempts] == [
        (0, 1, "w1", "worker died: out of memory"),
        (0, 2, "w1", "worker died: out of memory"),
        (0, 3, "w2", ""),
    ]
    assert [a.number for a in store.attempts(sample.id, voided_only=True)] == [1, 2]


def test_a_late_voided_attempt_does_not_disturb_a_committed_match(sample: Sample) -> None:
    good = next(sample.matches())
    sample.store.commit_matches(sample.id, [good])
    late = finished(good.pairing, error="lost its worker")
    assert sample.store.commit_matches(sample.id, [late]) == (False,)
    assert len(sample.store.attempts(sample.id)) == 1


def changed(**values: Any) -> Callable[[FinishedMatch], FinishedMatch]:
    """A change of the first game's fields."""

    def change(match: FinishedMatch) -> FinishedMatch:
        result = result_of(match)
        first: GameResult = replace(result.games[0], **values)
        return replace(match, result=replace(result, games=(first, *result.games[1:])))

    return change


def paired(**values: Any) -> Callable[[FinishedMatch], FinishedMatch]:
    """A change of the pairing's fields."""
    return lambda match: replace(match, pairing=replace(match.pairing, **values))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: replace(m, result=replace(m.result, games=m.result.games[:1])), r"rotations \[0\]"),
        (lambda m: replace(m, result=replace(m.result, games=m.result.games[:1] * 2)), r"rotations \[0, 0\]"),
        (lambda m: replace(m, result=replace(m.result, sequence=9)), "the result is that of match 9"),
        (changed(scores=(1.0, 0.5)), "sum to 1, or to 0"),
        (changed(scores=(1.5, -0.5)), r"must be in \[0, 1\]"),
        (changed(scores=(1.0,)), "must have 2 values, one a seat"),
        (changed(placements=((0, 1), (2, 2))), r"intervals within 1\.\.2"),
        (changed(placements=((2, 1), (2, 2))), r"intervals within 1\.\.2"),
        (changed(players=(0, 0)), "the seats hold players"),
        (changed(winners=(2,)), r"must name seats 0\.\.1"),
        (paired(setup=2), "no setup 2; there are 2"),
        (paired(setup=1), "rotations"),
        (paired(players=(0, 9)), "are not all entries"),
    ],
)
def test_an_impossible_result_is_refused_and_its_batch_with_it(
    sample: Sample, change: Callable[[FinishedMatch], FinishedMatch], message: str
) -> None:
    good, bad = list(sample.matches())[:2]
    with pytest.raises(StoreError, match=f"match 1.*{message}"):
        sample.store.commit_matches(sample.id, [good, change(bad)])
    assert rows(sample, "matches") == rows(sample, "attempts") == 0


def test_a_sequence_beyond_the_plan_is_refused(sample: Sample) -> None:
    """The total is never exceeded (A02)."""
    match = next(sample.matches())
    beyond = replace(
        match, pairing=replace(match.pairing, sequence=30), result=replace(result_of(match), sequence=30)
    )
    with pytest.raises(StoreError, match=r"the tournament has matches 0\.\.29"):
        sample.store.commit_matches(sample.id, [beyond])


def test_done_sequences_tell_prefix_gaps_and_rest(sample: Sample) -> None:
    matches = list(sample.matches())
    sample.store.commit_matches(sample.id, [matches[i] for i in (5, 0, 1, 7, 2)])
    done = sample.store.done_sequences(sample.id)
    assert (done.prefix, done.beyond) == (3, frozenset({5, 7}))
    assert [sequence for sequence in range(30) if sequence in done] == list(done) == [0, 1, 2, 5, 7]
    assert len(done) == 5
    assert -1 not in done


def test_done_sequences_of_an_empty_and_a_full_tournament(sample: Sample) -> None:
    assert list(sample.store.done_sequences(sample.id)) == []
    sample.commit_all()
    assert list(sample.store.done_sequences(sample.id)) == list(range(30))


def test_two_connections_commit_each_sequence_once(sample: Sample) -> None:
    """Both offer every match, in different orders and batches, at the same time."""
    stores = [sample.store, open_store(sample.path)]
    start = Barrier(2)

    def offer(number: int) -> dict[int, bool]:
        matches = list(sample.matches(worker=f"w{number}"))
        random.Random(number).shuffle(matches)
        start.wait()
        answers: dict[int, bool] = {}
        for low in range(0, len(matches), 3):
            batch = matches[low : low + 3]
            counts = stores[number].commit_matches(sample.id, batch)
            answers |= {match.pairing.sequence: own for match, own in zip(batch, counts, strict=True)}
        return answers

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(offer, range(2))
    assert all(one[sequence] != two[sequence] for sequence in range(30))
    assert rows(sample, "matches") == rows(sample, "attempts") == 30


WRITER = """
import sys
from store_samples import Sample, open_store
path, tournament, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sample = Sample(open_store(path), id=tournament, rounds=20)
done = sample.store.done_sequences(tournament)
batch = []
for match in sample.matches():
    if match.pairing.sequence not in done:
        batch.append(match)
    if len(batch) == 3:
        assert all(sample.store.commit_matches(tournament, batch))
        sample.store.update_ratings(tournament)
        print(match.pairing.sequence, flush=True)
        batch = []
        most -= 1
        if not most:
            sys.stdin.read()  # never ends: the kill comes here on a machine that stalls
"""


def test_kill_9_of_the_writer_leaves_whole_matches_and_resumes_to_the_same_table(tmp_path: Path) -> None:
    """Killed again and again in the middle of its commits, then finished: as if nothing had happened."""
    killed = Sample(open_store(tmp_path / "killed.db"), rounds=20)
    rng = random.Random(9)
    for _ in range(4):
        _write_and_kill(killed, commits=rng.randint(2, 8), rng=rng)
        _check_whole(killed)
    done = killed.store.done_sequences(killed.id)
    assert 0 < len(done) < killed.schedule.total()
    rest = [match for match in killed.matches() if match.pairing.sequence not in done]
    assert all(killed.store.commit_matches(killed.id, rest))
    killed.store.update_ratings(killed.id)

    undisturbed = Sample(open_store(tmp_path / "undisturbed.db"), rounds=20)
    undisturbed.commit_all()
    assert killed.store.content_hash(killed.id) == undisturbed.store.content_hash(undisturbed.id)
    assert killed.store.leaderboard(tournament_id=killed.id) == undisturbed.store.leaderboard(
        tournament_id=undisturbed.id
    )
    assert killed.store.recompute_ratings().equal


def _write_and_kill(sample: Sample, *, commits: int, rng: random.Random) -> None:
    """Kill the writer after some commits, somewhere inside one of the next."""
    command = [sys.executable, "-c", WRITER, str(sample.path), str(sample.id), str(commits + 8)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe) as writer:
        assert writer.stdout is not None
        for _ in range(commits):
            assert writer.stdout.readline(), "the writer ended early"
        time.sleep(rng.random() * 0.03)
        writer.kill()
        assert writer.wait() == -signal.SIGKILL


WHOLE_MATCHES = """
SELECT setup, games, seats, records, count(*) FROM (
    SELECT setup, count(DISTINCT g.id) AS games, count(*) AS seats, count(DISTINCT r.game_id) AS records
    FROM matches m LEFT JOIN games g ON g.match_id = m.id
    LEFT JOIN placements p ON p.game_id = g.id LEFT JOIN records r ON r.game_id = g.id
    GROUP BY m.id
) GROUP BY setup, games, seats, records
"""


def _check_whole(sample: Sample) -> None:
    """The file is sound, and every match that is there has all its games, seats and records."""
    with sqlite3.connect(sample.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        whole = connection.execute(WHOLE_MATCHES).fetchall()
    assert {row[:4] for row in whole} <= {(0, 2, 4, 2), (1, 4, 16, 4)}
    assert sum(row[4] for row in whole) == len(sample.store.done_sequences(sample.id)) > 0


def test_a_store_can_be_reopened_by_another_process_object(sample: Sample) -> None:
    sample.store.commit_matches(sample.id, list(sample.matches())[:2])
    sample.store.close()
    with Store(f"sqlite:///{sample.path}") as again:
        assert len(again.done_sequences(sample.id)) == 2
