"""Messages as lines of JSON: protobuf's JSON mapping, one message a line, no spaces between the parts.

Every field of a message is written, also where it is 0 or empty, so that a reader needs no defaults; only the
form of a question that was not asked for is left out. Questions, which are most of what is said, take a short
way: several times as fast as the general one, and the same values.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from google.protobuf import json_format

from arena.v1 import play_pb2

_SHOWN = 80


def line_of(message: play_pb2.PlayResponse) -> bytes:
    """A message as a line, newline included."""
    if message.WhichOneof("content") == "decides":
        content: dict[str, Any] = {"decides": {"decides": [_decide(d) for d in message.decides.decides]}}
    else:
        content = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def _decide(decide: play_pb2.Decide) -> dict[str, Any]:
    numbers = {"decisionId": decide.decision_id, "game": decide.game, "gameLeftMs": decide.game_left_ms}
    if not decide.typed_view:
        packed = {"legal": decide.legal, "view": decide.view, "events": decide.events}
        return numbers | {name: b64encode(data).decode() for name, data in packed.items()}
    return {
        **numbers,
        "typedLegal": [
            {"kind": r.kind, "a": r.a, "b": r.b, "c": r.c, "lo": r.lo, "hi": r.hi} for r in decide.typed_legal
        ],
        "typedView": [{"name": f.name, "values": f.values[:]} for f in decide.typed_view],
        "typedEvents": [
            {"kind": e.kind, "seat": e.seat, "a": e.a, "b": e.b, "c": e.c, "n": e.n, "dice": e.dice[:]}
            for e in decide.typed_events
        ],
    }


def request_of(line: bytes) -> play_pb2.PlayRequest:
    """The message of a line; ValueError says what is wrong with it, and how it starts."""
    try:
        return json_format.Parse(line.decode("utf-8"), play_pb2.PlayRequest())
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8: {error.reason} at byte {error.start}"
    except json_format.ParseError as error:
        why = str(error)
    except (ValueError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
    raise ValueError(f"a line that is no PlayRequest: {why[:300]}; the line is `{shown(line)}`")


def shown(line: bytes) -> str:
    """The start of a line, for messages about it."""
    return line[:_SHOWN].decode("utf-8", errors="replace") + ("..." if len(line) > _SHOWN else "")
