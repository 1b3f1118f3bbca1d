"""Seats that leave at any moment of any game, and how games end: legal states, nobody out is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SETUPS, Chooser, every_setup, game_of, moment, option, played, walk

from engine_core import State, StateError
from engine_core.registry import family

PROPERTY = settings(deadline=None, derandomize=True, max_examples=4)
SEED = st.integers(0, 2**32)
MOMENT = st.integers(0, 1000)
PHASES = game_of(0).description.phases
MODES = ("passive", "neutral")
# Phases that wait for an answer; the others are passed through.
ASKED = set(PHASES) - {"begin", "end", "over"}


def in_the_game(state: State) -> list[int]:
    """Seats that may still leave."""
    if state.result().over:
        return []
    return [seat for seat in state.result().survivors if not state.retired[seat]]


def check_all(state: State) -> None:
    """The state is one that can come up, written, seen and guessed at."""
    state.check()
    game = state.game
    assert game.unpack_position(state.packed()) == game.position(state.text()) == state
    for view in (state.public_view(), *(state.view(seat) for seat in range(game.seats))):
        assert game.unpack_view(view.packed(), view.seat) == view
        guess = view.resample(1)
        guess.check()
        assert (guess.public_view() if view.seat < 0 else guess.view(view.seat)) == view


def check_who_is_asked(state: State) -> None:
    for seat in state.pending():
        assert state.retired[seat] == 0
        assert state.eliminated_at[seat] == -1
        assert state.legal(seat).count() >= 2
    assert state.pending() or state.result().over


def leave(state: State, seat: int, mode: str) -> None:
    """The seat leaves; what was there stays, and whoever is out cannot leave again."""
    before = state.copy()
    events = state.retire(seat, mode)
    names = [state.game.description.events[event.kind].name for event in events]
    if "retired" not in names:  # a capture stands, and with the troops moved in it may end the game
        assert PHASES[before.phase] == "occupy"
        before.apply(seat, before.legal(seat)[0].first())
        assert state.result().winners == before.result().winners != ()
        return
    assert state.retired[seat] == 1 + MODES.index(mode)
    assert events[names.index("retired")].visible_to(-1)
    if mode == "passive" and "eliminated" not in names:
        assert set(state.result().survivors) == set(before.result().survivors)
    check_who_is_asked(state)
    twin = state.copy()
    with pytest.raises(StateError, match="already out of the game"):
        state.retire(seat, mode)
    assert state == twin


def leave_at_random(state: State, rng: random.Random, chance: float) -> None:
    """Play to the end with seats leaving now and then, in either mode; checks the state all along."""
    chooser = Chooser(state.game, rng.getrandbits(32))
    while pending := state.pending():
        check_who_is_asked(state)
        if rng.random() < chance:
            leave(state, rng.choice(in_the_game(state)), rng.choice(MODES))
            check_all(state)
        else:
            seat = rng.choice(pending)
            state.apply(seat, chooser(state.legal(seat)))
        state.check()


def check_end(state: State) -> None:
    result = state.result()
    assert result.over
    assert not any(result.retired[winner] for winner in result.winners)
    if result.termination == "forfeit":
        assert len(result.winners) == 1
        others = set(range(state.game.seats)) - set(result.winners)
        assert all(result.retired[seat] or result.eliminated_at[seat] >= 0 for seat in others)


@every_setup
@given(SEED, st.integers(0, 400))
@settings(PROPERTY, max_examples=6)
def test_seats_may_leave_at_any_moment(number: int, seed: int, first: int) -> None:
    """Invariants hold, nobody out is asked, and the game ends; by forfeit if only one seat has stayed."""
    state = played(number, seed, first, turn_cap=12)
    leave_at_random(state, random.Random(seed), 0.01)
    check_all(state)
    check_end(state)


@every_setup
@given(SEED, MOMENT)
@settings(PROPERTY, max_examples=3)
def test_any_two_seats_may_leave_at_once(number: int, seed: int, permille: int) -> None:
    """Every seat in either mode, asked or not, and then another one, at the same moment."""
    state = moment(number, seed, permille)
    rng = random.Random(seed)
    for seat in in_the_game(state):
        for mode in MODES:
            left = state.copy()
            leave(left, seat, mode)
            check_all(left)
            if left.pending():
                leave(left, rng.choice(in_the_game(left)), rng.choice(MODES))
                check_all(left)
            for _ in walk(left, Chooser(left.game, seed), 40):
                check_who_is_asked(left)
                left.check()


def moments(number: int, seeds: int) -> Iterator[tuple[str, State]]:
    """The first position of each phase in a few games."""
    met: set[str] = set()
    for seed in range(seeds):
        state = game_of(number).new_state(seed)
        for _ in walk(state, Chooser(state.game, seed), 2500):
            name = PHASES[state.phase]
            if name not in met:
                met.add(name)
                yield name, state


@every_setup
def test_seats_may_leave_in_every_phase(number: int) -> None:
    for _, state in moments(number, 4):
        for seat in in_the_game(state):
            for mode in MODES:
                left = state.copy()
                leave(left, seat, mode)
                check_all(left)
                for _ in walk(left, Chooser(left.game, 1), 30):
                    check_who_is_asked(left)


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=3)
def test_a_seat_that_left_wins_nothing(number: int, seed: int) -> None:
    """One seat leaves early, in the passive way, and holds on to what it has."""
    state = played(number, seed, 250, turn_cap=25)
    if not state.pending():
        return
    leaver = random.Random(seed).choice(in_the_game(state))
    leave(state, leaver, "passive")
    for asked in walk(state, Chooser(state.game, seed), 10**5):
        assert asked != leaver
    check_end(state)
    assert leaver not in state.result().winners


# ---- the end


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=5)
def test_every_game_ends_by_the_rules_or_the_cap(number: int, seed: int) -> None:
    state = played(number, seed, 10**6, turn_cap=40)
    check_all(state)
    result = state.result()
    assert result.over
    assert state.pending() == ()
    assert result.termination in ("rules", "turn_cap")
    assert sum(result.territories) + list(state.owner).count(state.game.seats) == 42
    assert result.survivors == tuple(seat for seat, at in enumerate(result.eliminated_at) if at == -1)
    falls = sorted(at for at in result.eliminated_at if at >= 0)
    assert falls == list(range(len(falls)))
    assert all((n == 0) == (at >= 0) for n, at in zip(result.territories, result.eliminated_at, strict=True))
    goal = "winner" in {field.name for field in state.game.description.fields}
    if result.termination == "turn_cap":
        assert (result.winners, result.lap) == ((), 40)
        assert not goal or state.winner == -1
    elif goal and state.winner >= 0:
        assert result.winners == (state.winner,)
        assert state.winner in result.survivors
    else:
        assert result.winners == result.survivors
        assert len(result.winners) == 1


def test_random_play_reaches_every_phase_and_ending() -> None:
    """The properties are worth something: their games get everywhere."""
    phases: set[str] = set()
    endings: set[tuple[str, str]] = set()
    falls = 0
    for number, setup in enumerate(SETUPS):
        for seed in range(6):
            state = game_of(number).new_state(seed)
            for _ in walk(state, Chooser(state.game, seed), 10**5):
                phases.add(PHASES[state.phase])
            goal = "winner" in {field.name for field in state.game.description.fields}
            by_goal = " by a goal" * (goal and state.winner >= 0)
            endings.add((setup.variant, state.result().termination + by_goal))
            falls += sum(at >= 0 for at in state.eliminated_at)
    assert phases == ASKED
    assert falls > 200
    won = {variant for variant, ending in endings if ending == "rules by a goal"}
    assert won >= {"secret_mission", "capital", "objectives_basic", "command_room"}
    conquered = {variant for variant, ending in endings if ending == "rules"}
    assert conquered >= {"classic", "expert", "world_conquest"}


def test_every_choice_of_every_option_is_played() -> None:
    """A new option's values belong into playing.MIXES."""
    games = [game_of(number) for number in range(len(SETUPS))]
    for one in [one for one in family("conquest").options if one.kind in ("choice", "bool")]:
        assert {option(game, one.name) for game in games} >= set(one.values or (0, 1)), one.name


@every_setup
def test_purely_random_play_keeps_the_invariants(number: int) -> None:
    state = game_of(number).new_state(number)
    for _ in walk(state, Chooser(state.game, number, daring=0.0), 4000):
        state.check()
