"""Finds and loads plugins, and knows what came from where; what is broken is named and skipped."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pluggy

import engine_core
from arena import botfiles, core_plugin, hookspecs
from arena.errors import PluginError
from arena.tables import one_of
from arena.types import BotSpec
from engine_core import EngineError, Variant, registry

if TYPE_CHECKING:
    import click

    from arena.formats import Format
    from arena.ratings import RatingSystem
    from arena.types import GameResult, MatchPlan

PartKind = Literal["plugin", "family", "variants", "bot", "format", "rating", "command"]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing a plugin brought, or (with `error`) one that was skipped and why."""

    kind: PartKind
    name: str
    origin: str
    error: str = ""


class Plugins:
    """The core and every installed plugin; what they bring, except variants, is loaded when first asked for.

    `entry_points` is read from the installed packages unless given.
    """

    def __init__(self, entry_points: Iterable[importlib.metadata.EntryPoint] | None = None) -> None:
        self.manager = pluggy.PluginManager(hookspecs.ENTRY_POINT_GROUP)
        self.manager.add_hookspecs(hookspecs)
        self.origins: dict[str, str] = {"core": "this package"}
        self.broken: list[Part] = []
        self.silenced: set[str] = set()
        self.manager.register(core_plugin, "core")
        if entry_points is None:
            entry_points = importlib.metadata.entry_points(group=hookspecs.ENTRY_POINT_GROUP)
        for entry in entry_points:
            self._load(entry)
        self.variant_folders: list[tuple[str, Path]] = []
        self._add_variants()

    def _load(self, entry: importlib.metadata.EntryPoint) -> None:
        origin = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            self.manager.register(entry.load(), entry.name)
            self.manager.check_pending()
        except (Exception, SystemExit) as error:
            if self.manager.has_plugin(entry.name):
                self.manager.unregister(name=entry.name)
            self._skip("plugin", entry.name, origin, error)
        else:
            self.origins[entry.name] = origin

    def _skip(self, kind: PartKind, name: str, origin: str, error: BaseException) -> None:
        plain = isinstance(error, PluginError | EngineError)
        reason = str(error) if plain else f"{type(error).__name__}: {error}"
        self.broken.append(Part(kind, name, origin, reason))

    def _collect(
        self, hook: str, kind: PartKind, use: Callable[[str, Any], None], **arguments: object
    ) -> None:
        """Call one hook of each plugin, the core first, and use what it returns; failures are skipped."""
        for implementation in getattr(self.manager.hook, hook).get_hookimpls():
            known = {name: arguments[name] for name in implementation.argnames}
            plugin = implementation.plugin_name
            try:
                use(plugin, implementation.function(**known))
            except (Exception, SystemExit) as error:
                self._skip(kind, f"{hook}()", self.origins[plugin], error)

    def _named(self, hook: str, kind: PartKind) -> dict[str, tuple[str, Any]]:
        """The (plugin, value) of every name that the plugins return in mappings."""
        found: dict[str, tuple[str, Any]] = {}

        def use(plugin: str, named: Mapping[str, Any]) -> None:
            for name, value in named.items():
                self._add(found, kind, plugin, name, value)

        self._collect(hook, kind, use)
        return found

    def _add(
        self, found: dict[str, tuple[str, Any]], kind: PartKind, plugin: str, name: str, value: object
    ) -> None:
        if name in found:
            taken = PluginError(f"the name is taken by {self.origins[found[name][0]]}")
            self._skip(kind, name, self.origins[plugin], taken)
        else:
            found[name] = (plugin, value)

    @functools.cached_property
    def _bots(self) -> dict[str, tuple[str, BotSpec]]:
        found: dict[str, tuple[str, BotSpec]] = {}

        def use(plugin: str, bots: Iterable[BotSpec | Path]) -> None:
            for item in bots:
                try:
                    bot = item if isinstance(item, BotSpec) else botfiles.load_bot(item)
                except PluginError as error:
                    self._skip("bot", Path(str(item)).stem, self.origins[plugin], error)
                else:
                    self._add(found, "bot", plugin, bot.name, bot)

        self._collect("register_bots", "bot", use)
        return found

    @property
    def bots(self) -> dict[str, BotSpec]:
        """Every registered bot by name."""
        return {name: bot for name, (_, bot) in self._bots.items()}

    @functools.cached_property
    def _formats(self) -> dict[str, tuple[str, type[Format]]]:
        return self._named("register_formats", "format")

    @functools.cached_property
    def formats(self) -> dict[str, type[Format]]:
        """Every tournament format by name."""
        return {name: value for name, (_, value) in self._formats.items()}

    @functools.cached_property
    def _ratings(self) -> dict[str, tuple[str, type[RatingSystem]]]:
        return self._named("register_ratings", "rating")

    @functools.cached_property
    def ratings(self) -> dict[str, type[RatingSystem]]:
        """Every rating system by id."""
        return {name: value for name, (_, value) in self._ratings.items()}

    def _add_variants(self) -> None:
        """Make the engine know every plugin's variants; a folder with a broken file is skipped whole."""

        def use(plugin: str, folders: Iterable[Path]) -> None:
            for folder in folders:
                try:
                    engine_core.register_variant_folder(folder)
                except EngineError as error:
                    self._skip("variants", str(folder), self.origins[plugin], error)
                else:
                    self.variant_folders.append((plugin, Path(folder)))

        self._collect("register_variants", "variants", use)

    @property
    def variants(self) -> dict[str, Variant]:
        """Every variant by name."""
        return engine_core.variants()

    def check_bots(self) -> None:
        """Load every Python bot to see whether it can be, and skip those that cannot."""
        from arena.bot import load_bot

        for name, (plugin, bot) in list(self._bots.items()):
            try:
                if bot.kind == "python":
                    load_bot(bot)
            except PluginError as error:
                del self._bots[name]
                self._skip("bot", name, self.origins[plugin], error)

    def add_commands(self, cli: click.Group) -> dict[str, str]:
        """Add every plugin's commands to the group; returns the plugin of each command by name."""
        owners: dict[str, str] = {}

        def use(plugin: str, _nothing: object) -> None:
            owners.update({name: plugin for name in cli.commands if name not in owners})

        self._collect("register_commands", "command", use, cli=cli)
        return owners

    def game_finished(self, tournament: str, plan: MatchPlan, game: GameResult) -> None:
        """Tell every plugin about a finished game; one that raises is named once and not called again."""
        for implementation in self.manager.hook.game_finished.get_hookimpls():
            arguments = {"tournament": tournament, "plan": plan, "game": game}
            plugin = implementation.plugin_name
            if plugin in self.silenced:
                continue
            try:
                implementation.function(**{name: arguments[name] for name in implementation.argnames})
            except (Exception, SystemExit) as error:
                self._skip("plugin", f"{plugin}: game_finished()", self.origins[plugin], error)
                self.silenced.add(plugin)

    def find_bot(self, reference: str, folder: Path | None = None) -> BotSpec:
        """A bot by registered name, or by a path (seen from `folder`); PluginError lists the valid names."""
        if reference in self.bots:
            return self.bots[reference]
        path = (folder or Path.cwd()) / Path(reference).expanduser()
        if "/" in reference or reference.endswith(".py") or path.exists():
            return botfiles.load_bot(path)
        for part in self.broken:
            if part.kind == "bot" and part.name == reference:
                raise PluginError(f"bot {reference!r} cannot be used: {part.error}")
        raise PluginError(one_of("bot", reference, self.bots) + ", or a path to a bot file or folder")

    def _family(self, name: str) -> Part:
        """A family with the package it is from; one that cannot be loaded says why."""
        origin = registry.family_package(name) or self.origins["core"]
        try:
            registry.family(name)
        except EngineError as error:
            return Part("family", name, origin, str(error))
        return Part("family", name, origin)

    def parts(self) -> list[Part]:
        """Everything that was loaded and the engine's families, then everything that was skipped."""
        named: list[tuple[PartKind, Mapping[str, tuple[str, object]]]] = [
            ("bot", self._bots),
            ("format", self._formats),
            ("rating", self._ratings),
        ]
        parts = [Part("plugin", name, origin) for name, origin in self.origins.items()]
        parts += [self._family(name) for name in engine_core.families()]
        parts += [Part("variants", str(path), self.origins[name]) for name, path in self.variant_folders]
        for kind, found in named:
            parts += [Part(kind, name, self.origins[plugin]) for name, (plugin, _) in found.items()]
        return parts + self.broken


@functools.cache
def installed() -> Plugins:
    """The plugins of this process, loaded once."""
    return Plugins()
