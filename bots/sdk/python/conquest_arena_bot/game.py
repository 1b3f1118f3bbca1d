"""A game as GameStart describes it, and what a seat sees; named as for the platform's own bots."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conquest_arena_bot.actions import Event, unpack_events
from conquest_arena_bot.v1 import play_pb2, rules_pb2


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of action or event: its name, what each operand means, and what the amount counts."""

    name: str
    operands: tuple[str, ...] = ()
    amount: str = ""
    summary: str = ""
    luck: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One named run of numbers in a view; `of` says what they are, `per` what indexes them."""

    name: str
    length: int
    of: str = "number"
    per: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """A game's vocabulary: names in the order of their numbers, and the layout of a view."""

    family: str
    layout_version: int
    seats: int
    colours: tuple[str, ...]
    colour_seat: tuple[int, ...]
    teams: tuple[int, ...]
    territories: tuple[str, ...]
    territory_names: tuple[str, ...]
    cards: tuple[str, ...]
    phases: tuple[str, ...]
    actions: tuple[Kind, ...]
    events: tuple[Kind, ...]
    fields: tuple[Field, ...]
    labels: Mapping[str, tuple[str, ...]]

    def names(self, what: str) -> tuple[str, ...]:
        """The names of territories, cards, phases or a label's things; empty for what has none."""
        known = {"territory": self.territories, "card": self.cards, "phase": self.phases}
        return known.get(what, self.labels.get(what, ()))

    def action_kind(self, name: str) -> int:
        """The number of an action kind; ValueError names the valid ones."""
        for number, kind in enumerate(self.actions):
            if kind.name == name:
                return number
        raise ValueError(f"no action kind {name!r}; valid: {', '.join(k.name for k in self.actions)}")

    @staticmethod
    def of(rules: rules_pb2.Rules) -> Description:
        """The description in a GameStart."""
        return Description(
            rules.family,
            rules.layout_version,
            rules.seats,
            tuple(rules.colours),
            tuple(rules.colour_seats),
            tuple(rules.teams),
            tuple(rules.territories),
            tuple(rules.territory_names),
            tuple(rules.cards),
            tuple(rules.phases),
            tuple(_kind(kind) for kind in rules.actions),
            tuple(_kind(kind) for kind in rules.events),
            tuple(Field(f.name, f.length, f.of, f.per, f.summary) for f in rules.fields),
            {label.kind: tuple(label.names) for label in rules.labels},
        )


def _kind(kind: rules_pb2.Kind) -> Kind:
    return Kind(kind.name, tuple(kind.operands), kind.amount, kind.summary, kind.luck)


@dataclass(frozen=True, slots=True)
class Board:
    """The board; `neighbours[t]` are next to t, `regions[r]` has its `name`, `bonus` and `territories`."""

    territories: tuple[str, ...]
    neighbours: tuple[tuple[int, ...], ...]
    regions: tuple[Mapping[str, Any], ...]

    @staticmethod
    def of(data: Mapping[str, Any]) -> Board:
        """The board of a resolved ruleset; empty for a game without one."""
        listed = data["territories"]
        number = {territory["id"]: index for index, territory in enumerate(listed)}
        near: list[set[int]] = [set() for _ in listed]
        for one, other in data["borders"]:
            near[number[one]].add(number[other])
            near[number[other]].add(number[one])
        regions = tuple(
            {**region, "territories": tuple(number[t["id"]] for t in listed if t["region"] == region["id"])}
            for region in data["regions"]
        )
        return Board(tuple(number), tuple(tuple(sorted(row)) for row in near), regions)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The whole resolved ruleset: its text, as EngineService takes it, and its main parts."""

    text: str
    hash: str
    name: str
    family: str
    options: Mapping[str, Any]
    tables: Mapping[str, Any]
    board: Board

    @staticmethod
    def of(text: str, digest: str) -> Ruleset:
        """The ruleset of its JSON text."""
        data = json.loads(text)
        return Ruleset(
            text,
            digest,
            data["name"],
            data["family"],
            data["options"],
            data.get("tables", {}),
            Board.of(data["board"]),
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Clock limits in seconds: for one decision, and a game's bank, to which each answer adds `increment`.

    Where `clocked` is False no clock runs (for debugging): no decision is ever late.
    """

    decision: float
    game: float
    increment: float
    clocked: bool

    @staticmethod
    def of(limits: play_pb2.Limits) -> Limits:
        """The limits in a GameStart."""
        in_ms = (limits.decision_ms, limits.game_ms, limits.increment_ms)
        decision, game, increment = (milliseconds / 1000.0 for milliseconds in in_ms)
        return Limits(decision, game, increment, not limits.unclocked)


@dataclass(frozen=True)
class Game:
    """One game of one seat: all that was said when it began."""

    seat: int
    description: Description
    ruleset: Ruleset
    players: tuple[str, ...]
    options: Mapping[str, Any]
    limits: Limits
    bot_seed: bytes

    @staticmethod
    def of(start: play_pb2.GameStart) -> Game:
        """The game that a GameStart begins."""
        return Game(
            start.seat,
            Description.of(start.rules),
            Ruleset.of(start.ruleset, start.ruleset_hash),
            tuple(start.players),
            {key: json.loads(value) for key, value in start.options.items()},
            Limits.of(start.limits),
            start.bot_seed,
        )

    @property
    def seats(self) -> int:
        """Number of seats."""
        return self.description.seats

    @cached_property
    def runs(self) -> Mapping[str, tuple[int, int, bool]]:
        """Where a view has each field: (first word, length, whether it is one number)."""
        found, offset = {}, 1
        for field in self.description.fields:
            found[field.name] = (offset, field.length, field.length == 1 and not field.per)
            offset += field.length
        return found

    @cached_property
    def words(self) -> int:
        """Number of words of a packed view."""
        return 1 + sum(field.length for field in self.description.fields)

    def view(self, packed: bytes, events: bytes = b"", game_left_ms: int = 0) -> View:
        """A packed view; ValueError when it is of another layout than the description's."""
        words = struct.unpack(f"<{len(packed) // 4}i", packed)
        if len(words) != self.words or words[0] != self.description.layout_version:
            raise ValueError(
                f"a view of layout {words[0]} with {len(words)} words; "
                f"expected {self.description.layout_version} with {self.words}"
            )
        return View(self, words, events, game_left_ms)


class View:
    """What the seat may see: every field by name, a number or a tuple of numbers; -1 is hidden or none."""

    def __init__(self, game: Game, words: tuple[int, ...], events: bytes, game_left_ms: int) -> None:
        self.game = game
        self.seat = game.seat
        self.game_left_ms = game_left_ms
        self._words = words
        self._events = events

    def __getattr__(self, name: str) -> Any:
        run = self.game.runs.get(name)
        if run is None:
            raise AttributeError(f"this view has no field {name!r}; it has: {', '.join(self.game.runs)}")
        offset, length, single = run
        value = self._words[offset] if single else self._words[offset : offset + length]
        self.__dict__[name] = value
        return value

    def field(self, name: str) -> tuple[int, ...]:
        """A field's values, also of a single one."""
        offset, length, _ = self.game.runs[name]
        return self._words[offset : offset + length]

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What the seat saw happen since its last question."""
        return unpack_events(self._events)
