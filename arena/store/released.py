"""Which matches of a schedule are committed, and up to where none is missing: those are released."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from arena.store import tournaments
from arena.store.models import MatchModel
from arena.store.rows import DoneSequences


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
