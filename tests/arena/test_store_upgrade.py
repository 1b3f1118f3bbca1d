"""A database of the first schema, filled by the program of that time, comes up to date without losing a row.

`tests/data/store_v0001.json` holds the rows that `arena tournament run` left then: one match of two games, in
each of which a bot crashed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from databases import KINDS, database
from sqlalchemy import Boolean, Connection, DateTime, LargeBinary, MetaData, create_engine, func, select, text
from store_samples import Sample

import arena.store.migrations
from arena import record
from arena.store import Store
from arena.store.database import SCHEMA

ROWS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "store_v0001.json").read_text()
)
CONTENT_HASH = "2c135b9a29fb9de039c5e3821a9a7121"  # as the program of that time printed it


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with database(request.param, tmp_path) as found:
        yield found


def make_old_database(url: str) -> None:
    """The first schema, with the rows of that time."""
    config = Config()
    config.set_main_option("script_location", str(Path(*arena.store.migrations.__path__)))
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        fill(connection)
    engine.dispose()


def fill(connection: Connection) -> None:
    """Insert the kept rows; bytes are kept as hex, times as text."""
    tables = MetaData()
    tables.reflect(connection)
    for name, rows in ROWS.items():
        table = tables.tables[name]
        readers = {
            column.name: next(
                (reader for kind, reader in READERS.items() if isinstance(column.type, kind)),
                lambda value: value,
            )
            for column in table.columns
        }
        for row in rows:
            values = {key: None if value is None else readers[key](value) for key, value in row.items()}
            connection.execute(table.insert(), values)
        if connection.dialect.name == "postgresql" and "id" in table.columns:
            # Rows came with their ids, of which the server's counter knows nothing.
            connection.execute(
                text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT max(id) FROM {name}))")
            )


READERS = {LargeBinary: bytes.fromhex, DateTime: datetime.fromisoformat, Boolean: bool}


def test_an_old_database_keeps_every_row_and_all_it_says(url: str) -> None:
    make_old_database(url)
    with Store(url) as store:
        store.migrate()
        (row,) = store.tournaments()
        assert (row.name, row.state, row.committed) == ("old", "finished", 1)
        assert store.content_hash(row.id) == CONTENT_HASH
        assert store.recompute_ratings(tournament_id=row.id, repair=False).equal
        assert store.quarantine_differences(row.id) == ()
        for game in store.games(row.id):
            record.verify(record.unpack(store.record(game.id)))
        first = store.fault(1)
        assert (first.fault.kind, first.player.label) == ("crash", "crasher")
        assert "no more" in first.fault.message
        assert (first.fault.queue_ms, first.output, first.last_message, first.command) == (0.0, "", "", "")
        assert [conduct.retired_rate for conduct in store.conduct(row.id)] == [0.0, 1.0]
    tables = MetaData()
    engine = create_engine(url)
    tables.reflect(engine)
    with engine.connect() as connection:
        for name, rows in ROWS.items():
            assert connection.scalar(select(func.count()).select_from(tables.tables[name])) == len(rows), name
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == SCHEMA
    engine.dispose()


def test_an_upgraded_database_takes_new_matches(url: str) -> None:
    make_old_database(url)
    with Store(url) as store:
        store.migrate()
        sample = Sample(store)
        sample.commit_all()
        assert store.tournament(sample.id).committed == sample.schedule.total()


def test_a_new_database_of_every_kind_takes_matches(url: str) -> None:
    with Store(url) as store:
        store.migrate()
        store.migrate()
        sample = Sample(store)
        sample.commit_all()
        assert store.recompute_ratings(tournament_id=sample.id, repair=False).equal
        assert list(store.export(sample.id, "conduct").rows)
