"""Shows a game as it goes on: live on a terminal, one drawing a turn elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arena.commands._board import BoardPicture
from arena.commands._common import table

if TYPE_CHECKING:
    from rich.console import Console, Group
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
        if out.is_interactive and self.drawable:
            from rich.live import Live

            self.live: Live | None = Live(console=out, auto_refresh=False, screen=False)
            self.live.start()
        else:
            self.live = None

    def step(self, events: Iterable[Event], state: State | View) -> None:
        """Take in the state after a step; it is drawn when a turn ends, or at once on a terminal."""
        for event in events:
            self.notes.append(self.game.event_text(event))
        if not self.drawable:
            self._print_notes()
            return
        turn = (state.lap, state.turn_colour)
        if self.live is None:
            if turn != self.turn and self.frame is not None:
                self.out.print(self.frame)
            self.frame = self._frame(state)
        elif time.monotonic() - self.drawn > FRAME_S or self.pace_s:
            time.sleep(self.pace_s)
            self.live.update(self._frame(state), refresh=True)
            self.drawn = time.monotonic()
        else:
            self.frame = self._frame(state)
        self.turn = turn

    def end(self) -> None:
        """Draw the last state."""
        if self.live is None:
            if self.frame is not None:
                self.out.print(self.frame)
        else:
            if self.frame is not None:
                self.live.update(self.frame, refresh=True)
            self.live.stop()

    def _print_notes(self) -> None:
        while self.notes:
            self.out.print(self.notes.popleft(), markup=False)

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
