"""The options of commands that play with a clock: limits, or none at all."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import click

from arena.types import Limits

DEFAULT = Limits()


class Seconds(click.ParamType[float]):
    """A number of seconds: positive, or with `zero` 0 as well."""

    name = "seconds"

    def __init__(self, zero: bool = False) -> None:
        """Say whether 0 is allowed."""
        self.zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error says what would be right."""
        try:
            seconds = float(value)
        except (TypeError, ValueError):
            seconds = math.nan
        if not (0 < seconds < math.inf or (self.zero and seconds == 0)):
            wanted = "0 or a positive" if self.zero else "a positive"
            self.fail(f"must be {wanted} number of seconds, not {value}", param, ctx)
        return seconds


def clock_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of the clocks, as one parameter `limits`."""

    @functools.wraps(function)
    def command(
        *args: Any,
        start: float,
        decision: float,
        game_bank: float,
        increment: float,
        no_clock: bool,
        **others: Any,
    ) -> None:
        limits = Limits(
            start=start, decision=decision, game=game_bank, increment=increment, clocked=not no_clock
        )
        function(*args, limits=limits, **others)

    options = (
        click.option("--no-clock", is_flag=True, help="No answer is ever late: for debugging a bot."),
        _option("--increment", DEFAULT.increment, "Seconds that each answer adds to the bank.", zero=True),
        _option("--game-bank", DEFAULT.game, "Seconds a seat has for all its decisions in the game."),
        _option("--decision", DEFAULT.decision, "Seconds a decision."),
        _option("--start", DEFAULT.start, "Seconds a bot's process has to start."),
    )
    for option in options:
        command = option(command)
    return command


def _option(name: str, default: float, text: str, *, zero: bool = False) -> Callable[..., Any]:
    return click.option(name, type=Seconds(zero), default=default, show_default=True, help=text)
