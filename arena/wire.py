"""The engine's values as messages and packed bytes, and back; proto/arena/v1/rules.proto has the layouts."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.types import Fault, GameResult, Limits
from arena.v1 import play_pb2, rules_pb2
from engine_core import Action, Event, Game, Legal, View
from engine_core.description import Description, Kind

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
NOBODY = 255
# What a client sends as the range when its bot's answer fits no Act, so that the referee judges it.
NO_RANGE = 2**32 - 1
_INT32 = 2**31 - 1
_INT32_S = _INT32 / 1000.0
_EVENT = struct.Struct("<Iiii")
# An event with so many dice; the engine counts them in a byte.
_EVENTS = tuple(struct.Struct(f"<Iiii{dice}i") for dice in range(256))


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """An event as it travels: like the engine's, without the mask of who else may see it; seat -1 = none."""

    kind: int
    seat: int
    a: int
    b: int
    c: int
    n: int
    dice: tuple[int, ...]


def rules_message(description: Description) -> rules_pb2.Rules:
    """A game's vocabulary and the layout of its packed view."""
    return rules_pb2.Rules(
        family=description.family,
        layout_version=description.layout_version,
        seats=description.seats,
        colours=description.colours,
        colour_seats=description.colour_seat,
        teams=description.teams,
        territories=description.territories,
        territory_names=description.territory_names,
        cards=description.cards,
        phases=description.phases,
        actions=[_kind_message(kind) for kind in description.actions],
        events=[_kind_message(kind) for kind in description.events],
        fields=[
            rules_pb2.Field(name=f.name, length=f.length, of=f.of, per=f.per, summary=f.summary)
            for f in description.fields
        ],
        labels=[rules_pb2.Label(kind=kind, names=names) for kind, names in description.labels.items()],
    )


def _kind_message(kind: Kind) -> rules_pb2.Kind:
    return rules_pb2.Kind(
        name=kind.name, operands=kind.operands, amount=kind.amount, summary=kind.summary, luck=kind.luck
    )


def game_start(
    number: int,
    seat: int,
    game: Game,
    limits: Limits,
    bot_seed: bytes,
    players: Sequence[str] = (),
    options: Mapping[str, object] | None = None,
) -> play_pb2.GameStart:
    """The message that opens game `number` of a connection for one seat."""
    return play_pb2.GameStart(
        game=number,
        seat=seat,
        rules=rules_message(game.description),
        ruleset=game.ruleset.text,
        ruleset_hash=game.ruleset.hash,
        limits=_limits_message(limits),
        bot_seed=bot_seed,
        players=players,
        options={key: json.dumps(value) for key, value in (options or {}).items()},
    )


def _limits_message(limits: Limits) -> play_pb2.Limits:
    return play_pb2.Limits(
        decision_ms=milliseconds(limits.decision),
        game_ms=milliseconds(limits.game),
        increment_ms=milliseconds(limits.increment),
        unclocked=not limits.clocked,
    )


def limits_of(message: play_pb2.Limits) -> Limits:
    """What a GameStart says of the clocks; `start` and `connect`, which it does not tell, are the usual."""
    return Limits(
        decision=message.decision_ms / 1000.0,
        game=message.game_ms / 1000.0,
        increment=message.increment_ms / 1000.0,
        clocked=not message.unclocked,
    )


def game_end(number: int, seat: int, result: GameResult | None) -> play_pb2.GameEnd:
    """The message that closes a game for one seat; without a result the game was broken off."""
    if result is None:
        return play_pb2.GameEnd(game=number)
    return play_pb2.GameEnd(
        game=number,
        termination=result.termination,
        winners=result.winners,
        scores=result.scores,
        placements=[play_pb2.Placement(lo=lo, hi=hi) for lo, hi in result.placements],
        laps=result.laps,
        faults=[_fault_message(fault) for fault in result.faults if fault.seat == seat],
    )


def _fault_message(fault: Fault) -> play_pb2.Fault:
    return play_pb2.Fault(
        kind=fault.kind,
        decision=fault.decision,
        message=fault.message,
        used_ms=fault.used_ms,
        limit_ms=fault.limit_ms,
        retired=fault.action == "retire",
    )


def milliseconds(seconds: float) -> int:
    """Seconds as whole milliseconds, 0..2147483647: every language has an int for them."""
    return int(seconds * 1000.0) if 0.0 <= seconds < _INT32_S else (0 if seconds < 0.0 else _INT32)


def action_code(action: rules_pb2.Action) -> int:
    """The int code of an action; ValueError when a part is out of its range."""
    kind, a, b, c = action.kind, action.a, action.b, action.c
    if max(kind, a, b, c) > 255:
        raise ValueError(f"action: kind {kind}, a {a}, b {b}, c {c} are not all within 0..255")
    return int(Action(kind, a, b, c, action.n))


def range_code(legal: Legal, index: int, amount: int) -> int:
    """The int code of range `index` with `amount`, where 0 means the lowest unless the range has it.

    ValueError says which indices or amounts there are.
    """
    if index == NO_RANGE:
        raise ValueError("the bot's answer is no action; its client wrote to stderr what it was")
    if index >= len(legal):
        raise ValueError(f"range {index} does not exist: the question has ranges 0..{len(legal) - 1}")
    return int(legal[index].action(amount)) if amount else legal.code(index, 0)


def action_message(code: int) -> rules_pb2.Action:
    """An action's int code as a message."""
    action = Action.from_int(code)
    return rules_pb2.Action(kind=action.kind, a=action.a, b=action.b, c=action.c, n=action.n)


def range_messages(legal: Legal) -> list[rules_pb2.ActionRange]:
    """Legal ranges in typed form."""
    return [rules_pb2.ActionRange(kind=r.kind, a=r.a, b=r.b, c=r.c, lo=r.lo, hi=r.hi) for r in legal]


def view_fields(view: View) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every field of a view's description by name, with its values."""
    data = view.packed()
    words = struct.unpack_from(f"<{len(data) // 4}i", data)
    place = 1  # behind the version
    for field in view.game.description.fields:
        yield field.name, words[place : place + field.length]
        place += field.length


def view_messages(view: View) -> list[rules_pb2.FieldValues]:
    """A view in typed form."""
    return [rules_pb2.FieldValues(name=name, values=values) for name, values in view_fields(view)]


def event_seat(event: Event) -> int:
    """The seat an event is about as it travels: -1 for none."""
    return -1 if event.seat == NOBODY else event.seat


def event_messages(events: Iterable[Event]) -> list[rules_pb2.Event]:
    """Events in typed form."""
    return [
        rules_pb2.Event(kind=e.kind, seat=event_seat(e), a=e.a, b=e.b, c=e.c, n=e.n, dice=e.dice)
        for e in events
    ]


def pack_events(events: Iterable[Event]) -> bytes:
    """Events in packed form."""
    parts = []
    for e in events:
        dice, template = e.dice, e.kind | e.a << 8 | e.b << 16 | e.c << 24
        parts.append(_EVENTS[len(dice)].pack(template, e.n, event_seat(e), len(dice), *dice))
    return b"".join(parts)


def unpack_events(data: bytes) -> list[SeenEvent]:
    """The events of a packed run; ValueError when it is cut short."""
    events, offset = [], 0
    try:
        while offset < len(data):
            template, n, seat, count = _EVENT.unpack_from(data, offset)
            dice = struct.unpack_from(f"<{count}i", data, offset + _EVENT.size)
            offset += _EVENT.size + 4 * count
            kind, a, b, c = template.to_bytes(4, "little")
            events.append(SeenEvent(kind, seat, a, b, c, n, dice))
    except struct.error as error:
        raise ValueError(f"packed events: cut short at byte {offset} of {len(data)}: {error}") from None
    return events
