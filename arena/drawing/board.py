"""The board in a terminal, as large as there is room; `ALA k12` is 12 troops of the colour k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from arena.drawing.pieces import Pieces
    from engine_core import Ruleset

STYLES = {"black": "bold white on grey23", "neutral": "grey62", "violet": "bold magenta"}
LETTERS = {"black": "k"}  # as printers call it; b is blue's
FAINT = "grey39"
CITY, CAPITAL, AIRFIELD, PLAIN = "#", "*", "^", " "
LARGEST = (108, 30)  # columns and rows of a board of 100 x 60: characters are twice as high as wide
DOTTED_ROWS = 18  # below this, dots for the borders would only be in the way


def colour_letters(colours: Sequence[str]) -> list[str]:
    """One letter for each colour, its own first letter as far as that is free."""
    letters: list[str] = []
    for colour in colours:
        wanted = [LETTERS.get(colour, ""), *colour, *"abcdefghijklmnopqrstuvwxyz"]
        letters.append(next(letter for letter in wanted if letter and letter not in letters))
    return letters


def colour_styles(colours: Sequence[str]) -> list[str]:
    """The rich style of each colour; one that the terminal does not know is just bold."""
    from rich.color import ANSI_COLOR_NAMES

    return [STYLES.get(c, f"bold {c}" if c in ANSI_COLOR_NAMES else "bold") for c in colours]


def legend(pieces: Pieces, capital: str) -> str:
    """What the marks on the board stand for, as far as they are there."""
    shown = (
        (pieces.cities, f"{CITY} city"),
        (pieces.capitals, f"{CAPITAL} {capital} (/k: of colour k)"),
        (pieces.airfields, f"{AIRFIELD} airfield"),
    )
    return "   ".join(text for places, text in shown if places)


class BoardPicture:
    """Draws one ruleset's board into so many columns and rows; labels never cover each other."""

    def __init__(self, ruleset: Ruleset, width: int, height: int) -> None:
        self.board = ruleset.board
        self.letters = colour_letters(ruleset.colours)
        self.styles = colour_styles(ruleset.colours)
        self.width, self.height = min(width, LARGEST[0]), min(height, LARGEST[1])
        self.room = max((len(name) for name in self.board.ids), default=0) + 4  # the label up to 99 troops
        self.centres = self._scaled()
        self.places = apart(self.centres, self.room, self.width, self.height)
        dotted = self.height >= DOTTED_ROWS
        self.dots = {dot for pair in self.board.borders for dot in self._border(*pair)} if dotted else set()

    def draw(self, pieces: Pieces) -> Text:
        """The picture, each territory in its owner's colour (grey: nobody's)."""
        from rich.text import Text

        letters = [[" "] * self.width for _ in range(self.height)]
        styles = [[FAINT] * self.width for _ in range(self.height)]
        for x, y in self.dots:
            letters[y][x] = "·"
        for index, (x, y) in enumerate(self.places):
            label, style = self._label(pieces, index), self._style(pieces.owner[index])
            x = max(0, min(x, self.width - len(label)))
            for offset, letter in enumerate(label[: self.width - x]):
                letters[y][x + offset], styles[y][x + offset] = letter, style
        picture = Text()
        for number, (row, row_styles) in enumerate(zip(letters, styles, strict=True)):
            picture.append("\n" if number else "")
            for style, run in groupby(zip(row, row_styles, strict=True), key=lambda cell: cell[1]):
                picture.append("".join(letter for letter, _ in run), style)
        return picture

    def _label(self, pieces: Pieces, index: int) -> str:
        """The id, a mark, the owner's letter, the troops, and what else stands there."""
        owner, capital = pieces.owner[index], pieces.capitals.get(index)
        marks = [CAPITAL] if capital is not None else []
        marks += [CITY] if index in pieces.cities else []
        marks += [AIRFIELD] if index in pieces.airfields else []
        held = f"{self.letters[owner]}{pieces.troops[index]}" if owner >= 0 else ""
        more = "".join(marks[1:]) + (f"/{self.letters[capital]}" if capital not in (None, owner) else "")
        return f"{self.board.ids[index]}{(marks or [PLAIN])[0]}{held}{more}"

    def _style(self, colour: int) -> str:
        return self.styles[colour] if 0 <= colour < len(self.styles) else FAINT

    def _scaled(self) -> list[tuple[int, int]]:
        """Where the middle of each label should be."""
        columns = _spread(
            [t.x for t in self.board.territories], self.room // 2, self.width - self.room // 2 - 1
        )
        rows = _spread([t.y for t in self.board.territories], 0, self.height - 1)
        return list(zip(columns, rows, strict=True))

    def _border(self, a: int, b: int) -> Iterator[tuple[int, int]]:
        """The dots between two territories; a border across the map's edge runs off both sides."""
        (ax, ay), (bx, by) = sorted((self.centres[a], self.centres[b]))
        if bx - ax > self.width * 2 // 3:
            yield from ((x, ay) for x in range(ax))
            yield from ((x, by) for x in range(bx, self.width))
            return
        steps = max(bx - ax, 2 * abs(by - ay), 1)
        for step in range(1, steps):
            yield ax + (bx - ax) * step // steps, round(ay + (by - ay) * step / steps)


def _spread(values: Sequence[int], low: int, high: int) -> list[int]:
    """Values scaled so that the least becomes `low` and the greatest `high`."""
    least, greatest = min(values, default=0), max(values, default=0)
    span = max(1, greatest - least)
    return [low + round((value - least) * max(0, high - low) / span) for value in values]


def apart(centres: Sequence[tuple[int, int]], room: int, width: int, height: int) -> list[tuple[int, int]]:
    """The left ends of labels of `room` columns, as near to their centres as they go without touching."""
    taken: list[tuple[int, int]] = []
    steps = sorted(((dx, dy) for dx in range(-room, room + 1) for dy in (-1, 0, 1)), key=_far)
    for x, y in centres:
        left = min(max(0, x - room // 2), max(0, width - room))
        spots = [(left + dx, y + dy) for dx, dy in steps]
        inside = [(u, v) for u, v in spots if 0 <= u <= width - room and 0 <= v < height]
        free = (spot for spot in inside if all(_clear(spot, other, room) for other in taken))
        taken.append(next(free, (left, y)))
    return taken


def _far(step: tuple[int, int]) -> int:
    return abs(step[0]) + 4 * abs(step[1])


def _clear(spot: tuple[int, int], other: tuple[int, int], room: int) -> bool:
    return spot[1] != other[1] or abs(spot[0] - other[0]) > room
