"""Scenarios: short games as data, each bound to the sentence of the rules that it shows.

A file of tests/data/scenarios/FAMILY holds `[[scenario]]` tables:

    name = "equal dice are the defender's"
    rules = ["dice.tie"]                       # ids of sentences.toml
    source = "Rulebook 002, V.2: ..."          # the sentence, in own words
    variant, seats, options                    # what is played; classic with 3 seats if left out
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
from engine_core import ActionRange, Game, IllegalAction, State, StateError

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
    "troops",
    "territories",
    "over",
    "stays",
}
NAMED = {"holder": {"deck": 100, "discard": 101}}


@dataclass(frozen=True)
class Scenario:
    """One scenario of a file; see the module's docstring."""

    file: str
    name: str
    rules: list[str]
    source: str
    steps: list[dict[str, Any]]
    variant: str = "classic"
    seats: int = 3
    options: dict[str, Any] = field(default_factory=dict)
    position: str = ""
    seed: int = 0
    dice: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"

    def game(self) -> Game:
        return loaded(self.variant, self.seats, tuple(self.options.items()))


@cache
def loaded(variant: str, seats: int, options: tuple[tuple[str, Any], ...]) -> Game:
    return engine_core.load(variant, seats=seats, **dict(options))


def load(family: str) -> list[Scenario]:
    """Every scenario of a family's folder, files in alphabetical order."""
    found = []
    for path in sorted((DATA / family).glob("*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in tables.get("scenario", []):
            wrong = set(table) - {f.name for f in fields(Scenario)} | (set(tables) - {"scenario"})
            for step in table["steps"]:
                wrong |= set(step) - STEP_KEYS - CHECK_KEYS
            assert not wrong, f"{path.name}: {table.get('name')}: unknown keys {wrong}"
            found.append(Scenario(file=path.stem, **table))
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
    told: list[str]

    @classmethod
    def of(cls, scenario: Scenario) -> Stage:
        game = scenario.game()
        if scenario.position:
            return cls(game, game.position(scenario.position, seed=scenario.seed), [])
        state, events = game.start(scenario.seed, dice=scenario.dice)
        return cls(game, state, [game.event_text(event) for event in events])

    def step(self, step: dict[str, Any]) -> None:
        """Play a step and check what it names."""
        if STEP_KEYS & set(step):
            self.told = []
        self.state.script(step.get("dice", []))
        for line in as_list(step.get("play", [])):
            self.play(line)
        if "retire" in step:
            seat, mode = step["retire"].split()
            self.tell(self.state.retire(int(seat), mode))
        phase = self.game.description.phases.index(step["through"]) if "through" in step else -1
        while self.state.phase == phase:
            (seat,) = self.state.pending()
            self.tell(self.state.play(seat, self.state.legal(seat)[0].first()))
        assert self.state.scripted_left() == 0, f"{self.state.scripted_left()} scripted dice were not rolled"
        self.state.check()
        for key in CHECK_KEYS & set(step):
            getattr(self, f"check_{key}")(step[key])

    def play(self, line: str) -> None:
        seat, action = self.parse(line)
        assert self.game.action(action) in self.state.legal(seat), f"{line} is not offered"
        self.tell(self.state.play(seat, self.game.action(action)))

    def parse(self, line: str) -> tuple[int, str]:
        seat, _, action = line.partition(" ")
        return int(seat), action

    def tell(self, events: Sequence[Any]) -> None:
        self.told += [self.game.event_text(event) for event in events]

    def offered(self) -> list[str]:
        return [
            range_text(self.game, entry) for seat in self.state.pending() for entry in self.state.legal(seat)
        ]

    def check_pending(self, seats: list[int]) -> None:
        assert list(self.state.pending()) == seats

    def check_expect(self, tokens: str) -> None:
        for token in tokens.split():
            key, _, text = token.partition("=")
            for name, found, wanted in self.compared(key, text):
                assert found == wanted, f"{name} is {found}, expected {wanted}; {self.state.text()}"

    def compared(self, key: str, text: str) -> Iterator[tuple[str, Any, Any]]:
        """(what, found, wanted) for every value that an expected token names."""
        if key == "board":
            for name, value in pairs(text):
                place = self.game.description.territories.index(name)
                yield name, f"{self.state.owner[place]}x{self.state.troops[place]}", value
        elif key in ("cards", "bonus_choice"):
            names = self.game.description.cards if key == "cards" else self.game.description.territories
            for name, value in pairs(text):
                wanted = NAMED["holder"].get(value, value)
                yield f"{key} {name}", self.state.field(key)[names.index(name)], int(wanted)
        else:
            yield key, self.state.field(key), tuple(self.number(part) for part in text.split(","))

    def number(self, text: str) -> int:
        names = (*self.game.description.phases, *self.game.description.territories)
        if text == "-":
            return -1
        if text in self.game.description.phases:
            return self.game.description.phases.index(text)
        return self.game.description.territories.index(text) if text in names else int(text)

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
        told = iter(self.told)
        for text in texts:
            found = any(fnmatchcase(entry, text) for entry in told)
            assert found, f"{text!r} was not told (in this order): {self.told}"

    def check_silent(self, kinds: list[str]) -> None:
        valid = {kind.name for kind in self.game.description.events}
        assert set(kinds) <= valid, f"valid kinds: {valid}"
        assert not [text for text in self.told if text.split()[1] in kinds], self.told

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
