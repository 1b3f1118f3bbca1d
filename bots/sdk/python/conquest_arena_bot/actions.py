"""Actions, ranges of legal ones, and events; proto/arena/v1/rules.proto has their packed layouts."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

_EVENT = struct.Struct("<BBBBiii")


@dataclass(frozen=True, slots=True)
class Action:
    """One answer: a kind of action with three operands and an amount n."""

    kind: int
    a: int = 0
    b: int = 0
    c: int = 0
    n: int = 0


@dataclass(frozen=True, slots=True)
class ActionRange:
    """Legal actions that differ only in their amount: kind, a, b, c with n from lo to hi, both included."""

    kind: int
    a: int
    b: int
    c: int
    lo: int
    hi: int

    def __len__(self) -> int:
        return self.hi - self.lo + 1

    def __contains__(self, action: object) -> bool:
        return (
            isinstance(action, Action)
            and (action.kind, action.a, action.b, action.c) == (self.kind, self.a, self.b, self.c)
            and self.lo <= action.n <= self.hi
        )

    def first(self) -> Action:
        """The action with the lowest amount."""
        return self.action(self.lo)

    def last(self) -> Action:
        """The action with the highest amount."""
        return self.action(self.hi)

    def action(self, n: int) -> Action:
        """The action with amount n; ValueError outside lo..hi."""
        if not self.lo <= n <= self.hi:
            raise ValueError(f"amount {n} is not within {self.lo}..{self.hi}")
        return Action(self.kind, self.a, self.b, self.c, n)

    def sample(self, rng: Random) -> Action:
        """The action with a uniformly random amount."""
        return self.action(rng.randint(self.lo, self.hi))


class Legal:
    """The legal ranges of one decision, in the server's order."""

    def __init__(self, ranges: Sequence[ActionRange]) -> None:
        self._ranges = tuple(ranges)

    @staticmethod
    def from_packed(data: bytes) -> Legal:
        """The ranges of their packed form."""
        return Legal([ActionRange(*words) for words in struct.iter_unpack("<BBBBii", data)])

    def __len__(self) -> int:
        return len(self._ranges)

    def __getitem__(self, index: int) -> ActionRange:
        return self._ranges[index]

    def __contains__(self, action: object) -> bool:
        return action in self._ranges or any(action in offer for offer in self._ranges)

    def __iter__(self) -> Iterator[ActionRange]:
        return iter(self._ranges)

    def __repr__(self) -> str:
        return f"Legal({list(self._ranges)})"

    def count(self) -> int:
        """How many concrete actions the ranges hold."""
        return sum(map(len, self._ranges))

    def sample(self, rng: Random) -> Action:
        """A random range (uniform), then a random amount (uniform)."""
        return self._ranges[rng.randrange(len(self._ranges))].sample(rng)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the seat saw happen; seat -1 is nobody, an operand of 255 nothing that may be seen."""

    kind: int
    seat: int
    a: int
    b: int
    c: int
    n: int
    dice: tuple[int, ...] = ()


def unpack_events(data: bytes) -> tuple[Event, ...]:
    """The events of their packed form; ValueError when it is cut short."""
    events, offset = [], 0
    try:
        while offset < len(data):
            kind, a, b, c, n, seat, count = _EVENT.unpack_from(data, offset)
            dice = struct.unpack_from(f"<{count}i", data, offset + _EVENT.size)
            offset += _EVENT.size + 4 * count
            events.append(Event(kind, seat, a, b, c, n, dice))
    except struct.error as error:
        raise ValueError(f"packed events: cut short at byte {offset} of {len(data)}: {error}") from None
    return tuple(events)
