"""Dealing secret missions over many new games: which are dealt, how often, what replaces the own colour's."""

from __future__ import annotations

from collections import Counter

import pytest

import engine_core
from engine_core import Game, State, TextError

TARGETS = dict(zip(("M09", "M10", "M11", "M12", "M13", "M14"), range(6), strict=True))
COUNTED = {"eu14": 14, "us12_guess": 12}
DEALS = 400


def game_of(seats: int, **options: str) -> Game:
    return engine_core.load("secret_mission", seats=seats, **options)


def missions(state: State) -> list[str]:
    """The mission of each colour, by its id."""
    ids = state.game.description.labels["mission"]
    return [ids[number] for number in state.field("mission")]


def expected_cards(seats: int, deck: str) -> set[str]:
    """The cards that are dealt: none of colours not in play; the US box has none that count territories."""
    counting = set() if deck == "us12_guess" else {"M07", "M08"}
    colours = {card for card, seat in TARGETS.items() if seat < seats}
    return {f"M{number:02}" for number in range(1, 7)} | counting | colours


@pytest.mark.parametrize("deck", COUNTED)
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_missions_of_unused_colours_are_never_dealt_and_all_others_are(seats: int, deck: str) -> None:
    game = game_of(seats, mission_deck=deck)
    assert len(game.description.labels["mission"]) == COUNTED[deck]
    dealt: Counter[str] = Counter()
    for seed in range(DEALS):
        hands = missions(game.new_state(seed))
        assert len(set(hands)) == seats
        dealt.update(hands)
    cards = expected_cards(seats, deck)
    assert set(dealt) == cards
    fair = DEALS * seats / len(cards)
    assert all(0.6 * fair < times < 1.4 * fair for times in dealt.values()), dealt


@pytest.mark.parametrize("seats", [3, 6])
def test_the_own_colour_means_24_territories(seats: int) -> None:
    game = game_of(seats)
    own = 0
    for seed in range(DEALS):
        state = game.new_state(seed)
        hands = missions(state)
        void = [int(TARGETS.get(card) == seat) for seat, card in enumerate(hands)]
        assert list(state.field("mission_void")) == void
        assert set(state.field("mission_refused")) == {0}
        own += sum(void)
    assert own > DEALS / 20


@pytest.mark.parametrize("deck", COUNTED)
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_the_own_colour_is_replaced_from_the_undealt_cards(seats: int, deck: str) -> None:
    game = game_of(seats, mission_deck=deck, own_colour_mission="redraw")
    refusals: Counter[int] = Counter()
    for seed in range(DEALS):
        state = game.new_state(seed)
        hands = missions(state)
        assert all(TARGETS.get(card) != seat for seat, card in enumerate(hands))
        assert set(state.field("mission_void")) == {0}
        refused = {seat for seat, flag in enumerate(state.field("mission_refused")) if flag}
        out = {card for card, seat in TARGETS.items() if seat in refused}
        assert set(hands) <= expected_cards(seats, deck) - out
        assert len(set(hands)) == seats
        refusals.update(refused)
    assert set(refusals) == set(range(seats))


def test_what_is_kept_does_not_depend_on_the_redraw() -> None:
    """Both settings deal the same cards; only those of the own colour are replaced, after the deal."""
    plain, redraw = game_of(4), game_of(4, own_colour_mission="redraw")
    replaced = 0
    for seed in range(DEALS):
        dealt, kept = missions(plain.new_state(seed)), missions(redraw.new_state(seed))
        for seat, (before, after) in enumerate(zip(dealt, kept, strict=True)):
            assert (before != after) == (TARGETS.get(before) == seat)
            replaced += before != after
            assert before == after or after not in dealt
    assert replaced


def test_the_colours_option_moves_the_targets() -> None:
    game = game_of(3, colours="violet,red,yellow")
    dealt = {card for seed in range(DEALS) for card in missions(game.new_state(seed))}
    assert dealt & set(TARGETS) == {"M12", "M13", "M14"}
    state = next(s for s in map(game.new_state, range(DEALS)) if missions(s)[0] == "M14")
    assert state.field("mission_void")[0] == 1


def test_a_position_cannot_name_a_mission_that_is_not_in_its_deck() -> None:
    game = game_of(6, mission_deck="us12_guess")
    with pytest.raises(TextError, match="M07"):
        game.position("phase=attack mission=M07,M01,M02,M03,M04,M05 board=*:0x2,ALA:1x1,KAM:2x1,SAF:3x1")


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_territories_are_dealt_evenly(seats: int) -> None:
    """The first two dealt, from the first player on, have one more where 42 does not divide."""
    game = game_of(seats)
    for seed in range(60):
        state = game.new_state(seed)
        first = int(state.first_colour)
        owned = [state.field("owner").count((first + turn) % seats) for turn in range(seats)]
        assert owned == [42 // seats + (turn < 42 % seats) for turn in range(seats)]
