"""Properties of the engine on random play: 2 to 6 seats, every option away from its default at least once."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SETUPS, Chooser, game_of, played, walk

from engine_core import Action, Event, IllegalAction, Legal, State, View

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)

SETUP = st.integers(0, len(SETUPS) - 1)
SEED = st.integers(0, 2**32)
DECISIONS = st.integers(0, 3000)
VOCABULARY = game_of(0).description
EVENTS = [kind.name for kind in VOCABULARY.events]
KINDS = len(VOCABULARY.actions)
PUBLIC = -1


def concrete(legal: Legal) -> set[int]:
    """Every action of the ranges, as codes."""
    return {int(entry.action(n)) for entry in legal for n in range(entry.lo, entry.hi + 1)}


def attempt(state: State, seat: int, action: int) -> bool:
    """Whether a copy takes the action; a refusal must leave it as it was, with its scripted dice."""
    twin = state.copy()
    twin.script([6])
    try:
        twin.apply(seat, action)
    except IllegalAction as error:
        assert error.rule in VOCABULARY.rules
        assert twin == state
        assert twin.digest() == state.digest()
        assert twin.scripted_left() == 1
        assert twin.copy().pending() == state.pending()
        return False
    twin.check()
    assert twin != state
    return True


# ---- legal and apply


def near_misses(rng: random.Random, legal: Legal) -> Iterator[int]:
    """Actions that are almost legal: a legal one with one field changed."""
    for _ in range(60):
        base = legal.sample(rng)
        kind, a, b, c, n = base.kind, base.a, base.b, base.c, base.n
        other = rng.choice([rng.randrange(KINDS + 3), rng.randrange(46), 255, 0, 63, 64])
        amount = rng.choice([0, 1, n + 1, abs(n - 1), 1000, 2**31 - 1])
        yield int(
            rng.choice(
                [
                    Action(other % 128, a, b, c, n),
                    Action(kind, other, b, c, n),
                    Action(kind, a, other, c, n),
                    Action(kind, a, b, other, n),
                    Action(kind, a, b, c, amount),
                ]
            )
        )
        yield int(base) | 1 << 31  # a negative amount


def wild_guesses(rng: random.Random) -> Iterator[int]:
    for _ in range(60):
        a, b, c = (rng.choice([rng.randrange(46), rng.randrange(256)]) for _ in range(3))
        yield int(Action(rng.randrange(KINDS + 2), a, b, c, rng.choice([0, 1, 2, 3, rng.getrandbits(31)])))
    yield from (rng.getrandbits(63) for _ in range(10))


@given(SETUP, SEED, DECISIONS)
@settings(PROPERTY, max_examples=200)
def test_an_action_is_legal_exactly_if_apply_takes_it(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    rng = random.Random(seed)
    for seat in range(state.game.seats):
        legal = state.legal(seat)
        assert (len(legal) > 0) == (seat in state.pending())
        for code in [*(near_misses(rng, legal) if len(legal) else ()), *wild_guesses(rng)]:
            assert attempt(state, seat, code) == (code in legal), state.game.action_text(code)
        for entry in legal:
            for action in (entry.first(), entry.last(), entry.sample(rng)):
                assert attempt(state, seat, int(action))


@given(SETUP, SEED, DECISIONS)
@settings(PROPERTY, max_examples=20)
def test_all_actions_on_territories_are_judged_alike(number: int, seed: int, decisions: int) -> None:
    """Every kind with every pair of territories and small amounts, not only what a mutation finds."""
    state = played(number, seed, decisions)
    seat = next(iter(state.pending()), 0)
    legal = concrete(state.legal(seat))
    takes = set()
    for kind in {Action.from_int(code).kind for code in legal}:
        for a in range(44):
            for b in range(44):
                for n in (0, 1, 2, 3, 4):
                    code = int(Action(kind, a, b, 0, n))
                    twin = state.copy()
                    try:
                        twin.apply(seat, code)
                    except IllegalAction:
                        continue
                    takes.add(code)
    assert takes == {
        code for code in legal if (action := Action.from_int(code)).c == 0 and action.n <= 4 and action.b < 44
    }


@given(SETUP, SEED)
@PROPERTY
def test_a_decision_has_at_least_two_answers_and_a_seat_that_plays(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    for seat in walk(state, Chooser(state.game, seed), 2500):
        assert state.pending() == (seat,)
        assert state.pending_mask() == 1 << seat
        assert state.legal(seat).count() >= 2
        assert state.living[seat] == 1
        assert state.retired[seat] == 0
        assert state.eliminated_at[seat] == -1


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_buffers_codes_and_picks_agree_with_the_list(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    buffer = state.game.buffer()
    for seat in range(state.game.seats):
        legal = state.legal(seat)
        assert state.legal_into(seat, buffer) == len(buffer) == len(legal)
        assert buffer.packed() == legal.packed() == Legal.from_packed(legal.packed()).packed()
        if legal.count() < 3000:
            assert {int(legal.pick(i)) for i in range(legal.count())} == concrete(legal)
            assert len(concrete(legal)) == legal.count()
        for index, entry in enumerate(legal):
            assert legal.code(index, entry.lo) == legal.code(index, -5) == int(entry.first())
            assert legal.code(index, 2**31 - 1) == int(entry.last())


# ---- copies, texts, determinism


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_a_copy_is_equal_and_evolves_equally_and_apart(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    before = state.digest()
    one, two = state.copy(), state.copy()
    assert one == state
    assert one.digest() == before
    for twin in (one, two):
        for _ in walk(twin, Chooser(state.game, seed), 200):
            pass
    assert one == two
    assert state.digest() == before


def forms(position: State | View) -> tuple[str, bytes, str]:
    return position.text(), position.packed(), position.digest()


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_positions_round_trip_as_text_and_packed(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    game = state.game
    again = [game.position(state.text(), seed=seed), game.unpack_position(state.packed(), seed=seed)]
    for other in again:
        assert other == state
        assert forms(other) == forms(state)
        assert other.result() == state.result()
    for twin in (state, *again):
        for _ in walk(twin, Chooser(game, seed), 100):
            pass
    assert again == [state, state]


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_round_trip_as_text_and_packed(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    for seat in (PUBLIC, *range(state.game.seats)):
        view = state.public_view() if seat == PUBLIC else state.view(seat)
        for other in (state.game.view(view.text(), seat), state.game.unpack_view(view.packed(), seat)):
            assert other == view
            assert forms(other) == forms(view)
        assert view.pending() == state.pending()
        hidden = state.decisions if state.result().over else 0  # it tells that somebody kept a set
        assert view.result() == replace(state.result(), decisions=hidden)
        if seat in state.pending():
            assert view.legal(seat).packed() == state.legal(seat).packed()


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=30)
def test_events_do_not_change_play_and_codes_equal_actions(number: int, seed: int) -> None:
    game = game_of(number)
    quiet, loud = game.new_state(seed), game.start(seed)[0]
    chooser = Chooser(game, seed)
    for seat in walk(quiet, Chooser(game, seed), 800):
        loud.play(seat, int(chooser(loud.legal(seat))))
    assert quiet == loud


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=30)
def test_the_same_seed_gives_the_same_game_and_another_one_another(number: int, seed: int) -> None:
    assert played(number, seed, 1500) == played(number, seed, 1500)
    assert played(number, seed, 1500) != played(number, seed + 1, 1500)
    assert game_of(number).new_state(seed) != game_of(number).new_state(seed + 1)


DIGESTS = """
from playing import SETUPS, played
for number in range(len(SETUPS)):
    state = played(number, 5, 700)
    print(state.digest(), state.public_view().digest(), state.game.ruleset.hash)
"""


def test_H05_another_hash_seed_gives_the_same_games() -> None:
    found = set()
    for hash_seed in ("1", "2", "31337"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parent)}
        command = [sys.executable, "-c", DIGESTS]
        found.add(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert len(found) == 1
    assert len(found.pop().split()) == 3 * len(SETUPS)


# ---- troops and cards


def told(state: State, chooser: Chooser, decisions: int) -> Iterator[tuple[State, list[Event]]]:
    """(the state before, the events of the step) while a game is played."""
    for _ in range(decisions):
        if not state.pending():
            return
        before = state.copy()
        (seat,) = state.pending()
        yield before, state.play(seat, chooser(state.legal(seat)))


def gained(event: Event) -> int:
    """By how much an event changes the number of troops on the board."""
    name = EVENTS[event.kind]
    if name in ("claimed", "placed"):
        return 1
    if name in ("bonus", "deployed"):
        return event.n
    return -min(event.c, len(event.dice) - event.c) if name == "battle" else 0


@given(SETUP, SEED)
@PROPERTY
def test_troops_are_conserved(number: int, seed: int) -> None:
    """Only claims, placings, bonuses and deployments add troops, only battles take any, one a pair."""
    state = game_of(number).new_state(seed)
    for before, events in told(state, Chooser(state.game, seed), 2500):
        assert sum(state.troops) - sum(before.troops) == sum(map(gained, events))
        placed = sum(EVENTS[event.kind] in ("claimed", "placed") for event in events)
        assert sum(before.pool) - sum(state.pool) == placed
        due = before.reinforcements
        for event in events:
            name = EVENTS[event.kind]
            due = 0 if name == "turn" else due
            due += event.n if name in ("reinforced", "traded") else -event.n if name == "deployed" else 0
        assert state.reinforcements == due


@given(SETUP, SEED)
@PROPERTY
def test_cards_are_conserved(number: int, seed: int) -> None:
    """check() sees every card in one place; here: cards move only where the events say so."""
    state = game_of(number).new_state(seed)
    for before, events in told(state, Chooser(state.game, seed), 2500):
        state.check()
        hands = Counter(dict(enumerate(before.cards_held)))
        for event in events:
            name = EVENTS[event.kind]
            if name == "traded":
                hands[event.seat] -= 3
            elif name == "drew" and event.a != 255:
                hands[event.seat] += 1
            elif name == "cards_taken":
                hands[event.seat] += event.n
                hands[event.b] -= event.n
        assert [hands[colour] for colour in range(len(state.cards_held))] == list(state.cards_held)


@given(SETUP, SEED)
@PROPERTY
def test_set_up_places_every_colours_allotment(number: int, seed: int) -> None:
    game = game_of(number)
    state = game.new_state(seed)
    allotment = int(game.ruleset.options["starting_troops"])
    begin = [game.description.phases.index(name) for name in ("claim", "place")]
    for _ in walk(state, Chooser(game, seed), 500):
        for colour in range(len(state.pool)):
            troops = sum(n for owner, n in zip(state.owner, state.troops, strict=True) if owner == colour)
            if state.phase in begin:
                assert troops + state.pool[colour] == allotment
        if state.phase not in begin:
            assert set(state.pool) == {0}
            return


# ---- secrets


def swapped(state: State, seat: int) -> State | None:
    """The state with a card of the seat's hand and the next card of the deck exchanged, if there are both."""
    hand = [card for card, holder in enumerate(state.cards) if holder == seat]
    if not hand or state.deck[0] < 0:
        return None
    form = f"<{state.game.description.words() + 1}i"
    words = list(struct.unpack(form, state.packed()))
    cards, deck = (state.game.description.offset(name)[0] + 1 for name in ("cards", "deck"))
    mine, next_card = hand[0], state.deck[0]
    words[cards + mine], words[cards + next_card] = 100, seat
    words[deck] = mine
    return state.game.unpack_position(struct.pack(form, *words))


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_are_blind_to_secrets(number: int, seed: int, decisions: int) -> None:
    """States that differ in a seat's hand and the deck look the same to everybody else."""
    state = played(number, seed, decisions)
    for holder in range(state.game.seats):
        other = swapped(state, holder)
        if other is None:
            continue
        assert other != state
        assert other.view(holder) != state.view(holder)
        assert other.public_view() == state.public_view()
        assert other.public_view().packed() == state.public_view().packed()
        for seat in set(range(state.game.seats)) - {holder}:
            assert other.view(seat) == state.view(seat)
            assert other.view(seat).digest() == state.view(seat).digest()


@given(SETUP, SEED, DECISIONS)
@PROPERTY
def test_views_hide_what_they_must_and_show_the_rest(number: int, seed: int, decisions: int) -> None:
    state = played(number, seed, decisions)
    hidden = {"cards", "deck", "rolls", "decisions"}
    for seat in (PUBLIC, *range(state.game.seats)):
        view = state.public_view() if seat == PUBLIC else state.view(seat)
        assert set(view.deck) == {-1}
        assert set(view.rolls) == {0}
        assert view.decisions == (state.decisions if state.result().over else 0)
        for card, holder in enumerate(state.cards):
            shown = holder == 101 or (holder == seat and seat != PUBLIC)
            assert view.cards[card] == (holder if shown else -1)
        for field in state.game.description.fields:
            assert field.name in hidden or view.field(field.name) == state.field(field.name)
        assert not hasattr(view, "key")


@given(SETUP, SEED, DECISIONS, SEED)
@PROPERTY
def test_resampled_states_are_consistent_with_the_view(
    number: int, seed: int, decisions: int, fill: int
) -> None:
    state = played(number, seed, decisions)
    for seat in (PUBLIC, *range(state.game.seats)):
        view = state.public_view() if seat == PUBLIC else state.view(seat)
        guess = view.resample(fill)
        guess.check()
        assert (guess.public_view() if seat == PUBLIC else guess.view(seat)) == view
        assert guess == view.resample(fill)
        assert guess.pending() == state.pending()
        for _ in walk(guess, Chooser(state.game, fill), 50):
            pass
        guess.check()


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=30)
def test_a_guess_at_a_seat_that_is_asked_for_a_trade_gives_it_one(number: int, seed: int) -> None:
    """Everybody sees the question, so a hand without a set is not consistent with what is seen."""
    state = game_of(number).new_state(seed)
    trade = VOCABULARY.phases.index("trade")
    for seat in walk(state, Chooser(state.game, seed), 2500):
        if state.phase == trade:
            guess = state.public_view().resample(seed)
            assert guess.legal(seat).count() >= 2
            assert guess.public_view() == state.public_view()


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=30)
def test_only_the_holder_is_told_which_card(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    seats = range(state.game.seats)
    for _, events in told(state, Chooser(state.game, seed), 2500):
        for event in events:
            secret = EVENTS[event.kind] == "card_taken" or (EVENTS[event.kind] == "drew" and event.a != 255)
            told_to = [seat for seat in (PUBLIC, *seats) if event.visible_to(seat)]
            if secret:
                assert told_to == [event.seat]
            elif EVENTS[event.kind] == "drew":
                assert told_to == [PUBLIC, *(seat for seat in seats if seat != event.seat)]
            else:
                assert told_to == [PUBLIC, *seats]


# ---- leaving, and the end


def leave_at_random(state: State, rng: random.Random) -> None:
    """Play to the end with seats retiring now and then, in either mode; checks the state all along."""
    chooser = Chooser(state.game, rng.getrandbits(32))
    while pending := state.pending():
        assert all(state.retired[seat] == 0 and state.eliminated_at[seat] == -1 for seat in pending)
        assert state.legal(pending[0]).count() >= 2
        if rng.random() < 0.005:
            stay = [seat for seat in range(state.game.seats) if seat in state.result().survivors]
            seat = rng.choice([seat for seat in stay if not state.retired[seat]])
            state.retire(seat, rng.choice(["passive", "neutral"]))
        else:
            state.apply(pending[0], chooser(state.legal(pending[0])))
        state.check()


@given(SETUP, SEED, st.integers(0, 400))
@settings(PROPERTY, max_examples=150)
def test_seats_may_leave_at_any_moment(number: int, seed: int, first: int) -> None:
    """Invariants hold, nobody out is asked, and the game ends; by forfeit if only one seat has stayed."""
    state = played(number, seed, first, turn_cap=12)
    leave_at_random(state, random.Random(seed))
    result = state.result()
    assert result.over
    assert not any(result.retired[winner] for winner in result.winners)
    if result.termination == "forfeit":
        assert len(result.winners) == 1
        others = set(range(state.game.seats)) - set(result.winners)
        assert all(result.retired[seat] or result.eliminated_at[seat] >= 0 for seat in others)


@given(SETUP, SEED)
@settings(PROPERTY, max_examples=150)
def test_every_game_ends_by_the_rules_or_the_cap(number: int, seed: int) -> None:
    state = played(number, seed, 10**6, turn_cap=40)
    result = state.result()
    assert result.over
    assert state.pending() == ()
    assert result.termination in ("rules", "turn_cap")
    assert sum(result.territories) + list(state.owner).count(state.game.seats) == 42
    assert result.survivors == tuple(seat for seat, at in enumerate(result.eliminated_at) if at == -1)
    falls = sorted(at for at in result.eliminated_at if at >= 0)
    assert falls == list(range(len(falls)))
    assert all((n == 0) == (at >= 0) for n, at in zip(result.territories, result.eliminated_at, strict=True))
    if result.termination == "rules":
        assert result.winners == result.survivors
        assert len(result.winners) == 1
    else:
        assert result.winners == ()
        assert result.lap == 40


def test_random_play_reaches_every_phase_and_ending() -> None:
    """The properties above are worth something: their games get everywhere."""
    phases, endings, falls = set(), set(), 0
    for number in range(len(SETUPS)):
        for seed in range(12):
            state = game_of(number).new_state(seed)
            for _ in walk(state, Chooser(state.game, seed), 10**5):
                phases.add(state.phase)
            endings.add(state.result().termination)
            falls += sum(at >= 0 for at in state.eliminated_at)
    asked = {"claim", "place", "trade", "bonus", "deploy", "attack", "defend", "occupy", "fortify"}
    assert {VOCABULARY.phases[phase] for phase in phases} == asked
    assert endings == {"rules", "turn_cap"}
    assert falls > 50


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_purely_random_play_keeps_the_invariants(number: int) -> None:
    state = game_of(number).new_state(number)
    for _ in walk(state, Chooser(state.game, number, daring=0.0), 20_000):
        state.check()
