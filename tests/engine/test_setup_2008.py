"""The set-up of the 2008 game over many seeds: what is drawn, that all of it can be, and luck is fair."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from playing import Chooser, walk

import engine_core
from engine_core import Game, State

SEEDS = range(600)
ON_BOARD = 100
GAME = engine_core.load("command_room", seats=3)
MINOR = [name for name in GAME.description.labels["objective"] if name.startswith("m")]
MAJOR = [name for name in GAME.description.labels["objective"] if name.startswith("M")]
REWARDS = GAME.description.labels["reward"]


@cache
def starts() -> list[State]:
    return [GAME.new_state(seed) for seed in SEEDS]


def on_board(state: State) -> list[str]:
    names = GAME.description.labels["objective"]
    return [name for name, holder in zip(names, state.field("objective"), strict=True) if holder == ON_BOARD]


def tokens(state: State) -> dict[str, str]:
    """The reward on each objective of the board."""
    names = GAME.description.labels["objective"]
    laid = state.field("reward_on")
    return {names[at]: REWARDS[reward] for at, reward in enumerate(laid) if reward >= 0}


def evenly(counts: Counter[str], names: list[str], share: float) -> None:
    """Each name comes up about as often as the share says: within 5 standard deviations."""
    expected = len(SEEDS) * share
    allowed = 5 * (expected * (1 - share)) ** 0.5
    for name in names:
        assert abs(counts[name] - expected) < allowed, (name, counts[name], expected)


def test_twelve_objectives_six_of_each_rank_and_eight_rewards() -> None:
    assert (len(MINOR), len(MAJOR)) == (6, 6)
    assert REWARDS[:4] == ("airfield_minor", "starting_maneuver", "additional_maneuver", "guaranteed_card")
    assert REWARDS[4:] == ("airfield_major", "attack_die", "defense_die", "two_troops")


def test_fifteen_cities_on_different_territories_each_equally_likely() -> None:
    founded: Counter[str] = Counter()
    for state in starts():
        cities = state.field("city")
        assert set(cities) == {0, 1}
        assert sum(cities) == 15
        founded.update(name for name, city in zip(GAME.description.territories, cities, strict=True) if city)
    evenly(founded, list(GAME.description.territories), 15 / 42)


def test_four_objectives_of_each_rank_each_equally_likely() -> None:
    drawn: Counter[str] = Counter()
    for state in starts():
        board = on_board(state)
        assert (sum(name in MINOR for name in board), sum(name in MAJOR for name in board)) == (4, 4)
        drawn.update(board)
    evenly(drawn, MINOR + MAJOR, 4 / 6)


def test_each_objective_on_the_board_bears_one_reward_of_its_rank() -> None:
    laid: Counter[str] = Counter()
    for state in starts():
        pairs = tokens(state)
        assert set(pairs) == set(on_board(state))
        assert {pairs[name] for name in pairs if name in MINOR} == set(REWARDS[:4])
        assert {pairs[name] for name in pairs if name in MAJOR} == set(REWARDS[4:])
        laid.update(f"{objective} {reward}" for objective, reward in pairs.items())
    minor = [f"{objective} {reward}" for objective in MINOR for reward in REWARDS[:4]]
    major = [f"{objective} {reward}" for objective in MAJOR for reward in REWARDS[4:]]
    evenly(laid, minor + major, 4 / 6 / 4)


def test_the_piles_hold_each_token_once_minor_ones_first() -> None:
    game = engine_core.load("command_room", seats=3, reward_placement="pile")
    first: Counter[str] = Counter()
    for seed in SEEDS:
        state = game.new_state(seed)
        pile = [REWARDS[token] for token in state.field("reward_pile")]
        assert (set(pile[:4]), set(pile[4:])) == (set(REWARDS[:4]), set(REWARDS[4:]))
        assert set(state.field("reward_on")) == {-1}
        first.update((pile[0], pile[4]))
    evenly(first, list(REWARDS), 1 / 4)


def test_the_cards_drawn_for_cities_are_shuffled_back() -> None:
    """All 42 cards are in the deck, and a city's card is as likely on its top as any other."""
    top = 0
    for state in starts():
        deck = state.field("deck")
        assert sorted(deck) == list(range(42))
        top += state.field("city")[deck[0]]
    assert abs(top - len(SEEDS) * 15 / 42) < 5 * (len(SEEDS) * 15 / 42 * 27 / 42) ** 0.5


def test_draws_do_not_hang_together() -> None:
    """Neighbouring seeds, and the cities and the deck of one seed, are as different as chance has it."""
    common = [
        sum(a & b for a, b in zip(one.field("city"), other.field("city"), strict=True))
        for one, other in pairwise(starts())
    ]
    assert abs(sum(common) / len(common) - 15 * 15 / 42) < 0.5


def test_the_introductory_game_is_always_the_same_but_for_the_deal() -> None:
    game = engine_core.load("objectives_basic", seats=3)
    states = [game.new_state(seed) for seed in range(50)]
    assert len({state.field("city") for state in states}) == 1
    assert len({state.field("objective") for state in states}) == 1
    assert len({state.field("owner") for state in states}) == 50


def setups() -> list[Game]:
    return [
        engine_core.load(variant, seats=seats)
        for variant in ("objectives_basic", "command_room", "world_conquest")
        for seats in (3, 4, 5)
    ]


@pytest.mark.parametrize("game", setups(), ids=lambda game: f"{game.ruleset.name} {game.seats}")
def test_everyone_places_the_starting_troops_exactly(game: Game) -> None:
    troops = {3: 30, 4: 25, 5: 20}[game.seats]
    extra = {3: [0, 0, 0], 4: [0, 0, 1, 1], 5: [0, 0, 1, 1, 2]}[game.seats]
    for seed in range(4):
        state = game.new_state(seed)
        for _ in walk(state, Chooser(game, seed), 1000):
            if game.description.phases[state.phase] not in ("capital", "claim", "place"):
                break
        held = [0] * game.seats
        for owner, number in zip(state.owner, state.troops, strict=True):
            held[owner] += number
        assert held == [troops] * game.seats
        first = state.first_colour
        assert [state.cards_held[(first + turn) % game.seats] for turn in range(game.seats)] == extra
        assert [state.owner[capital] for capital in state.field("capital")] == list(range(game.seats))
