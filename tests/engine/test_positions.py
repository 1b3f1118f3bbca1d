"""Written positions: what cannot come up is refused with a reason; what is taken can be played on."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SETUPS, Chooser, every_setup, game_of, moment, played, walk

import engine_core
from engine_core import EngineError, Game, State, StateError, TextError

CLASSIC = engine_core.load("classic", seats=3)
TWO = engine_core.load("classic", seats=2)
PROPERTY = settings(deadline=None, derandomize=True, max_examples=3)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("phase=attack", "owner"),
        ("phase=begin board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=end board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=trade board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=bonus board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=bonus bonus_choice=KAM:1,NWT:1 board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=attack bonus_choice=ALA:1 board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=attack victim=2 living=1,1,1 board=*:1x2,ALA:0x5", "has a seat and|a battle is"),
        ("phase=attack victim=2 board=*:1x2,ALA:0x5,KAM:2x1", "a battle is"),
        ("phase=attack eliminations=2 board=*:1x2,ALA:0x5", "has a seat and"),
        ("phase=deploy board=*:1x2,ALA:0x5", "the phase waits for an answer"),
        ("phase=place board=*:1x2,ALA:0x5,KAM:2x1", "the phase waits for an answer"),
        ("phase=claim board=*:1x2,ALA:0x5,KAM:2x1", "the phase waits for an answer"),
        ("phase=attack retired=1,0,0 board=*:1x2,ALA:0x5,KAM:2x1", "a seat in the game can give"),
        ("phase=attack turn_colour=2 board=*:1x2,ALA:0x5", "a colour that takes turns"),
        ("phase=attack board=*:0x2", "two teams decide"),
        ("phase=attack retired=0,1,1 board=*:1x2,ALA:0x5,KAM:2x1", "two teams decide"),
        ("phase=attack living=1,1,1 board=*:1x2,ALA:0x5", "has a seat and"),
        ("phase=attack board=*:1x2,ALA:0x0", "a territory holds troops exactly while it is owned"),
        ("phase=claim board=ALA:-x3,KAM:0x1", "a territory holds troops exactly while it is owned"),
        ("phase=attack board=*:1x2,ALA:-x0", "owner"),
        ("phase=attack attack_from=ALA attack_to=KAM board=*:1x2,ALA:0x5", "a battle is between neighbours"),
        ("phase=defend board=*:1x2,ALA:0x5", "attack_from"),
        ("phase=defend attack_from=ALA board=*:1x2,ALA:0x5", "attack_to"),
        ("phase=defend attack_from=ALA attack_to=KAM board=*:1x2,ALA:0x5", "a battle is between"),
        (
            "phase=defend attack_from=ALA attack_to=GRE attack_dice=1 board=*:1x2,ALA:0x5",
            "between neighbours",
        ),
        ("phase=defend attack_from=KAM attack_to=ALA attack_dice=1 board=*:1x2,ALA:0x5", "of two colours"),
        (
            "phase=defend attack_from=ALA attack_to=KAM attack_dice=3 board=*:1x2,ALA:0x3",
            "with allowed dice",
        ),
        ("phase=defend attack_from=ALA attack_to=KAM attack_dice=4 board=*:1x2,ALA:0x9", "attack_dice"),
        (
            "phase=occupy attack_from=ALA attack_to=KAM attack_dice=3 board=*:1x2,ALA:0x5,KAM:0x0",
            "a battle is",
        ),
        (
            "phase=occupy attack_from=ALA attack_to=KAM attack_dice=3 victim=1 board=*:1x2,ALA:0x3,KAM:0x0",
            "with allowed dice",
        ),
        (
            "phase=occupy attack_from=ALA attack_to=KAM attack_dice=1 victim=0 board=*:1x2,ALA:0x3,KAM:0x0",
            "of two colours",
        ),
        (
            "phase=attack cards=ALA:0 cards_held=2,0,0 board=*:1x2,ALA:0x5",
            "every card is in exactly one place",
        ),
        ("phase=attack deck_count=44 deck=ALA*44 board=*:1x2,ALA:0x5", "every card is in exactly one place"),
        ("phase=attack cards=ALA:7 board=*:1x2,ALA:0x5", "cards"),
        ("phase=attack lap=101 board=*:1x2,ALA:0x5", "lap"),
        ("phase=attack turn_colour=3 board=*:1x2,ALA:0x5", "turn_colour"),
        ("phase=12 board=*:1x2,ALA:0x5", "phase"),
        ("phase=attack board=*:1x2,ALA:3x5", "owner"),
        ("phase=attack board=*:1x2,ALA:0x-5", "troops"),
        ("phase=attack board=*:1x99999999,ALA:0x5", "troops"),
        ("phase=deploy reinforcements=999999999 board=*:1x2,ALA:0x5", "reinforcements"),
        ("phase=attack sets_traded=999999999 board=*:1x2,ALA:0x5", "sets_traded"),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(position: str, reason: str) -> None:
    with pytest.raises((TextError, StateError), match=reason):
        CLASSIC.position(position)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("phase=attack turn_colour=2 board=*:2x2,ALA:0x5,KAM:1x1", "turn_colour"),
        ("phase=attack living=1,1,1 board=*:2x2,ALA:0x5,KAM:1x1", "living"),
        ("phase=place pool=1,1,0 placed=2 board=*:2x2,ALA:0x5,KAM:1x1", "the phase waits for an answer"),
    ],
)
def test_the_neutral_colour_never_acts_in_a_written_position(position: str, reason: str) -> None:
    with pytest.raises((TextError, StateError), match=reason):
        TWO.position(position)


@pytest.mark.parametrize(
    ("variant", "options", "position", "reason"),
    [
        ("secret_mission", {}, "phase=attack mission=M01,M01,M02", "has its own mission"),
        ("secret_mission", {}, "phase=attack mission=M01,M99,M02", "M99"),
        ("secret_mission", {}, "phase=attack winner=7", "winner"),
        ("secret_mission", {}, "phase=attack mission=M09,M01,M02", "has its own mission"),  # against itself
        ("capital", {}, "phase=attack capital=ALA,ALA,KAM", "has its own mission, capital or headq"),
        ("capital", {}, "phase=attack capital=ALA,-,KAM", "has its own mission, capital or headq"),
        ("capital", {}, "phase=headquarters capital=ALA,ALB,SAF", "the phase waits for an answer"),
        (
            "capital",
            {},
            "phase=headquarters capital=SAF,-,- board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x2,MAD:2x1",
            "has its own mission, capital or headq",
        ),
        ("capital", {}, "phase=capital", "the phase waits for an answer"),
        ("objectives_basic", {}, "phase=place pool=9,9,9", "has its own mission, capital or headq"),
        ("command_room", {}, "phase=claim pool=9,9,9 board=ALA:0x1", "has its own mission, capital or headq"),
        ("expert", {}, "phase=attack board=*:0x13,KAM:1x2,SAF:2x2", "no more troops than the limit"),
        ("classic", {"expert_commander": 1}, "phase=reroll rolled=1,0,0,1,0", "attack_from"),
        (
            "classic",
            {"expert_commander": 1},
            "phase=reroll attack_from=ALA attack_to=KAM attack_dice=2 rolled=6,6,0,3,0",
            "the phase waits for an answer",
        ),
        (
            "classic",
            {"expert_commander": 1},
            "phase=reroll attack_from=ALA attack_to=KAM attack_dice=2 rolled=5,0,0,3,0",
            "the phase waits for an answer",
        ),
        ("classic", {"expert_commander": 1}, "phase=attack rolled=7,0,0,3,0", "rolled"),
        ("objectives_basic", {}, "phase=objective capital=ALA,KAM,SAF", "the phase waits for an answer"),
        ("objectives_basic", {}, "phase=attack capital=ALA,KAM,SAF objective=m1:3", "objective"),
        ("objectives_basic", {}, "phase=stars capital=ALA,KAM,SAF", "the phase waits for an answer"),
        ("command_room", {}, "phase=airfield capital=ALA,KAM,SAF", "the phase waits for an answer"),
        (
            "command_room",
            {},
            "phase=maneuver capital=ALA,KAM,SAF board=*:0x1,KAM:1x2,SAF:2x2",
            "the phase waits",
        ),
        (
            "command_room",
            {},
            "phase=attack capital=ALA,KAM,SAF airfield=KAM,- reward=airfield_minor:0",
            "an airfield stands on",
        ),
        ("command_room", {}, "phase=attack capital=ALA,KAM,SAF airfield=KAM,-", "an airfield stands on"),
        (
            "command_room",
            {},
            "phase=claim pool=9,9,9 capital=ALA,KAM,SAF airfield=ALB,- board=ALA:0x1,KAM:1x1,SAF:2x1",
            "an airfield stands on",
        ),
        (
            "command_room",
            {},
            "phase=attack capital=ALA,KAM,SAF reward=attack_die:2 board=*:0x2,KAM:1x2",
            "only colours in the game have rewards",
        ),
    ],
)
def test_impossible_goals_are_refused_with_the_reason(
    variant: str, options: dict[str, Any], position: str, reason: str
) -> None:
    game = engine_core.load(variant, seats=3, **options)
    if "board=" not in position:
        position += " board=*:0x2,ALA:0x5,KAM:1x2,SAF:2x2"
    with pytest.raises((TextError, StateError), match=reason):
        game.position(position)


def test_a_mission_against_its_own_colour_is_taken_as_the_fallback_it_has_become() -> None:
    game = engine_core.load("secret_mission", seats=3)
    text = "phase=attack mission=M09,M01,M02 mission_void=1,0,0 board=*:0x2,ALA:0x5,KAM:1x2,SAF:2x2"
    assert game.position(text).field("mission_void") == (1, 0, 0)


def test_what_is_left_out_is_derived() -> None:
    state = CLASSIC.position("phase=attack board=*:1x1,ALA:0x5,KAM:2x2 cards=ALA:0,GRE:2")
    assert (state.lap, state.living, state.cards_held, state.deck_count) == (1, (1, 1, 1), (1, 0, 1), 42)
    assert sorted(state.deck[:42]) == [card for card in range(44) if card not in (0, 2)]
    assert (
        state.deck
        != CLASSIC.position("phase=attack board=*:1x1,ALA:0x5,KAM:2x2 cards=ALA:0,GRE:2", seed=1).deck
    )
    fallen = CLASSIC.position(
        "phase=occupy attack_from=ALA attack_to=KAM attack_dice=1 victim=2 board=*:1x1,ALA:0x5,KAM:0x0"
    )
    assert fallen.living == (1, 1, 1)


# ---- fuzzing: a changed word makes an error or a position that can be played


def changed(rng: random.Random, words: Sequence[int], times: int) -> list[int]:
    words = list(words)
    for _ in range(times):
        place = rng.randrange(1, len(words))
        words[place] = rng.choice(
            [rng.randrange(-2, 6), rng.randrange(-2, 110), rng.randrange(-(2**31), 2**31), words[place] + 1]
        )
    return [max(-(2**31), min(2**31 - 1, word)) for word in words]


def mutants(state: State, data: bytes, seed: int, count: int) -> list[bytes]:
    form = f"<{state.game.description.words() + 1}i"
    rng = random.Random(seed)
    words = struct.unpack(form, data)
    return [struct.pack(form, *changed(rng, words, rng.choice([1, 1, 2, 5]))) for _ in range(count)]


def read(game: Game, data: bytes) -> State | None:
    try:
        return game.unpack_position(data, seed=3)
    except EngineError:
        return None


SEED = st.integers(0, 2**32)
MOMENT = st.integers(0, 1000)


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_changed_positions_are_refused_or_can_be_played(number: int, seed: int, permille: int) -> None:
    base = moment(number, seed, permille)
    for data in mutants(base, base.packed(), seed, 40):
        state = read(base.game, data)
        if state is None:
            continue
        assert state.game.position(state.text()) == state
        for seat in walk(state, Chooser(base.game, seed), 60):
            assert state.legal(seat).count() >= 1
            state.check()
        state.check()


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_changed_views_are_refused_or_can_be_read(number: int, seed: int, permille: int) -> None:
    base = moment(number, seed, permille)
    for seat in range(-1, base.game.seats):
        view = base.view(seat) if seat >= 0 else base.public_view()
        for data in mutants(base, view.packed(), seed, 10):
            try:
                changed_view = base.game.unpack_view(data, seat)
            except TextError:
                continue
            assert changed_view.text()
            assert changed_view.result().troops
            for asked in changed_view.pending():
                assert 0 <= asked < base.game.seats
                changed_view.legal(asked)
            try:
                guess = changed_view.resample(1)
            except StateError:
                continue
            for _ in walk(guess, Chooser(base.game, seed), 30):
                guess.check()


def test_fuzzing_takes_some_positions_and_refuses_others() -> None:
    """The two tests above are worth something: both answers come up."""
    taken = refused = 0
    for number in range(len(SETUPS)):
        base = played(number, 1, 900)
        for data in mutants(base, base.packed(), number, 60):
            state = read(game_of(number), data)
            taken, refused = taken + (state is not None), refused + (state is None)
    assert taken > 60
    assert refused > 60
