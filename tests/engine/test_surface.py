"""The Python surface of states: wrong use is an error that says what is right, and nothing is overrun."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from playing import Chooser, every_setup, game_of

import engine_core
from engine_core import Action, Game, IllegalAction, Legal, State, StateError, TextError, View
from engine_core.actions import MAX_RANGES

GAME = engine_core.load("classic", seats=3)
OTHER = engine_core.load("classic", seats=4)
HALVES: Any = 1.5
NOTHING: Any = None
ATTACK = "phase=attack board=" + ",".join(
    f"{name}:{number % 3}x9" for number, name in enumerate(GAME.description.territories)
)


def test_seats_that_do_not_exist() -> None:
    state = GAME.new_state(1)
    for seat in (-1, 3, 99):
        with pytest.raises(StateError, match=r"no seat -?\d+; the game has seats 0\.\.2"):
            state.view(seat)
        with pytest.raises(StateError, match=r"the game has seats 0\.\.2"):
            state.packed_view(seat)
        with pytest.raises(StateError, match=r"the game has seats 0\.\.2"):
            state.retire(seat)
        assert len(state.legal(seat)) == 0
        with pytest.raises(IllegalAction, match="this seat owes no decision now"):
            state.apply(seat, 0)


def test_retire_modes_are_named() -> None:
    with pytest.raises(StateError, match="unknown retire mode 'gone'; valid: passive, neutral"):
        GAME.new_state(1).retire(0, "gone")


@pytest.mark.parametrize("dice", [[0], [7], [3, -1], ["6"], [2.0], [True], [256]])
def test_scripted_dice_have_six_sides(dice: list[int]) -> None:
    state = GAME.new_state(1)
    with pytest.raises(StateError, match=r"is not in 1\.\.6"):
        state.script(dice)
    assert state.scripted_left() == 0
    with pytest.raises(StateError):
        GAME.new_state(1, dice=dice)


def test_scripts_queue_up_and_copies_have_their_own() -> None:
    state = GAME.position(ATTACK)
    state.script([6])
    state.script([5, 4])
    twin = state.copy()
    state.apply(0, GAME.action("attack ALA NWT 1"))
    state.apply(1, GAME.action("defend ALA NWT 1"))
    assert (state.scripted_left(), twin.scripted_left()) == (1, 3)


def test_unknown_fields_are_attribute_errors() -> None:
    state = GAME.new_state(1)
    for position in (state, state.view(0)):
        with pytest.raises(AttributeError, match="has no field 'trops'"):
            _ = position.trops
        with pytest.raises(StateError, match="no field 'trops'; valid: lap, "):
            position.field("trops")
        assert len(position.field("troops")) == 42
        assert position.field("lap") == (position.lap,)


def test_positions_come_from_games_and_states_only() -> None:
    for kind in (State, View):
        with pytest.raises(TypeError, match="come from a Game or a State"):
            kind()


def test_texts_and_bytes_of_another_game_are_refused() -> None:
    state = OTHER.new_state(1)
    with pytest.raises(TextError):
        GAME.unpack_position(state.packed())
    with pytest.raises(TextError):
        GAME.unpack_view(state.view(0).packed(), 0)
    for data in (b"", b"1234", state.packed()[:-1], b"\xff" * len(state.packed())):
        with pytest.raises(TextError):
            OTHER.unpack_position(data)
    assert GAME.new_state(1) != OTHER.new_state(1)


def test_actions_are_checked_when_they_are_made() -> None:
    for fields in (
        (128,),
        (-1,),
        (0, 256),
        (0, 0, -1),
        (0, 0, 0, 300),
        (0, 0, 0, 0, -1),
        (0, 0, 0, 0, 2**31),
    ):
        with pytest.raises(ValueError, match="does not fit an action"):
            Action(*fields)
    assert Action.from_int(int(Action(6, 1, 2, 3, 4))) == Action(6, 1, 2, 3, 4)
    assert len({Action(6, 1, 2, 3, 4), Action(6, 1, 2, 3, 4), Action(6, 1, 2, 3, 5)}) == 2
    state = GAME.position(ATTACK)
    wrongs: list[tuple[Any, type[Exception]]] = [
        ("end", TypeError),
        (1.0, TypeError),
        (None, TypeError),
        (-1, ValueError),
        (2**63, ValueError),
    ]
    for wrong, error in wrongs:
        with pytest.raises(error):
            state.apply(0, wrong)
        with pytest.raises(error):
            _ = wrong in state.legal(0)


def test_ranges_are_checked() -> None:
    legal = GAME.position(ATTACK).legal(0)
    entry = legal[0]
    assert (entry.lo, entry.hi, len(entry)) == (1, 3, 3)
    for amount in (0, 4, -1):
        with pytest.raises(ValueError, match=r"is outside 1\.\.3"):
            entry.action(amount)
    with pytest.raises(TypeError):
        entry.action(HALVES)
    for index in (len(legal), -len(legal) - 1):
        with pytest.raises(IndexError):
            legal[index]
    with pytest.raises(IndexError):
        legal.code(len(legal), 1)


def test_any_list_can_be_a_buffer() -> None:
    """A list that was exactly large enough for another decision must grow, not overrun."""
    state = GAME.position(ATTACK)
    small = GAME.position(
        "phase=defend attack_from=ALA attack_to=NWT attack_dice=1 " + ATTACK.removeprefix("phase=attack ")
    ).legal(1)
    assert len(small) == 1
    empty = state.legal(2)
    for buffer in (small, empty, Legal.from_packed(b""), Legal(), GAME.buffer()):
        assert state.legal_into(0, buffer) == len(state.legal(0)) > 40
        assert buffer.packed() == state.legal(0).packed()
    with pytest.raises(TypeError):
        state.legal_into(0, NOTHING)


def test_packed_lists_have_a_limit() -> None:
    assert len(Legal.from_packed(bytes(12 * MAX_RANGES))) == MAX_RANGES
    for size in (1, 11, 13, 12 * MAX_RANGES + 12):
        with pytest.raises(TextError):
            Legal.from_packed(bytes(size))


def test_games_and_actions_pickle_and_states_copy() -> None:
    game: Game = pickle.loads(pickle.dumps(GAME))
    assert game.ruleset == GAME.ruleset
    assert game.new_state(3) == GAME.new_state(3)
    action = GAME.action("attack ALA KAM 2")
    assert pickle.loads(pickle.dumps(action)) == action
    state = GAME.new_state(3)
    assert copy.copy(state) == state
    with pytest.raises(TypeError):
        hash(state)


def test_a_view_is_no_state() -> None:
    state = GAME.new_state(3)
    view: object = state.view(0)
    assert view != state
    assert not hasattr(state.view(0), "apply")
    assert repr(state.view(1)).startswith("<View classic seat=1 ")
    assert repr(state).startswith("<State classic ")


@every_setup
def test_actions_and_events_of_every_game_have_texts(number: int) -> None:
    """What an action says reads back as the action, and a name of the description starts every event."""
    game = game_of(number)
    state, events = game.start(number)
    chooser = Chooser(game, number)
    names = [kind.name for kind in game.description.events]
    for _ in range(600):
        for event in events:
            assert names[event.kind] in game.event_text(event).split()
        if not state.pending():
            return
        for seat in state.pending():
            for action in (state.legal(seat)[0].first(), state.legal(seat).sample(chooser.rng)):
                assert game.action(game.action_text(action)) == action
        seat = state.pending()[0]
        events = state.play(seat, chooser(state.legal(seat)))


@every_setup
def test_fields_are_read_by_name_alike_everywhere(number: int) -> None:
    state = game_of(number).new_state(1)
    words: list[int] = []
    for field in state.game.description.fields:
        value = getattr(state, field.name)
        assert state.field(field.name) == (value if isinstance(value, tuple) else (value,))
        assert len(state.field(field.name)) == field.length
        assert state.game.description.offset(field.name) == (len(words), field.length)
        words += state.field(field.name)
    assert len(words) == state.game.description.words() == len(state.packed()) // 4 - 1


@every_setup
def test_games_pickle_whatever_the_variant(number: int) -> None:
    game = game_of(number)
    again: Game = pickle.loads(pickle.dumps(game))
    assert again.new_state(3) == game.new_state(3)
    assert again.description == game.description
