"""Quarantine in the store: a pure function of committed results in scheduled order (E17)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import get_args

import pytest
from databases import KINDS, database
from sqlalchemy import text
from store_samples import Sample, finished, open_store, setup

from arena.errors import StoreError
from arena.store import Store
from arena.store.quarantine import Judge
from arena.store.rows import ExportName, FinishedMatch
from arena.types import Fault, GameResult, Pairing

LIMIT = 3
FAILING = 2  # the entry whose bot breaks


class Quarantining(Sample):
    """Five players at tables of two and three; the bot of one crashes from its n-th game on."""

    def __init__(self, store: Store, *, after: int = 4, limit: int = LIMIT, rounds: int = 3) -> None:
        self.after, self.limit = after, limit
        super().__init__(store, setups=(setup(2), setup(3)), rounds=rounds)

    def _create(self, name: str) -> int:
        return self.store.create_tournament(
            name=name,
            spec="",
            seed=b"a secret of 16 b",
            commitment="",
            setups=self.setups,
            players=self.players,
            total=self.schedule.total(),
            quarantine_after=self.limit,
        )

    def results(self) -> list[FinishedMatch]:
        """All matches as played, in scheduled order."""
        seen, made = 0, []
        for pairing in self.schedule.pairings():
            match = finished(pairing)
            assert match.result is not None
            games = []
            for game in match.result.games:
                seen += FAILING in pairing.players
                games.append(without_faults(game, pairing, crash=seen > self.after))
            made.append(replace(match, result=replace(match.result, games=tuple(games))))
        return made

    @cached_property
    def trigger(self) -> int:
        """The match in which the failing player's third broken game in a row falls."""
        games = 0
        for pairing in self.schedule.pairings():
            games += len(pairing.players) * (FAILING in pairing.players)
            if games >= self.after + self.limit:
                return pairing.sequence
        raise AssertionError("it never breaks so often")

    @cached_property
    def kept_out(self) -> list[int]:
        """Which matches involve the failing player behind the verdict."""
        end = self.trigger
        return [p.sequence for p in self.schedule.pairings() if p.sequence > end and FAILING in p.players]


def without_faults(game: GameResult, pairing: Pairing, crash: bool) -> GameResult:
    """The game with the one fault that matters here, or none."""
    seats = [seat for seat, who in enumerate(game.players) if pairing.players[who] == FAILING]
    faults = [Fault(seat, "crash", 3, 2000.0, 1.0, "retire", "boom") for seat in seats if crash]
    return replace(game, faults=tuple(faults))


def state(sample: Sample) -> list[object]:
    """All that must not depend on the order of commits."""
    store, tournament = sample.store, sample.id
    tables = {
        name: [row[1:] if name == "faults" else row for row in store.export(tournament, name).rows]
        for name in set(get_args(ExportName)) - {"attempts"}
    }
    quarantines = [replace(row, fault=0) for row in store.quarantines(tournament)]
    return [
        *(store.content_hash(tournament), tables, quarantines, store.unplayed(tournament)),
        *(store.leaderboard(tournament_id=tournament), store.rating_changes(tournament)),
    ]


def commit(sample: Sample, batches: Iterable[list[FinishedMatch]]) -> None:
    for batch in batches:
        sample.store.commit_matches(sample.id, batch)
        sample.store.update_ratings(sample.id)


def in_order(path: Path) -> Quarantining:
    """A run on one worker, to whose end no match behind the verdict was played."""
    sample = Quarantining(open_store(path))
    for match in sample.results():
        kept_out = match.pairing.sequence in sample.kept_out
        commit(sample, [[replace(match, result=None) if kept_out else match]])
    return sample


@pytest.fixture
def sample(tmp_path: Path) -> Quarantining:
    return in_order(tmp_path / "in_order.db")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """The state after a run in order."""
    return state(in_order(tmp_path_factory.mktemp("expected") / "in_order.db"))


def test_e17_the_verdict_falls_in_scheduled_order(sample: Quarantining) -> None:
    (row,) = sample.store.quarantines(sample.id)
    assert (row.player, row.entry, row.sequence) == ("C", FAILING, sample.trigger)
    assert (row.games, row.kind) == (LIMIT, "crash")
    fault = sample.store.fault(row.fault)
    assert (fault.fault.player, fault.fault.sequence, fault.quarantine) == ("C", row.sequence, True)
    assert sample.store.unplayed(sample.id) == len(sample.kept_out) > 0
    played = {game.sequence for game in sample.store.games(sample.id)}
    assert played == set(range(sample.schedule.total())) - set(sample.kept_out)
    assert sample.store.tournament(sample.id).committed == sample.schedule.total()
    assert sample.store.quarantine_differences(sample.id) == ()


def test_e17_matches_behind_it_count_for_nobody(sample: Quarantining) -> None:
    conduct = {row.player.label: row for row in sample.store.conduct(sample.id)}
    meetings = [p.players for p in sample.schedule.pairings() if p.sequence in sample.kept_out]
    for position, row in enumerate(conduct.values()):
        assert row.unplayed == sum(position in players for players in meetings)
    assert conduct["C"].quarantine is not None
    assert [row.quarantine for label, row in conduct.items() if label != "C"] == [None] * 4
    for standing in sample.store.leaderboard(tournament_id=sample.id):
        assert standing.games == conduct[standing.player.label].games
    rated = {change.sequence for change in sample.store.rating_changes(sample.id)}
    assert not rated & set(sample.kept_out)


@pytest.mark.parametrize("seed", range(8))
def test_e17_any_order_of_finishing_ends_with_the_same_table(
    tmp_path: Path, expected: list[object], seed: int
) -> None:
    """All matches were played, and committed in any order and batches: as workers do that know no verdict."""
    other = Quarantining(open_store(tmp_path / "other.db"))
    matches, rng = other.results(), random.Random(seed)
    rng.shuffle(matches)
    size = rng.choice((1, 3, 7, len(matches)))
    commit(other, (matches[start : start + size] for start in range(0, len(matches), size)))
    assert state(other) == expected
    assert other.store.quarantine_differences(other.id) == ()
    assert other.store.recompute_ratings(tournament_id=other.id, repair=False).equal


@pytest.mark.parametrize("kind", KINDS)
def test_e17_every_database_ends_with_the_same_table(
    tmp_path: Path, expected: list[object], kind: str
) -> None:
    """Committed backwards, so that everything behind the verdict is taken back at once."""
    with database(kind, tmp_path) as url, Store(url) as store:
        store.migrate()
        other = Quarantining(store)
        matches = other.results()[::-1]
        commit(other, (matches[start : start + 4] for start in range(0, len(matches), 4)))
        assert state(other) == expected


def test_a_match_taken_back_says_why_and_leaves_no_rows(tmp_path: Path) -> None:
    sample = Quarantining(open_store(tmp_path / "arena.db"))
    commit(sample, [sample.results()[::-1]])
    reasons = {
        attempt.sequence: attempt.error for attempt in sample.store.attempts(sample.id) if attempt.error
    }
    words = f"counts for nobody: C is quarantined since match {sample.trigger}"
    assert reasons == dict.fromkeys(sample.kept_out, words)
    assert sample.store.attempts(sample.id, voided_only=True) == ()
    with sample.store._database.reading() as session:
        for child in ("placements", "records", "faults"):
            orphans = f"SELECT count(*) FROM {child} WHERE game_id NOT IN (SELECT id FROM games)"
            assert session.scalar(text(orphans)) == 0


def test_a_match_nobody_is_quarantined_in_must_be_played(tmp_path: Path) -> None:
    other = Quarantining(open_store(tmp_path / "other.db"))
    with pytest.raises(StoreError, match="match 0: none of its players is quarantined; play it"):
        other.store.commit_matches(other.id, [replace(other.results()[0], result=None)])


def test_a_voided_attempt_behind_the_verdict_stays_voided(expected: list[object], tmp_path: Path) -> None:
    """The platform's faults are kept apart from the bot's, also where a match counts for nobody (A11)."""
    other = Quarantining(open_store(tmp_path / "other.db"))
    last = max(other.kept_out)
    matches = other.results()
    other.store.commit_matches(other.id, matches[:last])
    other.store.commit_matches(other.id, [finished(matches[last].pairing, error="host went away")])
    assert last not in other.store.done_sequences(other.id)
    commit(other, [matches[last:]])
    (voided,) = other.store.attempts(other.id, voided_only=True)
    assert (voided.sequence, voided.error) == (last, "host went away")
    assert state(other) == expected


def test_zero_means_never(tmp_path: Path) -> None:
    sample = Quarantining(open_store(tmp_path / "arena.db"), limit=0)
    commit(sample, [sample.results()])
    assert sample.store.quarantines(sample.id) == ()
    assert sample.store.unplayed(sample.id) == 0


def test_verify_sees_a_verdict_that_does_not_follow(sample: Quarantining) -> None:
    with sample.store._database.writing() as session:
        session.execute(text("UPDATE faults SET action = 'default'"))
    differences = sample.store.quarantine_differences(sample.id)
    assert any(
        line == f"C: stored quarantine since match {sample.trigger}, computed no quarantine"
        for line in differences
    )
    assert any("has no games without a quarantine" in line for line in differences)


def test_a_clean_game_ends_a_streak() -> None:
    judge = Judge(3, {})
    games: list[list[int | None]] = [[7, 8], [None], [9, 10], [11]]
    for sequence, faults in enumerate(games):
        verdicts = judge.examine(sequence, [{0: fault, 1: None} for fault in faults])
    assert [(v.player, v.sequence, v.fault_id) for v in verdicts] == [(0, 3, 11)]
    assert judge.excludes((1, 0), 4) == 0
    assert judge.excludes((1, 0), 3) is None


def test_c15_absence_neither_counts_nor_ends_a_streak(tmp_path: Path) -> None:
    """Quarantine is for bots that break: with every other broken game missed, the verdict falls later."""
    crashing, missing, now_and_then = (Quarantining(open_store(tmp_path / f"{n}.db")) for n in range(3))
    for sample, absent in ((crashing, 0), (missing, 1), (now_and_then, 2)):
        commit(sample, [[missed(match, absent) for match in sample.results()]])
        assert sample.store.quarantine_differences(sample.id) == ()
    assert missing.store.quarantines(missing.id) == ()
    assert missing.store.unplayed(missing.id) == 0
    (soon,), (later,) = (sample.store.quarantines(sample.id) for sample in (crashing, now_and_then))
    assert (later.player, later.kind, later.games) == (soon.player, "crash", LIMIT)
    assert later.sequence > soon.sequence


def test_c15_a_bot_started_here_that_ends_without_having_joined_is_broken(tmp_path: Path) -> None:
    """Its fault is called no_show, too, but nobody waits for it to come."""
    samples = [Quarantining(open_store(tmp_path / f"{guard}.db")) for guard in ("none", "remote")]
    for sample, guard in zip(samples, ("none", "remote"), strict=True):
        commit(sample, [[missed(match, 1, guard) for match in sample.results()]])
        assert sample.store.quarantine_differences(sample.id) == ()
    (verdict,) = samples[0].store.quarantines(samples[0].id)
    assert (verdict.kind, verdict.sequence) == ("no_show", samples[0].trigger)
    assert samples[1].store.quarantines(samples[1].id) == ()


def missed(match: FinishedMatch, every: int, guard: str = "remote") -> FinishedMatch:
    """The match with the faults of every so many of its games, or none, as absence."""
    assert match.result is not None
    games = [
        replace(
            game,
            faults=tuple(replace(fault, kind="no_show") for fault in game.faults),
            guards=(guard,) * len(game.players),
        )
        if every and game.rotation % every == 0
        else game
        for game in match.result.games
    ]
    return replace(match, result=replace(match.result, games=tuple(games)))


def test_a_new_version_starts_clean(sample: Quarantining) -> None:
    """A new version is a new player: its tournament knows nothing of the old one's quarantine."""
    players = tuple(replace(p, bot=replace(p.bot, version="2")) for p in sample.players)
    other = sample.store.create_tournament(
        name="next",
        spec="",
        seed=b"x" * 16,
        commitment="",
        setups=sample.setups,
        players=players,
        total=sample.schedule.total(),
        quarantine_after=LIMIT,
    )
    assert sample.store.quarantines(other) == ()
    ids = {row.id for row in sample.store.entries(sample.id)}
    assert not ids & {row.id for row in sample.store.entries(other)}
