"""Reads protobuf's JSON mapping, and says for a bot's author what is wrong, where, and what would be right.

protobuf's reader decides what a value may be; its words are those of a library, so they are not passed on.
"""

from __future__ import annotations

import json
from collections import Counter

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from arena.v1 import play_pb2

_SHOWN = 40
# What protobuf raises for what it does not take; the last where a name is no Unicode.
_REFUSALS = (json_format.ParseError, ValueError, RecursionError, SystemError)
_ROOT = play_pb2.PlayRequest.DESCRIPTOR
_RIGHT = {
    FieldDescriptor.TYPE_UINT32: "a whole number from 0 to 4294967295",
    FieldDescriptor.TYPE_INT32: "a whole number from -2147483648 to 2147483647",
    FieldDescriptor.TYPE_STRING: "text in quotes, valid Unicode",
    FieldDescriptor.TYPE_BOOL: "true or false",
}


class _Twice(ValueError):
    """A name stands twice in one object."""


def read(text: str) -> play_pb2.PlayRequest:
    """The message that a JSON text spells; ValueError says in one sentence why it is none."""
    try:
        content = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is no message: objects are nested too deeply") from None
    except _Twice:
        raise
    except ValueError:
        raise ValueError("it holds a number of thousands of digits") from None
    # protobuf takes any empty value for an empty message.
    if isinstance(content, dict) and all(part is None or isinstance(part, dict) for part in content.values()):
        try:
            return json_format.ParseDict(content, play_pb2.PlayRequest())
        except _REFUSALS as error:
            raise ValueError(_problem(content, _ROOT, _ROOT.name) or str(error)) from None
    raise ValueError(_problem(content, _ROOT, _ROOT.name))


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise _Twice(f"{_brief(name)} stands twice in one object")
    return found


def _problem(value: object, message: Descriptor, place: str) -> str:
    """The first part of a JSON value that keeps it from being a message; "" if none is found."""
    if not isinstance(value, dict):
        return f"{place} must be an object in {{}}, not {_brief(value)}"
    fields = {name: field for field in message.fields for name in (field.json_name, field.name)}
    for name in value.keys() - fields.keys():
        known = ", ".join(f'"{field.json_name}"' for field in message.fields)
        return f"there is no {_brief(name)} in {place}, only {known}"
    given = {name: part for name, part in value.items() if part is not None}
    contents = [f'"{name}"' for name in given if fields[name].containing_oneof]
    if len(contents) > 1:
        return f"{place} has {' and '.join(contents)}, but a message holds one: give each a line of its own"
    problems = (_problem_in(part, fields[name], message, f"{place}.{name}") for name, part in given.items())
    return next(filter(None, problems), "")


def _problem_in(part: object, field: FieldDescriptor, message: Descriptor, place: str) -> str:
    """The same of the value of a message's field."""
    if not field.is_repeated:
        return _problem_of(part, field, message, place)
    if not isinstance(part, list):
        return f"{place} must be a list in [], not {_brief(part)}"
    for index, each in enumerate(part):  # there may be thousands, all but one right
        if not _taken([each], field, message):
            return _problem_of(each, field, message, f"{place}[{index}]")
    return ""


def _problem_of(part: object, field: FieldDescriptor, message: Descriptor, place: str) -> str:
    if field.message_type:
        return _problem(part, field.message_type, place)
    if _taken(part, field, message):
        return ""
    right = f"one of {', '.join(field.enum_type.values_by_name)}" if field.enum_type else _RIGHT[field.type]
    return f"{place} must be {right}, not {_brief(part)}"


def _taken(part: object, field: FieldDescriptor, message: Descriptor) -> bool:
    """Whether protobuf takes a value for a field."""
    try:
        json_format.ParseDict({field.name: part}, GetMessageClass(message)())
    except _REFUSALS:
        return False
    return True


def _brief(value: object) -> str:
    """A JSON value, or how it starts."""
    if isinstance(value, (dict, list)) and value:
        return "an object" if isinstance(value, dict) else "a list"
    spelt = json.dumps(value)
    return spelt if len(spelt) <= _SHOWN else f"{spelt[:_SHOWN]}..."
