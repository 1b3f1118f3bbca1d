"""The drawing of the endor family: rings of sectors round the Death Star, the shield and the duel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.drawing.families.endor.picture import board_svg
from arena.drawing.families.endor.terminal import EndorShow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine_core import Game, View


def svg(view: View) -> str:
    """The three battles of a view."""
    return board_svg(view)


def example(game: Game, seed: int) -> View:
    """What the public sees at the start: all stands as printed."""
    return game.start(seed)[0].public_view()


def show(game: Game, labels: Sequence[str]) -> EndorShow:
    """A show of a game of this family."""
    return EndorShow(game, labels)
