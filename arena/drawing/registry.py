"""Finds how the games of a family are drawn: by the module of its name in `arena.drawing.families`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol, cast

from arena.drawing import families

if TYPE_CHECKING:
    from rich.text import Text

    from engine_core import Event, Game, View

PLAIN = "arena.drawing.plain"  # draws a family that has no drawing of its own


class Show(Protocol):
    """One game before its spectators."""

    def tell(self, events: Iterable[Event], view: View) -> list[str]:
        """The sentences that these events complete; the view is the one after them."""

    def rest(self) -> list[str]:
        """What is being told and not complete yet, as if it were; it is told then."""

    def starts(self, sentence: str) -> bool:
        """Whether a sentence starts a turn or a round."""

    def frame(self, view: View, width: int, height: int | None, notes: Sequence[str]) -> list[Text]:
        """The picture of a position, line by line: at most `width` columns and `height` rows.

        `notes` are the latest sentences, shown below as far as there is room. Without a height the picture
        is printed once: as high as it needs to be, without notes.
        """


class Drawing(Protocol):
    """What a family's module offers."""

    def svg(self, view: View) -> str:
        """The board and its pieces as SVG text."""

    def example(self, game: Game, seed: int) -> View:
        """What the public sees at the start of a game, when everything is set up."""

    def show(self, game: Game, labels: Sequence[str]) -> Show:
        """A show of a game; `labels` names the seats."""


def drawing_of(game: Game) -> Drawing:
    """How a game is drawn: by its family's own module, or else as its fields."""
    name = f"{families.__name__}.{game.description.family}"
    return cast("Drawing", import_module(name if find_spec(name) else PLAIN))
