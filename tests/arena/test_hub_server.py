"""The hub's server itself: what it does when its database fails, and what it says of how things stand."""

from __future__ import annotations

import sqlite3
import time

import pytest
from hub_house import SHORT, House
from hub_samples import wait_until

from arena.errors import StoreError


def test_a_database_that_fails_ends_the_server_and_says_so(house: House) -> None:
    house.open(SHORT)
    tokens = [house.token(name) for name in ("anna", "bert")]
    with sqlite3.connect(house.database, timeout=60.0) as database:
        database.execute("ALTER TABLE entries RENAME TO lost")
    for token in tokens:
        house.bot(token)
    (told,) = house.wait_for("failed")
    assert told.text.startswith("lobby: sqlite:")
    wait_until(lambda: not house.hub.guests.here(), "the end")
    assert isinstance(house.hub.failure, StoreError)


def test_a_database_that_fails_for_a_moment_does_not_end_the_server(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said once; when it lasts, the server ends with the error."""
    monkeypatch.setattr("arena.hub.hub.DATABASE_S", 60.0)
    house.open(SHORT)
    house.bot(house.token("anna"))
    house.wait_for("joined")
    rename(house, "tokens", "lost")
    (told,) = house.wait_for("database_fails")
    assert "which may last up to 60 s: sqlite:" in told.text
    time.sleep(1.5)
    rename(house, "lost", "tokens")
    house.wait_for("database_back")
    assert len(house.of("database_fails")) == 1
    assert [door.name for door in house.hub.guests.here()] == ["anna 1"]
    assert house.hub.failure is None
    monkeypatch.setattr("arena.hub.hub.DATABASE_S", 1.0)
    rename(house, "tokens", "lost")
    (told,) = house.wait_for("failed")
    assert told.text.startswith("database: sqlite:")
    wait_until(lambda: not house.hub.guests.here(), "the end")
    assert isinstance(house.hub.failure, StoreError)


def rename(house: House, table: str, name: str) -> None:
    with sqlite3.connect(house.database, timeout=60.0) as database:
        database.execute(f"ALTER TABLE {table} RENAME TO {name}")


def test_it_says_how_things_stand_when_that_has_changed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.hub.hub.STATUS_S", 0.1)
    house.open()
    house.bot(house.token("anna"))
    house.wait_for("status", bots=["anna 1"], playing=0, played=0)
    time.sleep(1.5)
    assert len(house.of("status")) == 1
