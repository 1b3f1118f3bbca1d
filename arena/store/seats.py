"""What the seats were worth, and how many different games there were: facts about a tournament as such."""

from __future__ import annotations

import math
from collections import defaultdict

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from arena.store import tournaments
from arena.store.models import GameModel, MatchModel, PlacementModel
from arena.store.rows import SeatShareRow


def shares(session: Session, tournament_id: int) -> tuple[SeatShareRow, ...]:
    """Return the mean score of every seat of every pool, voided games left out."""
    pools = {pool.id: pool for pool in tournaments.pools(session, tournament_id)}
    query = (
        select(MatchModel.pool_id, PlacementModel.seat, PlacementModel.score, func.count())
        .join(GameModel, GameModel.match_id == MatchModel.id)
        .join(PlacementModel, PlacementModel.game_id == GameModel.id)
        .where(MatchModel.tournament_id == tournament_id, GameModel.voided.is_(False))
        .group_by(MatchModel.pool_id, PlacementModel.seat, PlacementModel.score)
    )
    found: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
    for pool, seat, score, count in session.execute(query):
        found[pool, seat].append((score, count))
    rows = []
    for (pool, seat), parts in sorted(found.items()):
        games = sum(count for _, count in parts)
        mean = math.fsum(score * count for score, count in parts) / games
        rows.append(SeatShareRow(pools[pool], seat, games, mean))
    return tuple(rows)


def distinct_games(session: Session, tournament_id: int) -> tuple[int, int]:
    """Return how many games there are, and how many different ends among them (by digest)."""
    tournaments.require(session, tournament_id)
    query = (
        select(func.count(), func.count(GameModel.digest.distinct()))
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(MatchModel.tournament_id == tournament_id)
    )
    games, different = session.execute(query).one()
    return games, different
