"""Actions, ranges of legal ones, and events (see actions.pyx)."""

from collections.abc import Iterator
from random import Random

MAX_RANGES: int

class Action:
    """One answer to one decision: kind, three operands (0..255) and an amount n; equal to its int code."""

    def __init__(self, kind: int, a: int = 0, b: int = 0, c: int = 0, n: int = 0) -> None: ...
    kind: int
    a: int
    b: int
    c: int
    n: int
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    @staticmethod
    def from_int(code: int) -> Action: ...

class ActionRange:
    """Legal actions that differ only in their amount: kind, a, b, c with n in lo..hi (inclusive)."""

    kind: int
    a: int
    b: int
    c: int
    lo: int
    hi: int
    def __len__(self) -> int: ...
    def __contains__(self, action: object) -> bool: ...
    def first(self) -> Action:
        """The action with the lowest amount."""
    def last(self) -> Action:
        """The action with the highest amount."""
    def action(self, n: int) -> Action:
        """The action with amount n; ValueError outside lo..hi."""
    def sample(self, rng: Random) -> Action:
        """A uniformly random amount."""

class Legal:
    """The legal ranges of one seat's decision: a read-only sequence, reusable as a preallocated buffer."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> ActionRange: ...
    def __iter__(self) -> Iterator[ActionRange]: ...
    def __contains__(self, action: object) -> bool: ...
    def code(self, index: int, n: int) -> int:
        """The int code of range `index` with amount `n`, clipped into lo..hi; no object is made."""
    def count(self) -> int:
        """How many concrete actions the ranges hold."""
    def pick(self, number: int) -> Action:
        """Concrete action `number` modulo count()."""
    def sample(self, rng: Random) -> Action:
        """A random range (uniform), then a random amount (uniform)."""
    def packed(self) -> bytes:
        """Little-endian u32 template (kind | a<<8 | b<<16 | c<<24), i32 lo, i32 hi for every range."""
    @staticmethod
    def from_packed(data: bytes) -> Legal: ...

class Event:
    """What happened, and the bit mask of the seats that may see it (bit 31: the public)."""

    kind: int
    seat: int
    a: int
    b: int
    c: int
    n: int
    dice: tuple[int, ...]
    mask: int
    def visible_to(self, seat: int) -> bool: ...
