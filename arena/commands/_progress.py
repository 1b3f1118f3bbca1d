"""A tournament's progress: a bar on a terminal, a plain line now and then elsewhere; always on stderr."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from arena.commands._common import console
from arena.commands._conduct import quarantine_notice

if TYPE_CHECKING:
    from arena.plugins import Plugins
    from arena.store.rows import QuarantineRow
    from arena.tournament import Progress
    from arena.types import GameResult, MatchPlan, MatchResult

LINE_S = 10.0


class ProgressDisplay:
    """Shows matches, games per second, time left and faults; passes finished games on to the plugins.

    `database` is named in the commands that it prints.
    """

    def __init__(self, name: str, plugins: Plugins, database: str) -> None:
        self._name = name
        self._database = database
        self._plugins = plugins
        self._out = console(stderr=True)
        self._start = self._said = time.monotonic()
        self._last: Progress | None = None

    def __enter__(self) -> Self:
        """Show the bar, if this is a terminal."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches"),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            console=self._out,
            disable=not self._out.is_interactive,
        )
        self._task = self._bar.add_task(self._name, total=None, facts="")
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last state on the screen."""
        self._bar.stop()
        if not self._out.is_interactive and self._last is not None:
            self._say(self._last)

    def progressed(self, progress: Progress) -> None:
        """See arena.tournament.Listener."""
        self._last = progress
        self._bar.update(
            self._task, completed=progress.done, total=progress.total, facts=self._facts(progress)
        )
        if not self._out.is_interactive and time.monotonic() - self._said > LINE_S:
            self._say(progress)

    def voided(self, result: MatchResult) -> None:
        """See arena.tournament.Listener; the log says why a match is played again."""
        self._bar.console.print(
            f"match {result.sequence}: an attempt on {result.worker} does not count and is played again: "
            f"{result.error}",
            markup=False,
        )

    def quarantined(self, row: QuarantineRow) -> None:
        """See arena.tournament.Listener; tells the player's owner where to look."""
        self._bar.console.print(quarantine_notice(row, self._database), markup=False, soft_wrap=True)

    def game_finished(self, plan: MatchPlan, game: GameResult) -> None:
        """See arena.tournament.Listener."""
        self._plugins.game_finished(self._name, plan, game)

    def _facts(self, progress: Progress) -> str:
        elapsed = time.monotonic() - self._start
        return (
            f"{progress.games} games, {progress.games / elapsed:.1f}/s, {progress.faults} faults"
            + f", {progress.voided} attempts voided" * bool(progress.voided)
            + f", {progress.unplayed} matches not played (quarantine)" * bool(progress.unplayed)
        )

    def _say(self, progress: Progress) -> None:
        self._said = time.monotonic()
        elapsed = self._said - self._start
        left = (progress.total - progress.done) * elapsed / progress.matches if progress.matches else 0.0
        self._out.print(
            f"{self._name}: {progress.done} of {progress.total} matches, {self._facts(progress)}, "
            f"{elapsed:.0f} s so far, {left:.0f} s left",
            markup=False,
        )
