"""Reading committed games: one by one with reasons in words, and their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, selectinload

from arena.errors import StoreRefusal
from arena.store import tournaments
from arena.store.ids import known_ids
from arena.store.models import (
    EntryModel,
    FaultModel,
    GameModel,
    MatchModel,
    PlacementModel,
    PlayerModel,
    RecordModel,
)
from arena.store.rows import GameRow, PoolRow, SeatedRow, SeatRow
from arena.types import Termination

_END = {
    "rules": "the rules ended the game",
    "turn_cap": "the turn cap was reached",
    "forfeit": "faults had taken out all others",
    "game_limit": "the game limit was reached",
}


def games(session: Session, tournament_id: int, sequence: int | None = None) -> Iterator[GameRow]:
    """Yield the games in scheduled order."""
    labels = {entry.id: entry.label for entry in tournaments.entries(session, tournament_id)}
    setups = tournaments.setups(session, tournament_id)
    query = _games().where(MatchModel.tournament_id == tournament_id)
    if sequence is not None:
        query = query.where(MatchModel.sequence == sequence)
    query = query.order_by(MatchModel.sequence, GameModel.rotation)
    for match, game in session.execute(query.execution_options(yield_per=200)):
        yield _game_row(match, game, setups[match.setup], labels)


def game(session: Session, game_id: int) -> GameRow:
    """Return one game."""
    row = session.execute(_games().where(GameModel.id == game_id)).first()
    if row is None:
        raise _no_game(session, game_id)
    match, found = row
    labels = {entry.id: entry.label for entry in tournaments.entries(session, match.tournament_id)}
    setups = tournaments.setups(session, match.tournament_id)
    return _game_row(match, found, setups[match.setup], labels)


def record(session: Session, game_id: int) -> bytes:
    """Return one game's record."""
    found = session.get(RecordModel, game_id)
    if found is None:
        raise _no_game(session, game_id)
    return found.content


def seated(session: Session, game_id: int) -> tuple[SeatedRow, ...]:
    """Return who sat in a game, by seat."""
    query = (
        select(PlacementModel, PlayerModel, EntryModel)
        .join(GameModel, GameModel.id == PlacementModel.game_id)
        .join(MatchModel, MatchModel.id == GameModel.match_id)
        .join(PlayerModel, PlayerModel.id == PlacementModel.player_id)
        .join(
            EntryModel,
            (EntryModel.tournament_id == MatchModel.tournament_id) & (EntryModel.player_id == PlayerModel.id),
        )
        .where(PlacementModel.game_id == game_id)
        .order_by(PlacementModel.seat)
    )
    rows = session.execute(query).all()
    if not rows:
        raise _no_game(session, game_id)
    return tuple(
        SeatedRow(tournaments.player_row(player, entry.label), entry.command, place.guard)
        for place, player, entry in rows
    )


def _no_game(session: Session, game_id: int) -> StoreRefusal:
    return StoreRefusal(f"no game with id {game_id}; {known_ids(session, GameModel.id)}")


def _games() -> Select[MatchModel, GameModel]:
    details = (selectinload(GameModel.placements), selectinload(GameModel.faults))
    return select(MatchModel, GameModel).join(MatchModel.games).options(*details)


def _game_row(match: MatchModel, game: GameModel, pool: PoolRow, labels: Mapping[int, str]) -> GameRow:
    return GameRow(
        id=game.id,
        sequence=match.sequence,
        round=match.round,
        pool=pool,
        rotation=game.rotation,
        termination=cast(Termination, game.termination),
        laps=game.laps,
        decisions=game.decisions,
        digest=game.digest,
        wall_ms=game.wall_ms,
        seats=tuple(_seat_row(game, seat, labels) for seat in game.placements),
    )


def _seat_row(game: GameModel, seat: PlacementModel, labels: Mapping[int, str]) -> SeatRow:
    faults = [fault for fault in game.faults if fault.seat == seat.seat]
    return SeatRow(
        seat=seat.seat,
        player=labels[seat.player_id],
        score=seat.score,
        placement=(seat.placement_lo, seat.placement_hi),
        eliminated_at=seat.eliminated_at,
        won=seat.won,
        guard=seat.guard,
        reason=_reason(seat, _end(game), faults),
    )


def _end(game: GameModel) -> str:
    """Say what ended a game; one that nobody came to, or not all of any side, was over before it began."""
    unplayed = game.termination == "game_limit" and not game.decisions
    return "too few bots had come to it" if unplayed else _END[game.termination]


def _reason(seat: PlacementModel, end: str, faults: Sequence[FaultModel]) -> str:
    """Say why the game ended for this seat, and mention faults that did not take it out."""
    out = next((fault for fault in faults if fault.action == "retire"), None)
    text = _fate(seat, end, out)
    others = Counter(fault.kind for fault in faults if fault is not out)
    if others:
        text += "; faults: " + ", ".join(f"{count} {kind}" for kind, count in sorted(others.items()))
    return text


def _fate(seat: PlacementModel, end: str, out: FaultModel | None) -> str:
    if out is not None:
        detail = f": {out.message}" if out.message else ""
        return f"retired after {out.kind} at decision {out.decision}{detail}"
    lo, hi = seat.placement_lo, seat.placement_hi
    place = f"place {lo}" if lo == hi else f"place {lo}-{hi}"
    if seat.won:
        return f"won: {end}"
    if seat.eliminated_at >= 0:
        return f"eliminated, {place}"
    return f"alive, {place}: {end}"
