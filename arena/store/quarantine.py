"""Quarantine: a player that faults out of so many games in a row is kept out of its later matches.

It is for bots that break. A game that a player which dials in was not there for (`no_show`) says nothing
about that: it neither counts nor ends a streak.

Who is quarantined follows from the committed matches in scheduled order alone. Settling walks over them as
far as no match is missing; a match behind the verdict that involves the player counts for nobody, whether it
was played before the verdict was known or not. So a run on many workers ends with the table of a run on one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import cast

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from arena.store import released, tournaments
from arena.store.models import (
    AttemptModel,
    EntryModel,
    FaultModel,
    GameModel,
    IdleCpuModel,
    MatchModel,
    PlacementModel,
    QuarantineModel,
    RecordModel,
    TournamentModel,
)
from arena.store.rows import QuarantineRow
from arena.types import FaultKind

WINDOW = 500  # matches examined in one go
# The fault and the guard of a seat whose bot dials in and was not there; one that was started here broke.
_ABSENT: tuple[FaultKind, str] = ("no_show", "remote")
_DETAILS = (FaultModel, RecordModel, PlacementModel)  # what hangs on a game, referring rows first


@dataclass(frozen=True, slots=True)
class Verdict:
    """A player (by entry index) that a fault took out of each of its last `games` games up to a match."""

    player: int
    sequence: int
    games: int
    fault_id: int


@dataclass(slots=True)
class Judge:
    """Counts the games in a row, of those it is told of, that ended with a player retired by a fault.

    Players are numbered by their entry.
    """

    limit: int
    streaks: dict[int, int]
    found: dict[int, Verdict] = field(default_factory=dict)

    def excludes(self, players: tuple[int, ...], sequence: int) -> int | None:
        """Return the player, first in the pairing, for whose quarantine a match counts for nobody."""
        return next((p for p in players if p in self.found and self.found[p].sequence < sequence), None)

    def examine(self, sequence: int, games: list[Mapping[int, int | None]]) -> list[Verdict]:
        """Take in a match: for each game the fault that retired each player, or None; return the verdicts."""
        made = []
        for faults in games:
            for player, fault_id in sorted(faults.items()):
                self.streaks[player] = self.streaks.get(player, 0) + 1 if fault_id is not None else 0
                if fault_id is not None and self.streaks[player] >= self.limit and player not in self.found:
                    made.append(Verdict(player, sequence, self.limit, fault_id))
                    self.found[player] = made[-1]
        return made


def settle(session: Session, tournament: TournamentModel) -> frozenset[int]:
    """Examine what was committed since the last time; return the matches that no longer count."""
    if not tournament.quarantine_after:
        return frozenset()
    end = released.first_open(session, tournament.id, tournament.settled)
    if end == tournament.settled:
        return frozenset()
    entries = _entries(session, tournament.id)
    judge = Judge(
        tournament.quarantine_after,
        {entry.position: entry.streak for entry in entries},
        stored_verdicts(session, tournament.id),
    )
    withdrawn: set[int] = set()
    for low in range(tournament.settled, end, WINDOW):
        for sequence, games in _matches(session, tournament.id, low, min(low + WINDOW, end)):
            if sequence in withdrawn:
                continue
            for verdict in judge.examine(sequence, games):
                withdrawn |= _quarantine(session, tournament.id, entries[verdict.player], verdict)
    for entry in entries:
        entry.streak = judge.streaks.get(entry.position, 0)
    tournament.settled = end
    return frozenset(withdrawn)


def why_unplayed(label: str, sequence: int, was_played: bool) -> str:
    """Say why a match has no games."""
    state = "counts for nobody" if was_played else "not played"
    return f"{state}: {label} is quarantined since match {sequence}"


def quarantines(session: Session, tournament_id: int) -> tuple[QuarantineRow, ...]:
    """Return a tournament's quarantined players in the order in which it happened."""
    tournaments.require(session, tournament_id)
    query = (
        select(QuarantineModel, EntryModel.label, EntryModel.position, FaultModel.kind)
        .join(
            EntryModel,
            (EntryModel.tournament_id == QuarantineModel.tournament_id)
            & (EntryModel.player_id == QuarantineModel.player_id),
        )
        .join(FaultModel, FaultModel.id == QuarantineModel.fault_id)
        .where(QuarantineModel.tournament_id == tournament_id)
        .order_by(QuarantineModel.sequence, EntryModel.position)
    )
    return tuple(
        QuarantineRow(label, position, found.sequence, found.games, cast(FaultKind, kind), found.fault_id)
        for found, label, position, kind in session.execute(query)
    )


def unplayed(session: Session, tournament_id: int) -> int:
    """Count the matches that a quarantine kept from being played, or from counting."""
    query = (
        select(func.count())
        .select_from(MatchModel)
        .join(AttemptModel, AttemptModel.id == MatchModel.attempt_id)
        .where(MatchModel.tournament_id == tournament_id, AttemptModel.error != "")
    )
    return session.scalar(query) or 0


def stored_verdicts(session: Session, tournament_id: int) -> dict[int, Verdict]:
    """Return the stored verdicts by entry index."""
    return {
        row.entry: Verdict(row.entry, row.sequence, row.games, row.fault)
        for row in quarantines(session, tournament_id)
    }


def differences(session: Session, tournament_id: int) -> Iterator[str]:
    """Judge all committed matches anew; yield in words where the stored verdicts or matches disagree."""
    tournament = tournaments.require(session, tournament_id)
    labels = [entry.label for entry in tournaments.entries(session, tournament_id)]
    judge = Judge(tournament.quarantine_after, {})
    end = released.first_open(session, tournament_id) if tournament.quarantine_after else 0
    for low in range(0, end, WINDOW):
        high = min(low + WINDOW, end)
        games = dict(_matches(session, tournament_id, low, high))
        for sequence, players in _players(session, tournament_id, low, high):
            kept_out = judge.excludes(players, sequence) is not None
            if kept_out == (sequence in games):
                state = "has games behind" if kept_out else "has no games without"
                yield f"match {sequence} {state} a quarantine of one of its players"
            elif not kept_out:
                judge.examine(sequence, games[sequence])
    stored = stored_verdicts(session, tournament_id)
    for player in sorted(stored.keys() | judge.found.keys()):
        before, now = stored.get(player), judge.found.get(player)
        if before != now:
            yield f"{labels[player]}: stored {_words(before)}, computed {_words(now)}"


def _words(verdict: Verdict | None) -> str:
    return "no quarantine" if verdict is None else f"quarantine since match {verdict.sequence}"


def _entries(session: Session, tournament_id: int) -> list[EntryModel]:
    query = select(EntryModel).where(EntryModel.tournament_id == tournament_id).order_by(EntryModel.position)
    return list(session.scalars(query))


def _players(
    session: Session, tournament_id: int, low: int, high: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    query = (
        select(MatchModel.sequence, MatchModel.players)
        .where(MatchModel.tournament_id == tournament_id)
        .where(MatchModel.sequence >= low, MatchModel.sequence < high)
        .order_by(MatchModel.sequence)
    )
    return ((row.sequence, row.players) for row in session.execute(query))


def _matches(
    session: Session, tournament_id: int, low: int, high: int
) -> Iterator[tuple[int, list[Mapping[int, int | None]]]]:
    """Yield the played matches low..high-1: for each game, by player, the fault that retired a seat of it.

    A game is without the players that were not there.
    """
    fault = FaultModel.id.label("fault")
    query = (
        select(MatchModel.sequence, GameModel.rotation, EntryModel.position, fault)
        .add_columns(FaultModel.kind, PlacementModel.guard)
        .join(GameModel, GameModel.match_id == MatchModel.id)
        .join(PlacementModel, PlacementModel.game_id == GameModel.id)
        .join(
            EntryModel,
            (EntryModel.tournament_id == MatchModel.tournament_id)
            & (EntryModel.player_id == PlacementModel.player_id),
        )
        .outerjoin(PlacementModel.faults.and_(FaultModel.action == "retire"))
        .where(MatchModel.tournament_id == tournament_id)
        .where(MatchModel.sequence >= low, MatchModel.sequence < high)
        .order_by(MatchModel.sequence, GameModel.rotation, PlacementModel.seat)
    )
    for sequence, rows in groupby(session.execute(query).all(), key=attrgetter("sequence")):
        games: list[Mapping[int, int | None]] = []
        for _, seats in groupby(rows, key=attrgetter("rotation")):
            faults: dict[int, int | None] = {}
            for seat in seats:
                if (seat.kind, seat.guard) != _ABSENT:
                    faults[seat.position] = faults.get(seat.position) or seat.fault
            games.append(faults)
        yield sequence, games


def _quarantine(session: Session, tournament_id: int, entry: EntryModel, verdict: Verdict) -> frozenset[int]:
    """Store a verdict and take back what was committed behind it; return those matches."""
    session.add(
        QuarantineModel(
            tournament_id=tournament_id,
            player_id=entry.player_id,
            sequence=verdict.sequence,
            games=verdict.games,
            fault_id=verdict.fault_id,
        )
    )
    query = (
        select(MatchModel.id, MatchModel.sequence, MatchModel.attempt_id)
        .join(GameModel, GameModel.match_id == MatchModel.id)
        .join(PlacementModel, PlacementModel.game_id == GameModel.id)
        .where(MatchModel.tournament_id == tournament_id, MatchModel.sequence > verdict.sequence)
        .where(PlacementModel.player_id == entry.player_id)
        .distinct()
    )
    rows = session.execute(query).all()
    for start in range(0, len(rows), WINDOW):
        part = rows[start : start + WINDOW]
        _drop_games(session, [row.id for row in part])
        reason = why_unplayed(entry.label, verdict.sequence, was_played=True)
        attempts = update(AttemptModel).where(AttemptModel.id.in_([row.attempt_id for row in part]))
        session.execute(attempts.values(error=reason))
    return frozenset(row.sequence for row in rows)


def _drop_games(session: Session, matches: list[int]) -> None:
    """Delete the games of matches with all that hangs on them."""
    games = select(GameModel.id).where(GameModel.match_id.in_(matches))
    statements = [delete(model).where(model.game_id.in_(games)) for model in _DETAILS]
    statements.append(delete(GameModel).where(GameModel.match_id.in_(matches)))
    statements.append(delete(IdleCpuModel).where(IdleCpuModel.match_id.in_(matches)))
    for statement in statements:
        session.execute(statement, execution_options={"synchronize_session": False})
