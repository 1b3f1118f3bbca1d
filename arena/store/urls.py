"""Database URLs: what is one, and where an SQLite file of a relative URL lies."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import URL, make_url
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
    file = sqlite_file(parsed)
    if file is None:
        return url
    return parsed.set(database=str((folder / file).resolve())).render_as_string(hide_password=False)


def sqlite_file(url: str | URL) -> Path | None:
    """Return the file of an SQLite URL, whatever options follow it; None where there is no file."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        return None
    return Path(parsed.database)
