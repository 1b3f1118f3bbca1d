"""Every hook of the platform; the core registers its own parts through the same ones.

A plugin is a module with functions marked `@hookimpl`, named by an entry point of the group `conquest_arena`:

    [project.entry-points.conquest_arena]
    my_plugin = "my_package.arena_plugin"

A hook that raises, and a thing it registers that is not usable, is named by `arena plugins` and skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from arena.types import BotSpec, GameResult, MatchPlan

if TYPE_CHECKING:
    import click

ENTRY_POINT_GROUP = "conquest_arena"

hookspec = pluggy.HookspecMarker(ENTRY_POINT_GROUP)
hookimpl = pluggy.HookimplMarker(ENTRY_POINT_GROUP)


@hookspec
def register_variants() -> Iterable[Path]:
    """Folders with `variants/`, `boards/` or `decks/` of TOML files, laid out like engine_core/data."""
    return ()


@hookspec
def register_bots() -> Iterable[BotSpec | Path]:
    """Bots: a BotSpec, the path of a Python bot file, or the path of a folder that holds bot.toml."""
    return ()


@hookspec
def register_formats() -> Mapping[str, type[Any]]:
    """Tournament formats by name: classes with the interface of arena.formats.Format."""
    return {}


@hookspec
def register_ratings() -> Mapping[str, type[Any]]:
    """Rating systems by id: classes with the interface of arena.ratings.RatingSystem."""
    return {}


@hookspec
def register_commands(cli: click.Group) -> None:
    """Add commands to `arena`: call `cli.add_command(...)` or decorate with `@cli.command()`."""


@hookspec
def game_finished(tournament: str, plan: MatchPlan, game: GameResult) -> None:
    """Called in the tournament process for each game of a match once the match is committed.

    Matches come in the order in which they finish, their games in rotation order; `tournament` is the
    tournament's name. Return nothing.
    """
