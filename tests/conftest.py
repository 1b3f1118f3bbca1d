"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

# A background job of a shell ignores Ctrl-C, and so would every program that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Whoever runs the tests side by side tells them a width; programs that write to no terminal have their own.
os.environ.pop("COLUMNS", None)
# Every run tries the same examples, and none of them is a failure because the machine was busy meanwhile.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

# What takes longest, in the order in which it is begun, so that no core is left with one of them at the end.
LONGEST = (
    "test_sdks",
    "test_soak",
    "test_tournament",
    "test_bots_strength",
    "test_mixed_tournament",
    "test_hub",
    "test_readme",
    "test_sdks_lines",  # needs what test_sdks builds
    "test_clock_processes",
    "test_fault_kinds",
    "test_quarantine",
    "test_terminations",
    "test_life_cycle",
    "test_isolation",
    "test_doctor",
    "test_rerun",
    "test_serve",
    "test_bots_behaviour",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; within a file, and among the others, the order stays."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(Path(item.nodeid.partition("::")[0]).stem, len(rank)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """With `--dist loadfile`, a whole file goes to one worker, but test_sdks by language, which it builds."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByFileOrLanguage(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            return test.partition("[")[2] if Path(file).stem == "test_sdks" else file

    config.option.loadscopereorder = False
    return ByFileOrLanguage(config, log)
