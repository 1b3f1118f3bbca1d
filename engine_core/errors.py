"""Every error of the engine core, in one tree.

EngineError
├── RulesetError         a variant, option, board or deck is not usable (also a ValueError)
│   ├── UnknownName      a name that is not registered; carries the valid ones
│   └── OptionError      an option's value is not allowed; carries the key and what is
├── IllegalAction        the rules forbid the action now; carries the rule (also a ValueError)
├── TextError            a position, action or record text is malformed; carries where (also a ValueError)
└── StateError           a call that this state cannot take, such as a seat that does not exist
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(what: str, name: object, valid: Iterable[str]) -> str:
    """What to say of an unknown name: the closest valid one, if any is close, and all of them."""
    names = tuple(valid)
    return f"unknown {what} {name!r}{hint(name, names)}; valid: {', '.join(names) or '(none)'}"


def hint(name: object, valid: Iterable[str]) -> str:
    """` (did you mean ...?)` with the valid name that is closest; nothing when none is close."""
    close = difflib.get_close_matches(str(name), list(valid), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


class EngineError(Exception):
    """Any error raised by the engine core."""


class RulesetError(EngineError, ValueError):
    """A variant, option, board or deck that cannot be used."""


class UnknownName(RulesetError):
    """A name that is not registered; the message lists the valid ones."""

    def __init__(self, what: str, name: object, valid: Iterable[str]) -> None:
        self.what = what
        self.name = name
        self.valid = tuple(valid)
        super().__init__(unknown(what, name, self.valid))


class OptionError(RulesetError):
    """An option value that is not allowed; the message says which values are.

    `also` are the errors of further options, where several do not go together.
    """

    def __init__(self, key: str, value: object, allowed: str, also: Iterable[OptionError] = ()) -> None:
        self.key = key
        self.value = value
        self.allowed = allowed
        self.also = tuple(also)
        own = f"option {key} = {value!r} is not allowed; allowed: {allowed}"
        super().__init__("\n".join([own, *map(str, self.also)]))

    @classmethod
    def together(cls, errors: Iterable[OptionError]) -> OptionError:
        """One error that says them all; of each option only what was said first."""
        by_key: dict[str, OptionError] = {}
        for error in errors:
            by_key.setdefault(error.key, error)
        first, *others = by_key.values()
        return cls(first.key, first.value, first.allowed, others)


class IllegalAction(EngineError, ValueError):
    """An action the rules forbid now; `rule` names the rule in a sentence."""

    def __init__(self, rule: str, *, seat: int, action: str) -> None:
        self.rule = rule
        self.seat = seat
        self.action = action
        super().__init__(f"seat {seat} may not play `{action}`: {rule}")


class TextError(EngineError, ValueError):
    """A malformed text; `where` is the key or the 1-based word at fault."""

    def __init__(self, message: str, *, where: str) -> None:
        self.where = where
        super().__init__(f"{where}: {message}")


class StateError(EngineError):
    """A call that this state cannot take."""
