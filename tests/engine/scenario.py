"""Scenarios: short games as data, each bound to the sentence of the rules that it shows.

A folder of tests/data/scenarios is named after a variant and holds sentences.toml, the sentences of the rules
that its scenarios show, and files of `[[scenario]]` tables:

    name = "equal dice are the defender's"
    rules = ["dice.tie"]                       # ids of this or another folder's sentences.toml
    source = "Rulebook 002, V.2: ..."          # the sentence, in own words
    variant, seats, options                    # the folder's variant and its usual seats if left out
    position = "phase=attack board=..."        # where it starts; left out: a new game
    seed = 0                                   # keys the deck and every die that is not scripted
    dice = [6, 5, 4]                           # scripted for the set-up of a new game
    steps = [{ play = "0 attack ALA KAM 1", ... }, ...]

A step plays (`play`: one action or a list, `retire = "1 passive"`, `through = "claim"`: the first legal
action as long as that phase lasts; `dice` are scripted before) and then checks what it names:

    pending   the seats asked next                 expect   fields as in a position; maps may be partial
    legal     ranges that must be offered          only     exactly the ranges offered
    offers    how many ranges are offered          illegal  [action, part of the broken rule]
    events    texts told, in this order (`*`: any) silent   event kinds that must not be told
    hears     [seat, text] told to that seat       misses   [seat, text] not told to that seat
    sees      [seat, fields] as in that seat's view (-1: the public's, also in hears and misses)
    troops, territories   on the board, by colour  over     "TERMINATION WINNER..." of a finished game
    stays     seats that cannot be retired

A first step that plays nothing checks the start, and what the set-up of a new game told.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import engine_core
from engine_core import ActionRange, Event, Game, IllegalAction, State, StateError, View

DATA = Path(__file__).parent.parent / "data" / "scenarios"
STEP_KEYS = {"dice", "play", "retire", "through"}
CHECK_KEYS = {
    "pending",
    "expect",
    "legal",
    "only",
    "offers",
    "illegal",
    "events",
    "silent",
    "hears",
    "misses",
    "sees",
    "troops",
    "territories",
    "over",
    "stays",
}
NAMED = {"-": -1, "?": -1, "deck": 100, "discard": 101, "aside": 102, "board": 100}


@dataclass(frozen=True)
class Scenario:
    """One scenario of a file; see the module's docstring."""

    folder: str
    file: str
    name: str
    rules: list[str]
    source: str
    steps: list[dict[str, Any]]
    variant: str
    seats: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    position: str = ""
    seed: int = 0
    dice: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.folder}/{self.file}: {self.name}"

    def game(self) -> Game:
        return loaded(self.variant, self.seats, tuple(self.options.items()))


@cache
def loaded(variant: str, seats: int, options: tuple[tuple[str, Any], ...]) -> Game:
    return engine_core.load(variant, seats=seats or None, **dict(options))


def folders() -> list[str]:
    """The variants that have scenarios, in alphabetical order."""
    return sorted(path.parent.name for path in DATA.glob("*/sentences.toml"))


def sentences(folder: str) -> dict[str, str]:
    """The sentences of the rules that a folder's scenarios show, by id."""
    tables = tomllib.loads((DATA / folder / "sentences.toml").read_text(encoding="utf-8"))
    return dict(tables["sentences"])


def load(folder: str) -> list[Scenario]:
    """Every scenario of a variant's folder, files in alphabetical order."""
    found = []
    for path in sorted((DATA / folder).glob("*.toml")):
        if path.name == "sentences.toml":
            continue
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in tables.get("scenario", []):
            keys = {f.name for f in fields(Scenario)} - {"folder", "file"}
            wrong = set(table) - keys | (set(tables) - {"scenario"})
            for step in table["steps"]:
                wrong |= set(step) - STEP_KEYS - CHECK_KEYS
            assert not wrong, f"{path.name}: {table.get('name')}: unknown keys {wrong}"
            found.append(Scenario(folder=folder, file=path.stem, **({"variant": folder} | table)))
    return found


def range_text(game: Game, entry: ActionRange) -> str:
    """A legal range as text: `deploy ALA 1..3`, `defend ALA KAM 1`, `end`."""
    lowest = game.action_text(entry.first())
    return lowest if entry.lo == entry.hi else f"{lowest}..{entry.hi}"


@dataclass
class Stage:
    """A scenario being played: its state and what the present step has told."""

    game: Game
    state: State
    told: list[Event]

    @classmethod
    def of(cls, scenario: Scenario) -> Stage:
        game = scenario.game()
        if scenario.position:
            return cls(game, game.position(scenario.position, seed=scenario.seed), [])
        state, events = game.start(scenario.seed, dice=scenario.dice)
        return cls(game, state, events)

    def step(self, step: dict[str, Any]) -> None:
        """Play a step and check what it names."""
        if STEP_KEYS & set(step):
            self.told = []
        self.state.script(step.get("dice", []))
        for line in as_list(step.get("play", [])):
            self.play(line)
        if "retire" in step:
            seat, mode = step["retire"].split()
            self.told += self.state.retire(int(seat), mode)
        phase = self.game.description.phases.index(step["through"]) if "through" in step else -1
        while self.state.phase == phase:
            (seat,) = self.state.pending()
            self.told += self.state.play(seat, self.state.legal(seat)[0].first())
        assert self.state.scripted_left() == 0, f"{self.state.scripted_left()} scripted dice were not rolled"
        self.state.check()
        for key in CHECK_KEYS & set(step):
            getattr(self, f"check_{key}")(step[key])

    def play(self, line: str) -> None:
        seat, action = self.parse(line)
        assert self.game.action(action) in self.state.legal(seat), f"{line} is not offered"
        self.told += self.state.play(seat, self.game.action(action))

    def parse(self, line: str) -> tuple[int, str]:
        seat, _, action = line.partition(" ")
        return int(seat), action

    def texts(self, seat: int | None = None) -> list[str]:
        """What was told: all of it, or what this seat may know of it."""
        return [self.game.event_text(one) for one in self.told if seat is None or one.visible_to(seat)]

    def offered(self) -> list[str]:
        return [
            range_text(self.game, entry) for seat in self.state.pending() for entry in self.state.legal(seat)
        ]

    def check_pending(self, seats: list[int]) -> None:
        assert list(self.state.pending()) == seats

    def check_expect(self, tokens: str) -> None:
        self.check_fields(self.state, tokens)

    def check_sees(self, views: list[tuple[int, str]]) -> None:
        for seat, tokens in views:
            self.check_fields(self.state.view(seat) if seat >= 0 else self.state.public_view(), tokens)

    def check_fields(self, shown: State | View, tokens: str) -> None:
        for token in tokens.split():
            key, _, text = token.partition("=")
            for name, found, wanted in self.compared(shown, key, text):
                assert found == wanted, f"{name} is {found}, expected {wanted}; {shown.text()}"

    def compared(self, shown: State | View, key: str, text: str) -> Iterator[tuple[str, Any, Any]]:
        """(what, found, wanted) for every value that an expected token names."""
        if key == "board":
            for name, value in pairs(text):
                place = self.game.description.territories.index(name)
                yield name, f"{shown.owner[place]}x{shown.troops[place]}", value
        elif ":" in text:
            form = next(entry for entry in self.game.description.fields if entry.name == key)
            for name, value in pairs(text):
                at = self.names(form.per).index(name)
                yield f"{key} {name}", shown.field(key)[at], self.number(value, form.of)
        else:
            form = next(entry for entry in self.game.description.fields if entry.name == key)
            yield key, shown.field(key), tuple(self.number(part, form.of) for part in text.split(","))

    def number(self, text: str, of: str) -> int:
        names = self.names(of)
        return names.index(text) if text in names else NAMED[text] if text in NAMED else int(text)

    def names(self, of: str) -> tuple[str, ...]:
        """What the values of that kind are called; nothing for plain numbers."""
        known = self.game.description
        rows = {"phase": known.phases, "territory": known.territories, "card": known.cards}
        return (rows | dict(known.labels)).get(of, ())

    def check_legal(self, ranges: list[str]) -> None:
        offered = self.offered()
        assert not [entry for entry in ranges if entry not in offered], offered

    def check_only(self, ranges: list[str]) -> None:
        assert sorted(self.offered()) == sorted(ranges)

    def check_offers(self, count: int) -> None:
        assert len(self.offered()) == count

    def check_illegal(self, wrong: list[list[str]]) -> None:
        for line, rule in wrong:
            seat, action = self.parse(line)
            before = self.state.copy()
            assert self.game.action(action) not in self.state.legal(seat), line
            try:
                self.state.apply(seat, self.game.action(action))
            except IllegalAction as error:
                assert rule in error.rule, f"{line}: {error.rule}"
            else:
                raise AssertionError(f"{line} was played")
            assert (self.state, self.state.digest()) == (before, before.digest())

    def check_events(self, texts: list[str]) -> None:
        told = iter(self.texts())
        for text in texts:
            found = any(fnmatchcase(entry, text) for entry in told)
            assert found, f"{text!r} was not told (in this order): {self.texts()}"

    def check_hears(self, told: list[tuple[int, str]]) -> None:
        for seat, text in told:
            assert [one for one in self.texts(seat) if fnmatchcase(one, text)], f"{seat}: {self.texts(seat)}"

    def check_misses(self, hidden: list[tuple[int, str]]) -> None:
        for seat, text in hidden:
            assert not [one for one in self.texts(seat) if fnmatchcase(one, text)], f"seat {seat}: {text}"

    def check_silent(self, kinds: list[str]) -> None:
        valid = {kind.name for kind in self.game.description.events}
        assert set(kinds) <= valid, f"valid kinds: {valid}"
        assert not [text for text in self.texts() if text.split()[1] in kinds], self.texts()

    def check_troops(self, by_colour: list[int]) -> None:
        assert self.on_board(self.state.troops) == by_colour

    def check_territories(self, by_colour: list[int]) -> None:
        assert self.on_board([1] * len(self.state.owner)) == by_colour

    def on_board(self, numbers: Sequence[int]) -> list[int]:
        """What the numbers of the territories add up to, by colour."""
        sums = [0] * len(self.game.description.colours)
        for owner, number in zip(self.state.owner, numbers, strict=True):
            if owner >= 0:
                sums[owner] += number
        return sums

    def check_stays(self, seats: list[int]) -> None:
        before = self.state.digest()
        for seat in seats:
            for mode in ("passive", "neutral"):
                try:
                    self.state.retire(seat, mode)
                except StateError as error:
                    assert "already out" in str(error)
                else:
                    raise AssertionError(f"seat {seat} was retired")
        assert self.state.digest() == before

    def check_over(self, text: str) -> None:
        result = self.state.result()
        assert result.over
        assert " ".join([result.termination, *map(str, result.winners)]) == text


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def pairs(text: str) -> list[tuple[str, str]]:
    """The name:value items of a map such as `ALA:0x5,KAM:1x2`."""
    items = [item.partition(":") for item in text.split(",")]
    return [(name, value) for name, _, value in items]
