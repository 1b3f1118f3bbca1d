"""Properties of the endor family on random play: both variants, every option away from its default once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from endor_games import (
    PUBLIC,
    SETUPS,
    changed,
    game_of,
    phase,
    played,
    row,
    seats_and_public,
    seen,
    told,
    walk,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_core import Action, IllegalAction, Legal, State, StateError, load_resolved_ruleset, registry
from engine_core.bench import perft, signature

PROPERTY = settings(deadline=None, derandomize=True, max_examples=40)
SETUP = st.integers(0, len(SETUPS) - 1)
SEED = st.integers(0, 2**32)
DECISIONS = st.integers(0, 900)
VOCABULARY = game_of(0).description
EVENTS = [kind.name for kind in VOCABULARY.events]
KINDS = len(VOCABULARY.actions)
PLACES = len(VOCABULARY.territories)
SECRETS = {"cards", "pile", "deck", "rolls", "decisions", "pile_count", "chosen"}


def test_every_option_is_away_from_its_default_somewhere() -> None:
    used = {name for _, options in SETUPS for name in options}
    assert used == {option.name for option in registry.family("endor").options}


# ---- legal and apply


def guesses(rng: random.Random, legal: Legal) -> Iterator[int]:
    """Actions that are almost legal, and anything."""
    for _ in range(40 if len(legal) else 0):
        base = legal.sample(rng)
        parts = [base.kind, base.a, base.b, base.c, base.n]
        at = rng.randrange(5)
        parts[at] = rng.choice([rng.randrange(32), 60, 63, 64, 127, parts[at] + 1, abs(parts[at] - 1)])
        yield int(Action(*parts))
        yield int(base) | 1 << 31  # a negative amount
    for _ in range(40):
        yield int(
            Action(rng.randrange(KINDS + 2), *(rng.choice([0, rng.randrange(64), 255]) for _ in range(4)))
        )
    yield from (rng.getrandbits(63) for _ in range(10))


def attempt(state: State, seat: int, action: int) -> bool:
    """Whether a copy takes the action; a refusal must leave it as it was, with its scripted dice."""
    twin = state.copy()
    twin.script([6] * 5)
    try:
        twin.apply(seat, action)
    except IllegalAction as error:
        assert error.rule in VOCABULARY.rules
        assert twin == state
        assert twin.digest() == state.digest()
        assert twin.scripted_left() == 5
        return False
    twin.check()
    assert twin != state
    return True


@given(SETUP, SEED, DECISIONS)
@settings(PROPERTY, max_examples=120)
def test_an_action_is_legal_exactly_if_apply_takes_it(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    rng = random.Random(seed)
    for seat in range(state.game.seats):
        legal = state.legal(seat)
        assert (len(legal) > 0) == (seat in state.pending())
        for code in guesses(rng, legal):
            assert attempt(state, seat, code) == (code in legal), state.game.action_text(code)
        for entry in legal:
            for action in (entry.first(), entry.last(), entry.sample(rng)):
                assert attempt(state, seat, int(action)), state.game.action_text(action)


@given(SETUP, SEED, DECISIONS)
@settings(PROPERTY, max_examples=25)
def test_all_actions_on_places_are_judged_alike(number: int, seed: int, decisions: int) -> None:
    """Every kind with every two places and small operands, not only what a mutation finds."""
    state = played(number, seed, decisions)
    for seat in state.pending():
        legal = {int(entry.action(n)) for entry in state.legal(seat) for n in range(entry.lo, entry.hi + 1)}
        operands = {(Action.from_int(code).kind, Action.from_int(code).c) for code in legal}
        for kind, c in operands:
            for a in range(62):
                for b in range(PLACES + 2):
                    for n in (0, 1, 2):
                        code = int(Action(kind, a, b, c, n))
                        assert attempt(state, seat, code) == (code in legal), state.game.action_text(code)


@given(SETUP, SEED)
@PROPERTY
def test_every_question_has_two_answers_and_the_first_commits_least(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    for before, _ in told(state, random.Random(seed), 900):
        for seat in before.pending():
            legal = before.legal(seat)
            assert legal.count() >= 2, before.text()
            kinds = [VOCABULARY.actions[entry.kind].name for entry in legal]
            if phase(before) in ("order", "move", "attack"):
                assert kinds[0] == "pass"
        state.check()
    assert len(state.pending()) <= 1 or phase(state) == "plan"


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_equal_cards_dice_and_ships_are_offered_once(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    for seat in state.pending():
        legal = state.legal(seat)
        offered = [state.game.action_text(entry.first()) for entry in legal]
        if phase(state) == "plan":
            kinds = [text.rstrip("0123456789").rstrip("_") for text in offered]
            assert len(set(kinds)) == len(kinds)
        assert len(set(offered)) == len(offered)
        assert len(legal) < 150


# ---- copies, texts, determinism


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_a_copy_is_equal_and_evolves_equally_and_apart(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    before = state.digest()
    one, two = state.copy(), state.copy()
    assert one == state
    for twin in (one, two):
        walk(twin, random.Random(seed), 100)
    assert one == two
    assert state.digest() == before


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_positions_round_trip_as_text_and_packed(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    game = state.game
    again = [game.position(state.text(), seed=seed), game.unpack_position(state.packed(), seed=seed)]
    for other in again:
        assert other == state
        assert other.text() == state.text()
        assert other.packed() == state.packed()
        assert other.result() == state.result()
    for twin in (state, *again):
        walk(twin, random.Random(seed), 60)
    assert again == [state, state]


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_round_trip_as_text_and_packed(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    for seat in seats_and_public(state.game):
        view = seen(state, seat)
        for other in (state.game.view(view.text(), seat), state.game.unpack_view(view.packed(), seat)):
            assert other == view
            assert other.text() == view.text()
        assert view.result() == replace(state.result(), decisions=0)
        if seat in state.pending():
            assert seat in view.pending()
            assert view.legal(seat).packed() == state.legal(seat).packed()


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=20)
def test_events_do_not_change_play_and_seeds_make_the_game(number: int, seed: int) -> None:
    loud, quiet = game_of(number).start(seed)[0], game_of(number).new_state(seed)
    for _ in told(loud, random.Random(seed), 700):
        pass
    walk(quiet, random.Random(seed), 700)
    assert quiet == loud
    assert game_of(number).new_state(seed) != game_of(number).new_state(seed + 1)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_rulesets_perft_and_signature(number: int) -> None:
    game = game_of(number)
    assert load_resolved_ruleset(game.ruleset.text) == game.ruleset
    state = game.new_state(1)
    seat = state.pending()[0]
    assert perft(state, 1) == state.legal(seat).count()
    assert perft(state, 2) > perft(state, 1)
    assert signature(game, 2) == signature(game, 2)


# ---- simultaneous choices


@given(SETUP, SEED, st.integers(0, 60))
@PROPERTY
def test_choices_made_at_once_commute(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    rng = random.Random(seed)
    for one, other in combinations(state.pending(), 2):
        first, second = state.legal(one).sample(rng), state.legal(other).sample(rng)
        here, there = state.copy(), state.copy()
        here.apply(one, first)
        assert here.legal(other).packed() == state.legal(other).packed()
        here.apply(other, second)
        there.apply(other, second)
        there.apply(one, first)
        assert here == there


@given(SETUP, SEED, st.integers(0, 120))
@PROPERTY
def test_nobody_else_can_tell_a_choice_from_none(number: int, seed: int, decisions: int) -> None:
    """Neither by views and their pending seats, nor by events, as long as somebody still chooses."""
    state = played(number, seed, decisions)
    rng = random.Random(seed)
    while phase(state) == "plan" and len(state.pending()) > 1:
        seat = rng.choice(state.pending())
        before = {other: seen(state, other) for other in seats_and_public(state.game) if other != seat}
        events = state.play(seat, state.legal(seat).sample(rng))
        for other, view in before.items():
            assert seen(state, other) == view
            assert seat in view.pending(), "as if it had not answered"
            assert not [event for event in events if event.visible_to(other)]


# ---- secrets


def swaps(state: State, holder: int) -> Iterator[State]:
    """The state with a card of a seat, in hand or on its pile, exchanged with the next one of its deck."""
    side = state.game.description.teams[holder]
    at = [row(state, "deck", other, 2)[0] for other in range(2)]
    hidden = at[side]
    if hidden < 0:
        return
    place = ("deck", side * len(state.deck) // 2)
    pile = row(state, "pile", holder, state.game.seats)[: state.pile_count[holder]]
    for card, where in enumerate(state.cards):
        if where == holder and card not in pile:
            yield changed(state, {("cards", card): 100, ("cards", hidden): holder, place: card})
            break
    if phase(state) != "plan" and pile:
        start = holder * len(state.pile) // state.game.seats
        last = len(pile) - 1
        changes = {("cards", pile[last]): 100, ("cards", hidden): 102, place: pile[last]}
        yield changed(state, changes | {("pile", start + last): hidden})


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_are_blind_to_secrets(number: int, seed: int, decisions: int) -> None:
    """States that differ in a seat's cards and the deck look the same to the other side and the public."""
    state = played(number, seed, decisions)
    teams = state.game.description.teams
    partners = bool(state.game.ruleset.options["partners_show_hands"])
    for holder in range(state.game.seats):
        for other in swaps(state, holder):
            assert other != state
            for seat in seats_and_public(state.game):
                if seat != PUBLIC and (seat == holder or (partners and teams[seat] == teams[holder])):
                    continue
                assert seen(other, seat) == seen(state, seat)
                assert seen(other, seat).packed() == seen(state, seat).packed()


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_hide_what_they_must_and_show_the_rest(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    game = state.game
    for viewer in seats_and_public(game):
        view = seen(state, viewer)
        assert set(view.deck) == {-1}
        assert set(view.rolls) == {0}
        assert view.decisions == 0
        for field in game.description.fields:
            if field.name not in SECRETS or (
                field.name in ("pile_count", "chosen") and phase(state) != "plan"
            ):
                assert view.field(field.name) == state.field(field.name)
        for seat in range(game.seats):
            shown = row(view, "pile", seat, game.seats)
            own = row(state, "pile", seat, game.seats)
            known = state.chosen[seat] if viewer == seat else 0
            if sees_partner(state, viewer, seat) and phase(state) != "plan":
                known = state.chosen[seat]
            assert shown[:known] == own[:known]
            assert set(shown[known:]) == {-1}, "bonus cards are seen by nobody"
        for card, holder in enumerate(state.cards):
            if holder == 101 or (
                holder < game.seats and (holder == viewer or sees_partner(state, viewer, holder))
            ):
                assert view.cards[card] == holder
            elif holder != 102:
                assert view.cards[card] == -1


def sees_partner(state: State, viewer: int, seat: int) -> bool:
    teams = state.game.description.teams
    partners = bool(state.game.ruleset.options["partners_show_hands"])
    if PUBLIC in (viewer, seat) or viewer == seat or seat >= len(teams):
        return False
    return partners and teams[viewer] == teams[seat]


@given(SETUP, SEED, DECISIONS, SEED)
@PROPERTY
def test_resampled_states_are_consistent_with_the_view(
    number: int, seed: int, decisions: int, fill: int
) -> None:
    state = played(number, seed, decisions)
    for seat in seats_and_public(state.game):
        view = seen(state, seat)
        guess = view.resample(fill)
        guess.check()
        assert seen(guess, seat) == view
        assert seen(guess, seat).result() == view.result()
        assert guess == view.resample(fill)
        assert all(guess.legal(asked).count() >= 2 for asked in guess.pending())
        assert bool(guess.pending()) == bool(state.pending())
        walk(guess, random.Random(fill), 40).check()


def test_guesses_differ_by_seed() -> None:
    state = played(0, 3, 100)
    assert len({seen(state, 0).resample(seed).text() for seed in range(20)}) == 20


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=20)
def test_only_who_may_see_a_card_is_told_of_it(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    for before, events in told(state, random.Random(seed), 700):
        for event in events:
            name = EVENTS[event.kind]
            seers = [seat for seat in seats_and_public(state.game) if event.visible_to(seat)]
            allowed = [
                seat
                for seat in range(state.game.seats)
                if seat == event.seat or sees_partner(before, seat, event.seat)
            ]
            if name == "picked":
                assert seers == [event.seat]
            elif name == "drew":
                rest = [seat for seat in seats_and_public(state.game) if seat not in allowed]
                assert seers == (rest if event.a == 255 else allowed)
            else:
                assert seers == list(seats_and_public(state.game))


# ---- pieces and cards


@given(SETUP, SEED)
@PROPERTY
def test_every_piece_is_in_exactly_one_place(number: int, seed: int) -> None:
    """20 X-wings, 16 Y-wings, 15 B-wings, 56 TIE fighters, 60 cards; the box only fills."""
    state = game_of(number).new_state(seed)
    pieces = {"xwing": 20, "ywing": 16, "bwing": 15, "tie": 56}
    for before, _ in told(state, random.Random(seed), 900):
        for index, (ship, total) in enumerate(pieces.items()):
            aboard = state.aboard if ship == "tie" else 0
            assert sum(state.field(ship)) + state.box[index] + aboard == total
            assert state.box[index] >= before.box[index]
        assert 0 <= state.troopers <= min(9, 28 - state.shield)
        places = [card for card, holder in enumerate(state.cards) if holder < state.game.seats]
        places += [card for card in state.deck if card >= 0]
        places += [card for card, holder in enumerate(state.cards) if holder == 101]
        if phase(state) != "plan":
            places += [card for card in state.pile if card >= 0]
            places += [state.flipped] * (state.flipped >= 0)
        assert sorted(places) == list(range(60))


@given(SETUP, SEED)
@PROPERTY
def test_tracks_only_go_down_and_markers_stay_down(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    for before, _ in told(state, random.Random(seed), 900):
        assert state.shield >= before.shield
        assert state.luke <= before.luke
        assert state.vader <= before.vader
        assert state.falcon_hits <= before.falcon_hits
        assert state.executor_hits <= before.executor_hits
        assert all(new <= old for new, old in zip(state.marker, before.marker, strict=True))
        assert state.lap in (before.lap, before.lap + 1)


# ---- leaving


@given(SETUP, SEED, DECISIONS, st.sampled_from(["passive", "neutral"]))
@PROPERTY
def test_a_side_that_loses_a_commander_has_lost(number: int, seed: int, decisions: int, mode: str) -> None:
    state = played(number, seed, decisions)
    teams = state.game.description.teams
    for seat in range(state.game.seats):
        left = state.copy()
        if not state.pending():
            with pytest.raises(StateError, match="already out"):
                left.retire(seat, mode)
            continue
        left.retire(seat, mode)
        left.check()
        assert left.pending() == ()
        assert left.game.position(left.text()) == left
        result = left.result()
        assert result.termination == "forfeit"
        assert result.winners == tuple(other for other, team in enumerate(teams) if team != teams[seat])
        assert [other for other, how in enumerate(result.retired) if how] == [seat]


@given(SETUP, SEED)
@PROPERTY
def test_results_name_a_side_or_nobody(number: int, seed: int) -> None:
    state = walk(game_of(number).new_state(seed), random.Random(seed))
    teams, result = state.game.description.teams, state.result()
    assert result.over
    assert set(result.territories) | set(result.troops) == {0}
    if result.termination == "turn_cap":
        assert result.lap == state.game.ruleset.options["turn_cap"]
        assert (result.winners, result.survivors) == ((), tuple(range(state.game.seats)))
    else:
        assert result.termination == "rules"
        assert len({teams[seat] for seat in result.winners}) == 1
        assert len(result.winners) == state.game.seats // 2
        assert result.survivors == result.winners
        assert [at >= 0 for at in result.eliminated_at] == [
            seat not in result.winners for seat in range(len(teams))
        ]
