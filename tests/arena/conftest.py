"""What several test modules need: a hub, or the database of a finished tournament."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hub_house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A hub in this process; most test modules have no use for what it imports."""
    from hub_house import House

    made = House(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a small finished tournament."""
    from command_line import run
    from tournament_samples import write_tournament

    folder = tmp_path_factory.mktemp("cli")
    result = run("tournament", "run", write_tournament(folder, rounds=4, turn_cap=6))
    assert result.exit_code == 0, result.output
    return folder / "results.db"
