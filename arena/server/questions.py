"""Open questions in the forms that bots can ask for: messages, packed or typed, and lines of JSON.

Lines are written straight from the engine's values: through messages they would take three times as long.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena import wire
from arena.seats import Question
from arena.v1 import play_pb2
from engine_core import Event

# Clients accept messages of 4 MiB unless told otherwise.
BATCH_BYTES = 512 * 1024

Response = play_pb2.PlayResponse


@dataclass(slots=True)
class Asked:
    """An open question with its number, and that of its game, on this connection."""

    decision_id: int
    game: int
    question: Question


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a bot wants its questions: typed or packed, with or without events."""

    typed: bool = False
    skip_events: bool = False


def messages(asked: Iterable[Asked], wishes: Wishes) -> Iterator[Response]:
    """Questions in as few messages as clients are sure to accept."""
    fill_in = _fill_in_typed if wishes.typed else _fill_in_packed
    response, size = Response(), 0
    batch = response.decides.decides
    for each in asked:
        if size > BATCH_BYTES:
            yield response
            response, size = Response(), 0
            batch = response.decides.decides
        message, question = batch.add(), each.question  # in place: copying costs more
        message.decision_id = each.decision_id
        message.game = each.game
        message.game_left_ms = wire.milliseconds(question.bank_s)
        size += fill_in(message, question, () if wishes.skip_events else question.events)
    if batch:
        yield response


def _fill_in_packed(message: play_pb2.Decide, question: Question, events: Sequence[Event]) -> int:
    """Write what is asked; its size in bytes, about."""
    message.legal = legal = question.legal.packed()
    message.view = view = question.view.packed()
    if events:
        message.events = wire.pack_events(events)
    return len(legal) + len(view) + 32 * len(events)


def _fill_in_typed(message: play_pb2.Decide, question: Question, events: Sequence[Event]) -> int:
    message.typed_legal.extend(wire.range_messages(question.legal))
    message.typed_view.extend(wire.view_messages(question.view))
    message.typed_events.extend(wire.event_messages(events))
    return message.ByteSize()


def typed_lines(asked: Iterable[Asked], wishes: Wishes) -> Iterator[bytes]:
    """Questions in typed form, as the lines that their messages would be."""
    spelt: list[str] = []
    size = 0
    for each in asked:
        if size > BATCH_BYTES:
            yield _line(spelt)
            spelt, size = [], 0
        spelt.append(json.dumps(_spell(each, wishes), separators=(",", ":")))
        size += len(spelt[-1])
    if spelt:
        yield _line(spelt)


def _line(spelt: list[str]) -> bytes:
    return f'{{"decides":{{"decides":[{",".join(spelt)}]}}}}\n'.encode()


def _spell(asked: Asked, wishes: Wishes) -> dict[str, Any]:
    question = asked.question
    return {
        "decisionId": asked.decision_id,
        "game": asked.game,
        "gameLeftMs": wire.milliseconds(question.bank_s),
        "typedLegal": [
            {"kind": r.kind, "a": r.a, "b": r.b, "c": r.c, "lo": r.lo, "hi": r.hi} for r in question.legal
        ],
        "typedView": [{"name": name, "values": values} for name, values in wire.view_fields(question.view)],
        "typedEvents": [
            {
                "kind": e.kind,
                "seat": wire.event_seat(e),
                "a": e.a,
                "b": e.b,
                "c": e.c,
                "n": e.n,
                "dice": e.dice,
            }
            for e in (() if wishes.skip_events else question.events)
        ],
    }
