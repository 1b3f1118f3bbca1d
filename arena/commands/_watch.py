"""Shows a game as it goes on: live on a terminal; elsewhere in words, with the board after every lap."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from arena.drawing.pieces import fields_of
from arena.drawing.registry import drawing_of

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live

    from engine_core import Event, Game, View

DELAY_S = 0.3
FRAME_S = 0.04
NOTES = 30  # sentences that are kept for the picture


class Watcher:
    """Draws a game's states; `labels` names the seats, `delay_s` is between two pictures on a terminal."""

    def __init__(self, game: Game, labels: Sequence[str], out: Console, delay_s: float = DELAY_S) -> None:
        named = [labels[seat] if seat < len(labels) else f"seat {seat}" for seat in range(game.seats)]
        self.show = drawing_of(game).show(game, named)
        self.has_laps = "lap" in fields_of(game)
        self.out = out
        self.delay_s = delay_s
        self.notes: deque[str] = deque(maxlen=NOTES)
        self.lap = 0
        self.drawn = 0.0
        self.last: View | None = None
        self.live: Live | None = None

    def __enter__(self) -> Self:
        """Start the live picture, if this is a terminal that can show one."""
        if self.out.is_interactive:
            from rich.live import Live

            self.live = Live(console=self.out, auto_refresh=False)
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Tell what is left and draw the last state."""
        if self.last is not None and self.live is None:
            self._print(self.show.rest(), self.last)
            self.out.print(self._frame(self.last))
        elif self.last is not None and self.live is not None:
            self.notes.extend(self.show.rest())
            self.live.update(self._frame(self.last), refresh=True)
        if self.live is not None:
            self.live.stop()

    def step(self, events: Iterable[Event], view: View) -> None:
        """Take in the public view after a step, and draw it: with a pause when there is something to tell."""
        told = self.show.tell(events, view)
        if self.live is None:
            self._print(told, view)
        else:
            self.notes.extend(told)
            self._draw(self.live, view, bool(told))
        self.last = view

    def _draw(self, live: Live, view: View, pause: bool) -> None:
        if pause or time.monotonic() - self.drawn > FRAME_S:
            live.update(self._frame(view), refresh=True)
            self.drawn = time.monotonic()
            time.sleep(self.delay_s if pause else 0)

    def _print(self, told: Iterable[str], view: View) -> None:
        """Print sentences, turns flush left, and the board where a lap begins."""
        for sentence in told:
            starts = self.show.starts(sentence)
            if starts and self.has_laps and view.lap != self.lap:
                self.lap = view.lap
                self.out.print(self._frame(view))
            self.out.print(sentence if starts else f"  {sentence}", markup=False, highlight=False)

    def _frame(self, view: View) -> Group:
        """The picture; on a terminal it leaves the last row to the cursor."""
        from rich.console import Group

        height = None if self.live is None else self.out.height - 1
        return Group(*self.show.frame(view, self.out.width, height, self.notes))
