"""Every error of the platform, in one tree (the engine's own tree is engine_core.errors).

ArenaError
├── SpecError        a tournament file or option is wrong; `problems` lists (key path, message)
├── PluginError      a plugin or bot could not be loaded; names it and why
├── BotFault         a bot did something wrong; carries the fault kind (never a platform fault)
├── PlatformFault    the platform failed; the attempt is voided and replayed
├── RecordError      a record is malformed or its replay differs
└── StoreError       the database is unusable or holds something unexpected
    └── StoreRefusal  nothing failed, but what was asked cannot be: an unknown name, or one in use
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.types import FaultKind


class ArenaError(Exception):
    """Any error of the platform that a user can act on; the CLI prints its message."""


class SpecError(ArenaError):
    """A specification that cannot be run; lists every problem as (key path, message)."""

    def __init__(self, problems: Iterable[tuple[str, str]], *, source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        lines = [f"{path}: {message}" for path, message in self.problems]
        super().__init__("\n".join([f"{source}: not usable"] * bool(source) + lines))


class PluginError(ArenaError):
    """A plugin or bot that cannot be loaded."""


class BotFault(ArenaError):
    """A fault of a bot, with its kind."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        self.kind = kind
        super().__init__(message)


class PlatformFault(ArenaError):
    """A failure of the platform itself, never billed to a bot."""


class RecordError(ArenaError):
    """A game record that is malformed or does not replay to its stated end."""


class StoreError(ArenaError):
    """A database that cannot be used, or content that cannot be right."""


class StoreRefusal(StoreError):
    """What was asked of a sound database cannot be: a name is unknown, taken or malformed; it is in use."""
