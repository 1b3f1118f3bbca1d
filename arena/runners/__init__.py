"""Runners play matches: `inline` in this process, `cluster` on Ray actors; both through MatchWorker.

A runner hands back each attempt as it finishes, on the thread that called it. It never touches the database.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from arena.errors import PlatformFault
from arena.types import Isolation, Limits, MatchPlan, MatchResult, Player

Problem = tuple[str, str]
OnResult = Callable[[MatchPlan, MatchResult], None]
RunnerKind = Literal["auto", "inline", "cluster"]

UNGUARDED = Isolation()
MAX_ATTEMPTS = 3
SMALL_RUN_GAMES = 200  # below, a start of Ray takes longer than it can save


class Runner(Protocol):
    """Plays plans; `workers` is how many at once. Close it in any case: bots and helpers end with it."""

    kind: RunnerKind
    workers: int

    def check(self, limits: Limits, isolation: Isolation = UNGUARDED) -> list[Problem]:
        """Start every player's bot; (player, what is wrong) of those that cannot play.

        A level of isolation that this machine cannot give is a problem of `isolation`.
        """

    def run(self, plans: Iterable[MatchPlan], on_result: OnResult) -> None:
        """Play all plans, each until an attempt counts; `on_result` gets every attempt, voided ones too.

        Plans are drawn lazily. PlatformFault when a match was voided too often.
        """

    def close(self) -> None:
        """End bots and helpers; harmless twice."""


class Attempts:
    """Counts the voided attempts of each match, so that one which always fails stops the run."""

    def __init__(self) -> None:
        self._voided: Counter[int] = Counter()

    def again(self, plan: MatchPlan, result: MatchResult) -> MatchPlan:
        """The plan to play after a voided attempt; the last one allowed is final (see MatchPlan)."""
        self.voided(result)
        return replace(plan, final=self._voided[result.sequence] == MAX_ATTEMPTS - 1)

    def voided(self, result: MatchResult) -> None:
        """Note a voided attempt; PlatformFault when it was one too many."""
        self._voided[result.sequence] += 1
        if self._voided[result.sequence] >= MAX_ATTEMPTS:
            raise PlatformFault(
                f"match {result.sequence} failed {MAX_ATTEMPTS} times, last: {result.error.strip()}"
            )


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(players: Sequence[Player], workers: int = 0) -> int:
    """How many workers to start: as asked, or as many as find a core each, and one for each of their bots."""
    if workers:
        return workers
    processes = sum(player.bot.kind == "command" for player in players)
    return max(1, cores() // (1 + processes))


def choose(kind: RunnerKind, games: int) -> Literal["inline", "cluster"]:
    """What `auto` means for a run of so many games."""
    if kind != "auto":
        return kind
    return "inline" if games < SMALL_RUN_GAMES or cores() == 1 else "cluster"


def start(
    kind: Literal["inline", "cluster"], players: Sequence[Player], workers: int, prepare: Callable[[], object]
) -> Runner:
    """A started runner; `prepare` is called first in every process that plays (it loads plugins)."""
    from arena.runners.reaper import sweep_stale

    sweep_stale()
    if kind == "inline":
        from arena.runners.inline import InlineRunner

        return InlineRunner(players)
    from arena.runners.cluster import ClusterRunner

    return ClusterRunner(players, worker_count(players, workers), prepare)
