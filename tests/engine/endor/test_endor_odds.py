"""Exact odds of the endor family: every roll is played in the engine and counted against independent sums."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial

import pytest

import engine_core
from engine_core import State

SPACES = 28
TROOPERS = 9
FACES = range(1, 7)


@cache
def start(text: str) -> State:
    return engine_core.load("endor").position(text)


def rolled(state: State, action: str, dice: tuple[int, ...]) -> State:
    """The state after the action of the seat that is asked, with these dice."""
    twin = state.copy()
    twin.script(dice)
    (seat,) = twin.pending()
    twin.apply(seat, twin.game.action(action))
    assert twin.scripted_left() == 0
    return twin


# ---- the Death Star


def test_the_death_star_hits_five_times_in_nine() -> None:
    state = start("phase=order turn=1 flipped=death_star_vader_1 marker=*:0,F1:1 xwing=O3:5 tie=I4:4")
    hits = sum(not rolled(state, "order death_star", dice).marker[0] for dice in product(FACES, repeat=2))
    assert Fraction(hits, 36) == Fraction(5, 9)


@pytest.mark.parametrize("ships", range(1, 8))
def test_the_final_attack_needs_a_six(ships: int) -> None:
    """n dice, never more than five: 1 - (5/6)^n."""
    state = start(f"phase=attack turn=0 flipped=xwing_luke order=xwing shield=28 xwing=I1:{ships}")
    dice = min(ships, 5)
    wins = sum(
        rolled(state, "attack I1 DS xwing", roll).result().winners == (0,)
        for roll in product(FACES, repeat=dice)
    )
    assert Fraction(wins, 6**dice) == 1 - Fraction(5, 6) ** dice


def test_the_falcons_final_attack_has_two_dice() -> None:
    state = start("phase=attack turn=0 flipped=xwing_falcon_luke order=falcon shield=28 falcon=I5")
    wins = sum(rolled(state, "attack I5 DS falcon", roll).result().over for roll in product(FACES, repeat=2))
    assert Fraction(wins, 36) == Fraction(11, 36)


# ---- the duel


@pytest.mark.parametrize(
    ("seat", "card", "order", "track"),
    [(0, "xwing_luke", "luke", "vader"), (1, "tie_vader_1", "vader", "luke")],
)
def test_luke_and_vader_hit_with_four_dice_half_the_time(
    seat: int, card: str, order: str, track: str
) -> None:
    state = start(f"phase=order turn={seat} flipped={card} xwing=O3:5")
    before = state.field(track)[0]
    hits = Counter(
        before - rolled(state, f"order {order}", roll).field(track)[0] for roll in product(FACES, repeat=4)
    )
    assert hits == {n: comb(4, n) * 81 for n in range(5)}


# ---- the assault on the shield


def ways(roll: tuple[int, ...]) -> int:
    """In how many orders these five dice can fall."""
    number = factorial(len(roll))
    for count in Counter(roll).values():
        number //= factorial(count)
    return number


ROLLS = tuple(combinations_with_replacement(FACES, 5))
TRACK = (2,) * 9 + (3,) * 13 + (4,) * 4 + (5,) * 2


def farthest(dice: tuple[int, ...], needs: tuple[int, ...]) -> int:
    """The most spaces that the dice can go, by trying every die for every space."""
    best = 0
    if needs:
        for at, die in enumerate(dice):
            if die >= needs[0]:
                best = max(best, 1 + farthest(dice[:at] + dice[at + 1 :], needs[1:]))
    return best


@cache
def expected_spread(needs: tuple[int, ...]) -> Counter[int]:
    spread: Counter[int] = Counter()
    for roll in ROLLS:
        spread[farthest(roll, needs)] += ways(roll)
    return spread


def played_spread(gone: int, troopers: int) -> Counter[int]:
    """How far an assault goes in the engine, over all 6^5 rolls."""
    state = start(f"phase=order turn=0 flipped=xwing_assault shield={gone} troopers={troopers} xwing=O3:5")
    spread: Counter[int] = Counter()
    for roll in ROLLS:
        after = rolled(state, "order assault", roll)
        assert after.troopers == max(0, troopers - (after.shield - gone))
        spread[after.shield - gone] += ways(roll)
    return spread


@pytest.mark.parametrize("gone", range(SPACES))
def test_assaults_go_as_far_as_the_dice_allow(gone: int) -> None:
    for troopers in range(min(TROOPERS, SPACES - gone) + 1):
        needs = tuple(need + (place < troopers) for place, need in enumerate(TRACK[gone : gone + 5]))
        spread = played_spread(gone, troopers)
        assert sum(spread.values()) == 6**5
        assert spread == expected_spread(needs), (gone, troopers)


def test_the_order_of_the_dice_does_not_matter() -> None:
    state = start("phase=order turn=0 flipped=xwing_assault shield=20 troopers=1 xwing=O3:5")
    assert {
        rolled(state, "order assault", roll).shield
        for roll in [(4, 3, 5, 1, 2), (1, 2, 3, 4, 5), (5, 4, 3, 2, 1)]
    } == {22 + 1}


def test_the_shield_takes_8_946_assaults_without_troopers() -> None:
    """From the last space back: E = (1 + sum of p(k) E(k further)) / (1 - p(0))."""
    expected = [Fraction(0)] * (SPACES + 1)
    for gone in range(SPACES - 1, -1, -1):
        spread = played_spread(gone, 0)
        further = sum(Fraction(spread[k], 6**5) * expected[gone + k] for k in range(1, 6) if spread[k])
        expected[gone] = (1 + further) / (1 - Fraction(spread[0], 6**5))
    assert round(float(expected[0]), 3) == 8.946


# ---- how many dice


@pytest.mark.parametrize("ships", range(1, 8))
def test_fighters_roll_a_die_each_up_to_five(ships: int) -> None:
    state = start(f"phase=attack turn=1 flipped=tie_vader_1 order=tie tie=M5:{ships} xwing=O5:9 marker=*:1")
    after = rolled(state, "attack M5 O5 tie", (6,) * min(ships, 5))
    assert after.dice == (0, 0, 0, 0, 0, min(ships, 5))


def test_special_ships_have_their_own_dice() -> None:
    executor = start(
        "phase=attack turn=1 flipped=executor_emperor_1 order=executor executor=M5 tie=M5:9 xwing=O5:9"
    )
    assert sum(rolled(executor, "attack M5 O5 executor", (6,) * 4).dice) == 4
    falcon = start("phase=attack turn=0 flipped=xwing_falcon_luke order=falcon falcon=M5 xwing=M5:9 tie=O5:9")
    assert sum(rolled(falcon, "attack M5 O5 falcon", (6,) * 2).dice) == 2
