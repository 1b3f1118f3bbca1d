"""How the players of a tournament behaved: faults, isolation reached, idle CPU, quarantine."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import cast

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from arena.store import quarantine, tournaments
from arena.store.models import AttemptModel, FaultModel, GameModel, IdleCpuModel, MatchModel, PlacementModel
from arena.store.rows import ConductRow
from arena.types import FaultKind


def conduct(session: Session, tournament_id: int) -> tuple[ConductRow, ...]:
    """Return one row an entry, in the order of entries."""
    entries = tournaments.entries(session, tournament_id)
    games = _counts(session, _games(tournament_id))
    faulted = _counts(session, _faulted(tournament_id))
    retired = _counts(session, _faulted(tournament_id, FaultModel.action == "retire"))
    kinds, guards = _kinds(session, tournament_id), _guards(session, tournament_id)
    idle = _idle_cpu(session, tournament_id)
    verdicts = {row.entry: row for row in quarantine.quarantines(session, tournament_id)}
    unplayed = _unplayed(session, tournament_id) if verdicts else Counter[int]()
    return tuple(
        ConductRow(
            player=entry,
            games=games.get(entry.id, 0),
            faults=sum(kinds[entry.id].values()),
            fault_rate=_rate(faulted.get(entry.id, 0), games.get(entry.id, 0)),
            retired_rate=_rate(retired.get(entry.id, 0), games.get(entry.id, 0)),
            kinds=kinds[entry.id],
            guards=guards[entry.id],
            idle_cpu_ms=idle.get(entry.id),
            quarantine=verdicts.get(position),
            unplayed=unplayed[position],
        )
        for position, entry in enumerate(entries)
    )


def _rate(part: int, games: int) -> float | None:
    return part / games if games else None


def _counts(session: Session, query: Select[int, int]) -> Mapping[int, int]:
    return dict(iter(session.execute(query)))


def _games(tournament_id: int) -> Select[int, int]:
    """Count each player's games; several seats in a game are one game."""
    return (
        select(PlacementModel.player_id, func.count(GameModel.id.distinct()))
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(MatchModel.tournament_id == tournament_id)
        .group_by(PlacementModel.player_id)
    )


def _faulted(tournament_id: int, *conditions: ColumnElement[bool]) -> Select[int, int]:
    """Count each player's games in which it had such a fault."""
    return _games(tournament_id).join(PlacementModel.faults).where(*conditions)


def _kinds(session: Session, tournament_id: int) -> Mapping[int, dict[FaultKind, int]]:
    query = (
        select(PlacementModel.player_id, FaultModel.kind, func.count(FaultModel.id))
        .join(PlacementModel.faults)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(MatchModel.tournament_id == tournament_id)
        .group_by(PlacementModel.player_id, FaultModel.kind)
        .order_by(PlacementModel.player_id, FaultModel.kind)
    )
    found: defaultdict[int, dict[FaultKind, int]] = defaultdict(dict)
    for player, kind, count in session.execute(query):
        found[player][cast(FaultKind, kind)] = count
    return found


def _guards(session: Session, tournament_id: int) -> Mapping[int, tuple[str, ...]]:
    query = (
        select(PlacementModel.player_id, PlacementModel.guard)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(MatchModel.tournament_id == tournament_id, PlacementModel.guard != "")
        .distinct()
        .order_by(PlacementModel.player_id, PlacementModel.guard)
    )
    found: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for player, guard in session.execute(query):
        found[player] += (guard,)
    return found


def _idle_cpu(session: Session, tournament_id: int) -> Mapping[int, float]:
    """Return each player's mean over the matches in which it was measured."""
    query = (
        select(IdleCpuModel.player_id, IdleCpuModel.cpu_ms)
        .join(MatchModel, MatchModel.id == IdleCpuModel.match_id)
        .where(MatchModel.tournament_id == tournament_id)
    )
    found: defaultdict[int, list[float]] = defaultdict(list)
    for player, cpu_ms in session.execute(query):
        found[player].append(cpu_ms)
    return {player: math.fsum(values) / len(values) for player, values in found.items()}


def _unplayed(session: Session, tournament_id: int) -> Counter[int]:
    """Count, by entry index, the matches without games."""
    query = (
        select(MatchModel.players)
        .join(AttemptModel, AttemptModel.id == MatchModel.attempt_id)
        .where(MatchModel.tournament_id == tournament_id, AttemptModel.error != "")
    )
    return Counter(player for players in session.scalars(query) for player in players)
