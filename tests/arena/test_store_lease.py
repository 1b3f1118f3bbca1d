"""Leases: one process serves a database, one plays a tournament; a dead holder holds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from databases import KINDS, database
from hub_samples import serving
from sqlalchemy import create_engine, text
from tournament_samples import arena, wait_until, write_tournament

from arena import spec, tournament
from arena.errors import StoreError, StoreRefusal
from arena.plugins import installed
from arena.store import Store

HOLDER = """
import sys, time
from arena.store import Store
with Store(sys.argv[1]).serving():
    print("holding", flush=True)
    time.sleep(600)
"""


@contextmanager
def holding(url: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that serves a database."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_holder_is_refused_and_a_killed_one_holds_nothing(kind: str, tmp_path: Path) -> None:
    """The refusal names the process; tournaments have leases of their own."""
    with database(kind, tmp_path) as url, Store(url) as store:
        with holding(url) as other:
            with (
                pytest.raises(StoreRefusal, match=f"is served already, by process {other.pid} on "),
                store.serving(),
            ):
                pass
            with store.playing(1), store.playing(2):
                pass
        with serving_soon(store), holding_is_refused(url):
            pass
        with serving_soon(store):  # also given back by one that ends well
            pass
    assert not list(tmp_path.glob("*.lock"))


@contextmanager
def serving_soon(store: Store) -> Iterator[None]:
    """Take the lease when it is free: PostgreSQL sees the end of a process when it gets to it."""
    with ExitStack() as stack:

        def taken() -> bool:
            try:
                stack.enter_context(store.serving())
            except StoreRefusal:
                return False
            return True

        wait_until(taken, "the lease given back")
        yield


@contextmanager
def holding_is_refused(url: str) -> Iterator[None]:
    """See another process fail to take what this one holds."""
    done = subprocess.run([sys.executable, "-c", HOLDER, url], capture_output=True, text=True, timeout=300)
    assert "StoreRefusal" in done.stderr
    yield


def test_a_lease_that_was_lost_with_its_session_is_seen(tmp_path: Path) -> None:
    """And stays lost, whether another process has taken it by then or not."""
    with database("postgresql", tmp_path) as url, Store(url) as store, store.serving() as check:
        check()
        end_sessions(url)
        with pytest.raises(StoreError, match="is served, maybe by another process by now: the session"):
            check()
        with holding(url), pytest.raises(StoreError, match="maybe by another process"):
            check()


def test_a_server_whose_lease_was_lost_ends_and_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    with database("postgresql", tmp_path) as url, serving("--listen", "127.0.0.1:0", "--db", url) as server:
        server.wait_for("serving")
        end_sessions(url)
        assert server.process.wait(timeout=300) == 1
        (failed,), (stopped,) = server.wait_for("failed"), server.wait_for("stopped")
    assert "is served, maybe by another process by now" in failed["error"]
    assert url in stopped["command"]


def end_sessions(url: str) -> None:
    """End every session that holds an advisory lock, as a restart of the database would."""
    engine = create_engine(url)
    with engine.connect() as connection:
        ended = "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'"
        assert connection.execute(text(ended)).scalars().all() == [True]
    engine.dispose()


def test_a_tournament_that_another_process_plays_is_not_resumed(tmp_path: Path) -> None:
    """Wrong use, with the process that plays it; the tournament is left as it was."""
    read = spec.load(write_tournament(tmp_path, rounds=1), installed())
    with Store(read.database) as store:
        store.migrate()
        identity = tournament.create(store, read).identity
        with store.playing(identity):
            refused = arena("tournament", "resume", str(identity), "--db", read.database)
        assert refused.returncode == 2, refused.stderr
        assert f"is played already, by process {os.getpid()} on " in refused.stderr
        assert store.tournament(identity).state == "running"
        resumed = arena("tournament", "resume", str(identity), "--db", read.database)
        assert resumed.returncode == 0, resumed.stderr


def test_a_database_in_memory_is_nobody_elses() -> None:
    with Store("sqlite://") as store, store.serving(), store.serving():
        pass
