"""Shows a game as it goes on: live on a terminal, one drawing a turn elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from arena.commands._board import BoardPicture
from arena.commands._common import table

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.table import Table

    from engine_core import Event, Game, State, View

NOTES = 8
DRAWN = {"lap", "turn_colour", "owner", "troops"}  # a family without these fields is told in words
FRAME_S = 0.04


class Watcher:
    """Draws a game's states; `labels` names the seats, `pace_s` slows a live picture down for human eyes."""

    def __init__(self, game: Game, labels: Sequence[str], out: Console, pace_s: float = 0.0) -> None:
        self.game = game
        self.labels = [labels[seat] if seat < len(labels) else f"seat {seat}" for seat in range(game.seats)]
        self.out = out
        self.pace_s = pace_s
        self.picture = BoardPicture(game.ruleset)
        self.drawable = {field.name for field in game.description.fields} >= DRAWN
        self.notes: deque[str] = deque(maxlen=NOTES)
        self.turn: tuple[int, int] | None = None
        self.drawn = 0.0
        self.frame: Group | None = None
        self.live: Live | None = None

    def __enter__(self) -> Self:
        """Start the live picture, if this is a terminal that can show one."""
        if self.out.is_interactive and self.drawable:
            from rich.live import Live

            self.live = Live(console=self.out, auto_refresh=False)
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Draw the last state."""
        if self.live is not None:
            if self.frame is not None:
                self.live.update(self.frame, refresh=True)
            self.live.stop()
        elif self.frame is not None:
            self.out.print(self.frame)

    def step(self, events: Iterable[Event], state: State | View) -> None:
        """Take in the state after a step; it is drawn when a turn ends, or at once on a terminal."""
        texts = [self.game.event_text(event) for event in events]
        if not self.drawable:
            for text in texts:
                self.out.print(text, markup=False)
            return
        self.notes.extend(texts)
        turn = (state.lap, state.turn_colour)
        before, self.frame = self.frame, self._frame(state)
        if self.live is None:
            if turn != self.turn and before is not None:
                self.out.print(before)
        elif self.pace_s or time.monotonic() - self.drawn > FRAME_S:
            time.sleep(self.pace_s)
            self.live.update(self.frame, refresh=True)
            self.drawn = time.monotonic()
        self.turn = turn

    def _frame(self, state: State | View) -> Group:
        from rich.console import Group
        from rich.text import Text

        colours = self.game.description.colours
        head = Text(f"Lap {state.lap}, {colours[state.turn_colour]} to move")
        board = self.picture.draw(state.owner, state.troops)
        return Group(head, board, self._colours(state), Text("\n".join(self.notes)))

    def _colours(self, state: State | View) -> Table:
        description = self.game.description
        rows = []
        for colour, name in enumerate(description.colours):
            seat = description.colour_seat[colour]
            held = [index for index, owner in enumerate(state.owner) if owner == colour]
            label = self.labels[seat] if seat >= 0 else "(nobody)"
            rows.append((name, label, len(held), sum(state.troops[index] for index in held)))
        return table(["colour", "player", ">territories", ">troops"], rows)
