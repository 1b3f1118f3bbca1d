"""Opening a database: SQLite's settings, transactions for reading and writing, and schema migrations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from arena.errors import StoreError, StoreRefusal
from arena.store import lease
from arena.store.models import Base

SCHEMA = "0002"  # the newest migration; a test compares
_BUSY_SECONDS = 30
_NOT_SQLITE = "file is not a database"  # the library's words


class Database:
    """An SQLAlchemy engine with one way to read and one to write; raises StoreError, never the driver's."""

    def __init__(self, url: str) -> None:
        """Prepare the engine without connecting; creates the folder of an SQLite file."""
        with _translated(url):
            parsed = make_url(url)
            self.name = parsed.render_as_string(hide_password=True)
            _make_folder(parsed)
            self._engine = create_engine(parsed)
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _set_up_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open one consistent view of the database."""
        with _translated(self.name), Session(self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction that is committed at the end, or rolled back by an exception."""
        writer = self._engine.execution_options(writes=True)
        with _translated(self.name), Session(writer) as session, session.begin():
            yield session

    @contextmanager
    def lease(self, name: str, what: str) -> Iterator[lease.Check]:
        """Hold what one process may hold at a time; see arena.store.lease."""
        with ExitStack() as held:
            with _translated(self.name):
                check = held.enter_context(lease.lease(self._engine, name, what))
            yield check

    def migrate(self) -> None:
        """Bring the schema to this version, in one transaction.

        A new database gets the models' tables at once, which a test holds equal to what the migrations make;
        Alembic takes longer to import than a small tournament to play, so it is left to older databases.
        """
        writer: Engine = self._engine.execution_options(writes=True)
        with _translated(self.name), writer.begin() as connection:
            revision = _revision(connection)
            if revision is None and not inspect(connection).get_table_names():
                _create(connection)
            elif revision is None:
                raise StoreRefusal(f"{self.name}: holds tables of something else than the arena")
            elif revision != SCHEMA:
                from arena.store.upgrade import upgrade

                upgrade(connection, revision, self.name)


def _revision(connection: Connection) -> str | None:
    """The migration a database has reached; None when it has never seen one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _create(connection: Connection) -> None:
    Base.metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:schema)"), {"schema": SCHEMA})


def _make_folder(url: URL) -> None:
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)


def _set_up_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """Let readers and the writer work side by side, enforce references, and wait for locks."""
    assert isinstance(connection, SqliteConnection)
    connection.isolation_level = None  # the driver must not begin transactions on its own
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    # In WAL mode NORMAL keeps the file consistent whatever happens; a power cut may lose the last commits,
    # which are then simply played again.
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once when writing: a reader that turns writer later could not wait for it."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Turn database errors into StoreError with a plain message and what to do."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        if _NOT_SQLITE in str(error):
            raise StoreRefusal(f"{name}: this file is not an SQLite database") from error
        raise StoreError(f"{name}: {_plain(error)}") from error


def _plain(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    text = str(cause).strip().split("\n", 1)[0]
    if "no such table" in text or "UndefinedTable" in type(cause).__name__:
        return f"the tables are missing ({text}); migrate the store first"
    return text
