"""Game records: ruleset, key and every step of a game, replayable with nothing else.

A record is JSON text (`arena-record/1`), stored compressed. Steps read `0 attack ALA KAM 3` (seat, action) or
`retire 2 passive`. Decisions with a single answer are never asked and not in it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import get_args

import engine_core
from arena.errors import PlatformFault, RecordError
from arena.scores import Facts, termination_of
from arena.seeds import SEED_BYTES
from arena.types import RetireMode
from engine_core import EngineError, Event, Game, IllegalAction, State
from engine_core.tables import Table, TableError

FORMAT = "arena-record/1"
# No game comes near it: a compressed record that unpacks to more is not a record.
MAX_TEXT_BYTES = 1 << 28
MAX_NUMBER = (1 << 31) - 1
MAX_DIE = 255

# (seat, int code of an action) or (seat, retire mode)
Step = tuple[int, int | str]


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game. `key` has 16 bytes, `dice` are scripted rolls, `players` are labels by seat."""

    ruleset: str
    ruleset_hash: str
    key: bytes
    dice: tuple[int, ...]
    steps: tuple[Step, ...]
    facts: Facts
    final_digest: str
    players: tuple[str, ...] = ()

    def game(self) -> Game:
        """The game of the record's own ruleset."""
        return game_of(self.ruleset)

    def text(self) -> str:
        """The JSON text, a key a line and a step a line."""
        game = self.game()
        return json.dumps(
            {
                "format": FORMAT,
                "ruleset": self.ruleset,
                "ruleset_hash": self.ruleset_hash,
                "key": self.key.hex(),
                "dice": self.dice,
                "players": self.players,
                "steps": [step_text(game, step) for step in self.steps],
                "result": asdict(self.facts),
                "final_digest": self.final_digest,
            },
            indent=1,
        )

    def packed(self) -> bytes:
        """The compressed text, as the store keeps it."""
        return zlib.compress(self.text().encode())


@lru_cache(maxsize=64)
def game_of(ruleset: str) -> Game:
    """The game of a resolved ruleset's text; games are immutable, so each text is resolved once."""
    return engine_core.load_resolved(ruleset)


def step_text(game: Game, step: Step) -> str:
    """A step as text."""
    seat, what = step
    return f"retire {seat} {what}" if isinstance(what, str) else f"{seat} {_action_text(game, what)}"


@lru_cache(maxsize=1 << 15)
def _action_text(game: Game, code: int) -> str:
    """An action's text; the same few thousand actions fill all records of a game."""
    return game.action_text(code)


def unpack(data: bytes) -> Record:
    """Read a compressed record; RecordError says what is wrong and where."""
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(data, MAX_TEXT_BYTES)
    except zlib.error as error:
        raise RecordError("not a compressed record, nor one in JSON") from error
    if not inflate.eof:
        raise RecordError("not a compressed record: it is cut short, or far too long")
    return parse(text.decode(errors="replace"))


def parse(text: str) -> Record:
    """Read a record's JSON text and check its ruleset's hash; RecordError says what is wrong and where."""
    try:
        return _parse(Table(json.loads(text)))
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error}") from error
    except (TableError, PlatformFault) as error:
        raise RecordError(str(error)) from error


def walk(record: Record) -> Iterator[tuple[State, list[Event]]]:
    """Play a record: the state after the set-up and after every step, with what happened there.

    It is one state that moves on; copy it to keep it. RecordError names the step that cannot be played.
    """
    game = record.game()
    state, events = game.start(record.key, dice=record.dice)
    yield state, events
    for index, (seat, what) in enumerate(record.steps):
        try:
            events = state.retire(seat, what) if isinstance(what, str) else state.play(seat, what)
        except EngineError as error:
            reason = error.rule if isinstance(error, IllegalAction) else error
            line = step_text(game, (seat, what))
            raise RecordError(f"steps[{index}] `{line}` cannot be played: {reason}") from error
        yield state, events


def replay(record: Record) -> State:
    """The final state of a record; RecordError names the step that cannot be played."""
    for state, _ in walk(record):
        final = state
    return final


def verify(record: Record) -> State:
    """Replay and compare with what the record says of its end; RecordError names the first difference."""
    state = replay(record)
    result = state.result()
    stopped = record.facts.termination == "game_limit"
    if result.over == stopped:
        ended = "is over" if result.over else "is not over"
        raise RecordError(f"the game {ended} after its {len(record.steps)} steps")
    replayed = asdict(Facts.of(result, "game_limit" if stopped else None)) | {"final_digest": state.digest()}
    for name, said in (asdict(record.facts) | {"final_digest": record.final_digest}).items():
        if said != replayed[name]:
            raise RecordError(f"{name}: the record says {said!r}, its replay {replayed[name]!r}")
    return state


def _parse(table: Table) -> Record:
    if (found := table.string("format")) != FORMAT:
        raise RecordError(f"format: {found!r} is not known; this version reads {FORMAT!r}")
    ruleset = table.string("ruleset")
    game = _game(ruleset, table.string("ruleset_hash"))
    lines = enumerate(table.strings("steps"))
    record = Record(
        ruleset,
        game.ruleset.hash,
        _key(table.string("key")),
        table.integers("dice", 1, MAX_DIE),
        tuple(_parse_step(game, line, f"steps[{index}]") for index, line in lines),
        _parse_facts(table.table("result"), game.seats),
        table.string("final_digest"),
        table.strings("players"),
    )
    table.done()
    if len(record.players) > game.seats:
        raise RecordError(f"players: must be at most {game.seats}, one a seat, not {len(record.players)}")
    return record


def _game(ruleset: str, ruleset_hash: str) -> Game:
    try:
        game = game_of(ruleset)
    except EngineError as error:
        raise RecordError(f"ruleset: {error}") from error
    if game.ruleset.hash != ruleset_hash:
        raise RecordError(f"ruleset_hash: is {ruleset_hash!r}, but the ruleset's is {game.ruleset.hash!r}")
    return game


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError as error:
        raise RecordError(f"key: {error}") from error
    if len(key) != SEED_BYTES:
        raise RecordError(f"key: must have {SEED_BYTES} bytes as hex, not {len(key)}")
    return key


def _parse_step(game: Game, line: str, where: str) -> Step:
    first, _, rest = line.partition(" ")
    try:
        if first == "retire":
            seat, _, mode = rest.partition(" ")
            return _seat(game, seat), _mode(mode)
        return _seat(game, first), int(game.action(rest))
    except ValueError as error:
        raise RecordError(f"{where} `{line}`: {error}") from error


def _seat(game: Game, word: str) -> int:
    if not word.isdecimal() or int(word) >= game.seats:
        raise ValueError(f"no seat {word!r}; seats are 0 to {game.seats - 1}")
    return int(word)


def _mode(word: str) -> str:
    if word not in get_args(RetireMode):
        raise ValueError(f"no retire mode {word!r}; valid: {', '.join(get_args(RetireMode))}")
    return word


def _parse_facts(table: Table, seats: int) -> Facts:
    def each(key: str, lo: int) -> tuple[int, ...]:
        values = table.integers(key, lo, MAX_NUMBER)
        if len(values) != seats:
            raise RecordError(f"{table.path(key)}: must have {seats} values, one a seat, not {len(values)}")
        return values

    facts = Facts(
        termination_of(table.string("termination")),
        table.integers("winners", 0, seats - 1),
        table.integers("survivors", 0, seats - 1),
        each("eliminated_at", -1),
        each("territories", 0),
        each("troops", 0),
        each("retired", 0),
        table.integer("lap", 0, MAX_NUMBER),
        table.integer("decisions", 0, MAX_NUMBER),
    )
    table.done()
    return facts
