"""Database URLs: what is one, and where an SQLite file of a relative URL lies."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

_KINDS = "use the path of an SQLite file, sqlite:///arena.db or postgresql+psycopg://user@host/name"


def resolve_database(text: str, folder: Path) -> str:
    """Return the URL of a database, given as URL or as the path of an SQLite file, seen from `folder`.

    ValueError when it is malformed, or of a kind that this installation cannot use.
    """
    url = text if "://" in text else f"sqlite:///{text}"
    try:
        parsed = make_url(url)
        parsed.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError) as error:
        raise ValueError(f"not a database: {text!r}; {_KINDS}") from error
    except ImportError as error:
        raise ValueError(f"{text!r} needs a package that is not installed: {error.name}") from error
    file = parsed.database
    if parsed.get_backend_name() != "sqlite" or not file or file == ":memory:":
        return url
    return parsed.set(database=str((folder / file).resolve())).render_as_string(hide_password=False)
