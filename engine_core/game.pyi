"""The Python surface of the engine core (see game.pyx)."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from engine_core.description import Description
from engine_core.ruleset import Ruleset

ABI_VERSION: int
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

class Result:
    """Facts of a game, finished or not; scores are the platform's."""

    over: bool
    termination: str
    winners: tuple[int, ...]
    survivors: tuple[int, ...]
    eliminated_at: tuple[int, ...]
    territories: tuple[int, ...]
    troops: tuple[int, ...]
    retired: tuple[int, ...]
    lap: int
    decisions: int

class Game:
    """A ruleset bound to its kernel: makes states; immutable and shareable."""

    ruleset: Ruleset
    description: Description
    seats: int
    state_size: int
    def __init__(self, ruleset: Ruleset) -> None: ...
    def new_state(self, seed: int | bytes = 0, *, dice: Iterable[int] = ()) -> State:
        """Set up a new game; seed is the 128-bit key, `dice` are scripted values used before the key."""
    def start(self, seed: int | bytes = 0, *, dice: Iterable[int] = ()) -> tuple[State, list[Event]]:
        """Like new_state, and also what happened in the set-up."""
    def position(self, position: str, *, seed: int | bytes = 0) -> State:
        """Parse a position text (TextError says where); the seed keys the dice and fills in unknown cards."""
    def unpack_position(self, data: bytes, *, seed: int | bytes = 0) -> State: ...
    def unpack_view(self, data: bytes, seat: int) -> View: ...
    def view(self, view: str, seat: int) -> View:
        """Parse a view text as seen by a seat, -1 for the public."""
    def action(self, text: str) -> Action:
        """Parse an action text such as `attack ALA KAM 3`."""
    def action_text(self, action: Action | int) -> str: ...
    def event_text(self, event: Event) -> str: ...
    def buffer(self) -> Legal:
        """A preallocated buffer for State.legal_into."""

class State:
    """One game in progress: one flat block of memory and its dice source."""

    game: Game
    key: bytes
    def pending(self) -> tuple[int, ...]:
        """Seats that owe a decision, ascending; empty when the game is over."""
    def pending_mask(self) -> int: ...
    def legal(self, seat: int) -> Legal: ...
    def legal_into(self, seat: int, buffer: Legal) -> int:
        """Fill a buffer and return its number of ranges."""
    def apply(self, seat: int, action: Action | int) -> None:
        """Play it; IllegalAction leaves the state byte for byte as it was."""
    def play(self, seat: int, action: Action | int) -> list[Event]:
        """Like apply, and return what happened."""
    def retire(self, seat: int, mode: str = "passive") -> list[Event]:
        """Take a faulted seat out: `passive` or `neutral`."""
    def script(self, dice: Iterable[int]) -> None:
        """Put values in front of the generator (each 1..sides for a die)."""
    def scripted_left(self) -> int: ...
    def copy(self) -> State: ...
    def result(self) -> Result: ...
    def view(self, seat: int) -> View: ...
    def public_view(self) -> View: ...
    def text(self) -> str: ...
    def packed(self) -> bytes:
        """All fields as little-endian int32 in the order of description.fields, behind a version word."""
    def digest(self) -> str:
        """Hex hash of the state's bytes (not of its key)."""
    def check(self) -> None:
        """Raise StateError naming the first broken invariant."""
    def field(self, name: str) -> tuple[int, ...]: ...
    def __getattr__(self, name: str) -> Any:
        """Any field of description.fields by name: an int for scalars, else a tuple of ints (-1 = hidden)."""

class View:
    """What one seat (or the public, seat -1) may see: a state with the secrets blanked."""

    game: Game
    seat: int
    def legal(self, seat: int) -> Legal: ...
    def pending(self) -> tuple[int, ...]: ...
    def result(self) -> Result: ...
    def text(self) -> str: ...
    def packed(self) -> bytes: ...
    def digest(self) -> str: ...
    def field(self, name: str) -> tuple[int, ...]: ...
    def resample(self, seed: int | bytes) -> State:
        """A full state consistent with this view, its unknowns filled at random from `seed`."""
    def __getattr__(self, name: str) -> Any: ...
