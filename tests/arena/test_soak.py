"""500 games with bots of every fault among good ones: the good bots' results stay, nothing is left behind."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from soak import BATCHES, CONTROLS, GROUPS, PASSING, SEATS, SLOW_TABLES
from tournament_samples import wait_until

from arena.launcher.processes import marked
from arena.record import unpack, verify
from arena.types import FaultKind

SOAK = Path(__file__).with_name("soak.py")
SOAK_S = 3600.0  # it takes one minute where the cores are its own
TABLES = len(GROUPS[0]) + 1
# The last half may hold so much more than what was held before: far less than 100 KiB a game would come to.
FLAT_MIB = 12
KEPT = 8  # descriptors that gRPC keeps for the life of a process

# What each bot's fault is.
BAD: dict[str, FaultKind] = {
    "crash_at_start": "crash",
    "crash_mid_game": "crash",
    "raises_mid_game": "crash",
    "leaves_at_once": "no_show",
    "never_joins": "start_timeout",
    "leaves_mid_game": "disconnect",
    "drops_stream": "disconnect",
    "hang": "timeout",
    "illegal": "illegal",
    "wrong_range": "malformed",
    "garbage": "malformed",
    "floods": "flood",
    "floods_bytes": "flood",
    "forks": "resource",
    "double_forks": "resource",
}


@dataclass
class Soak:
    """What the run left to look at: see soak.py."""

    batches: list[dict[str, Any]]
    end: dict[str, Any]

    def matches(self) -> Iterator[dict[str, Any]]:
        """All that were not voided."""
        for batch in self.batches:
            yield from (match for match in batch["matches"] if not match["voided"])

    def games(self) -> Iterator[dict[str, Any]]:
        """All games."""
        for match in self.matches():
            yield from match["games"]

    def faults(self) -> Iterator[tuple[str, FaultKind]]:
        """(name, kind) of every fault."""
        for game in self.games():
            yield from ((game["players"][seat], kind) for seat, kind in game["faults"])


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    """The soak, played in a process of its own."""
    file = tmp_path_factory.mktemp("soak") / "soak.jsonl"
    command: list[str | Path] = [sys.executable, SOAK, file]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=SOAK_S, check=False)
    assert done.returncode == 0
    *batches, end = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return Soak(batches, end)


def test_every_bot_of_every_fault_is_at_the_tables() -> None:
    names = [name for table in (*GROUPS, *(names for names, _ in SLOW_TABLES)) for name in table]
    assert sorted(names) == sorted(BAD)
    assert set(BAD.values()) == set(get_args(FaultKind))


def test_every_game_was_played_and_its_record_verifies(soak: Soak) -> None:
    assert sorted(match["match"] for match in soak.matches()) == list(range(BATCHES * TABLES))
    games = list(soak.games())
    assert len(games) == BATCHES * TABLES * SEATS >= 500
    for game in games:
        assert sum(game["scores"]) == pytest.approx(1)
        verify(unpack(base64.b64decode(game["record"])))


def test_no_good_bot_was_ever_faulted(soak: Soak) -> None:
    assert {(name, kind) for name, kind in soak.faults() if name not in BAD} == set()


def test_the_good_bots_results_are_untouched(soak: Soak) -> None:
    """The same match among good bots, first, in the middle and last, has the same games to the last bit."""
    matches = {match["match"]: match["games"] for match in soak.matches()}
    controls = [matches[number * TABLES + TABLES - 1] for number in CONTROLS]
    assert len(controls) == 3
    assert len(controls[0]) == SEATS
    for control in controls:
        assert [(game["digest"], game["scores"]) for game in control] == [
            (game["digest"], game["scores"]) for game in controls[0]
        ]


def test_every_bad_bot_got_its_own_kind_of_fault(soak: Soak) -> None:
    """A game may be over before a bot comes to its fault, but none has another, and all came to theirs."""
    seen = Counter(soak.faults())
    assert {name: kind for name, kind in seen if name in BAD} == BAD
    assert {pair for pair in seen if pair[0] in BAD} == set(BAD.items())


def test_no_process_and_no_folder_is_left(soak: Soak) -> None:
    wait_until(lambda: marked(soak.end["mark"]) == [], "no process of the soak left")
    wait_until(lambda: not Path(soak.end["folder"]).exists(), "its folder gone")


def test_no_descriptor_leaks(soak: Soak) -> None:
    held = [batch["descriptors"] for batch in soak.batches]
    assert max(held[BATCHES // 2 :]) <= max(held[: BATCHES // 2]) + PASSING
    assert soak.end["left"] <= KEPT


def test_memory_stays_flat(soak: Soak) -> None:
    """Floods fill buffers for a moment, so that the least of some moments is what counts."""
    held = [batch["memory_mib"] for batch in soak.batches]
    quarter = BATCHES // 4
    assert min(held[-quarter:]) - min(held[quarter : 2 * quarter]) < FLAT_MIB, held
