"""The checks of `arena doctor`, a file each."""

from __future__ import annotations

from collections.abc import Iterator

from arena.doctor.positions import Position
from arena.runners.interview import Interview

# (grade, what was found, what to do about it)
Found = Iterator[tuple[str, str, str]]


class Unanswered(Exception):
    """The bot does not answer well, which the check `answers` tells; what asks it further is not done."""


def ask_once(bot: Interview, number: int, position: Position) -> None:
    """Have a position answered, by the rules or not; Unanswered when no action comes."""
    answer, _ = bot.ask(number, position.seat, position.state)
    if answer.fault is not None:
        raise Unanswered(f"the bot does not answer with an action ({answer.fault})")
