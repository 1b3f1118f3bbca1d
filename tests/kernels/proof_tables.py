"""What the proof kernels say about themselves: their words with bounds, and a Description made of them."""

from __future__ import annotations

from dataclasses import dataclass

from engine_core import Description, Field, Kind, Option, Ruleset

CHAIRS = 4

# In the order of the enums Rule and EventKind of common.pxd.
RULES = (
    "fine",
    "this seat owes no decision now",
    "this was not offered",
    "the seat is already out of the game",
    "a seat is retired as passive or neutral",
    "the position cannot be",
)
EVENTS = (
    Kind("over", amount="termination"),
    Kind("retired", amount="mode"),
    Kind("fell", amount="order"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A run of int32 members of a state: name, length, bounds, and what the values are."""

    name: str
    length: int = 1
    lo: int = 0
    hi: int = (1 << 31) - 1
    of: str = "number"
    per: str = ""
    default: int = 0


# In the order of the struct Head of common.pxd.
HEAD = (
    Word("lap"),
    Word("decisions"),
    Word("termination", hi=3),
    Word("falls", hi=CHAIRS),
    Word("retired", CHAIRS, hi=2),
    Word("fell", CHAIRS, lo=-1, hi=CHAIRS, default=-1),
)


def turn_cap(default: int) -> Option:
    return Option("turn_cap", "int", (1, 10000), default, "the game ends in a draw after this many laps", "")


def description(
    ruleset: Ruleset,
    words: tuple[Word, ...],
    *,
    phases: tuple[str, ...] = (),
    actions: tuple[Kind, ...],
    events: tuple[Kind, ...],
    cards: tuple[str, ...] = (),
) -> Description:
    """The description of a proof kernel's game; `words` and `events` without what all kernels share."""
    return Description(
        family=ruleset.family,
        layout_version=1,
        seats=ruleset.seats,
        colours=ruleset.colours,
        colour_seat=ruleset.colour_seat,
        teams=ruleset.teams,
        rotations=ruleset.rotations,
        territories=ruleset.board.ids,
        territory_names=tuple(territory.name for territory in ruleset.board.territories),
        cards=cards,
        phases=phases,
        actions=actions,
        events=EVENTS + events,
        fields=tuple(Field(w.name, w.length, w.of, w.per, "", w.default) for w in HEAD + words),
        rules=RULES,
    )
