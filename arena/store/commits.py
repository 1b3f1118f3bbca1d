"""Committing matches: each once, complete or not at all, many in one transaction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from arena.errors import StoreError
from arena.store import quarantine, tournaments
from arena.store.models import (
    AttemptModel,
    FaultModel,
    GameModel,
    IdleCpuModel,
    MatchModel,
    PlacementModel,
    PoolModel,
    RecordModel,
    SetupModel,
    TournamentModel,
)
from arena.store.rows import AttemptRow, FinishedMatch
from arena.types import Fault, GameResult, MatchResult, Pairing


@dataclass(frozen=True, slots=True)
class _Setup:
    pool_id: int
    seats: int
    rotations: int


def commit(session: Session, tournament_id: int, matches: Sequence[FinishedMatch]) -> tuple[bool, ...]:
    """Store attempts and tell for each whether it now counts; the tournament's row is the writers' lock."""
    tournament = tournaments.require(session, tournament_id, lock=True)
    desk = _Desk(session, tournament, [match.pairing.sequence for match in matches])
    counts = [desk.take(match) for match in matches]
    session.flush()
    withdrawn = quarantine.settle(session, tournament)
    return tuple(
        counted and match.pairing.sequence not in withdrawn
        for counted, match in zip(counts, matches, strict=True)
    )


class _Desk:
    """Takes in the attempts of one transaction."""

    def __init__(self, session: Session, tournament: TournamentModel, sequences: Sequence[int]) -> None:
        self.session = session
        self.tournament = tournament
        self.entries = tournaments.entries(session, tournament.id)
        self.setups = _setups(session, tournament.id)
        self.done = _committed(session, tournament.id, sequences)
        self.numbers = _attempt_numbers(session, tournament.id, sequences)
        verdicts = quarantine.stored_verdicts(session, tournament.id) if tournament.quarantine_after else {}
        self.judge = quarantine.Judge(tournament.quarantine_after, {}, verdicts)
        self.stored = datetime.now(UTC)

    def take(self, match: FinishedMatch) -> bool:
        """Store an attempt; True when the match counts by it."""
        pairing, result = match.pairing, match.result
        _check_pairing(match, self.tournament.total, len(self.entries), self.setups)
        if pairing.sequence in self.done:
            return False
        outsider = self.judge.excludes(pairing.players, pairing.sequence)
        if result is None and outsider is None:
            raise StoreError(f"match {pairing.sequence}: none of its players is quarantined; play it")
        attempt = self._attempt(pairing.sequence, result)
        if attempt.error:
            self.session.add(attempt)
            return False
        if result is not None:
            _check_games(pairing, result, self.setups[pairing.setup])
        if result is None or outsider is not None:
            self._add_unplayed(match, attempt, outsider)
            return False
        identities = [self.entries[player].id for player in pairing.players]
        self._add(match, attempt, [_game(game, identities) for game in result.games])
        return True

    def _attempt(self, sequence: int, result: MatchResult | None) -> AttemptModel:
        self.numbers[sequence] = self.numbers.get(sequence, 0) + 1
        return AttemptModel(
            tournament_id=self.tournament.id,
            sequence=sequence,
            number=self.numbers[sequence],
            worker=result.worker if result else "",
            error=plain_text(result.error) if result else "",
            wall_ms=result.wall_ms if result else 0.0,
            cpu_ms=result.cpu_ms if result else 0.0,
            stored=self.stored,
        )

    def _add_unplayed(self, match: FinishedMatch, attempt: AttemptModel, outsider: int | None) -> None:
        """A match without games, whose attempt says why."""
        assert outsider is not None
        since = self.judge.found[outsider].sequence
        was_played = match.result is not None
        attempt.error = quarantine.why_unplayed(self.entries[outsider].label, since, was_played)
        self._add(match, attempt, [])

    def _add(self, match: FinishedMatch, attempt: AttemptModel, games: list[GameModel]) -> None:
        pairing = match.pairing
        self.done.add(pairing.sequence)
        self.session.add(
            MatchModel(
                tournament_id=self.tournament.id,
                sequence=pairing.sequence,
                round=pairing.round,
                setup=pairing.setup,
                pool_id=self.setups[pairing.setup].pool_id,
                key=match.key,
                players=pairing.players,
                attempt=attempt,
                games=games,
                idle_cpu=self._idle_cpu(match) if games else [],
            )
        )

    def _idle_cpu(self, match: FinishedMatch) -> list[IdleCpuModel]:
        """What was measured; a bot without a process of its own has nothing to measure."""
        measured = match.result.idle_cpu_ms if match.result else ()
        return [
            IdleCpuModel(player_id=self.entries[player].id, cpu_ms=cpu_ms)
            for player, cpu_ms in zip(match.pairing.players, measured, strict=False)
            if cpu_ms
        ]


def attempts(session: Session, tournament_id: int, *, voided_only: bool) -> tuple[AttemptRow, ...]:
    """Return the attempts by sequence and number; voided ones are those after which a match stayed open."""
    tournaments.require(session, tournament_id)
    query = (
        select(AttemptModel)
        .where(AttemptModel.tournament_id == tournament_id)
        .order_by(AttemptModel.sequence, AttemptModel.number)
    )
    if voided_only:
        settled = select(MatchModel.id).where(MatchModel.attempt_id == AttemptModel.id).exists()
        query = query.where(AttemptModel.error != "", ~settled)
    return tuple(
        AttemptRow(a.sequence, a.number, a.worker, a.error, a.wall_ms, a.cpu_ms, a.stored)
        for a in session.scalars(query)
    )


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


def _check_pairing(match: FinishedMatch, total: int, entries: int, setups: Sequence[_Setup]) -> None:
    pairing, result = match.pairing, match.result
    where = f"match {pairing.sequence}"
    if result is not None and result.sequence != pairing.sequence:
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
        guard=game.guards[seat] if game.guards else "",
        faults=[_fault(fault) for fault in game.faults if fault.seat == seat],
    )


def _fault(fault: Fault) -> FaultModel:
    return FaultModel(
        kind=fault.kind,
        decision=fault.decision,
        limit_ms=fault.limit_ms,
        used_ms=fault.used_ms,
        action=fault.action,
        message=plain_text(fault.message),
        queue_ms=fault.queue_ms,
        transport_ms=fault.transport_ms,
        output=plain_text(fault.output),
        last_message=plain_text(fault.last_message),
    )


def plain_text(text: str) -> str:
    """Return text that every database takes, whatever a bot wrote: no NUL, no lone surrogates."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
