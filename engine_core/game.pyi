"""The Python surface of the engine core (see game.pyx)."""

from collections.abc import Iterable
from typing import Any

from engine_core.actions import Action as Action
from engine_core.actions import ActionRange as ActionRange
from engine_core.actions import Event as Event
from engine_core.actions import Legal as Legal
from engine_core.description import Description
from engine_core.result import Result as Result
from engine_core.ruleset import Ruleset

ABI_VERSION: int

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
    def packed_view(self, seat: int) -> bytes:
        """What view(seat).packed() is, without a view that outlives the call."""
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
