"""Leases: what only one process may do with a database at a time; free again when its holder is dead.

SQLite: a lock on a file beside the database's, which the kernel gives back however the holder ends; it says
who holds it. PostgreSQL: an advisory lock of one session, which says who it is as its `application_name`. It
is lost with the session, so that its holder has to look from time to time. Other databases have no lease.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import StoreError, StoreRefusal

# Raises StoreError when the lease is lost.
Check = Callable[[], None]

# A server may need a moment to see that the process of a session is dead.
_PATIENCE_S, _PAUSE_S = 1.0, 0.05
_BACKEND = text("SELECT pg_backend_pid()")
# Who holds an advisory lock; pg_locks shows its key, one bigint, cut in two.
_HOLDER = text(
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
    "AND ((l.classid::bigint << 32) | l.objid::bigint) = :key "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@contextmanager
def lease(engine: Engine, name: str, what: str) -> Iterator[Check]:
    """Hold the lease `name` of a database; StoreRefusal when another process holds it.

    `what` is in use then, in words, such as `this database is served`. What is yielded looks whether the
    lease is still held, on one thread at a time.
    """
    kind, file = engine.dialect.name, engine.url.database
    if kind == "sqlite" and file and file != ":memory:":
        with _file_lease(Path(f"{Path(file).resolve()}.{name}.lock"), what):
            yield _never_lost
    elif kind == "postgresql":
        with _session_lease(engine, name, what) as check:
            yield check
    else:
        yield _never_lost


def _never_lost() -> None:
    """The kernel keeps a lock for as long as its process lives."""


def _holder() -> str:
    """This process, in words; short enough for an `application_name`, which ends at 63 characters."""
    return f"process {os.getpid()} on {socket.gethostname()[:32]}"


def _refusal(what: str, holder: str) -> StoreRefusal:
    return StoreRefusal(f"{what} already, by {holder or 'another process'}; end that one first")


@contextmanager
def _file_lease(path: Path, what: str) -> Iterator[None]:
    descriptor = _locked(path, what)
    try:
        os.truncate(descriptor, 0)
        os.write(descriptor, _holder().encode())
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is locked: who opened it meanwhile sees that it is gone
        os.close(descriptor)


def _locked(path: Path, what: str) -> int:
    """A locked descriptor of the file that is at `path` now."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            holder = os.read(descriptor, 256).decode(errors="replace")
            os.close(descriptor)
            raise _refusal(what, holder) from None
        except FileNotFoundError:  # removed by its holder between two looks
            pass
        os.close(descriptor)


@contextmanager
def _session_lease(engine: Engine, name: str, what: str) -> Iterator[Check]:
    key = int.from_bytes(blake2b(name.encode(), digest_size=8, person=b"arena lease").digest())
    key &= (1 << 63) - 1
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as session:
        session.detach()  # a session of its own, which ends with the lease
        session.execute(text("SELECT set_config('application_name', :name, false)"), {"name": _holder()})
        until = time.monotonic() + _PATIENCE_S
        while not session.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar_one():
            if time.monotonic() > until:
                raise _refusal(what, _session_holder(session, key))
            time.sleep(_PAUSE_S)
        backend: int = session.execute(_BACKEND).scalar_one()
        yield lambda: _check_session(session, backend, what)


def _check_session(session: Connection, backend: int, what: str) -> None:
    """A lock lives as long as its session, in whose place another one may answer."""
    try:
        held = session.execute(_BACKEND).scalar_one() == backend
    except SQLAlchemyError:
        held = False
    if not held:
        raise StoreError(
            f"{what}, maybe by another process by now: the session that kept others away has ended, as in a "
            "restart of the database"
        )


def _session_holder(session: Connection, key: int) -> str:
    return session.execute(_HOLDER, {"key": key}).scalar() or ""
