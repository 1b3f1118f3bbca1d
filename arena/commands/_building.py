"""Says which bots are built first: a build may take minutes, and nobody should wonder about the silence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from arena.commands._common import console, harmless

if TYPE_CHECKING:
    from arena.types import BotSpec


@contextmanager
def building(bots: Iterable[BotSpec]) -> Iterator[None]:
    """Around what builds and starts bots: a line on stderr for each build, on a terminal a sign of life."""
    waiting = {bot.target: (bot.name, command) for bot in bots if (command := _needed_build(bot))}
    for name, command in waiting.values():
        click.echo(harmless(f"building {name} ({shlex.join(command)})"), err=True)
    out = console(stderr=True)
    names = harmless(", ".join(name for name, _ in waiting.values()))
    with out.status(f"building {names}") if waiting and out.is_interactive else nullcontext():
        yield


def _needed_build(bot: BotSpec) -> tuple[str, ...]:
    from arena.botfiles import build_command

    if not build_command(bot):  # most have none, and what builds them takes time to import
        return ()
    from arena.server import needed_build

    return needed_build(bot)
