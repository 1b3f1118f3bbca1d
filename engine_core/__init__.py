"""The engine core: exact rules of the RISK family in compiled kernels, described by ruleset files.

    game = engine_core.load("classic", seats=4, trade_values="fixed_2003")
    state = game.new_state(seed=7)

The compiled classes (Game, State, ...) are imported when they are first used, so that rulesets, options and
text forms work without them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from engine_core.description import Description, Field, Kind
from engine_core.errors import (
    EngineError,
    IllegalAction,
    OptionError,
    RulesetError,
    StateError,
    TextError,
    UnknownName,
)
from engine_core.options import Option, OptionValue
from engine_core.registry import (
    Variant,
    families,
    load_ruleset,
    register_family,
    register_variant_folder,
    variants,
)
from engine_core.registry import load_resolved as load_resolved_ruleset
from engine_core.ruleset import Ruleset

if TYPE_CHECKING:
    from engine_core.game import Action, ActionRange, Event, Game, Legal, Result, State, View

_COMPILED = ("Action", "ActionRange", "Event", "Game", "Legal", "Result", "State", "View")

__all__ = [
    "Action",
    "ActionRange",
    "Description",
    "EngineError",
    "Event",
    "Field",
    "Game",
    "IllegalAction",
    "Kind",
    "Legal",
    "Option",
    "OptionError",
    "OptionValue",
    "Result",
    "Ruleset",
    "RulesetError",
    "State",
    "StateError",
    "TextError",
    "UnknownName",
    "Variant",
    "View",
    "families",
    "load",
    "load_resolved",
    "load_resolved_ruleset",
    "load_ruleset",
    "register_family",
    "register_variant_folder",
    "variants",
]


def load(variant: str, *, seats: int | None = None, **options: OptionValue) -> Game:
    """A game of a variant; seats default to 3 where the variant takes 3, else to the nearest number it takes.

    Raises UnknownName for a variant or option that is not there, OptionError for a value that is not allowed.
    """
    from engine_core.game import Game

    return Game(load_ruleset(variant, seats=seats, **options))


def load_resolved(text: str) -> Game:
    """The game of a resolved ruleset's text (Ruleset.text); TextError or RulesetError when it is not one."""
    from engine_core.game import Game

    return Game(load_resolved_ruleset(text))


def __getattr__(name: str) -> object:
    if name in _COMPILED:
        return getattr(import_module("engine_core.game"), name)
    raise AttributeError(f"module 'engine_core' has no attribute {name!r}")
