"""The inline runner: matches one after the other in this process; for small runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.driver import WatchGame
from arena.runners import UNGUARDED, Attempts, OnResult, Problem, RunnerKind
from arena.runners.reaper import Run
from arena.runners.worker import MatchWorker
from arena.types import Isolation, Limits, MatchPlan, Player


class InlineRunner:
    """Plays in this process, in scheduled order."""

    kind: RunnerKind = "inline"
    workers = 1

    def __init__(self, players: Sequence[Player], watch: WatchGame | None = None) -> None:
        self._players = players
        external = any(player.bot.kind == "command" for player in players)
        self._run = Run() if external else None
        self._worker = MatchWorker("inline", self._run.folder if self._run else None, watch)

    def check(self, limits: Limits, isolation: Isolation = UNGUARDED) -> list[Problem]:
        """See arena.runners.Runner."""
        return self._worker.check(self._players, limits, isolation)

    def run(self, plans: Iterable[MatchPlan], on_result: OnResult) -> None:
        """See arena.runners.Runner."""
        attempts = Attempts()
        for plan in plans:
            while True:
                (result,) = self._worker.play([plan])
                on_result(plan, result)
                if not result.error:
                    break
                plan = attempts.again(plan, result)

    def written(self, player: Player) -> str:
        """What a player's process has written so far, head and tail."""
        return self._worker.written(player)

    def close(self) -> None:
        """See arena.runners.Runner."""
        self._worker.close()
        if self._run is not None:
            self._run.close()
