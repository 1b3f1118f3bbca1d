"""What the contract promises of every kernel, on random games of five that are unlike the classic one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from proof_families import NAMES
from proof_samples import FAMILIES, HIDING, game_of, play_out, seats_and_public, seen, walk, walks

from engine_core import Action, IllegalAction, Legal, State, StateError
from engine_core.bench import perft, playouts, signature

every_family = pytest.mark.parametrize("family", FAMILIES)


def test_every_kernel_here_is_under_test() -> None:
    assert NAMES == FAMILIES


def guesses(state: State, legal: Legal, rng: Random) -> Iterator[Action]:
    """Legal actions, the same with one part changed, and anything."""
    kinds = len(state.game.description.actions) + 1
    for _ in range(6):
        action = legal.sample(rng) if len(legal) else Action(rng.randrange(kinds))
        parts = [action.kind, action.a, action.b, action.c, action.n]
        yield action
        parts[rng.randrange(5)] = rng.choice((0, 1, 2, 3, 5, 8, 13, 127))
        yield Action(*parts)
        kind, (a, b, c) = rng.randrange(kinds), (rng.randrange(20) for _ in range(3))
        yield Action(kind, a, b, c, rng.randrange(8))


@every_family
def test_an_action_is_played_exactly_when_it_is_legal(family: str) -> None:
    rng = Random(family)
    refused = 0
    for state in walks(family, 2):
        before = state.copy()
        for seat in (*range(-1, state.game.seats + 1), 32, 33):
            legal = state.legal(seat)
            for action in guesses(state, legal, rng):
                if action in legal:
                    trial = state.copy()
                    trial.apply(seat, action)
                    assert trial != before
                else:
                    refused += 1
                    with pytest.raises(IllegalAction):
                        state.apply(seat, action)
                    assert state == before
    assert refused > 1000


def test_every_family_says_in_the_same_words_that_a_seat_is_not_asked() -> None:
    sentences = {game_of(family).description.rules[1] for family in (*FAMILIES, "classic")}
    assert sentences == {"this seat owes no decision now"}


@every_family
def test_every_pending_seat_has_a_choice_and_no_other_seat_has_any(family: str) -> None:
    for state in walks(family):
        for seat in range(state.game.seats):
            count = state.legal(seat).count()
            assert count >= 2 if seat in state.pending() else count == 0, state.text()


@every_family
def test_states_are_possible_and_end_in_a_result(family: str) -> None:
    endings = set()
    for state in walks(family, 60):
        state.check()
        result = state.result()
        assert result.over == (not state.pending())
        if result.over:
            endings.add((result.termination, bool(result.winners)))
    assert ("rules", True) in endings
    if family in ("consent", "uneven"):
        assert ("turn_cap", False) in endings
    if family == "picks":
        assert ("rules", False) in endings, "three places each, twice: a draw"


@every_family
def test_copies_are_equal_and_go_their_own_way(family: str) -> None:
    for state in walks(family, 2):
        if seats := state.pending():
            twin, text = state.copy(), state.text()
            assert twin == state
            twin.apply(seats[0], state.legal(seats[0])[0].first())
            assert state.text() == text
            state_then = state.copy()
            state_then.apply(seats[0], state.legal(seats[0])[0].first())
            assert state_then == twin, "the same luck"


@every_family
def test_text_and_packed_form_bring_the_state_back(family: str) -> None:
    for state in walks(family, 3):
        game = state.game
        assert game.position(state.text()) == state
        assert game.unpack_position(state.packed()) == state
        for seat in seats_and_public(game):
            view = seen(state, seat)
            assert game.view(view.text(), seat) == view
            assert game.unpack_view(view.packed(), seat) == view


@every_family
def test_a_view_shows_a_seat_its_own_choice(family: str) -> None:
    for state in walks(family, 3):
        for seat in state.pending():
            view = state.view(seat)
            assert seat in view.pending()
            assert view.legal(seat).packed() == state.legal(seat).packed()


@every_family
def test_a_view_is_the_same_for_every_state_it_may_come_from(family: str) -> None:
    """So it cannot tell them apart: what it hides has no effect on it, nor on the facts it states."""
    different = 0
    for state in walks(family, 3):
        for seat in seats_and_public(state.game):
            view = seen(state, seat)
            guess = view.resample(seed=state.decisions)
            guess.check()
            assert seen(guess, seat) == view
            assert seen(guess, seat).result() == view.result()
            assert guess.result().over == state.result().over
            different += guess.text() != state.text()
    assert different > 100 if family in HIDING else different >= 0


@every_family
def test_every_view_of_a_finished_game_has_its_facts(family: str) -> None:
    for state in walks(family):
        if not state.pending():
            facts = replace(state.result(), decisions=0)
            for seat in seats_and_public(state.game):
                assert seen(state, seat).result() == facts


@every_family
def test_a_guess_at_a_view_can_be_played_to_the_end(family: str) -> None:
    for state in walks(family, 2):
        for seat in seats_and_public(state.game):
            guess = seen(state, seat).resample(seed=1)
            assert all(guess.legal(asked).count() >= 2 for asked in guess.pending())
            assert not play_out(guess).pending()


@every_family
def test_guesses_differ_by_seed_alone(family: str) -> None:
    state = next(iter(walk(game_of(family), 3)))
    view = state.view(0)
    assert view.resample(5) == view.resample(5)
    if family in HIDING:
        assert len({view.resample(seed).text() for seed in range(20)}) > 1


def test_answers_given_at_once_commute() -> None:
    met = 0
    for state in walks("picks"):
        for one, other in combinations(state.pending(), 2):
            first, second = state.legal(one)[0].first(), state.legal(other)[-1].first()
            here, there = state.copy(), state.copy()
            here.apply(one, first)
            assert here.legal(other).packed() == state.legal(other).packed()
            here.apply(other, second)
            there.apply(other, second)
            there.apply(one, first)
            assert here == there
            met += 1
    assert met > 20


@every_family
@pytest.mark.parametrize("mode", ["passive", "neutral"])
def test_any_seat_can_be_retired_at_any_time(family: str, mode: str) -> None:
    for number, state in enumerate(walks(family, 2)):
        for seat in range(state.game.seats):
            without = state.copy()
            if not state.pending() or state.result().eliminated_at[seat] >= 0:
                with pytest.raises(StateError, match="already out"):
                    without.retire(seat, mode)
                continue
            without.retire(seat, mode)
            without.check()
            assert seat not in without.pending()
            result = play_out(without, number).result()
            assert result.retired[seat] > 0
            assert sum(map(bool, result.retired)) == 1
            with pytest.raises(StateError, match="already out"):
                without.retire(seat, mode)


@every_family
def test_playouts_perft_and_signature_work(family: str) -> None:
    game = game_of(family)
    played, over, _ = playouts(game, 20, 2000)
    assert over == 20
    assert played > 100
    state = game.new_state(1)
    assert perft(state, 1) == state.legal(state.pending()[0]).count()
    assert perft(state, 2) > perft(state, 1)
    assert signature(game) == signature(game)
