"""Standings and pairwise scores: sums over committed games, by tournament, by pool, or both.

Scores are added here with math.fsum and not in SQL: the same results give the same table to the last bit,
whatever the order in which they were committed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from arena.errors import StoreError
from arena.ratings import RatingSystem
from arena.store import rating_log, tournaments
from arena.store.models import (
    FaultModel,
    GameModel,
    MatchModel,
    PlacementModel,
    PlayerModel,
    PoolModel,
    RatingModel,
)
from arena.store.rows import LeaderboardRow, PairwiseRow, PlayerRow


@dataclass(frozen=True, slots=True)
class Scope:
    """Which games count: those of a tournament, of a pool, or of a pool within a tournament."""

    tournament_id: int | None
    pool_id: int | None

    def check(self, session: Session) -> None:
        """Raise StoreError for an unknown id, or when nothing was named."""
        if self.tournament_id is None and self.pool_id is None:
            raise StoreError("name a tournament or a pool: numbers of different pools do not mix")
        if self.tournament_id is not None:
            tournaments.require(session, self.tournament_id)
        if self.pool_id is not None and session.get(PoolModel, self.pool_id) is None:
            raise StoreError(f"no pool with id {self.pool_id}")

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on a query that joins matches."""
        found = []
        if self.tournament_id is not None:
            found.append(MatchModel.tournament_id == self.tournament_id)
        if self.pool_id is not None:
            found.append(MatchModel.pool_id == self.pool_id)
        return found


def leaderboard(session: Session, scope: Scope, system: RatingSystem) -> tuple[LeaderboardRow, ...]:
    """Return the standings, best mean score first, then by wins and label."""
    scope.check(session)
    standings: dict[int, _Standing] = defaultdict(_Standing)
    for _, match in groupby(_seats(session, scope), key=lambda seat: seat.match):
        for player, seats in _by_player(match).items():
            standings[player].add_match(seats)
    players = _players(session, scope)
    faults = {player: (count, games) for player, count, games in session.execute(_faults(scope))}
    ratings = _ratings(session, scope, system)
    rows = (
        standing.row(players[player], *faults.get(player, (0, 0)), ratings.get(player))
        for player, standing in standings.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.score, -row.wins, row.player.label)))


def bot_ratings(session: Session, tournament_id: int, system: RatingSystem) -> dict[tuple[str, str], float]:
    """Return a tournament's stored ratings by bot and version, of one player's settings each."""
    scope = Scope(tournament_id, None)
    ratings = _ratings(session, scope, system)
    players = session.scalars(select(PlayerModel).where(PlayerModel.id.in_(ratings)))
    return {(player.bot, player.version): ratings[player.id] for player in players}


def pairwise(session: Session, scope: Scope) -> tuple[PairwiseRow, ...]:
    """Return the rows of all ordered pairs that met, by label."""
    scope.check(session)
    meetings: dict[tuple[int, int], _Meetings] = defaultdict(_Meetings)
    for _, game in groupby(_seats(session, scope), key=lambda seat: seat.game):
        scores = {
            player: math.fsum(seat.score for seat in seats)
            for player, seats in _by_player(seat for seat in game if not seat.voided).items()
        }
        for player, opponent in permutations(scores, 2):
            meetings[player, opponent].add_game(scores[player], scores[opponent])
    players = _players(session, scope)
    rows = (total.row(players[own], players[other]) for (own, other), total in meetings.items())
    return tuple(sorted(rows, key=lambda row: (row.player.label, row.opponent.label)))


class _Seat(NamedTuple):
    match: int
    game: int
    player: int
    score: float
    won: bool
    voided: bool
    termination: str


def _seats(session: Session, scope: Scope) -> Iterator[_Seat]:
    """Yield the seats of all games in scheduled order."""
    query = (
        select(
            *(MatchModel.id, GameModel.id, PlacementModel.player_id, PlacementModel.score),
            *(PlacementModel.won, GameModel.voided, GameModel.termination),
        )
        .select_from(MatchModel)
        .join(GameModel, GameModel.match_id == MatchModel.id)
        .join(PlacementModel, PlacementModel.game_id == GameModel.id)
        .where(*scope.conditions())
        .order_by(MatchModel.tournament_id, MatchModel.sequence, GameModel.rotation, PlacementModel.seat)
        .execution_options(yield_per=10_000)
    )
    return map(_Seat._make, session.execute(query))


def _by_player(seats: Iterable[_Seat]) -> dict[int, list[_Seat]]:
    found: dict[int, list[_Seat]] = {}
    for seat in seats:
        found.setdefault(seat.player, []).append(seat)
    return found


@dataclass(slots=True)
class _Standing:
    """A player's sums; `points` and `counted` hold one value a match: points, and games not voided."""

    games: int = 0
    wins: int = 0
    capped: int = 0
    points: list[float] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)

    def add_match(self, seats: list[_Seat]) -> None:
        """Add the player's seats of one match; several seats in a game are one game."""
        games = {seat.game: seat for seat in seats}
        self.games += len(games)
        self.wins += len({seat.game for seat in seats if seat.won})
        self.capped += sum(seat.termination == "turn_cap" for seat in games.values())
        self.points.append(math.fsum(seat.score for seat in seats))
        self.counted.append(sum(not seat.voided for seat in games.values()))

    def row(self, player: PlayerRow, faults: int, faulted: int, rating: float | None) -> LeaderboardRow:
        """Return the standing; shares have the player's own games as denominator."""
        counted = sum(self.counted)
        score = math.fsum(self.points) / counted if counted else 0.0
        return LeaderboardRow(
            player=player,
            games=self.games,
            matches=len(self.points),
            void=self.games - counted,
            score=score,
            score_se=self._standard_error(score, counted),
            wins=self.wins,
            capped=self.capped / self.games,
            faults=faults,
            fault_rate=faulted / self.games,
            rating=rating,
        )

    def _standard_error(self, score: float, counted: int) -> float | None:
        """Return the standard error of the mean score a game: the games of a match are one unit."""
        matches = sum(games > 0 for games in self.counted)
        if matches < 2:
            return None
        squares = math.fsum(
            (points - score * games) ** 2 for points, games in zip(self.points, self.counted, strict=True)
        )
        return math.sqrt(matches / (matches - 1) * squares) / counted


@dataclass(slots=True)
class _Meetings:
    """Two players' scores over the games in which both sat."""

    own: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)

    def add_game(self, own: float, other: float) -> None:
        """Add one game."""
        self.own.append(own)
        self.other.append(other)

    def row(self, player: PlayerRow, opponent: PlayerRow) -> PairwiseRow:
        """Return the means and shares."""
        games = len(self.own)
        scores = list(zip(self.own, self.other, strict=True))
        return PairwiseRow(
            player=player,
            opponent=opponent,
            games=games,
            score=math.fsum(self.own) / games,
            opponent_score=math.fsum(self.other) / games,
            outscored=sum(own > other for own, other in scores) / games,
            tied=sum(own == other for own, other in scores) / games,
        )


def _players(session: Session, scope: Scope) -> dict[int, PlayerRow]:
    if scope.tournament_id is not None:
        return {player.id: player for player in tournaments.entries(session, scope.tournament_id)}
    return {player.id: tournaments.player_row(player) for player in session.scalars(select(PlayerModel))}


def _faults(scope: Scope) -> Select[int, int, int]:
    """Count each player's faults, and its games with one."""
    return (
        select(PlacementModel.player_id, func.count(FaultModel.id), func.count(GameModel.id.distinct()))
        .join(PlacementModel.faults)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .where(*scope.conditions())
        .group_by(PlacementModel.player_id)
    )


def _ratings(session: Session, scope: Scope, system: RatingSystem) -> dict[int, float]:
    """Return the stored ratings within a tournament (mean over pools), else those of the pool's games."""
    if scope.tournament_id is None and scope.pool_id is not None:
        games = rating_log.games_in_order(session, scope.pool_id)
        return {player: rating.value for player, rating in system.rate(games).items()}
    query = select(RatingModel.player_id, RatingModel.value).where(
        RatingModel.system == system.id, RatingModel.tournament_id == scope.tournament_id
    )
    if scope.pool_id is not None:
        query = query.where(RatingModel.pool_id == scope.pool_id)
    values: dict[int, list[float]] = defaultdict(list)
    for player, value in session.execute(query):
        values[player].append(value)
    return {player: math.fsum(own) / len(own) for player, own in values.items()}
