"""A board as an SVG picture: regions as coloured land, borders as lines, pieces in their colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING

from arena.drawing.pieces import Pieces, capital_word

if TYPE_CHECKING:
    from engine_core.boards import Board
    from engine_core.ruleset import Ruleset

SCALE = 11  # pixels to a unit of a board file's grid
MARGIN = 60
LEGEND = 24  # the height of a line of the legend
RADIUS = 15
NAME_WIDTH = 12  # letters of a territory's name before it is broken into two lines
REGIONS = ("#e3b341", "#e8843c", "#5b8def", "#a9714b", "#5aa469", "#9a6fc4", "#c94f6d", "#4aa8b5")
COLOURS = {
    "black": "#2f2f33",
    "blue": "#2b62c9",
    "green": "#2f8f46",
    "red": "#c8352d",
    "yellow": "#f2d02c",
    "violet": "#7d3fb0",
    "neutral": "#b4b4b4",
}
OTHERS = ("#d2691e", "#008b8b", "#ff69b4", "#556b2f", "#8b4513", "#4682b4", "#9acd32", "#dc143c")
LIGHT = {"yellow", "neutral"}  # colours on which white numbers could not be read
PAPER, INK, LINE = "#ffffff", "#222222", "#8a8a8a"


def board_svg(ruleset: Ruleset, pieces: Pieces | None = None) -> str:
    """The board of a ruleset as SVG text, with what stands on it; without pieces the bare territories."""
    drawing = _Drawing(ruleset, pieces)
    return "\n".join([drawing.head(), *drawing.land(), *drawing.borders(), *drawing.places(), drawing.foot()])


class _Drawing:
    """One picture: the places of the territories in pixels, and the parts drawn there."""

    def __init__(self, ruleset: Ruleset, pieces: Pieces | None) -> None:
        self.ruleset, self.board, self.pieces = ruleset, ruleset.board, pieces
        self.points = _points(self.board)
        self.width = max((x for x, _ in self.points), default=0) + MARGIN
        self.map_height = max((y for _, y in self.points), default=0) + MARGIN
        self.legend = list(self._legend())
        self.height = self.map_height + LEGEND * len(self.legend) + LEGEND // 2

    def head(self) -> str:
        title = escape(f"The board of {self.ruleset.name}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'font-family="sans-serif" font-size="10" text-anchor="middle">\n<title>{title}</title>\n'
            f'<rect width="{self.width}" height="{self.height}" fill="{PAPER}"/>'
        )

    def foot(self) -> str:
        lines = []
        for row, items in enumerate(self.legend):
            y = self.map_height + LEGEND * row + LEGEND // 2
            step = (self.width - MARGIN) // max(6, len(items))
            lines += [
                _legend_item(mark, text, MARGIN // 2 + step * i, y) for i, (mark, text) in enumerate(items)
            ]
        return "\n".join([*lines, "</svg>"])

    def land(self) -> Iterator[str]:
        """Each region as one blob: thick lines along its inner borders, and all between three neighbours."""
        for region in range(len(self.board.regions)):
            inside = self.board.members(region)
            paths = [f"M{_at(self.points[a])}h0" for a in inside]
            near = [pair for pair in combinations(inside, 2) if self._near(*pair)]
            paths += [f"M{_at(self.points[a])}L{_at(self.points[b])}" for a, b in near]
            paths += [
                _triangle(self.points[a], self.points[b], self.points[c])
                for a, b in near
                for c in inside
                if c > b and (a, c) in near and (b, c) in near
            ]
            fill = REGIONS[region % len(REGIONS)]
            yield (
                f'<path d="{"".join(paths)}" stroke="{fill}" stroke-width="{4 * RADIUS}" fill="{fill}" '
                f'stroke-linecap="round" stroke-linejoin="round" opacity=".3"/>'
            )

    def borders(self) -> Iterator[str]:
        """A line for each border; one that goes round the map's edge runs off on both sides."""
        for a, b in self.board.borders:
            if self._wraps(a, b):
                west, east = sorted((a, b), key=lambda place: self.points[place])
                yield _line(self.points[west], (0, self.points[west][1]), dashed=True)
                yield _line(self.points[east], (self.width, self.points[east][1]), dashed=True)
            else:
                yield _line(self.points[a], self.points[b])

    def places(self) -> Iterator[str]:
        for index, territory in enumerate(self.board.territories):
            x, y = self.points[index]
            yield f'<g transform="translate({x} {y})">'
            if self.pieces is None:
                yield f'<circle r="5" fill="{INK}"/>'
            else:
                yield from self._pieces(self.pieces, index)
            for row, part in enumerate(_broken(territory.name)):
                yield (
                    f'<text y="{RADIUS + 10 + 10 * row}" fill="{INK}" stroke="{PAPER}" stroke-width="3" '
                    f'stroke-opacity=".7" paint-order="stroke">{escape(part)}</text>'
                )
            yield "</g>"

    def _pieces(self, pieces: Pieces, index: int) -> Iterator[str]:
        owner = pieces.owner[index]
        if owner < 0:
            yield f'<circle r="{RADIUS}" fill="{PAPER}" stroke="{LINE}"/>'
        else:
            yield _disc(self.ruleset.colours[owner], owner, neutral=self.ruleset.colour_seat[owner] < 0)
            ink = INK if self.ruleset.colours[owner] in LIGHT else PAPER
            yield f'<text y="5" font-size="14" font-weight="bold" fill="{ink}">{pieces.troops[index]}</text>'
        if index in pieces.cities:
            yield _at_offset(CITY, -RADIUS, -RADIUS + 2)
        if index in pieces.capitals:
            colour = pieces.capitals[index]
            yield _at_offset(_star(_fill(self.ruleset.colours[colour], colour)), 0, -RADIUS - 5)
        if index in pieces.airfields:
            yield _at_offset(AIRFIELD, RADIUS, -RADIUS + 2)

    def _legend(self) -> Iterator[list[tuple[str, str]]]:
        """Rows of (mark, text): the regions, then the colours and the pieces that are there."""
        yield [
            (f'<circle r="8" fill="{REGIONS[i % len(REGIONS)]}" opacity=".5"/>', f"{r.name} {r.bonus}")
            for i, r in enumerate(self.board.regions)
        ]
        if self.pieces is None:
            return
        yield [
            (_disc(name, colour, radius=8, neutral=self.ruleset.colour_seat[colour] < 0), name)
            for colour, name in enumerate(self.ruleset.colours)
        ]
        shown = (
            (self.pieces.cities, CITY, "city"),
            (self.pieces.capitals, _star(PAPER), f"{capital_word(self.ruleset)}, in its colour"),
            (self.pieces.airfields, AIRFIELD, "airfield"),
        )
        if marks := [(mark, text) for places, mark, text in shown if places]:
            yield marks

    def _near(self, a: int, b: int) -> bool:
        return b in self.board.neighbours[a] and not self._wraps(a, b)

    def _wraps(self, a: int, b: int) -> bool:
        return abs(self.points[a][0] - self.points[b][0]) > self.width * 2 // 3


CITY = f'<path d="M-6 4V-2H-2V-6H3V-1H6V4Z" fill="{INK}" stroke="{PAPER}"/>'
AIRFIELD = f'<path d="M0 -7L2 -2L8 2L2 1L1 5L3 7H-3L-1 5L-2 1L-8 2L-2 -2Z" fill="{INK}" stroke="{PAPER}"/>'


def _star(fill: str) -> str:
    points = "0,-8 2,-3 8,-3 3,1 5,7 0,3 -5,7 -3,1 -8,-3 -2,-3"
    return f'<polygon points="{points}" fill="{fill}" stroke="{INK}"/>'


def _points(board: Board) -> tuple[tuple[int, int], ...]:
    left = min((territory.x for territory in board.territories), default=0)
    top = min((territory.y for territory in board.territories), default=0)
    return tuple(((t.x - left) * SCALE + MARGIN, (t.y - top) * SCALE + MARGIN) for t in board.territories)


def _fill(name: str, colour: int) -> str:
    return COLOURS.get(name, OTHERS[colour % len(OTHERS)])


def _disc(name: str, colour: int, *, radius: int = RADIUS, neutral: bool = False) -> str:
    """A territory's disc; a neutral colour's has a broken edge, so that it is told apart without colours."""
    dashes = ' stroke-dasharray="4 3"' if neutral else ""
    return f'<circle r="{radius}" fill="{_fill(name, colour)}" stroke="{INK}"{dashes}/>'


def _line(start: tuple[int, int], end: tuple[int, int], *, dashed: bool = False) -> str:
    (x1, y1), (x2, y2) = start, end
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}" stroke-width="1.5"{dashes}/>'


def _triangle(*corners: tuple[int, int]) -> str:
    """A closed path; all run the same way round, so that two on top of each other make no hole."""
    (ax, ay), (bx, by), (cx, cy) = corners
    turned = (bx - ax) * (cy - ay) < (cx - ax) * (by - ay)
    first, second, third = reversed(corners) if turned else corners
    return f"M{_at(first)}L{_at(second)}L{_at(third)}Z"


def _at(point: tuple[int, int]) -> str:
    return f"{point[0]} {point[1]}"


def _at_offset(mark: str, x: int, y: int) -> str:
    return f'<g transform="translate({x} {y})">{mark}</g>'


def _legend_item(mark: str, text: str, x: int, y: int) -> str:
    label = f'<text x="14" y="4" font-size="13" text-anchor="start" fill="{INK}">{escape(text)}</text>'
    return _at_offset(mark + label, x, y)


def _broken(name: str) -> Sequence[str]:
    """A name in one line, or in two when it is long and has a space to break at."""
    first, space, rest = name.rpartition(" ")
    return (first, rest) if space and len(name) > NAME_WIDTH else (name,)
