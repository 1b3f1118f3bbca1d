"""The platform's own parts, registered through the same hooks as everybody else's."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import botfiles
from arena.hookspecs import hookimpl

if TYPE_CHECKING:
    import click

BOTS_VARIABLE = "ARENA_BOTS"


def bot_folders() -> list[Path]:
    """The folders of $ARENA_BOTS (separated like $PATH), or else bots/ of a source checkout."""
    given = os.environ.get(BOTS_VARIABLE)
    if given is not None:
        return [Path(part) for part in given.split(os.pathsep) if part]
    return [Path(__file__).resolve().parent.parent / "bots"]


@hookimpl
def register_variants() -> Iterable[Path]:
    """The variants of the core."""
    core = importlib.util.find_spec("engine_core")
    return [Path(folder) / "data" for folder in (core and core.submodule_search_locations) or ()]


@hookimpl
def register_bots() -> Iterable[Path]:
    """The bots of a source checkout."""
    return [path for folder in bot_folders() for path in botfiles.scan(folder)]


@hookimpl
def register_formats() -> Mapping[str, type[Any]]:
    """The formats of arena/formats."""
    from arena import formats

    return formats.scan()


@hookimpl
def register_ratings() -> Mapping[str, type[Any]]:
    """The rating systems of arena/ratings."""
    from arena import ratings

    return ratings.scan()


@hookimpl
def register_commands(cli: click.Group) -> None:
    """The commands of arena/commands."""
    from arena import commands

    commands.register(cli)
