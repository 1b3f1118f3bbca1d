"""Database URLs: what is one, and where an SQLite file of a relative URL lies."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError


def resolve_database(url: str, folder: Path) -> str:
    """Return the URL with the file of a relative SQLite URL seen from `folder`; ValueError when malformed."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ValueError(f"not a database URL: {url!r}; an example: sqlite:///arena.db") from error
    file = parsed.database
    if parsed.get_backend_name() != "sqlite" or not file or file == ":memory:":
        return url
    return parsed.set(database=str((folder / file).resolve())).render_as_string(hide_password=False)
