"""The board in a terminal: territories at their coordinates, borders as dots, colours as colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from engine_core import Ruleset

ROW = 2  # grid lines of a board file (100 x 60) to a terminal row: characters are twice as high as wide
MARGIN = 2
STYLES = {"black": "bold white on grey23", "neutral": "grey62", "violet": "bold magenta"}
FAINT = "grey39"


class BoardPicture:
    """Draws one ruleset's board; `draw` is given the owner (a colour) and the troops of each territory."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.board = ruleset.board
        self.styles = [STYLES.get(colour, f"bold {colour}") for colour in ruleset.colours]
        self.places = [(t.x + MARGIN, t.y // ROW) for t in self.board.territories]
        self.height = max((y for _, y in self.places), default=0) + 1
        self.width = max((x for x, _ in self.places), default=0) + 6 + MARGIN
        self.dots = {dot for pair in self.board.borders for dot in self._border(*pair)}

    def draw(self, owner: Sequence[int], troops: Sequence[int]) -> Text:
        """The picture, with each territory as `ALA 12` in its owner's colour (grey: nobody's)."""
        from rich.text import Text

        letters = [[" "] * self.width for _ in range(self.height)]
        styles = [[FAINT] * self.width for _ in range(self.height)]
        for x, y in self.dots:
            letters[y][x] = "·"
        for index, (x, y) in enumerate(self.places):
            label = self.board.ids[index] + (f" {troops[index]}" if troops[index] >= 0 else "")
            left = max(0, min(x - 2, self.width - len(label)))
            for offset, letter in enumerate(label):
                letters[y][left + offset], styles[y][left + offset] = letter, self._style(owner[index])
        picture = Text()
        for row, row_styles in zip(letters, styles, strict=True):
            for style, run in groupby(zip(row, row_styles, strict=True), key=lambda cell: cell[1]):
                picture.append("".join(letter for letter, _ in run), style)
            picture.append("\n")
        return picture

    def _style(self, colour: int) -> str:
        return self.styles[colour] if 0 <= colour < len(self.styles) else FAINT

    def _border(self, a: int, b: int) -> Iterator[tuple[int, int]]:
        """The dots between two territories; a border across the map's edge runs off both sides."""
        (ax, ay), (bx, by) = sorted((self.places[a], self.places[b]))
        if bx - ax > self.width * 2 // 3:
            yield from ((x, ay) for x in range(ax))
            yield from ((x, by) for x in range(bx, self.width))
            return
        steps = max(bx - ax, 2 * abs(by - ay), 1)
        for step in range(1, steps):
            yield ax + (bx - ax) * step // steps, round(ay + (by - ay) * step / steps)
