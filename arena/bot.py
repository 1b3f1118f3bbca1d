"""Python bots: load one from a file or import path, check its shape, and start it for a game and seat.

A bot is a function `decide(view, legal, rng)` (`rng` may be left out) or a class `Bot` with
`__init__(self, game, seat, rng, **options)` and `decide(self, view, legal)`; a parameter `limits` behind
`rng` gets the clock's limits. The same bot works in this process and, through `arena.client`, in one of its
own.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import operator
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from arena.errors import BotFault, PluginError
from arena.types import BotSpec, Limits, Options
from engine_core.game import ActionRange, Game, Legal, View

Decide = Callable[[View, Legal], object]
Starter = Callable[[Game, int, Random, Options, Limits], Decide]

# Parameters of Bot.__init__ that the platform fills in; those behind them are the bot's options.
GIVEN = ("game", "seat", "rng")
# One behind these that the platform fills in as well, where a bot has it.
LIMITS = "limits"
USUAL_LIMITS = Limits()
SHAPE = "a function decide(view, legal, rng) or a class Bot"
_ACCEPTS_ANY = inspect.Parameter.VAR_KEYWORD
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class BotFactory:
    """A loaded bot, ready to be started once per game and seat.

    `options` are the settings it takes, `required` those it cannot do without, `any_option` says that it
    takes names beyond these. `where` is its file or import path, for messages.
    """

    name: str
    version: str
    summary: str
    variants: tuple[str, ...]
    where: str
    options: tuple[str, ...]
    required: tuple[str, ...]
    any_option: bool
    starter: Starter

    def check_options(self, options: Options) -> None:
        """Raise PluginError, listing the valid names, for an option the bot does not take or misses."""
        valid = ", ".join(self.options) or "(none)"
        for name in options:
            if name not in self.options and not self.any_option:
                raise PluginError(f"{self.where}: unknown option {name!r}; valid: {valid}")
        for name in self.required:
            if name not in options:
                raise PluginError(f"{self.where}: needs the option {name!r}; valid: {valid}")

    def start(
        self, game: Game, seat: int, rng: Random, options: Options, limits: Limits = USUAL_LIMITS
    ) -> Decide:
        """Start the bot for one seat of one game; raises what the bot's own constructor raises."""
        self.check_options(options)
        return self.starter(game, seat, rng, options, limits)


def load_bot(spec: BotSpec) -> BotFactory:
    """Load a bot of kind `python` from its file or import path; PluginError names it and what is wrong."""
    if spec.kind != "python":
        raise PluginError(f"{spec.name}: a {spec.kind} bot runs in its own process, not as a module")
    module = _load_module(spec.target)
    return _factory(module, spec.target, spec)


def bot_of(answerer: Callable[..., Any], where: str = "") -> BotFactory:
    """Make a factory of a `decide` function or a `Bot` class that is already at hand."""
    where = where or f"{answerer.__module__}.{getattr(answerer, '__qualname__', 'decide')}"
    return _factory_of(answerer, where, name=answerer.__name__)


def action_code(choice: Any) -> int:
    """The int code of what a bot returned: an Action, an int, or an ActionRange (its lowest action).

    BotFault of kind `malformed` for anything else.
    """
    try:
        return operator.index(choice)
    except TypeError:
        if isinstance(choice, ActionRange):
            return int(choice.first())
    raise BotFault(
        "malformed",
        f"decide returned {choice!r:.80}; expected an Action, an int code or an ActionRange",
    )


def _load_module(target: str) -> ModuleType:
    if target.endswith(".py") or os.sep in target:
        return _load_file(Path(target).expanduser().resolve(), target)
    try:
        return importlib.import_module(target)
    except Exception as error:
        raise PluginError(f"{target}: cannot be imported: {_last_line(error)}") from error


def _load_file(path: Path, target: str) -> ModuleType:
    """Run a bot file as a module whose name belongs to its path, so that equal file names do not clash."""
    if not path.is_file():
        raise PluginError(f"{target}: no such file")
    digest = hashlib.blake2b(str(path).encode(), digest_size=6).hexdigest()
    name = f"arena_bot_{digest}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{target}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look a class's module up here
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a bot that exits must not end the arena
        del sys.modules[name]
        raise PluginError(f"{target}: cannot be loaded: {_last_line(error)}") from error
    return module


def _last_line(error: BaseException) -> str:
    """The exception in one line, with the line of the bot's code that raised it."""
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "importlib" not in frame.filename and frame.filename != __file__]
    return f"{text} (line {inside[-1].lineno} of {inside[-1].filename})" if inside else text


def _factory(module: ModuleType, target: str, spec: BotSpec) -> BotFactory:
    answerer = getattr(module, "Bot", None) or getattr(module, "decide", None)
    if not callable(answerer):
        raise PluginError(f"{target}: needs {SHAPE}")
    return _factory_of(
        answerer,
        target,
        name=str(getattr(module, "NAME", spec.name)),
        version=str(getattr(module, "VERSION", spec.version)),
        summary=str(getattr(module, "SUMMARY", "")),
        variants=tuple(getattr(module, "VARIANTS", spec.variants)),
    )


def _factory_of(
    answerer: Callable[..., Any],
    where: str,
    *,
    name: str,
    version: str = "1",
    summary: str = "",
    variants: tuple[str, ...] = (),
) -> BotFactory:
    if inspect.isclass(answerer):
        options, required, any_option = _class_options(answerer, where)
        starter = _class_starter(answerer)
    else:
        options, required, any_option = (), (), False
        starter = _function_starter(answerer, _takes_rng(answerer, where))
    return BotFactory(name, version, summary, variants, where, options, required, any_option, starter)


def _takes_rng(decide: Callable[..., Any], where: str) -> bool:
    """Whether a decide function wants the generator; PluginError when it fits neither form."""
    signature = inspect.signature(decide)
    for count in (3, 2):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count == 3
    raise PluginError(f"{where}: decide must take (view, legal, rng) or (view, legal), not {signature}")


def _class_options(bot: type, where: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """(option names, required ones, whether any name is taken) of a Bot class, whose shape is checked."""
    decide = getattr(bot, "decide", None)
    if not callable(decide):
        raise PluginError(f"{where}: class {bot.__name__} needs a method decide(self, view, legal)")
    try:
        inspect.signature(decide).bind(*range(3))
    except TypeError:
        signature = inspect.signature(decide)
        raise PluginError(f"{where}: Bot.decide must take (self, view, legal), not {signature}") from None
    signature = inspect.signature(bot)
    parameters = list(signature.parameters.values())
    try:
        signature.bind_partial(*GIVEN)
    except TypeError:
        raise PluginError(f"{where}: Bot must take (game, seat, rng, **options), not {signature}") from None
    named = [p for p in _behind_given(parameters) if _is_named(p) and p.name != LIMITS]
    required = tuple(p.name for p in named if p.default is inspect.Parameter.empty)
    return tuple(p.name for p in named), required, any(p.kind is _ACCEPTS_ANY for p in parameters)


def _behind_given(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """The parameters that (game, seat, rng) leave over."""
    positional = [p for p in parameters if p.kind in _POSITIONAL][: len(GIVEN)]
    return [p for p in parameters if p not in positional]


def _is_named(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)


def _class_starter(bot: Callable[..., Any]) -> Starter:
    takes_limits = LIMITS in inspect.signature(bot).parameters

    def start(game: Game, seat: int, rng: Random, options: Options, limits: Limits) -> Decide:
        given = {LIMITS: limits} if takes_limits else {}
        decide: Decide = bot(game, seat, rng, **{**options, **given}).decide
        return decide

    return start


def _function_starter(decide: Callable[..., Any], takes_rng: bool) -> Starter:
    def start(_game: Game, _seat: int, rng: Random, _options: Options, _limits: Limits) -> Decide:
        if not takes_rng:
            return decide
        return lambda view, legal: decide(view, legal, rng)

    return start
