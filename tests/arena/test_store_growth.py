"""The cost of a game does not grow with the database (I04): daily work never scans a growing table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from store_samples import Sample, open_store

from arena.store import Store

SCAN = re.compile(r"SCAN (attempts|matches|games|placements|faults|records|rating_changes)\b")


@contextmanager
def query_plans(store: Store) -> Iterator[list[str]]:
    """Collect SQLite's plans of all queries run inside, each with its statement."""
    found: list[str] = []
    engine = store._database._engine

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        if re.match(r"\s*(SELECT|DELETE|UPDATE)", statement):
            plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            found.extend(f"{row[3]}: {statement}" for row in plan)

    event.listen(engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", explain)


def test_daily_work_searches_by_index(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    sample = Sample(store)
    matches = list(sample.matches())
    store.commit_matches(sample.id, matches[:20])
    with query_plans(store) as plans:
        store.commit_matches(sample.id, matches[20:])
        store.update_ratings(sample.id)
        store.done_sequences(sample.id)
        store.tournament(sample.id)
        store.tournaments(resumable=True)
        store.attempts(sample.id)
        store.record(1)
        store.game(1)
        assert len(list(store.games(sample.id, sequence=3))) == 2
        assert store.faults(sample.id)
        assert store.rating_changes(sample.id)
    assert sum("SEARCH matches" in plan for plan in plans) > 5
    assert [plan for plan in plans if SCAN.match(plan)] == []


def test_tables_of_one_tournament_read_no_other(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    sample = Sample(store)
    sample.commit_all()
    with query_plans(store) as plans:
        store.leaderboard(tournament_id=sample.id)
        store.leaderboard(pool_id=1)
        store.pairwise(tournament_id=sample.id)
        store.content_hash(sample.id)
        assert list(store.games_in_order(1))
    assert plans
    assert [plan for plan in plans if SCAN.match(plan)] == []


def test_the_check_itself_notices_a_scan(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    with query_plans(store) as plans, store._database.reading() as session:
        session.connection().exec_driver_sql("SELECT * FROM games WHERE laps = 3")
    assert any(SCAN.match(plan) for plan in plans)
