"""Which ids a table has, in words: for messages about one that is not there."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

MAX_NAMED = 10


def known_ids(session: Session, column: InstrumentedAttribute[int]) -> str:
    """Say which ids a column has: all where they are few, else how many and the newest."""
    count = session.scalar(select(func.count(column)))
    if not count:
        return "this database holds none"
    if count > MAX_NAMED:
        return f"there are {count}, the newest {session.scalar(select(func.max(column)))}"
    return f"there are {', '.join(map(str, session.scalars(select(column).order_by(column))))}"
