"""One option of a family: what it may be, what it is by default, and which rule it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from engine_core.errors import OptionError

OptionValue = str | int
MAX_OPTION_TEXT = 200


@dataclass(frozen=True, slots=True)
class Option:
    """An option: `values` are the choices of a `choice`, (lo, hi) of an `int`, empty for a `bool` (0 or 1).

    They are empty for a `text`, too. `doc` says in a sentence what it changes, `source` which rulebook has
    the default. `added` marks one that came after the first release: a resolved ruleset leaves it out while
    it has its family's default, so that the texts and hashes of older rulesets stay as they are.
    """

    name: str
    kind: Literal["choice", "int", "bool", "text"]
    values: tuple[OptionValue, ...]
    default: OptionValue
    doc: str
    source: str
    added: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values in words, for messages and help."""
        if self.kind == "int":
            return f"a whole number in {self.values[0]}..{self.values[1]}"
        if self.kind == "text":
            return f"at most {MAX_OPTION_TEXT} printable characters"
        return "true, false" if self.kind == "bool" else ", ".join(str(value) for value in self.values)

    def check(self, value: object) -> OptionValue:
        """The value as it is stored; OptionError when it is not allowed."""
        if self.kind == "bool" and (value is True or value is False):
            value = int(value)
        for allowed in (0, 1) if self.kind == "bool" else self.values if self.kind == "choice" else ():
            if type(value) is type(allowed) and value == allowed:
                return allowed
        if self.kind == "int" and type(value) is int and int(self.values[0]) <= value <= int(self.values[1]):
            return value
        if self.kind == "text" and isinstance(value, str) and _is_line(value):
            return value
        raise OptionError(self.name, value, self.allowed)

    def spell(self, value: OptionValue) -> str:
        """A value as a person writes it."""
        return ("false", "true")[int(value)] if self.kind == "bool" else str(value)

    def parse(self, text: str) -> OptionValue:
        """The value that a text such as `50`, `true` or `fixed_2003` stands for; OptionError if none."""
        number = int(text) if re.fullmatch("-?[0-9]{1,10}", text) else None
        for value in (text, number, {"true": True, "false": False}.get(text)):
            try:
                return self.check(value)
            except OptionError:
                continue
        raise OptionError(self.name, text, self.allowed)


def _is_line(text: str) -> bool:
    return len(text) <= MAX_OPTION_TEXT and text.isprintable()
