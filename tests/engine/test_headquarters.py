"""Picking headquarters at the same time: the order of answers shows nowhere and changes nothing."""

from __future__ import annotations

from itertools import permutations

import pytest

import engine_core
from engine_core import State

PICKS = {0: "headquarters ALA", 1: "headquarters KAM", 2: "headquarters EAU"}
POSITION = "phase=headquarters board=*:1x1,ALA:0x5,NWT:0x1,EAU:2x2,NGU:2x1"
ASIDE = 102
MODES = ("revealed", "hidden")


def picking(mode: str) -> State:
    return engine_core.load("capital", seats=3, headquarters=mode).position(POSITION)


def answer(state: State, *seats: int) -> State:
    for seat in seats:
        state.apply(seat, state.game.action(PICKS[seat]))
    return state


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_the_answers_changes_nothing(mode: str) -> None:
    states = [answer(picking(mode), *order) for order in permutations(PICKS)]
    assert {state.text() for state in states} == {states[0].text()}
    assert {state.digest() for state in states} == {states[0].digest()}


@pytest.mark.parametrize("mode", MODES)
def test_a_view_does_not_show_who_has_answered(mode: str) -> None:
    first, second = answer(picking(mode), 0), answer(picking(mode), 1)
    assert first.view(2).digest() == second.view(2).digest()
    assert first.public_view().digest() == second.public_view().digest()
    assert first.view(2).pending() == second.view(2).pending()


@pytest.mark.parametrize("mode", MODES)
def test_a_view_does_not_show_what_was_picked(mode: str) -> None:
    other = picking(mode)
    other.apply(0, other.game.action("headquarters NWT"))
    first = answer(picking(mode), 0)
    assert first.view(1).digest() == other.view(1).digest()
    assert first.view(0).digest() != other.view(0).digest()


def test_hidden_headquarters_show_in_no_other_view() -> None:
    """Two games that differ in seat 0's headquarters only look the same to the others, cards and deck too."""
    first, other = answer(picking("hidden"), 0, 1, 2), picking("hidden")
    other.apply(0, other.game.action("headquarters NWT"))
    answer(other, 1, 2)
    for seat in (1, 2):
        assert first.view(seat).digest() == other.view(seat).digest()
    assert first.public_view().digest() == other.public_view().digest()
    assert first.view(0).digest() != other.view(0).digest()


def test_a_view_is_filled_in_alike_whoever_left_before_or_after_picking() -> None:
    """Seat 3 left before it picked and has no headquarters, seat 1 after it: every guess agrees."""
    game = engine_core.load("capital", seats=4, headquarters="hidden")
    state = game.position("phase=headquarters board=*:1x1,ALA:0x5,NWT:0x1,EAU:2x2,NGU:2x1,BRA:3x2,PER:3x1")
    state.retire(3, "neutral")
    answer(state, 0, 1, 2)
    state.retire(1, "neutral")
    for seat in range(4):
        for seed in range(20):
            guessed = state.view(seat).resample(seed)
            guessed.check()
            assert guessed.view(seat).text() == state.view(seat).text()
            assert guessed.field("capital")[3] == -1
            assert guessed.field("capital")[1] >= 0


@pytest.mark.parametrize("seed", range(20))
def test_extra_cards_are_dealt_from_a_deck_without_the_headquarters(seed: int) -> None:
    game = engine_core.load("capital", seats=5, headquarters="revealed", extra_cards="by_seats")
    state = game.new_state(seed=seed)
    while state.pending() and not state.field("reinforcements")[0]:
        seat = state.pending()[0]
        state.apply(seat, state.legal(seat)[0].first())
    names = game.description
    aside = {names.cards[card] for card, holder in enumerate(state.field("cards")) if holder == ASIDE}
    assert aside == {names.territories[at] for at in state.field("capital")}
    assert sum(state.field("cards_held")) == 1 + 1 + 2
