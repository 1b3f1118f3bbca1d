"""What a game looks like from outside: its actions, events and fields, so that bots need no rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ON_BOARD = 100  # the claimant of what nobody has claimed


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of action or event: its name, what each operand means, and what the amount counts.

    An operand is `territory`, `card`, `seat`, `colour`, `number`, a name of Description.labels, or "" where
    unused. `luck` marks an event that tells what dice, a shuffle or a draw have brought.
    """

    name: str
    operands: tuple[str, str, str] = ("", "", "")
    amount: str = ""
    summary: str = ""
    luck: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One named run of int32 in the packed position or view.

    `of` says what the values are (`number`, `territory`, `card`, `seat`, `colour`, `phase`, a name of
    Description.labels; `holder`: a colour, 100 for the deck, 101 for the discards, 102 for what is laid
    aside; or `claimant`: a colour, 100 for the board), `per` what indexes them ("" for a scalar or a plain
    row); -1 stands for hidden or none. A position text leaves out what equals `default`.
    """

    name: str
    length: int
    of: str = "number"
    per: str = ""
    summary: str = ""
    default: int = 0


@dataclass(frozen=True, slots=True)
class Description:
    """A game's vocabulary and layout; layout_version changes when a field moves or changes its meaning.

    `labels` are further kinds of things with names of their own, such as `mission`: kind -> names in order.
    """

    family: str
    layout_version: int
    seats: int
    colours: tuple[str, ...]
    colour_seat: tuple[int, ...]
    teams: tuple[int, ...]
    rotations: tuple[tuple[int, ...], ...]
    territories: tuple[str, ...]
    territory_names: tuple[str, ...]
    cards: tuple[str, ...]
    phases: tuple[str, ...]
    actions: tuple[Kind, ...]
    events: tuple[Kind, ...]
    fields: tuple[Field, ...]
    rules: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def names(self, what: str) -> tuple[str, ...]:
        """The names of territories, cards, phases or a label's things in order; empty for what has none."""
        known = {"territory": self.territories, "card": self.cards, "phase": self.phases}
        return known.get(what, self.labels.get(what, ()))

    def action_kind(self, name: str) -> int:
        """The number of an action kind; ValueError names the valid ones."""
        for number, kind in enumerate(self.actions):
            if kind.name == name:
                return number
        raise ValueError(f"no action kind {name!r}; valid: {', '.join(k.name for k in self.actions)}")

    def offset(self, name: str) -> tuple[int, int]:
        """(offset, length) of a field in int32 words, the version word not counted."""
        offset = 0
        for run in self.fields:
            if run.name == name:
                return offset, run.length
            offset += run.length
        raise ValueError(f"no field {name!r}; valid: {', '.join(f.name for f in self.fields)}")

    def words(self) -> int:
        """How many int32 words a packed position has behind its version word."""
        return sum(run.length for run in self.fields)
