"""Shows a game as it goes on: live on a terminal; elsewhere in words, with the board after every lap."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

from arena.commands._board import LARGEST, BoardPicture, colour_letters, colour_styles, legend
from arena.drawing.pieces import BOARD_FIELDS, Pieces, capital_word, fields_of, pieces_of
from arena.drawing.sentences import TURN_WORD, Teller
from engine_core.description import ON_BOARD
from engine_core.facts import words

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    from engine_core import Event, Game, View

DELAY_S = 0.3
FRAME_S = 0.04
NEEDED = BOARD_FIELDS | {"lap", "turn_colour"}  # a family without these fields is told in words
PRINTED_COLUMNS, PRINTED_ROWS = 80, 16  # of the board where there is no terminal
LEAST_ROWS = 8
# title, field, and the label that the field has a holder for each of ("": a mission for each colour)
GOALS = (
    ("Objectives", "objective", "objective"),
    ("Rewards", "reward", "reward"),
    ("Missions", "mission", ""),
)
NOTES = (3, 8)  # the fewest and the most sentences under the board
SIDE = 36  # columns of a colour's line; as many stand side by side as there is room for


class Watcher:
    """Draws a game's states; `labels` names the seats, `delay_s` is between two pictures on a terminal."""

    def __init__(self, game: Game, labels: Sequence[str], out: Console, delay_s: float = DELAY_S) -> None:
        self.game = game
        self.labels = [labels[seat] if seat < len(labels) else f"seat {seat}" for seat in range(game.seats)]
        self.out = out
        self.delay_s = delay_s
        self.teller = Teller(game, self.labels)
        self.fields = fields_of(game)
        self.drawable = self.fields >= NEEDED
        self.words = words(game.ruleset)
        self.letters = colour_letters(game.description.colours)
        self.styles = colour_styles(game.description.colours)
        self.boards: dict[tuple[int, int], BoardPicture] = {}
        self.notes: deque[str] = deque(maxlen=NOTES[1])
        self.lap = 0
        self.drawn = 0.0
        self.last: View | None = None
        self.live: Live | None = None

    def __enter__(self) -> Self:
        """Start the live picture, if this is a terminal that can show one."""
        if self.out.is_interactive and self.drawable:
            from rich.live import Live

            self.live = Live(console=self.out, auto_refresh=False)
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Tell what is left and draw the last state."""
        if self.last is not None and self.live is None:
            self._print(self.teller.rest(), self.last)
            self.out.print(self._frame(self.last))
        elif self.last is not None and self.live is not None:
            self.notes.extend(self.teller.rest())
            self.live.update(self._frame(self.last), refresh=True)
        if self.live is not None:
            self.live.stop()

    def step(self, events: Iterable[Event], view: View) -> None:
        """Take in the public view after a step, and draw it: with a pause when there is something to tell."""
        if not self.drawable:
            for event in events:
                self.out.print(self.game.event_text(event), markup=False)
            return
        told = self.teller.tell(events, view.troops, self._changed(view))
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
            starts = sentence.startswith(TURN_WORD)
            if starts and view.lap != self.lap:
                self.lap = view.lap
                self.out.print(self._frame(view))
            self.out.print(sentence if starts else f"  {sentence}", markup=False)

    # ---- the picture: a head line, the board, the colours, what the variant has, the latest sentences

    def _frame(self, view: View) -> Group:
        from rich.console import Group
        from rich.text import Text

        colours = self.game.description.colours
        whose = colours[view.turn_colour] if view.turn_colour >= 0 else "nobody"
        pieces = pieces_of(view)
        now = f"{whose} to move" if view.pending() else "the game is over"
        marks = legend(pieces, capital_word(self.game.ruleset))
        head = Text(f"Lap {view.lap}, {now}" + (f"   {marks}" if marks else ""))
        below = [*self._colours(view, pieces), *self._goals(view)]
        parts = [head, self._board(len(below)).draw(pieces), *below]
        if self.live is not None:
            room = max(NOTES[0], min(NOTES[1], self.out.height - 1 - self._rows(len(below)) - len(below) - 1))
            parts.append(Text("\n".join(list(self.notes)[-room:]), overflow="ellipsis", no_wrap=True))
        return Group(*parts)

    def _rows(self, below: int) -> int:
        """The rows of the board: on a terminal what the lines below it and the head leave."""
        if self.live is None:
            return PRINTED_ROWS
        return max(LEAST_ROWS, min(LARGEST[1], self.out.height - 2 - below - NOTES[0]))

    def _board(self, below: int) -> BoardPicture:
        size = (
            min(self.out.width, PRINTED_COLUMNS) if self.live is None else self.out.width,
            self._rows(below),
        )
        if size not in self.boards:
            self.boards[size] = BoardPicture(self.game.ruleset, *size)
        return self.boards[size]

    def _colours(self, view: View, pieces: Pieces) -> Iterator[Text]:
        """Lines with the standing of every colour, as many side by side as there is room for."""
        from rich.text import Text

        cells = [self._colour(view, pieces, colour) for colour in range(len(self.styles))]
        beside = max(1, min(self.out.width, PRINTED_COLUMNS) // SIDE)
        for start in range(0, len(cells), beside):
            yield Text("  ").join(cells[start : start + beside])

    def _colour(self, view: View, pieces: Pieces, colour: int) -> Text:
        from rich.text import Text

        seat = self.game.description.colour_seat[colour]
        held = [index for index, owner in enumerate(pieces.owner) if owner == colour]
        cards = view.field("cards_held")[colour] if "cards_held" in self.fields else 0
        troops = sum(pieces.troops[index] for index in held)
        label = self.labels[seat] if seat >= 0 else "(nobody)"
        text = f"{self.letters[colour]} {label:<13.13} {len(held):>2} terr {troops:>4} tr {cards:>2} c"
        return Text(f"{text:<{SIDE}.{SIDE}}", self.styles[colour])

    def _goals(self, view: View) -> Iterator[Text]:
        """Lines about what else decides the game: objectives, rewards, missions once they are known."""
        for title, field, per in GOALS:
            if field not in self.fields:
                continue
            parts = list(self._held(view.field(field), per) if per else self._missions(view))
            if parts:
                yield from self._wrapped(f"{title}: ", parts)

    def _held(self, holders: Sequence[int], label: str) -> Iterator[Text]:
        """Each thing of a label that is on the board or held, in its holder's colour."""
        from rich.text import Text

        for name, holder in zip(self.game.description.names(label), holders, strict=True):
            text = self.words.get(label, {}).get(name, name)
            if 0 <= holder < len(self.styles):
                yield Text(f"{text} ({self.letters[holder]})", self.styles[holder])
            elif holder == ON_BOARD:
                yield Text(text)

    def _changed(self, view: View) -> Sequence[int]:
        """For each colour 1 when its mission became the fallback, as far as the public knows."""
        return view.field("mission_void") if "mission_void" in self.fields else ()

    def _missions(self, view: View) -> Iterator[Text]:
        """Each colour's mission, as far as the public knows it; a changed one names both."""
        from rich.text import Text

        names = self.game.description.names("mission")
        changed = self._changed(view)
        for colour, mission in enumerate(view.field("mission")):
            if mission >= 0:
                kind = "changed_mission" if changed and changed[colour] > 0 else "mission"
                text = self.words.get(kind, {}).get(names[mission], names[mission])
                yield Text(f"{text} ({self.letters[colour]})", self.styles[colour])

    def _wrapped(self, title: str, parts: Iterable[Text]) -> Iterator[Text]:
        """Parts behind a title, separated by commas, in as many lines as they need."""
        from rich.text import Text

        line, width = Text(title), min(self.out.width, PRINTED_COLUMNS)
        for number, part in enumerate(parts):
            if len(line) + len(part) + 2 > width and number:
                yield line.append(",")
                line = Text("  ")
                number = 0
            line = line + Text(", " if number else "") + part
        yield line
