"""The option of commands that start bots: how far these are kept apart from the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from arena.types import Isolation, IsolationLevel

LEVELS: tuple[IsolationLevel, ...] = get_args(IsolationLevel)
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def isolation_option(function: Decorated) -> Decorated:
    """The --isolation option, as parameter `isolation`: a level."""
    return click.option(
        "--isolation",
        type=click.Choice(LEVELS),
        default=Isolation().level,
        show_default=True,
        help="How far bots that are programs are kept apart from this machine.",
    )(function)


def isolation_of(level: IsolationLevel) -> Isolation:
    """The isolation of a level with its usual limits; wrong use where this machine cannot give it."""
    from arena.launcher import check_isolation

    isolation = Isolation(level=level)
    if missing := check_isolation(isolation):
        raise click.UsageError(f"--isolation {level}: {missing}")
    return isolation
