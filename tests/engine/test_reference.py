"""The kernel against a second implementation of the rules, step by step through whole games."""

from __future__ import annotations

import struct
from itertools import islice

import pytest
from playing import SETUPS, Chooser, game_of
from reference import Luck, Move, Ranges, Reference

import engine_core
from engine_core import Event, Game, State

GAMES_PER_SETUP = 5
DECISIONS = 3000


def named(game: Game, events: list[Event], name: str) -> list[Event]:
    kind = [one.name for one in game.description.events].index(name)
    return [event for event in events if event.kind == kind]


def first_player(rolls: list[Event], seats: int) -> int:
    """Who begins by the rolls that were told: the highest, ties roll again among themselves."""
    if not rolls:
        return 0
    tied, attempt = set(range(seats)), 0
    while len(tied) > 1:
        rolled = {event.seat: event.dice[0] for event in rolls if event.n == attempt}
        assert set(rolled) == tied
        tied = {seat for seat, die in rolled.items() if die == max(rolled.values())}
        attempt += 1
    assert len({event.n for event in rolls}) == attempt
    return tied.pop()


def offered(game: Game, state: State, seat: int) -> Ranges:
    kinds = game.description.actions
    return {(kinds[one.kind].name, one.a, one.b, one.c): (one.lo, one.hi) for one in state.legal(seat)}


def fields(state: State) -> dict[str, tuple[int, ...]]:
    """Every field by name, from one packed position."""
    layout = state.game.description.fields
    words = iter(struct.unpack(f"<{state.game.description.words() + 1}i", state.packed())[1:])
    return {field.name: tuple(islice(words, field.length)) for field in layout}


def compare(game: Game, state: State, model: Reference) -> None:
    """Everything that both know."""
    found = fields(state)
    assert game.description.phases[found["phase"][0]] == model.phase
    assert found["owner"] == tuple(model.owner)
    assert found["troops"] == tuple(model.troops)
    assert found["pool"] == tuple(model.pool)
    holders = dict.fromkeys(model.discards, 101) | {
        card: colour for colour, hand in enumerate(model.hand) for card in hand
    }
    assert found["cards"] == tuple(holders.get(card, 100) for card in range(len(model.symbol)))
    assert found["deck_count"] == (model.deck,)
    assert found["living"][: model.seats] == tuple(seat in model.living for seat in range(model.seats))
    assert sorted(model.fallen, key=found["eliminated_at"].__getitem__) == model.fallen
    if model.ending:
        result = state.result()
        assert (result.over, result.termination) == (True, model.ending)
        assert set(result.survivors) == model.living
        assert result.winners == (tuple(model.living) if model.ending == "rules" else ())
        return
    assert state.pending() == (model.asked,)
    assert offered(game, state, model.asked) == model.ranges()
    assert found["turn_colour"] + found["lap"] + found["sets_traded"] == (model.turn, model.lap, model.sets)
    assert found["reinforcements"] == (model.reinforcements,)
    if model.phase not in ("claim", "place"):
        assert found["captured"] + found["bonuses_used"] == (model.captured, model.bonuses)


def together(game: Game, seed: int, decisions: int, daring: float = 0.9) -> Reference:
    """Play the kernel and the reference side by side; fails at the first difference."""
    state, events = game.start(seed)
    first = first_player(named(game, events, "rolled_first"), game.seats)
    dealt = [(event.a, event.b) for event in named(game, events, "dealt")]
    for number, (_, colour) in enumerate(dealt):  # clockwise from the first player, the neutral colour last
        colours = len(game.description.colours)
        order = [*((first + step) % game.seats for step in range(game.seats)), game.seats][:colours]
        assert colour == order[number % colours]
    model = Reference(game, first, dealt)
    if dealt:
        model.pass_goes()
    model.go_on()
    compare(game, state, model)
    chooser = Chooser(game, seed, daring)
    for _ in range(decisions):
        if model.ending:
            break
        action = chooser(state.legal(model.asked))
        luck = Luck(game, state.play(model.asked, action))
        kind = game.description.actions[action.kind].name
        model.play(Move(kind, action.a, action.b, action.c, action.n), luck)
        assert luck.spent()
        compare(game, state, model)
    return model


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_kernel_and_reference_agree_in_every_decision(number: int) -> None:
    for seed in range(GAMES_PER_SETUP):
        together(game_of(number, turn_cap=30), 1000 * number + seed, DECISIONS)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_kernel_and_reference_agree_on_random_play(number: int) -> None:
    together(game_of(number), number, 1500, daring=0.0)


OPTIONS: list[dict[str, str | int]] = [
    {"fortify": "path", "card_draw_time": "end_attack", "deck_exhausted": "no_more_cards"},
    {"trade_values": "italian", "territory_bonus": "per_trade", "must_trade_at": 6},
    {"trade_values": "fixed_2003", "elimination_trade": "next_turn", "last_capture": "end"},
    {"defender_dice": "max", "min_move": "one", "setup": "deal", "card_deck": "C"},
]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ",".join(options))
def test_kernel_and_reference_agree_whatever_the_options(seats: int, options: dict[str, str | int]) -> None:
    extra = (
        {"two_player": "plain", "starting_troops": 22} if seats == 2 else {"starting_troops": 42 // seats + 2}
    )
    game = engine_core.load("classic", seats=seats, turn_cap=25, **options, **extra)
    for seed in range(2):
        together(game, seed, 1500)


def test_games_together_reach_eliminations_and_wins() -> None:
    models = [together(game_of(number), seed, 6000) for number in (1, 3, 4) for seed in range(3)]
    assert sum(len(model.fallen) for model in models) >= 8
    assert {model.ending for model in models} >= {"rules", "turn_cap"}
