"""Random games of the endor family for its tests: which games, and the states along them."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

import engine_core
from engine_core import Event, Game, State, View

PUBLIC = -1

# Both variants, and every option away from its default at least once.
SETUPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("endor", {}),
    ("endor_teams", {}),
    ("endor", {"may_waste_hits": False, "tie_reserve": 32, "luke_vader": "13_12", "ambush": "three_ahead"}),
    ("endor", {"bonus_for_clearing_marker": "any_attack", "bwing_on_o1": False, "attack_from_marker": False}),
    ("endor", {"bonus_for_clearing_marker": "ordinary_attack_only", "redeem_requires_luke_alive": False}),
    (
        "endor",
        {
            "death_star_sector_shot_gives_clear_bonus": False,
            "death_star_falcon_kill_gives_2": False,
            "attack_uses_all_fighters_of_type_in_origin": False,
            "tie_attack_after_deploy": False,
            "emperor_order_after_vader_killed": False,
        },
    ),
    ("endor_teams", {"partners_show_hands": False, "may_waste_hits": False, "turn_cap": 12}),
)


@cache
def game_of(number: int) -> Game:
    """The game of SETUPS[number]."""
    variant, options = SETUPS[number]
    return engine_core.load(variant, **options)


def told(state: State, rng: random.Random, decisions: int) -> Iterator[tuple[State, list[Event]]]:
    """(the state before, the events of the step) along a random game; seats choose in any order."""
    for _ in range(decisions):
        seats = state.pending()
        if not seats:
            return
        before = state.copy()
        seat = rng.choice(seats)
        yield before, state.play(seat, state.legal(seat).sample(rng))


def walk(state: State, rng: random.Random, decisions: int = 20000) -> State:
    """Play a state on at random, at most so many decisions; returns it."""
    for _ in range(decisions):
        seats = state.pending()
        if not seats:
            break
        seat = rng.choice(seats)
        state.apply(seat, state.legal(seat).sample(rng))
    return state


def played(number: int, seed: int, decisions: int) -> State:
    """A state of SETUPS[number] after so many random decisions (or at the end, if that comes first)."""
    return walk(game_of(number).new_state(seed), random.Random(seed), decisions)


def seen(state: State, seat: int) -> View:
    return state.public_view() if seat == PUBLIC else state.view(seat)


def seats_and_public(game: Game) -> range:
    return range(PUBLIC, game.seats)


def phase(state: State) -> str:
    return state.game.description.phases[int(state.phase)]


def changed(state: State, changes: dict[tuple[str, int], int]) -> State:
    """The state with some words set: (field, index) -> value."""
    description = state.game.description
    form = f"<{description.words() + 1}i"
    words = list(struct.unpack(form, state.packed()))
    for (field, index), value in changes.items():
        words[description.offset(field)[0] + 1 + index] = value
    return state.game.unpack_position(struct.pack(form, *words))


def row(state: State | View, field: str, number: int, rows: int) -> tuple[int, ...]:
    """One of the rows that a field is made of, such as a seat's pile."""
    values = state.field(field)
    length = len(values) // rows
    return values[number * length : (number + 1) * length]
