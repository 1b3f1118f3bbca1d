"""Which ids a table has, in words: for messages about one that is not there."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

MAX_NAMED = 20


def known_ids(session: Session, column: InstrumentedAttribute[int]) -> str:
    """Say which ids a column has: all, or how many and the newest."""
    count = session.scalar(select(func.count(column)))
    if not count:
        return "this database holds none"
    newest = session.scalars(select(column).order_by(column.desc()).limit(MAX_NAMED)).all()
    named = ", ".join(map(str, sorted(newest)))
    return f"there are {named}" if count == len(newest) else f"there are {count}, the newest {named}"
