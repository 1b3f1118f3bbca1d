"""Open questions in the forms that bots can ask for: messages, packed or typed, and lines of JSON.

Lines are written straight from the engine's values: through messages they would take three times as long.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from arena import wire
from arena.seats import Question
from arena.server import codec
from arena.v1 import play_pb2

# Clients accept messages of 4 MiB unless told otherwise.
BATCH_BYTES = 512 * 1024

Response = play_pb2.PlayResponse

# An open question behind its number, and that of its game, on this connection: decision_id, game, question.
Asked = tuple[int, int, Question]


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a bot wants its questions: typed or packed, with or without events."""

    typed: bool = False
    skip_events: bool = False


def packed_messages(asked: Iterable[Asked], wishes: Wishes) -> Iterator[bytes]:
    """Questions in packed form, in as few messages as clients are sure to accept."""
    batch: list[tuple[int, int, bytes, bytes, bytes, int]] = []
    size = 0
    for decision_id, game, question in asked:
        if size > BATCH_BYTES:
            yield codec.packed_decides(batch)
            batch, size = [], 0
        legal, view = question.legal.packed(), question.packed_view()
        events = b"" if wishes.skip_events else wire.pack_events(question.events)
        batch.append((decision_id, game, legal, view, events, wire.milliseconds(question.bank_s)))
        size += len(legal) + len(view) + len(events)
    if batch:
        yield codec.packed_decides(batch)


def typed_messages(asked: Iterable[Asked], wishes: Wishes) -> Iterator[Response]:
    """The same in typed form."""
    response, size = Response(), 0
    for decision_id, game, question in asked:
        if size > BATCH_BYTES:
            yield response
            response, size = Response(), 0
        message = response.decides.decides.add()  # filled in place: copying costs more
        message.decision_id = decision_id
        message.game = game
        message.game_left_ms = wire.milliseconds(question.bank_s)
        message.typed_legal.extend(wire.range_messages(question.legal))
        message.typed_view.extend(wire.view_messages(question.view))
        message.typed_events.extend(wire.event_messages(() if wishes.skip_events else question.events))
        size += message.ByteSize()
    if response.decides.decides:
        yield response


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
    decision_id, game, question = asked
    return {
        "decisionId": decision_id,
        "game": game,
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
