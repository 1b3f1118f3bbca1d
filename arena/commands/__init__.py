"""The commands of `arena`: one file a command, found by scanning this folder; each names its `command`."""

from __future__ import annotations

import importlib
import pkgutil

import click


def register(cli: click.Group) -> None:
    """Add every command of this folder to a group; files that start with `_` hold what commands share."""
    for module_info in pkgutil.iter_modules(__path__):
        if not module_info.name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{module_info.name}")
            cli.add_command(module.command)
