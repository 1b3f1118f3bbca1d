"""Messages as lines of JSON: protobuf's JSON mapping, one message a line, no spaces between the parts.

Every field of a message is written, also where it is 0 or empty, so that a reader needs no defaults; only
the form of a question that was not asked for is left out. Questions in typed form, which are most of what is
said, take a shorter way (see questions.py).
"""

from __future__ import annotations

import json

from google.protobuf import json_format

from arena.v1 import play_pb2

_PACKED = ("legal", "view", "events")
_TYPED = ("typedLegal", "typedView", "typedEvents")
_SHOWN = 80


def line_of(message: play_pb2.PlayResponse) -> bytes:
    """A message as a line, newline included."""
    content = json_format.MessageToDict(message, always_print_fields_with_no_presence=True)
    for question in content.get("decides", {}).get("decides", ()):
        for name in _TYPED if question["view"] else _PACKED:
            del question[name]
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


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
