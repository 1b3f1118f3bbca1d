"""Ratings with their history, brought up to date match by match in scheduled order.

Ratings start afresh in each tournament and pool, so they depend on nothing but that tournament's results.
Only released matches are rated: those before which every match of the schedule is committed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from arena.errors import StoreError
from arena.ratings import Change, OnlineRatingSystem, RatedGame
from arena.store import released, tournaments
from arena.store.models import (
    EntryModel,
    GameModel,
    MatchModel,
    PlacementModel,
    PoolModel,
    RatingChangeModel,
    RatingMarkModel,
    RatingModel,
    TournamentModel,
)
from arena.store.rows import RatingChangeRow

WINDOW = 500  # matches rated in one go; bounds the memory of a long catch-up


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A committed match as ratings see it."""

    id: int
    sequence: int
    pool_id: int
    games: tuple[RatedGame, ...]


@dataclass(slots=True)
class Board:
    """The ratings of one tournament: values by pool and player, and the games behind them."""

    values: defaultdict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    games: Counter[tuple[int, int]] = field(default_factory=Counter)

    def apply(self, pool_id: int, change: Change) -> None:
        """Take over a change."""
        self.values[pool_id][change.player] = change.after
        self.games[pool_id, change.player] += change.games

    def rows(self) -> dict[tuple[int, int], tuple[float, int]]:
        """Return (value, games) by (pool, player)."""
        return {
            (pool, player): (value, self.games[pool, player])
            for pool, values in self.values.items()
            for player, value in values.items()
        }


def games_in_order(session: Session, pool_id: int, tournament_id: int | None = None) -> Iterator[RatedGame]:
    """Yield the released games of a pool by tournament, sequence and rotation."""
    if session.get(PoolModel, pool_id) is None:
        raise StoreError(f"no pool with id {pool_id}")
    query = select(TournamentModel.id).order_by(TournamentModel.id)
    if tournament_id is not None:
        tournaments.require(session, tournament_id)
        query = query.where(TournamentModel.id == tournament_id)
    for tournament in session.scalars(query).all():
        end = released.first_open(session, tournament)
        for match in _matches(session, tournament, 0, end, pool_id):
            yield from match.games


def update(session: Session, tournament_id: int, system: OnlineRatingSystem) -> int:
    """Rate what was released since the last time; return the number of matches."""
    tournaments.require(session, tournament_id, lock=True)
    current = mark(session, tournament_id, system)
    if current.settings != system.settings:
        raise StoreError(
            f"tournament {tournament_id} was rated with {current.settings}, not {system.settings}; "
            "use the same options or recompute the ratings"
        )
    start = current.next_sequence
    end = released.first_open(session, tournament_id, start)
    if end > start:
        board = stored_board(session, tournament_id, system)
        for low, high in windows(start, end):
            rate(session, tournament_id, system, board, low, high)
        replace_board(session, tournament_id, system, board)
        current.next_sequence = end
    return end - start


def changes(
    session: Session, tournament_id: int, system: str, player_id: int | None
) -> Iterator[RatingChangeRow]:
    """Yield the history in scheduled order, then by entry."""
    pools = {pool.id: pool for pool in tournaments.pools(session, tournament_id)}
    own = RatingChangeModel
    query = (
        select(MatchModel.pool_id, MatchModel.sequence, EntryModel.label, own)
        .join(MatchModel, MatchModel.id == own.match_id)
        .join(
            EntryModel,
            (EntryModel.tournament_id == MatchModel.tournament_id) & (EntryModel.player_id == own.player_id),
        )
        .where(MatchModel.tournament_id == tournament_id, own.system == system)
        .order_by(MatchModel.sequence, EntryModel.position)
    )
    if player_id is not None:
        query = query.where(own.player_id == player_id)
    for pool, sequence, label, change in session.execute(query):
        yield RatingChangeRow(
            pool=pools[pool],
            sequence=sequence,
            player=label,
            before=change.before,
            after=change.after,
            expected=change.expected,
            actual=change.actual,
            games=change.games,
        )


def mark(session: Session, tournament_id: int, system: OnlineRatingSystem) -> RatingMarkModel:
    """Return how far the tournament is rated; a new mark stands at its beginning."""
    found = session.get(RatingMarkModel, (system.id, tournament_id))
    if found is None:
        found = RatingMarkModel(
            system=system.id, tournament_id=tournament_id, next_sequence=0, settings=system.settings
        )
        session.add(found)
    return found


def windows(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a range of sequence numbers into pieces of bounded length."""
    for low in range(start, end, WINDOW):
        yield low, min(low + WINDOW, end)


def rate(
    session: Session, tournament_id: int, system: OnlineRatingSystem, board: Board, low: int, high: int
) -> list[tuple[RatedMatch, Change]]:
    """Rate the matches low..high-1 onto the board and write their history; return the changes."""
    made = []
    for match in _matches(session, tournament_id, low, high):
        for change in system.update(board.values[match.pool_id], match.games):
            board.apply(match.pool_id, change)
            made.append((match, change))
    if made:
        session.execute(insert(RatingChangeModel), [_row(system.id, match, change) for match, change in made])
    return made


def stored_board(session: Session, tournament_id: int, system: OnlineRatingSystem) -> Board:
    """Read the tournament's current ratings."""
    board = Board()
    query = select(RatingModel.pool_id, RatingModel.player_id, RatingModel.value, RatingModel.games).where(
        RatingModel.system == system.id, RatingModel.tournament_id == tournament_id
    )
    for pool, player, value, games in session.execute(query):
        board.values[pool][player] = value
        board.games[pool, player] = games
    return board


def replace_board(session: Session, tournament_id: int, system: OnlineRatingSystem, board: Board) -> None:
    """Write the tournament's current ratings."""
    session.execute(
        delete(RatingModel).where(RatingModel.system == system.id, RatingModel.tournament_id == tournament_id)
    )
    common = {"system": system.id, "tournament_id": tournament_id}
    rows = [
        {**common, "pool_id": pool, "player_id": player, "value": value, "games": games}
        for (pool, player), (value, games) in board.rows().items()
    ]
    if rows:
        session.execute(insert(RatingModel), rows)


def _matches(
    session: Session, tournament_id: int, low: int, high: int, pool_id: int | None = None
) -> Iterator[RatedMatch]:
    """Yield the committed matches low..high-1 in scheduled order."""
    query = (
        select(
            *(MatchModel.id, MatchModel.sequence, MatchModel.pool_id, GameModel.rotation),
            *(PlacementModel.player_id, PlacementModel.score),
        )
        .join(GameModel, GameModel.match_id == MatchModel.id)
        .join(PlacementModel, PlacementModel.game_id == GameModel.id)
        .where(MatchModel.tournament_id == tournament_id)
        .where(MatchModel.sequence >= low, MatchModel.sequence < high)
        .order_by(MatchModel.sequence, GameModel.rotation, PlacementModel.seat)
        .execution_options(yield_per=10_000)
    )
    if pool_id is not None:
        query = query.where(MatchModel.pool_id == pool_id)
    by_match = attrgetter("id", "sequence", "pool_id")
    for (match, sequence, pool), rows in groupby(session.execute(query), key=by_match):
        games = []
        for rotation, seats in groupby(rows, key=attrgetter("rotation")):
            players, scores = zip(*((seat.player_id, seat.score) for seat in seats), strict=True)
            games.append(RatedGame(tournament_id, sequence, rotation, players, scores))
        yield RatedMatch(match, sequence, pool, tuple(games))


def _row(system: str, match: RatedMatch, change: Change) -> dict[str, str | int | float]:
    return {
        "system": system,
        "match_id": match.id,
        "player_id": change.player,
        "before": change.before,
        "after": change.after,
        "expected": change.expected,
        "actual": change.actual,
        "games": change.games,
    }
