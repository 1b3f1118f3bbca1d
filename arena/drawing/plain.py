"""Draws what no drawing is known for: the position as its fields, the events as their texts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from engine_core import Event, Game, View

LETTER, LINE, MARGIN = 8, 18, 20  # pixels of the SVG
COLUMNS = 100
LEAST_NOTES = 3


def svg(view: View) -> str:
    """The fields of a position, line by line."""
    lines = _fields(view, COLUMNS)
    width, height = COLUMNS * LETTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    texts = [
        f'<text x="{MARGIN}" y="{MARGIN + LINE * (row + 1)}">{escape(line)}</text>'
        for row, line in enumerate(lines)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="monospace" font-size="13">\n<title>{escape(view.game.ruleset.name)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    )
    return "\n".join([head, *texts, "</svg>"])


def example(game: Game, seed: int) -> View:
    """What the public sees when a game starts."""
    return game.start(seed)[0].public_view()


def show(game: Game, labels: Sequence[str]) -> PlainShow:
    """A show of the fields."""
    return PlainShow(game, labels)


class PlainShow:
    """The events of a game one by one, and its fields."""

    def __init__(self, game: Game, labels: Sequence[str]) -> None:
        self.game = game
        self.seats = [f"{seat}: {label}" for seat, label in enumerate(labels)]

    def tell(self, events: Iterable[Event], _view: View) -> list[str]:
        """The sentences that these events complete."""
        return [self.game.event_text(event) for event in events]

    def rest(self) -> list[str]:
        """What is being told and not complete yet."""
        return []

    def starts(self, _sentence: str) -> bool:
        """Whether a sentence starts a turn."""
        return False

    def frame(self, view: View, width: int, height: int | None, notes: Sequence[str]) -> list[Text]:
        """The fields, the players above them and the latest sentences below."""
        from rich.text import Text

        lines = [*textwrap.wrap(", ".join(self.seats), width), *_fields(view, width)]
        if height is not None:
            lines = lines[: height - LEAST_NOTES]
            lines += list(notes)[-(height - len(lines)) :]
        return [Text(line[:width]) for line in lines]


def _fields(view: View, width: int) -> list[str]:
    return textwrap.wrap(view.text(), width) or [view.game.ruleset.name]
