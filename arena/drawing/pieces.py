"""What stands on the territories of a position; fields that a ruleset does not use are simply not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine_core import Game, Ruleset, State, View

TURN = "turn"  # the event with which a turn starts


@dataclass(frozen=True)
class Pieces:
    """The pieces by territory index: `owner` is a colour (-1: nobody), `capitals` maps to whose it is."""

    owner: tuple[int, ...]
    troops: tuple[int, ...]
    cities: frozenset[int] = frozenset()
    airfields: frozenset[int] = frozenset()
    capitals: Mapping[int, int] = field(default_factory=dict)


def capital_word(ruleset: Ruleset) -> str:
    """What this game calls its capitals."""
    return "headquarters" if ruleset.options.get("headquarters", "none") != "none" else "capital"


def fields_of(game: Game) -> frozenset[str]:
    """The names of the fields that positions of this game have."""
    return frozenset(each.name for each in game.description.fields)


def pieces_of(state: State | View) -> Pieces:
    """The pieces of a state, or of a view as far as it shows them."""
    known = fields_of(state.game)

    def row(name: str) -> tuple[int, ...]:
        return state.field(name) if name in known else ()

    return Pieces(
        owner=row("owner"),
        troops=row("troops"),
        cities=frozenset(place for place, city in enumerate(row("city")) if city > 0),
        airfields=frozenset(place for place in row("airfield") if place >= 0),
        capitals={place: colour for colour, place in enumerate(row("capital")) if place >= 0},
    )


def example_position(game: Game, seed: int) -> View:
    """What the public sees once the set-up is played at random from `seed`: the start of the first turn."""
    rng = Random(seed)
    state, events = game.start(seed)
    names = [kind.name for kind in game.description.events]
    while TURN in names and TURN not in {names[event.kind] for event in events}:
        events = [
            event for seat in state.pending() for event in state.play(seat, state.legal(seat).sample(rng))
        ]
    return state.public_view()
