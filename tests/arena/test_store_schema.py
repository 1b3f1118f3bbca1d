"""The schema: migrations reach exactly the models, SQLite is set up safely, wrong files get plain errors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text
from store_samples import Sample, open_store

import arena.store.migrations
from arena.errors import StoreError
from arena.store import Store
from arena.store.database import SCHEMA
from arena.store.models import Base
from arena.store.upgrade import upgrade


def test_migrations_reach_exactly_the_models(tmp_path: Path) -> None:
    with create_engine(f"sqlite:///{tmp_path}/arena.db").begin() as connection:
        upgrade(connection, None, "arena.db")
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == SCHEMA


def test_a_new_database_is_as_if_migrated(tmp_path: Path) -> None:
    open_store(tmp_path / "new.db").close()
    with create_engine(f"sqlite:///{tmp_path}/migrated.db").begin() as connection:
        upgrade(connection, None, "migrated.db")
    assert schema_of(tmp_path / "new.db") == schema_of(tmp_path / "migrated.db")


def schema_of(path: Path) -> dict[str, object]:
    """Everything an inspector tells of a database, in an order of its own, and the migration reached."""
    engine = create_engine(f"sqlite:///{path}")
    found = inspect(engine)
    with engine.connect() as connection:
        tables: dict[str, object] = {"": MigrationContext.configure(connection).get_current_revision()}
    for table in found.get_table_names():
        tables[table] = (
            sorted((str(c["name"]), str(c["type"]), c["nullable"]) for c in found.get_columns(table)),
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(str(key) for key in found.get_foreign_keys(table)),
            sorted(str(key) for key in found.get_unique_constraints(table)),
            sorted(str(key) for key in found.get_indexes(table)),
        )
    return tables


def test_migrations_go_down_and_up_again(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/arena.db")
    config = Config()
    config.set_main_option("script_location", str(Path(*arena.store.migrations.__path__)))
    tables = []
    for revision in ("head", "base", "head"):
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            (command.downgrade if revision == "base" else command.upgrade)(config, revision)
        tables.append(set(inspect(engine).get_table_names()) - {"alembic_version"})
    assert tables == [set(Base.metadata.tables), set(), set(Base.metadata.tables)]


def test_migrate_twice_keeps_everything(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    sample = Sample(store)
    store.migrate()
    assert store.tournament(sample.id).name == "sample"


def test_the_folder_of_a_new_file_is_made(tmp_path: Path) -> None:
    open_store(tmp_path / "new" / "deep" / "arena.db").close()
    assert (tmp_path / "new" / "deep" / "arena.db").exists()


def test_a_percent_sign_in_the_path_does_no_harm(tmp_path: Path) -> None:
    store = open_store(tmp_path / "100%" / "arena.db")
    assert store.tournaments() == ()


def test_sqlite_writes_ahead_waits_for_locks_and_enforces_references(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    with store._database.writing() as session:
        pragmas = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 30_000}
    with pytest.raises(StoreError, match="FOREIGN KEY"), store._database.writing() as session:
        session.execute(text("INSERT INTO records (game_id, content) VALUES (99, x'00')"))


def test_a_reader_sees_one_state_and_never_blocks_the_writer(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    sample = Sample(store)
    matches = list(sample.matches())
    store.commit_matches(sample.id, matches[:3])
    games = store.games(sample.id)
    first = next(games)
    assert all(store.commit_matches(sample.id, matches[3:]))
    seen = {first.sequence, *(game.sequence for game in games)}
    assert seen == {0, 1, 2}
    assert len({game.sequence for game in store.games(sample.id)}) == len(matches)


def test_without_migration_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="migrate the store first"):
        Store(f"sqlite:///{tmp_path}/arena.db").tournaments()


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path / "arena.db").close()
    with sqlite3.connect(tmp_path / "arena.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="'9999' is unknown here; use the newer version"):
        open_store(tmp_path / "arena.db")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "nonsense"),
        ("oracle9://x", "oracle9"),
        ("sqlite:////proc/nowhere/arena.db", "/proc/nowhere"),
    ],
)
def test_unusable_urls_name_the_url(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        Store(url)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("these are no tables\n" * 100)
    with pytest.raises(StoreError, match=r"notes\.txt: this file is not an SQLite database"):
        open_store(tmp_path / "notes.txt")


def test_a_password_is_not_shown() -> None:
    store = Store("postgresql+psycopg://user:hunter2@localhost:1/arena")
    with pytest.raises(StoreError) as caught:
        store.migrate()
    assert "hunter2" not in str(caught.value)
