"""Playing games at random for the engine's tests: which games, and how to choose."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

import engine_core
from engine_core import Action, Game, Legal, State, variants
from engine_core.registry import family


class Setup(NamedTuple):
    """A game to play: a variant, how many seats, and options by name."""

    variant: str
    seats: int
    options: Mapping[str, Any] = MappingProxyType({})


CLASSIC = (
    Setup("classic", 2),
    Setup("classic", 2, {"two_player": "plain", "first_player": "first", "starting_troops": 24}),
    Setup("classic", 3),
    Setup(
        "classic",
        3,
        {"setup": "deal", "trade_values": "fixed_2003", "territory_bonus": "per_trade", "fortify": "path"},
    ),
    Setup(
        "classic",
        3,
        {"starting_troops": 14, "card_draw_time": "end_attack", "trade_values": "fixed_yura"},
    ),
    Setup(
        "classic",
        4,
        {"defender_dice": "max", "min_move": "one", "last_capture": "end", "territory_bonus": "none"},
    ),
    Setup("classic", 5, {"trade_values": "italian", "deck_exhausted": "no_more_cards", "card_deck": "B"}),
    Setup("classic", 6, {"must_trade_at": 6, "elimination_trade": "next_turn", "trade_values": "plus_one"}),
    Setup("classic", 6, {"starting_troops": 8, "reinforce_start": "first", "card_deck": "C"}),
)

# Each new option away from its default at least once, and rules together that no variant joins.
MIXES = (
    Setup("classic", 2, {"setup": "piles", "expert_commander": 1, "troop_cap": 30}),
    Setup(
        "classic",
        3,
        {
            "expert_card_reroll": 1,
            "expert_commander": 1,
            "fortify": "path_many",
            "bonus_declinable": 1,
            "territory_bonus": "per_trade",
            "must_trade_at": 0,
        },
    ),
    Setup(
        "classic",
        5,
        {"setup": "deal", "troop_cap": 3, "starting_troops": 60, "fortify": "path_many", "must_trade_at": 0},
    ),
    Setup(
        "classic", 4, {"map_edges_override": "anniversary_40", "troop_cap": 5, "territory_bonus": "per_trade"}
    ),
    Setup(
        "secret_mission",
        6,
        {"mission_deck": "us12_guess", "own_colour_mission": "redraw", "starting_troops": 9},
    ),
    Setup(
        "secret_mission",
        4,
        {
            "mission_kill_credit": "self_else_24",
            "mission_check": "own_turn",
            "colours": "red,violet,black,blue",
            "expert_card_reroll": 1,
            "starting_troops": 12,
        },
    ),
    Setup(
        "secret_mission",
        3,
        {"headquarters": "hidden", "mission_check": "own_turn", "own_colour_mission": "redraw"},
    ),
    Setup("capital", 2, {"headquarters": "hidden", "setup": "piles"}),
    Setup("capital", 4, {"headquarters": "hidden", "capital_short": 1, "setup": "deal"}),
    Setup("capital", 6, {"headquarters": "hidden", "starting_troops": 8, "card_draw_time": "end_attack"}),
    Setup(
        "objectives_basic",
        3,
        {
            "extra_cards": "by_seats",
            "three_player_card": 1,
            "elimination_win": "immediate",
            "territories_objective": 20,
            "star_trades_per_turn": 3,
            "map_edges_override": "german_2008",
        },
    ),
    Setup(
        "command_room",
        3,
        {
            "reward_placement": "pile",
            "reward_visibility": "down",
            "airfield_scope": "battle_location",
            "airfield_cap": 1,
            "objectives_to_win": 8,
        },
    ),
    Setup(
        "command_room",
        4,
        {
            "reward_visibility": "down",
            "airfield_scope": "either",
            "elimination_win": "immediate",
            "guaranteed_card_beats_objective": 1,
            "starting_troops": 15,
        },
    ),
    Setup(
        "command_room",
        5,
        {
            "trade_values": "progressive",
            "card_deck": "A",
            "elimination_trade": "immediate_to_4",
            "objectives_to_win": 0,
            "reward_placement": "pile",
            "starting_troops": 10,
        },
    ),
    Setup(
        "classic",
        4,
        {
            "setup": "deal",
            "missions": 1,
            "capitals": "own",
            "cities": "random",
            "objectives": "random",
            "rewards": 1,
            "reward_visibility": "down",
            "troop_cap": 12,
            "fortify": "path_one_to_many",
        },
    ),
)

VARIANTS = tuple(
    Setup(name, seats)
    for name, variant in variants().items()
    if variant.family == "conquest" and name != "classic"
    for seats in range(variant.seats[0], variant.seats[1] + 1)
)

# The classic game, every other variant at every seat count, and options away from their defaults.
SETUPS = (*CLASSIC, *VARIANTS, *MIXES)


LONGEST = 3000  # decisions of a game that is looked at


def setup_name(number: int) -> str:
    """A short name for a test of SETUPS[number]."""
    setup = SETUPS[number]
    return f"{number}-{setup.variant}-{setup.seats}" + "-mixed" * bool(setup.options)


@cache
def game_of(number: int, turn_cap: int = 60) -> Game:
    """The game of SETUPS[number]."""
    setup = SETUPS[number]
    return engine_core.load(setup.variant, seats=setup.seats, turn_cap=turn_cap, **setup.options)


def option(game: Game, name: str) -> int | str:
    """The value of an option, also of one that is left out of rulesets at its default."""
    defaults = {one.name: one.default for one in family(game.ruleset.family).options}
    return game.ruleset.options.get(name, defaults[name])


class Chooser:
    """Chooses legal actions at random, but with a will to attack and trade, so that games get somewhere."""

    def __init__(self, game: Game, seed: int, daring: float = 0.9) -> None:
        self.rng = random.Random(seed)
        self.daring = daring
        self.end = game.description.action_kind("end")
        self.attack = game.description.action_kind("attack")

    def __call__(self, legal: Legal) -> Action:
        if self.rng.random() >= self.daring or legal[len(legal) - 1].kind != self.end or len(legal) == 1:
            return legal.sample(self.rng)
        entry = legal[self.rng.randrange(len(legal) - 1)]
        return entry.last() if entry.kind == self.attack else entry.sample(self.rng)


def walk(state: State, chooser: Chooser, decisions: int) -> Iterator[int]:
    """Play a state on, at most that many decisions; yields the asked seat before each of them.

    Of several seats that are asked at once any may answer first.
    """
    for _ in range(decisions):
        pending = state.pending()
        if not pending:
            return
        seat = pending[0] if len(pending) == 1 else chooser.rng.choice(pending)
        yield seat
        state.apply(seat, chooser(state.legal(seat)))


def played(number: int, seed: int, decisions: int, turn_cap: int = 60) -> State:
    """A state of SETUPS[number] after so many decisions (or at the end, if that comes first)."""
    game = game_of(number, turn_cap)
    state = game.new_state(seed)
    for _ in walk(state, Chooser(game, seed), decisions):
        pass
    return state


@lru_cache(maxsize=1024)
def length(number: int, seed: int) -> int:
    """How many decisions a game of SETUPS[number] takes, at most LONGEST."""
    game = game_of(number)
    return sum(1 for _ in walk(game.new_state(seed), Chooser(game, seed), LONGEST))


def moment(number: int, seed: int, permille: int) -> State:
    """A state of SETUPS[number] when that part of its game has been played."""
    return played(number, seed, length(number, seed) * permille // 1000)


every_setup = pytest.mark.parametrize("number", range(len(SETUPS)), ids=setup_name)
