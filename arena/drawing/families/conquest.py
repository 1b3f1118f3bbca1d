"""The drawing of the conquest family: its map with territories, their owners and troops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from arena.drawing.board import LARGEST, BoardPicture, colour_letters, colour_styles, legend
from arena.drawing.pieces import Pieces, capital_word, example_position, fields_of, pieces_of
from arena.drawing.sentences import TURN_WORD, Teller
from arena.drawing.svg import board_svg
from engine_core.description import ON_BOARD
from engine_core.facts import words

if TYPE_CHECKING:
    from rich.text import Text

    from engine_core import Event, Game, View

example = example_position
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


def svg(view: View) -> str:
    """The map with the pieces of a view."""
    return board_svg(view.game.ruleset, pieces_of(view))


def show(game: Game, labels: Sequence[str]) -> ConquestShow:
    """A show of a game of this family."""
    return ConquestShow(game, labels)


class ConquestShow:
    """The map, the colours, what else the variant has, and what happens in sentences."""

    def __init__(self, game: Game, labels: Sequence[str]) -> None:
        self.game = game
        self.labels = labels
        self.teller = Teller(game, labels)
        self.fields = fields_of(game)
        self.words = words(game.ruleset)
        self.letters = colour_letters(game.description.colours)
        self.styles = colour_styles(game.description.colours)
        self.boards: dict[tuple[int, int], BoardPicture] = {}

    def tell(self, events: Iterable[Event], view: View) -> list[str]:
        """The sentences that these events complete."""
        return self.teller.tell(events, view.troops, self._changed(view))

    def rest(self) -> list[str]:
        """What is being told and not complete yet."""
        return self.teller.rest()

    def starts(self, sentence: str) -> bool:
        """Whether a sentence starts a turn."""
        return sentence.startswith(TURN_WORD)

    def frame(self, view: View, width: int, height: int | None, notes: Sequence[str]) -> list[Text]:
        """A head line, the board, the colours, what the variant has, the latest sentences."""
        from rich.text import Text

        colours = self.game.description.colours
        whose = colours[view.turn_colour] if view.turn_colour >= 0 else "nobody"
        pieces = pieces_of(view)
        now = f"{whose} to move" if view.pending() else "the game is over"
        marks = legend(pieces, capital_word(self.game.ruleset))
        head = Text(f"Lap {view.lap}, {now}" + (f"   {marks}" if marks else ""))
        columns = min(width, PRINTED_COLUMNS)
        below = [*self._colours(view, pieces, columns), *self._goals(view, columns)]
        rows = _rows(height, len(below))
        board = self._board(columns if height is None else width, rows).draw(pieces)
        lines = [head, board, *below]
        if height is not None:
            room = max(NOTES[0], min(NOTES[1], height - rows - len(below) - 1))
            lines.append(Text("\n".join(list(notes)[-room:]), overflow="ellipsis", no_wrap=True))
        return lines

    def _board(self, width: int, height: int) -> BoardPicture:
        size = width, height
        if size not in self.boards:
            self.boards[size] = BoardPicture(self.game.ruleset, *size)
        return self.boards[size]

    def _colours(self, view: View, pieces: Pieces, columns: int) -> Iterator[Text]:
        """Lines with the standing of every colour, as many side by side as there is room for."""
        from rich.text import Text

        cells = [self._colour(view, pieces, colour) for colour in range(len(self.styles))]
        beside = max(1, columns // SIDE)
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

    def _goals(self, view: View, columns: int) -> Iterator[Text]:
        """Lines about what else decides the game: objectives, rewards, missions once they are known."""
        for title, field, per in GOALS:
            if field not in self.fields:
                continue
            parts = list(self._held(view.field(field), per) if per else self._missions(view))
            if parts:
                yield from _wrapped(f"{title}: ", parts, columns)

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


def _wrapped(title: str, parts: Iterable[Text], width: int) -> Iterator[Text]:
    """Parts behind a title, separated by commas, in as many lines as they need."""
    from rich.text import Text

    line = Text(title)
    for number, part in enumerate(parts):
        if len(line) + len(part) + 2 > width and number:
            yield line.append(",")
            line = Text("  ")
            number = 0
        line = line + Text(", " if number else "") + part
    yield line


def _rows(height: int | None, below: int) -> int:
    """The rows of the board: on a terminal what the lines below it and the head leave."""
    if height is None:
        return PRINTED_ROWS
    return max(LEAST_ROWS, min(LARGEST[1], height - 1 - below - NOTES[0]))
