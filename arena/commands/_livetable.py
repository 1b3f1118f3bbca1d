"""What `arena serve` shows: on a terminal a table of who is here below the log, elsewhere the log alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from arena.commands import _serving
from arena.commands._common import console, table

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from arena.hub.hub import Hub
    from arena.hub.news import Event

REFRESHES_PER_S = 2.0
COLUMNS = ("bot", "from", ">ms", "state", ">points", ">faults", ">live elo", ">last match")


class Log:
    """Prints what happens, each event by `show`."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        """Nothing has happened yet."""
        self.show = show

    def follow(self, hub: Hub) -> None:
        """A log needs no more than the events."""

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""


class LiveTable(Log):
    """The log in a terminal, with a table of the bots below it that is always up to date."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        super().__init__(self._print)
        self._out = console()
        self._live: Live | None = None

    def follow(self, hub: Hub) -> None:
        """Show a hub's bots from now on."""
        from rich.live import Live

        self._live = Live(
            get_renderable=lambda: bots_table(hub),
            console=self._out,
            refresh_per_second=REFRESHES_PER_S,
            redirect_stdout=False,  # what is printed goes through the console
            transient=True,
        )
        self._live.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the log."""
        if self._live is not None:
            self._live.stop()

    def _print(self, event: Event) -> None:
        self._out.print(_serving.line_of(event), markup=False, soft_wrap=True)


def shown(*, as_json: bool) -> Log:
    """What suits the output: JSON lines if asked for, a live table on a terminal, else plain lines."""
    if as_json:
        return Log(_serving.print_json)
    return LiveTable() if sys.stdout.isatty() and console().is_interactive else Log(_serving.print_text)


def bots_table(hub: Hub) -> Table:
    """The bots that are here: what they do, and what they did since the server's start."""
    rows = [
        (
            *(row.name, row.host or "this host", f"{1000.0 * row.way_s:.1f}" if row.measured else None),
            *(row.state, f"{row.tally.points:g} of {row.tally.games}", row.tally.faults),
            *(f"{row.rating:.0f}" if row.rating is not None else None, row.tally.last or None),
        )
        for row in hub.house()
    ]
    tables = hub.tables
    title = f"bots here: {len(rows)}; matches at hand: {tables.playing}, finished: {tables.played}"
    made = table(COLUMNS, rows, title=title)
    made.box = None
    for column in made.columns:
        column.no_wrap = True  # a line a bot, also on a narrow terminal
    return made
