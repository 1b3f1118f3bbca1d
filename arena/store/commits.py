"""Committing matches: each once, complete or not at all, many in one transaction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from arena.errors import StoreError
from arena.store import tournaments
from arena.store.models import (
    AttemptModel,
    EntryModel,
    FaultModel,
    GameModel,
    MatchModel,
    PlacementModel,
    PoolModel,
    RecordModel,
    SetupModel,
)
from arena.store.rows import AttemptRow, DoneSequences, FinishedMatch
from arena.types import Fault, GameResult, MatchResult, Pairing


@dataclass(frozen=True, slots=True)
class _Setup:
    pool_id: int
    seats: int
    rotations: int


def commit(session: Session, tournament_id: int, matches: Sequence[FinishedMatch]) -> tuple[bool, ...]:
    """Store attempts and tell for each whether it now counts; the tournament's row is the writers' lock."""
    tournament = tournaments.require(session, tournament_id, lock=True)
    entries = _entries(session, tournament_id)
    setups = _setups(session, tournament_id)
    sequences = [match.pairing.sequence for match in matches]
    done = _committed(session, tournament_id, sequences)
    numbers = _attempt_numbers(session, tournament_id, sequences)
    stored = datetime.now(UTC)
    counts = []
    for match in matches:
        _check_pairing(match.pairing, match.result, tournament.total, len(entries), setups)
        sequence = match.pairing.sequence
        if sequence in done:
            counts.append(False)
            continue
        numbers[sequence] = numbers.get(sequence, 0) + 1
        attempt = _attempt(tournament_id, match.result, numbers[sequence], stored)
        if match.result.error:
            session.add(attempt)
        else:
            setup = setups[match.pairing.setup]
            _check_games(match.pairing, match.result, setup)
            session.add(_match(tournament_id, match, attempt, setup, entries))
            done.add(sequence)
        counts.append(not match.result.error)
    return tuple(counts)


def done_sequences(session: Session, tournament_id: int) -> DoneSequences:
    """Return the committed sequence numbers as a prefix and the rest."""
    tournaments.require(session, tournament_id)
    prefix = first_open(session, tournament_id)
    query = select(MatchModel.sequence).where(
        MatchModel.tournament_id == tournament_id, MatchModel.sequence > prefix
    )
    return DoneSequences(prefix, frozenset(session.scalars(query)))


def first_open(session: Session, tournament_id: int, start: int = 0) -> int:
    """Return the lowest sequence number from `start` on that is not committed."""
    own = MatchModel.tournament_id == tournament_id
    if session.scalar(select(MatchModel.id).where(own, MatchModel.sequence == start)) is None:
        return start
    later = aliased(MatchModel)
    following = (
        select(later.id)
        .where(later.tournament_id == tournament_id, later.sequence == MatchModel.sequence + 1)
        .exists()
    )
    query = (
        select(MatchModel.sequence)
        .where(own, MatchModel.sequence >= start, ~following)
        .order_by(MatchModel.sequence)
        .limit(1)
    )
    return session.scalars(query).one() + 1


def attempts(session: Session, tournament_id: int, *, voided_only: bool) -> tuple[AttemptRow, ...]:
    """Return the attempts by sequence and number."""
    tournaments.require(session, tournament_id)
    query = (
        select(AttemptModel)
        .where(AttemptModel.tournament_id == tournament_id)
        .order_by(AttemptModel.sequence, AttemptModel.number)
    )
    if voided_only:
        query = query.where(AttemptModel.error != "")
    return tuple(
        AttemptRow(a.sequence, a.number, a.worker, a.error, a.wall_ms, a.cpu_ms, a.stored)
        for a in session.scalars(query)
    )


def _entries(session: Session, tournament_id: int) -> list[int]:
    query = (
        select(EntryModel.player_id)
        .where(EntryModel.tournament_id == tournament_id)
        .order_by(EntryModel.position)
    )
    return list(session.scalars(query))


def _setups(session: Session, tournament_id: int) -> list[_Setup]:
    query = (
        select(SetupModel.pool_id, PoolModel.seats, SetupModel.rotations)
        .join(PoolModel, PoolModel.id == SetupModel.pool_id)
        .where(SetupModel.tournament_id == tournament_id)
        .order_by(SetupModel.position)
    )
    return [_Setup(*row) for row in session.execute(query)]


def _committed(session: Session, tournament_id: int, sequences: Sequence[int]) -> set[int]:
    query = select(MatchModel.sequence).where(
        MatchModel.tournament_id == tournament_id, MatchModel.sequence.in_(sequences)
    )
    return set(session.scalars(query))


def _attempt_numbers(session: Session, tournament_id: int, sequences: Sequence[int]) -> dict[int, int]:
    query = (
        select(AttemptModel.sequence, func.max(AttemptModel.number))
        .where(AttemptModel.tournament_id == tournament_id, AttemptModel.sequence.in_(sequences))
        .group_by(AttemptModel.sequence)
    )
    return dict(iter(session.execute(query)))


def _check_pairing(
    pairing: Pairing, result: MatchResult, total: int, entries: int, setups: Sequence[_Setup]
) -> None:
    where = f"match {pairing.sequence}"
    if result.sequence != pairing.sequence:
        raise StoreError(f"{where}: the result is that of match {result.sequence}")
    if not 0 <= pairing.sequence < total:
        raise StoreError(f"{where}: the tournament has matches 0..{total - 1}")
    if not 0 <= pairing.setup < len(setups):
        raise StoreError(f"{where}: no setup {pairing.setup}; there are {len(setups)}")
    if not all(0 <= player < entries for player in pairing.players):
        raise StoreError(f"{where}: players {pairing.players} are not all entries 0..{entries - 1}")


def _check_games(pairing: Pairing, result: MatchResult, setup: _Setup) -> None:
    """Refuse a result that is incomplete or cannot be right."""
    rotations = sorted(game.rotation for game in result.games)
    if rotations != list(range(setup.rotations)):
        raise StoreError(
            f"match {pairing.sequence}: rotations {rotations} are not the {setup.rotations} of a match"
        )
    for game in result.games:
        if problem := _problem(game, setup.seats, len(pairing.players)):
            raise StoreError(f"match {pairing.sequence}, rotation {game.rotation}: {problem}")


def _problem(game: GameResult, seats: int, players: int) -> str:
    by_seat = (game.players, game.scores, game.placements, game.eliminated_at)
    if any(len(values) != seats for values in by_seat):
        return f"players, scores, placements and eliminations must have {seats} values, one a seat"
    if set(game.players) != set(range(players)):
        return f"the seats hold players {game.players}, not each of 0..{players - 1}"
    total = math.fsum(game.scores)
    if not all(0 <= score <= 1 for score in game.scores) or min(abs(total), abs(total - 1)) > 1e-9:
        return f"scores {game.scores} must be in [0, 1] and sum to 1, or to 0 when voided"
    if not all(1 <= lo <= hi <= seats for lo, hi in game.placements):
        return f"placements {game.placements} must be intervals within 1..{seats}"
    if not all(0 <= seat < seats for seat in [*game.winners, *(fault.seat for fault in game.faults)]):
        return f"winners and faults must name seats 0..{seats - 1}"
    return ""


def _attempt(tournament_id: int, result: MatchResult, number: int, stored: datetime) -> AttemptModel:
    return AttemptModel(
        tournament_id=tournament_id,
        sequence=result.sequence,
        number=number,
        worker=result.worker,
        error=result.error,
        wall_ms=result.wall_ms,
        cpu_ms=result.cpu_ms,
        stored=stored,
    )


def _match(
    tournament_id: int, match: FinishedMatch, attempt: AttemptModel, setup: _Setup, entries: Sequence[int]
) -> MatchModel:
    pairing = match.pairing
    identities = [entries[player] for player in pairing.players]
    return MatchModel(
        tournament_id=tournament_id,
        sequence=pairing.sequence,
        round=pairing.round,
        setup=pairing.setup,
        pool_id=setup.pool_id,
        key=match.key,
        players=pairing.players,
        attempt=attempt,
        games=[_game(game, identities) for game in match.result.games],
    )


def _game(game: GameResult, identities: Sequence[int]) -> GameModel:
    return GameModel(
        rotation=game.rotation,
        termination=game.termination,
        laps=game.laps,
        decisions=game.decisions,
        digest=game.final_digest,
        voided=not any(game.scores),
        wall_ms=game.wall_ms,
        placements=[_placement(game, seat, identities) for seat in range(len(game.players))],
        record=RecordModel(content=game.record),
    )


def _placement(game: GameResult, seat: int, identities: Sequence[int]) -> PlacementModel:
    lo, hi = game.placements[seat]
    return PlacementModel(
        seat=seat,
        player_id=identities[game.players[seat]],
        score=game.scores[seat],
        placement_lo=lo,
        placement_hi=hi,
        eliminated_at=game.eliminated_at[seat],
        won=seat in game.winners,
        faults=[_fault(fault) for fault in game.faults if fault.seat == seat],
    )


def _fault(fault: Fault) -> FaultModel:
    return FaultModel(
        kind=fault.kind,
        decision=fault.decision,
        limit_ms=fault.limit_ms,
        used_ms=fault.used_ms,
        action=fault.action,
        message=fault.message,
    )
