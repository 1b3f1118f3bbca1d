"""500 games with bots of every fault among good ones: the good bots' results stay, nothing is left behind."""

from __future__ import annotations

import ctypes
import gc
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import pytest
from match_samples import KEY, classic, setup_of
from wire_samples import MOCK_BOTS, ROOT

from arena.launcher.processes import marked
from arena.record import unpack, verify
from arena.runners.inline import InlineRunner
from arena.seeds import match_key
from arena.types import BotSpec, FaultKind, FaultPolicy, Limits, MatchPlan, MatchResult, Player

SEATS = 6
MATCHES = 84  # of six games
CONTROLS = (0, 41, 83)  # matches among good bots alone, of which the first is played again and again
LIMITS = Limits(start=4, decision=0.4, game=30)
AT_ONCE = FaultPolicy(strikes=1)  # a second fault would tell nothing new
FLAT_MIB = 64  # gRPC keeps what floods of megabytes once needed; 500 games that leaked would need far more
PASSING = 4  # descriptors that come and go with a start or a timer
KEPT = 8  # descriptors that gRPC keeps for the life of a process
LIBC = ctypes.CDLL(None)

# What each bot's fault is. SLOW ones have few matches, since they cost seconds.
WRONG: dict[str, FaultKind] = {
    "crash_mid_game": "crash",
    "raises_mid_game": "crash",
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
SLOW: dict[str, FaultKind] = {
    "crash_at_start": "crash",
    "leaves_at_once": "no_show",
    "never_joins": "start_timeout",
}
BAD = {**WRONG, **SLOW}
# To end, or to come back, may take longer than an answer may.
MAY_BE_LATE = ("raises_mid_game", "drops_stream")


def good(name: str) -> Player:
    """A bot of the repository, in this process."""
    return Player(name, BotSpec(name, "python", str(ROOT / "bots" / f"{name}.py")))


def wrong(name: str) -> Player:
    """A mock bot in a process of its own; some are told where to note their child's pid."""
    argv = ("python", f"{name}.py", os.devnull) if "forks" in name else ("python", f"{name}.py")
    return Player(name, BotSpec(name, "command", str(MOCK_BOTS), argv))


OUTRIDER = Player(
    "outrider", BotSpec("outrider", "command", str(ROOT / "bots" / "outrider"), ("python", "bot.py"))
)
GOOD = (good("greedy"), good("fortress"), good("continent"), OUTRIDER)
CONTROL = (*GOOD, good("random"), Player("twin", good("greedy").bot))


def plans() -> Iterator[MatchPlan]:
    """Four good bots and two bad ones at every table, the control matches between them."""
    setup = setup_of(classic(SEATS, turn_cap=2))
    bad = cycle(WRONG)
    slow = iter([*SLOW] * 2)
    for sequence in range(MATCHES):
        if sequence in CONTROLS:
            yield MatchPlan(sequence, KEY, setup, CONTROL, LIMITS, AT_ONCE)
            continue
        names = list(islice(bad, 2))
        if sequence % 13 == 8 and (late := next(slow, None)):
            names[0] = late
        players = (*GOOD, *map(wrong, names))
        key = match_key(KEY, "soak", str(sequence), 0)
        yield MatchPlan(sequence, key, setup, players, LIMITS, AT_ONCE)


@dataclass
class Soak:
    """What the run left to look at."""

    results: dict[int, MatchResult] = field(default_factory=dict)
    players: dict[int, tuple[Player, ...]] = field(default_factory=dict)
    voided: list[str] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)
    mark: str = ""
    folder: Path = Path()

    def take(self, plan: MatchPlan, result: MatchResult) -> None:
        if result.error:
            self.voided.append(result.error)
            return
        self.results[plan.sequence] = result
        self.players[plan.sequence] = plan.players
        self.descriptors.append(len(descriptors()))
        gc.collect()
        LIBC.malloc_trim(0)  # what is free, but not yet given back, is no leak
        self.memory_mib.append(resident_mib())


def descriptors() -> set[str]:
    """The numbers of this process's open files."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def resident_mib() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.fixture(scope="module")
def soak() -> Soak:
    """All matches, played."""
    found = Soak()
    players = tuple(dict.fromkeys(player for plan in plans() for player in plan.players))
    before = descriptors()
    runner = InlineRunner(players)
    try:
        run = runner._run  # the mark of its processes and its folder are nobody else's affair
        assert run is not None
        found.mark, found.folder = run.mark, run.folder
        runner.run(plans(), found.take)
    finally:
        runner.close()
    found.descriptors.append(len(descriptors() - before))
    return found


def games(soak: Soak) -> Iterator[tuple[int, int, str, set[str]]]:
    """(match, rotation, player, kinds of its faults) of every seat of every game."""
    for sequence, result in soak.results.items():
        for game in result.games:
            for seat, index in enumerate(game.players):
                kinds = {fault.kind for fault in game.faults if fault.seat == seat}
                yield sequence, game.rotation, soak.players[sequence][index].name, set(kinds)


def test_every_game_was_played_and_its_record_verifies(soak: Soak) -> None:
    assert sorted(soak.results) == list(range(MATCHES))
    assert sum(len(result.games) for result in soak.results.values()) == MATCHES * SEATS >= 500
    for result in soak.results.values():
        for game in result.games:
            assert sum(game.scores) == pytest.approx(1)
            verify(unpack(game.record))


def test_no_good_bot_was_ever_faulted(soak: Soak) -> None:
    faulted = {(name, *kinds) for _, _, name, kinds in games(soak) if name not in BAD and kinds}
    assert faulted == set()


def test_the_good_bots_results_are_untouched(soak: Soak) -> None:
    """The same match among good bots, first, in the middle and last, has the same games to the last bit."""
    first, *others = ([game.final_digest for game in soak.results[sequence].games] for sequence in CONTROLS)
    assert all(digests == first for digests in others)
    scores = [[game.scores for game in soak.results[sequence].games] for sequence in CONTROLS]
    assert scores[0] == scores[1] == scores[2]


def test_every_bad_bot_got_its_own_kind_of_fault(soak: Soak) -> None:
    """A game may be over before a bot comes to its fault, but none has another, and all came to theirs."""
    seen: dict[str, Counter[str]] = {name: Counter() for name in BAD}
    for _, _, name, kinds in games(soak):
        if name in seen:
            seen[name].update(kinds)
    for name, own in BAD.items():
        assert own in seen[name], f"{name}: {dict(seen[name])}"
        assert set(seen[name]) <= {own, *(("timeout",) if name in MAY_BE_LATE else ())}, name


def test_no_process_and_no_folder_is_left(soak: Soak) -> None:
    assert marked(soak.mark) == []
    assert not soak.folder.exists()


def test_no_descriptor_leaks(soak: Soak) -> None:
    *during, left = soak.descriptors
    assert max(during[len(during) // 2 :]) <= max(during[: len(during) // 2]) + PASSING
    assert left <= KEPT


def test_memory_stays_flat(soak: Soak) -> None:
    """Floods fill buffers for a moment, so that the least of many moments is what counts."""
    quarter = len(soak.memory_mib) // 4
    assert min(soak.memory_mib[-quarter:]) - min(soak.memory_mib[quarter : 2 * quarter]) < FLAT_MIB
