"""Reading faults: all of a tournament for lists and tables, or one with everything a person asks about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, defer

from arena.errors import StoreError, StoreRefusal
from arena.store import tournaments
from arena.store.ids import known_ids
from arena.store.models import (
    EntryModel,
    FaultModel,
    GameModel,
    MatchModel,
    PlacementModel,
    PlayerModel,
    PoolModel,
    QuarantineModel,
    SetupModel,
    TournamentModel,
)
from arena.store.rows import FaultDetail, FaultRow
from arena.types import FaultKind


def faults(
    session: Session, tournament_id: int, player_id: int | None = None, kind: str | None = None
) -> Iterator[FaultRow]:
    """Yield the faults in scheduled order, without the long texts."""
    labels = {entry.id: entry.label for entry in tournaments.entries(session, tournament_id)}
    if player_id is not None and player_id not in labels:
        raise StoreError(f"no player with id {player_id} in tournament {tournament_id}")
    query = _in_order(tournament_id).options(defer(FaultModel.output), defer(FaultModel.last_message))
    if player_id is not None:
        query = query.where(PlacementModel.player_id == player_id)
    if kind is not None:
        query = query.where(FaultModel.kind == kind)
    for model, player, rotation, sequence in session.execute(query.execution_options(yield_per=1000)):
        yield _row(model, labels[player], rotation, sequence)


def with_texts(session: Session, tournament_id: int) -> Iterator[tuple[FaultRow, str, str]]:
    """Yield (fault, output, last message) in scheduled order."""
    labels = {entry.id: entry.label for entry in tournaments.entries(session, tournament_id)}
    query = _in_order(tournament_id).execution_options(yield_per=100)
    for model, player, rotation, sequence in session.execute(query):
        yield _row(model, labels[player], rotation, sequence), model.output, model.last_message


def fault(session: Session, fault_id: int) -> FaultDetail:
    """Return one fault; StoreRefusal names the ids that exist when it is unknown."""
    row = session.execute(_details().where(FaultModel.id == fault_id)).first()
    if row is None:
        raise StoreRefusal(f"no fault with id {fault_id}; {known_ids(session, FaultModel.id)}")
    model, place, game, match, pool, setup, tournament, player, entry, quarantine = row
    return FaultDetail(
        fault=_row(model, entry.label, game.rotation, match.sequence),
        output=model.output,
        last_message=model.last_message,
        tournament_id=tournament.id,
        tournament=tournament.name,
        variant=setup.variant,
        seats=pool.seats,
        player=tournaments.player_row(player, entry.label),
        command=entry.command,
        guard=place.guard,
        quarantine=quarantine is not None and quarantine.fault_id == fault_id,
    )


def _in_order(tournament_id: int) -> Select[FaultModel, int, int, int]:
    return (
        select(FaultModel, PlacementModel.player_id, GameModel.rotation, MatchModel.sequence)
        .join(PlacementModel.faults)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(MatchModel.tournament_id == tournament_id)
        .order_by(MatchModel.sequence, GameModel.rotation, FaultModel.decision, FaultModel.id)
    )


def _details() -> Select[
    FaultModel,
    PlacementModel,
    GameModel,
    MatchModel,
    PoolModel,
    SetupModel,
    TournamentModel,
    PlayerModel,
    EntryModel,
    QuarantineModel,
    *tuple[Any, ...],
]:
    return (
        select(
            *(FaultModel, PlacementModel, GameModel, MatchModel, PoolModel, SetupModel),
            *(TournamentModel, PlayerModel, EntryModel, QuarantineModel),
        )
        .join(PlacementModel.faults)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .join(PoolModel, PoolModel.id == MatchModel.pool_id)
        .join(TournamentModel, TournamentModel.id == MatchModel.tournament_id)
        .join(
            SetupModel,
            (SetupModel.tournament_id == MatchModel.tournament_id)
            & (SetupModel.position == MatchModel.setup),
        )
        .join(PlayerModel, PlayerModel.id == PlacementModel.player_id)
        .join(
            EntryModel,
            (EntryModel.tournament_id == MatchModel.tournament_id) & (EntryModel.player_id == PlayerModel.id),
        )
        .outerjoin(
            QuarantineModel,
            (QuarantineModel.tournament_id == MatchModel.tournament_id)
            & (QuarantineModel.player_id == PlayerModel.id),
        )
    )


def _row(fault: FaultModel, player: str, rotation: int, sequence: int) -> FaultRow:
    return FaultRow(
        id=fault.id,
        game=fault.game_id,
        sequence=sequence,
        rotation=rotation,
        seat=fault.seat,
        player=player,
        kind=cast(FaultKind, fault.kind),
        decision=fault.decision,
        limit_ms=fault.limit_ms,
        used_ms=fault.used_ms,
        queue_ms=fault.queue_ms,
        transport_ms=fault.transport_ms,
        action=fault.action,
        message=fault.message,
    )
