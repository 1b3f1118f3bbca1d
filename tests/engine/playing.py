"""Playing games at random for the engine's tests: which games, and how to choose."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import engine_core
from engine_core import Action, Game, Legal, State

# Every seat count, and every option away from its default at least once.
SETUPS: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {}),
    (2, {"two_player": "plain", "first_player": "first", "starting_troops": 24}),
    (3, {}),
    (3, {"setup": "deal", "trade_values": "fixed_2003", "territory_bonus": "per_trade", "fortify": "path"}),
    (3, {"starting_troops": 14, "card_draw_time": "end_attack", "trade_values": "fixed_yura"}),
    (4, {"defender_dice": "max", "min_move": "one", "last_capture": "end", "territory_bonus": "none"}),
    (5, {"trade_values": "italian", "deck_exhausted": "no_more_cards", "card_deck": "B"}),
    (6, {"must_trade_at": 6, "elimination_trade": "next_turn", "trade_values": "plus_one"}),
    (6, {"starting_troops": 8, "reinforce_start": "first", "card_deck": "C"}),
)


@cache
def game_of(number: int, turn_cap: int = 60) -> Game:
    """The game of SETUPS[number]."""
    seats, options = SETUPS[number]
    return engine_core.load("classic", seats=seats, turn_cap=turn_cap, **options)


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
    """Play a state on, at most that many decisions; yields the asked seat before each of them."""
    for _ in range(decisions):
        pending = state.pending()
        if not pending:
            return
        yield pending[0]
        state.apply(pending[0], chooser(state.legal(pending[0])))


def played(number: int, seed: int, decisions: int, turn_cap: int = 60) -> State:
    """A state of SETUPS[number] after so many decisions (or at the end, if that comes first)."""
    game = game_of(number, turn_cap)
    state = game.new_state(seed)
    for _ in walk(state, Chooser(game, seed), decisions):
        pass
    return state
