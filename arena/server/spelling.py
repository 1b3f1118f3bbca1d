"""Messages as lines of JSON: protobuf's JSON mapping, one message a line, no spaces between the parts.

Every field of a message is written, also where it is 0 or empty, so that a reader needs no defaults; only
the form of a question that was not asked for is left out. Questions in typed form, which are most of what is
said, take a shorter way (see questions.py).

A bot's line is a message if it is an object with one of PlayRequest's names, or begins as one; or if exactly
one stands at its end, behind other text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from google.protobuf import json_format

from arena.server import misspelt
from arena.v1 import play_pb2

_PACKED = ("legal", "view", "events")
_TYPED = ("typedLegal", "typedView", "typedEvents")
_SHOWN = 80
SUSPECT = "the bot's last line that looks like a message but was not one:"
NOT_GRPC = 'add `protocol = "jsonlines"` to its bot.toml'
NOT_LINES = 'take `protocol = "jsonlines"` out of its bot.toml'
_NAMES = {field.json_name for field in play_pb2.PlayRequest.DESCRIPTOR.fields}
_CONTENTS = "|".join(sorted(_NAMES))
_START = re.compile(rf'\{{\s*"({_CONTENTS})"\s*:')
# Also without quotes, or with the wrong ones: whoever writes that means a message.
_CLAIM = re.compile(rf"\{{\s*[\"']?(?:{_CONTENTS})[\"']?\s*:")
NAMELESS = f"a message is an object with one of the names {', '.join(sorted(_NAMES))}"
EXAMPLES = {
    "join": '{"join":{}}',
    "acts": '{"acts":{"acts":[{"decisionId":7,"range":0}]}}',
    "log": '{"log":{"text":"..."}}',
}
_JSON = json.JSONDecoder()
# Starts that are tried in one line: one with a great many must not keep the reader busy.
_TRIED = 8


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
        return misspelt.read(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8: {error.reason} at byte {error.start}"
    except ValueError as error:
        why = str(error)
    begun = _CLAIM.search(line.decode("latin-1"))
    name = next((name for name in _NAMES if begun and name in begun.group()), "acts")
    raise ValueError(
        f"a line that is no PlayRequest: {why}; the line is `{shown(line)}`, "
        f"one that is right looks like `{EXAMPLES[name]}`"
    )


def claims_message(line: bytes) -> bool:
    """Whether a whole line is meant as a message, if a wrong one; other objects are a bot's own business."""
    if not line.startswith(b"{"):
        return False
    text = line.decode("latin-1")
    if _CLAIM.match(text):
        return True
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not _NAMES.isdisjoint(content)


def looks_like_message(line: bytes) -> bool:
    """Whether something in a line begins as messages do."""
    return _START.search(line.decode("latin-1")) is not None


def message_behind(line: bytes) -> tuple[int, str]:
    """Where the message begins that stands behind other text: its place, or -1 and why there is none.

    No reason is given where nothing in the line looks like a message. Several messages on one line, or text
    behind one, are none: a log that quotes messages must not play.
    """
    text = line.decode("latin-1")  # a character a byte: places in one are places in the other
    if _START.search(text) is None:
        return -1, ""
    found = list(_objects(text))
    if not found:
        return -1, "it is no whole JSON object"
    start, end = found[0]
    if len(found) > 1:
        return -1, "there are several on one line; end each with a newline"
    if text[end:].strip():
        return -1, "text stands behind it; end it with a newline"
    try:
        request = request_of(line[start:])
    except ValueError as error:
        return -1, str(error)
    return (start, "") if request.WhichOneof("content") else (-1, "it is empty")


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the JSON objects in a line that begin as messages do."""
    end = 0
    for _ in range(_TRIED):
        begun = _START.search(text, end)
        if begun is None:
            return
        try:
            _, end = _JSON.raw_decode(text, begun.start())
            yield begun.start(), end
        except (ValueError, RecursionError):
            end = begun.end()


def suspicion(line: bytes, why: str) -> str:
    """What a bot's author is told of a line that was not taken for a message."""
    begun = _START.search(line.decode("latin-1"))
    start = begun.start() if begun is not None else 0
    return f"{SUSPECT} `{shown(line[start:])}` ({why})"


def shown(line: bytes) -> str:
    """The start of a line, for messages about it."""
    return line[:_SHOWN].decode("utf-8", errors="replace") + ("..." if len(line) > _SHOWN else "")
