"""Tournament files: TOML in, a checked TournamentSpec out, every problem named with its key path."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, get_args

from arena.conditions import QUARANTINE_AFTER, read_faults, read_isolation, read_limits
from arena.errors import PluginError, SpecError
from arena.formats import Format
from arena.setups import read_variant
from arena.tables import Problems, Table, hint
from arena.types import (
    BotSpec,
    FaultPolicy,
    Isolation,
    Limits,
    Player,
    VariantSetup,
)
from engine_core import Variant

RunnerKind = Literal["auto", "inline", "cluster"]
SEED_BITS = 128
DEFAULT_DATABASE = "sqlite:///arena.db"
# What stands for a specification in the database where idle bots play: `arena serve` has the rest.
LOBBY = json.dumps({"serve": "lobby"})


class Catalog(Protocol):
    """What names in a tournament file can refer to (see arena.plugins.Plugins)."""

    @property
    def variants(self) -> Mapping[str, Variant]:
        """Variants by name."""

    @property
    def formats(self) -> Mapping[str, type[Format]]:
        """Formats by name."""

    def find_bot(self, reference: str, folder: Path | None = None) -> BotSpec:
        """A bot by name or path; PluginError when there is none."""


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """A tournament that can be run; `seed` is None when the operating system is to draw it.

    `workers` 0 means as many as the cores allow; `output` is the folder for the tables. `text`,
    `folder` and `extra_bots` are where it came from, kept for resume.
    """

    name: str
    setups: tuple[VariantSetup, ...]
    players: tuple[Player, ...]
    format: type[Format]
    rounds: int
    seed: bytes | None
    limits: Limits
    policy: FaultPolicy
    runner: RunnerKind
    workers: int
    database: str
    output: Path | None
    text: str
    folder: Path
    extra_bots: tuple[str, ...] = ()
    isolation: Isolation = field(default_factory=Isolation)
    quarantine_after: int = QUARANTINE_AFTER

    def stored(self) -> str:
        """The text the store keeps, from which `from_stored` makes the same spec again."""
        kept = {"folder": str(self.folder), "extra_bots": self.extra_bots, "toml": self.text}
        return json.dumps(kept)


def load(
    path: Path, catalog: Catalog, *, database: str = "", extra_bots: Sequence[str] = ()
) -> TournamentSpec:
    """Read a tournament file; SpecError lists all of its problems.

    `database` replaces the file's own; `extra_bots` (names, or absolute paths) are further players.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError([("(file)", f"cannot be read: {error}")], source=str(path)) from error
    folder = path.resolve().parent
    return parse(text, folder, catalog, source=str(path), database=database, extra_bots=extra_bots)


def from_stored(stored: str, catalog: Catalog, *, source: str, database: str) -> TournamentSpec:
    """The spec of a stored tournament; its own database key is ignored for the one it was found in."""
    kept = json.loads(stored)
    folder, extra = Path(kept["folder"]), kept["extra_bots"]
    return parse(kept["toml"], folder, catalog, source=source, database=database, extra_bots=extra)


def is_served(stored: str) -> bool:
    """Whether bots dial in to a stored tournament, so that `arena serve` goes on with it, not `resume`."""
    if stored == LOBBY:
        return True
    players = tomllib.loads(json.loads(stored)["toml"])["players"]
    return any(isinstance(player, dict) and "remote" in player for player in players)


def stored_file(stored: str) -> tuple[Path, Path | None]:
    """The folder of a stored tournament's file, and the file, known by its text; None if it is not there."""
    kept = json.loads(stored)
    folder = Path(kept["folder"])
    return folder, next((path for path in sorted(folder.glob("*.toml")) if _text(path) == kept["toml"]), None)


def _text(path: Path) -> str:
    """A file's text; "" if it has none that can be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def parse(
    text: str,
    folder: Path,
    catalog: Catalog,
    *,
    source: str,
    database: str = "",
    extra_bots: Sequence[str] = (),
) -> TournamentSpec:
    """Check a tournament file's text; relative paths are seen from `folder`; see `load`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError([("(file)", f"not valid TOML: {error}")], source=source) from error
    if extra_bots and isinstance(data.get("players", []), list):
        data["players"] = [*data.get("players", []), *extra_bots]
    problems: Problems = []
    spec = _Reader(Table(data, "", problems), folder, catalog).read(text, database)
    if problems:
        raise SpecError(problems, source=source)
    return replace(spec, extra_bots=tuple(extra_bots))


class _Reader:
    """Reads one file's tables in turn; all problems end up in the table's list."""

    def __init__(self, top: Table, folder: Path, catalog: Catalog) -> None:
        self.top = top
        self.folder = folder
        self.catalog = catalog

    def read(self, text: str, database: str) -> TournamentSpec:
        """The whole file; worthless when problems were found."""
        name = self.top.text("name")
        setups = self._setups()
        players = self._players(setups)
        format_type, rounds = self._format(setups, len(players))
        runner, workers = self._runner()
        policy, quarantine_after = read_faults(self.top.table("faults"))
        spec = TournamentSpec(
            name=name,
            setups=setups,
            players=players,
            format=format_type,
            rounds=rounds,
            seed=self._seed(),
            limits=read_limits(self.top.table("clocks")),
            policy=policy,
            runner=runner,
            workers=workers,
            database=self._database(database),
            output=self.folder / output if (output := self.top.text("output", "-")) != "-" else None,
            text=text,
            folder=self.folder,
            isolation=read_isolation(self._table("isolation", "level")),
            quarantine_after=quarantine_after,
        )
        self.top.done()
        return spec

    def _setups(self) -> tuple[VariantSetup, ...]:
        setups: list[VariantSetup] = []
        places: dict[tuple[object, ...], str] = {}
        for table in self.top.tables("variants"):
            for setup in read_variant(table):
                pool = (
                    *(setup.ruleset_hash, setup.seats, setup.turn_cap),
                    *(setup.teams, setup.point_rule, setup.entrants),
                )
                if pool in places:
                    table.problem("", f"is the same as {places[pool]} for {setup.seats} seats")
                places.setdefault(pool, table.path)
                setups.append(setup)
        return tuple(setups)

    def _players(self, setups: tuple[VariantSetup, ...]) -> tuple[Player, ...]:
        players: list[Player] = []
        for index, item in enumerate(self.top.items("players")):
            path = f"players[{index}]"
            if isinstance(item, str):
                table = Table({"bot": item}, path, self.top.problems)
            elif isinstance(item, dict):
                table = Table(item, path, self.top.problems)
            else:
                self.top.problem(path, f"must be a bot's name or a table with `bot` or `path`, not {item!r}")
                continue
            player = self._player(table, setups)
            if player:
                _check_unique(table, player, players)
                players.append(player)
        return tuple(players)

    def _player(self, table: Table, setups: tuple[VariantSetup, ...]) -> Player | None:
        table.known |= {"bot", "path", "remote"}
        if "remote" in table.data:
            return self._remote(table)
        if ("bot" in table.data) == ("path" in table.data):
            table.problem(
                "", "must have either `bot` (a name), `path` (a file or folder) or `remote` (it dials in)"
            )
        key = "path" if "path" in table.data else "bot"
        reference = table.text(key) if key in table.data else ""
        label, options = table.text("name", "-"), table.scalars("options")
        table.done()
        if not reference:
            return None
        place = str(self.folder / reference) if key == "path" else reference
        try:
            bot = self.catalog.find_bot(place, self.folder)
        except PluginError as error:
            table.problem(key, str(error))
            return None
        _check_claims(table, bot, setups, self.catalog.variants)
        name = label if "name" in table.data else bot.name
        return Player(name, bot, tuple(sorted(options.items())))

    def _remote(self, table: Table) -> Player:
        """A player that dials in to `arena serve`; its version is part of who it is, so it is named here."""
        account, version = table.text("remote"), table.text("version", "1")
        label, options = table.text("name", account), table.scalars("options")
        for key in {"bot", "path"} & table.data.keys():
            table.problem(key, "is for bots started here; a `remote` player brings its own")
        table.done()
        return Player(label, remote_bot(account, version), tuple(sorted(options.items())))

    def _format(self, setups: tuple[VariantSetup, ...], players: int) -> tuple[type[Format], int]:
        formats = self.catalog.formats
        name = self.top.choice("format", sorted(formats), "round_robin")
        rounds = self.top.whole("rounds", 1)
        if setups and players and name in formats and not self.top.problems:
            for argument, message in formats[name].problems(setups, players, rounds):
                place = argument.replace("setups[", "variants[", 1)
                self.top.problem(place, message)
        return formats.get(name, Format), rounds

    def _seed(self) -> bytes | None:
        value = self.top.data.get("seed")
        self.top.known.add("seed")
        if value is None:
            return None
        try:
            return parse_seed(value)
        except ValueError as error:
            self.top.problem("seed", str(error))
            return None

    def _runner(self) -> tuple[RunnerKind, int]:
        table = self._table("runner", "kind")
        kinds: tuple[RunnerKind, ...] = get_args(RunnerKind)
        kind, workers = table.choice("kind", kinds, "auto"), table.whole("workers", 0, low=0)
        table.done()
        return kind, workers

    def _table(self, key: str, main: str) -> Table:
        """A table whose main key's value may have been written in the table's own place."""
        value = self.top.data.get(key)
        if not isinstance(value, str):
            return self.top.table(key)
        self.top.known.add(key)
        self.top.problem(key, f"must be a table, not {value!r}; write {key}.{main} = {json.dumps(value)}")
        return Table({}, key, self.top.problems)

    def _database(self, given: str) -> str:
        from arena.store.urls import resolve_database

        url = self.top.text("database", DEFAULT_DATABASE)
        if given:
            return given
        try:
            return resolve_database(url, self.folder)
        except ValueError as error:
            self.top.problem("database", str(error))
            return url


def _check_unique(table: Table, player: Player, earlier: list[Player]) -> None:
    for other in earlier:
        if player.name == other.name:
            table.problem("name", f"{player.name!r} is used twice; give each player its own `name`")
        elif player.bot == other.bot and player.options == other.options:
            table.problem("", f"is the same bot with the same options as {other.name!r}")
        elif _rated_as(player) == _rated_as(other):
            table.problem(
                "",
                f"is one player with {other.name!r}: both bots are {player.bot.name!r} in version "
                f"{player.bot.version!r}; change the name or version of {player.bot.origin}, or an option",
            )


def _rated_as(player: Player) -> tuple[object, ...]:
    """What ratings know a player by."""
    return player.bot.name, player.bot.version, player.options


def remote_bot(account: str, version: str) -> BotSpec:
    """The bot of an account's process that dials in; its name is that of no bot started here."""
    return BotSpec(f"remote:{account}", "remote", account, version=version)


def plays(bot: BotSpec, variant: Variant) -> bool:
    """Whether a bot claims a variant, by its name or its family's; one that claims nothing plays all."""
    return not bot.variants or bool({variant.name, variant.family} & set(bot.variants))


def no_claim(bot: BotSpec, variant: Variant, variants: Mapping[str, Variant]) -> str:
    """What to say of a bot that does not play one of the variants; nothing of one that does."""
    if plays(bot, variant):
        return ""
    known = {name for each in variants.values() for name in (each.name, each.family)}
    claims = [
        name if name in known else f"{name}, which is no variant{hint(name, known)}" for name in bot.variants
    ]
    return f"{bot.name} does not play {variant.name!r}; it plays: {', '.join(claims)}"


def _check_claims(
    table: Table, bot: BotSpec, setups: tuple[VariantSetup, ...], variants: Mapping[str, Variant]
) -> None:
    """A bot that claims variants or families must claim every variant played."""
    for name in sorted({setup.variant for setup in setups}):
        if problem := no_claim(bot, variants[name], variants):
            table.problem("", problem)


def parse_seed(value: object) -> bytes:
    """A seed of 128 bits from a whole number or 32 hex digits; ValueError says what would be right."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << SEED_BITS:
        return value.to_bytes(SEED_BITS // 8, "big")
    if isinstance(value, str) and len(value) == SEED_BITS // 4:
        try:
            return bytes.fromhex(value)
        except ValueError:
            pass
    raise ValueError(f"must be a whole number from 0 to 2**128 - 1 or 32 hex digits, not {value!r}")
