"""The soak: 504 games with bots of every fault among good ones, in a process of its own, whose memory it is.

Run as `python soak.py FILE`. It writes a line of JSON for each batch of matches, with their games and what
the process holds after them, and at last one about the whole run. test_soak.py looks at them.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from match_samples import KEY, classic, setup_of
from wire_samples import MOCK_BOTS, ROOT

from arena.runners import Attempts
from arena.runners.reaper import Run
from arena.runners.worker import MatchWorker
from arena.seeds import match_key
from arena.types import BotSpec, FaultPolicy, Limits, MatchPlan, MatchResult, Player, VariantSetup

SEATS = 6
BATCHES = 14  # of six matches of six games, all at once
CONTROLS = (0, 7, 13)  # batches with a match among good bots alone, which is the same each time
# Where lateness is not what is tested, nobody is late, however busy the machine is.
LIMITS = Limits(start=120, decision=60, game=3600)
HASTE = replace(LIMITS, decision=0.4)
PASSING = 4  # descriptors that come and go with a start or a timer
SETTLE_S = 20.0  # more of them have so long to go, on a machine that stalls
AT_ONCE = FaultPolicy(strikes=1)  # a second fault would tell nothing new

# A batch has one of these groups: each bot at two tables, beside another one at each.
GROUPS = (
    ("crash_mid_game", "wrong_range", "floods_bytes", "forks", "raises_mid_game"),
    ("leaves_mid_game", "illegal", "floods", "garbage", "double_forks"),
)
# They cost seconds or play no game, so that a batch has only one of these tables, if any.
SLOW_TABLES: tuple[tuple[tuple[str, ...], Limits], ...] = (
    (("drops_stream", "crash_at_start"), LIMITS),
    (("hang", "leaves_at_once"), HASTE),
    (("never_joins",), replace(LIMITS, start=6)),
)


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
INSIDE = (*map(good, ("greedy", "fortress", "continent", "random")), Player("twin", good("greedy").bot))


def batches() -> Iterator[list[MatchPlan]]:
    """Each six matches, with one or two bad bots among good ones, or none; see CONTROLS."""
    setup = setup_of(classic(SEATS, turn_cap=1))
    for number in range(BATCHES):
        group = GROUPS[number % len(GROUPS)]
        tables: list[tuple[tuple[str, ...], Limits]] = [
            (pair, LIMITS) for pair in zip(group, (*group[1:], group[0]), strict=True)
        ]
        tables.append(((), LIMITS) if number in CONTROLS else SLOW_TABLES[number % len(SLOW_TABLES)])
        yield [match(setup, number * len(tables) + n, *table) for n, table in enumerate(tables)]


def match(setup: VariantSetup, sequence: int, bad: tuple[str, ...], limits: Limits) -> MatchPlan:
    """A match of some bad bots, the rest being good ones."""
    # In haste a process is late on a busy machine: not its fault, but the match is void, again and again.
    well = INSIDE if limits == HASTE else (OUTRIDER, *INSIDE)
    key = match_key(KEY, "soak", str(sequence), 0) if bad else KEY
    return MatchPlan(sequence, key, setup, (*map(wrong, bad), *well)[:SEATS], limits, AT_ONCE)


def play(worker: MatchWorker, batch: list[MatchPlan]) -> Iterator[tuple[MatchPlan, MatchResult]]:
    """All matches of a batch at once, and again those that the platform voided."""
    attempts = Attempts()
    while batch:
        results = worker.play(batch)
        yield from zip(batch, results, strict=True)
        voided = [played for played in zip(batch, results, strict=True) if played[1].error]
        batch = [attempts.again(*played) for played in voided]


def told(plan: MatchPlan, result: MatchResult) -> dict[str, Any]:
    """A match for the one who looks at it."""
    return {
        "match": plan.sequence,
        "voided": result.error,
        "games": [
            {
                "rotation": game.rotation,
                "players": [plan.players[index].name for index in game.players],
                "faults": [(fault.seat, fault.kind) for fault in game.faults],
                "scores": game.scores,
                "digest": game.final_digest,
                "record": base64.b64encode(game.record).decode(),
            }
            for game in result.games
        ],
    }


def descriptors() -> set[str]:
    """The numbers of this process's open files."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def settled(most: int) -> int:
    """How many files are open, as soon as there are no more than `most`."""
    deadline = time.monotonic() + SETTLE_S
    while (held := len(descriptors())) > most and time.monotonic() < deadline:
        time.sleep(0.05)
    return held


def resident_mib() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(file: Path) -> None:
    """Play it all."""
    before = descriptors()
    held: list[int] = []
    run = Run()
    worker = MatchWorker("soak", run.folder)
    with file.open("w", encoding="utf-8") as out:
        try:
            for batch in batches():
                matches = [told(*played) for played in play(worker, batch)]
                gc.collect()
                held.append(settled(max(held[: BATCHES // 2], default=len(descriptors())) + PASSING))
                holds = {"descriptors": held[-1], "memory_mib": resident_mib()}
                print(json.dumps({"matches": matches, **holds}), file=out, flush=True)
        finally:
            worker.close()
            run.close()
        left = len(descriptors() - before) - 1  # but for the file itself
        print(json.dumps({"left": left, "mark": run.mark, "folder": str(run.folder)}), file=out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
