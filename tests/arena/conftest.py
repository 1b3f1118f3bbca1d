"""What several test modules need of a hub."""

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
