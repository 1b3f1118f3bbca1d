"""What a seat may not know shows nowhere: not in views, not in events, not in who is asked; guesses fit."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SETUPS, Chooser, every_setup, game_of, moment, option, played, setup_name, walk

from engine_core import Event, Game, State, View, load

PROPERTY = settings(deadline=None, derandomize=True, max_examples=4)
SEED = st.integers(0, 2**32)
MOMENT = st.integers(0, 1000)
PUBLIC = -1
VOCABULARY = game_of(0).description
EVENTS = [kind.name for kind in VOCABULARY.events]
PHASES = VOCABULARY.phases
NOBODY = 255
DISCARDS, ASIDE, ON_BOARD = 101, 102, 100
MISSION_FIELDS = ("mission", "mission_void", "mission_refused")
# Events that tell everybody something that was secret until then.
REVEALING = {
    "traded",
    "bonus",
    "stars",
    "rerolled",
    "headquarters",
    "reward",
    "fulfilled",
    "conquered",
    "over",
}
# What one state may ask and the other not: who holds a set, or who has picked, was the difference.
ASKED_ABOUT_SECRETS = {"trade", "bonus", "stars", "reroll", "headquarters", "over"}


def views(state: State) -> Iterator[tuple[int, View]]:
    """The public's view and every seat's."""
    yield PUBLIC, state.public_view()
    for seat in range(state.game.seats):
        yield seat, state.view(seat)


def phase(state: State) -> str:
    return str(PHASES[state.phase])


def has_field(game: Game, name: str) -> bool:
    return any(field.name == name for field in game.description.fields)


def with_fields(state: State, changes: dict[str, Any]) -> State:
    """The position with other values in some fields, and the same luck."""
    form = f"<{state.game.description.words() + 1}i"
    words = list(struct.unpack(form, state.packed()))
    for name, values in changes.items():
        place, length = state.game.description.offset(name)
        assert len(values) == length
        words[place + 1 : place + 1 + length] = values
    return state.game.unpack_position(struct.pack(form, *words), seed=state.key)


# ---- what is hidden


def shown_cards(state: State, seat: int, headquarters: tuple[int, ...]) -> tuple[int, ...]:
    """The holders of cards that the seat sees: its own, the discards, and the cards of known headquarters."""
    ids = state.game.description.cards
    aside = {ids.index(state.game.description.territories[at]) for at in headquarters if at >= 0}
    return tuple(
        holder if holder in (seat, DISCARDS) or (holder == ASIDE and card in aside) else -1
        for card, holder in enumerate(state.cards)
    )


def goals_seen(state: State, seat: int) -> dict[str, tuple[int, ...]]:
    """The fields of goals that are not simply open, as the seat may see them while the game goes on."""
    seen: dict[str, tuple[int, ...]] = {}
    colours = range(len(state.pool))
    if has_field(state.game, "mission"):
        seen["mission"] = tuple(state.mission[colour] if colour == seat else -1 for colour in colours)
        for name in MISSION_FIELDS[1:]:
            seen[name] = tuple(state.field(name)[colour] * (colour == seat) for colour in colours)
    if has_field(state.game, "capital_known"):
        known = state.capital_known
        seen["capital"] = tuple(
            state.capital[colour] if colour == seat or known[colour] else -1 for colour in colours
        )
    if has_field(state.game, "reward") and option(state.game, "reward_visibility") == "down":
        taken = [holder not in (-1, ON_BOARD) for holder in state.objective]
        seen["reward_on"] = tuple(
            token if claimed else -1 for token, claimed in zip(state.reward_on, taken, strict=True)
        )
        if has_field(state.game, "reward_pile"):
            seen["reward_pile"] = (-1,) * len(state.reward_pile)
    return seen


def expected(state: State, seat: int) -> dict[str, tuple[int, ...]]:
    """Every field of a view, worked out from what is secret."""
    fields = {field.name: state.field(field.name) for field in state.game.description.fields}
    if not state.result().over:
        fields |= goals_seen(state, seat) | {"decisions": (0,)}
    fields["cards"] = shown_cards(state, seat, fields.get("capital", ()))
    fields["deck"] = (-1,) * len(state.deck)
    fields["rolls"] = (0,) * len(state.rolls)
    return fields


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_views_hide_what_they_must_and_show_the_rest(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
    for seat, view in views(state):
        assert {field.name: view.field(field.name) for field in state.game.description.fields} == expected(
            state, seat
        )
        assert not hasattr(view, "key")


@every_setup
def test_views_hide_what_they_must_in_every_position_of_a_game(number: int) -> None:
    state = game_of(number).new_state(7)
    for decision, _ in enumerate(walk(state, Chooser(state.game, 7), 1200)):
        if decision % 3 == 0:
            for seat, view in views(state):
                assert view.cards == expected(state, seat)["cards"]
                for name, values in goals_seen(state, seat).items():
                    assert view.field(name) == values, name


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_views_round_trip_and_ask_the_same(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
    for seat, view in views(state):
        for other in (state.game.view(view.text(), seat), state.game.unpack_view(view.packed(), seat)):
            assert other == view
            assert (other.text(), other.packed(), other.digest()) == (
                view.text(),
                view.packed(),
                view.digest(),
            )
        hidden = state.decisions if state.result().over else 0  # it tells that somebody kept a set
        assert view.result() == replace(state.result(), decisions=hidden)
        assert (seat in view.pending()) == (seat in state.pending())
        assert view.pending() == state.pending() or phase(state) == "headquarters"
        if seat != PUBLIC:
            assert view.legal(seat).packed() == state.legal(seat).packed()
            assert state.packed_view(seat) == view.packed()


@every_setup
@given(SEED, MOMENT)
@settings(PROPERTY, max_examples=2)
def test_redacting_again_changes_nothing(number: int, seed: int, permille: int) -> None:
    """A view filled in somehow looks the same as before to the same eyes."""
    state = moment(number, seed, permille)
    for seat, view in views(state):
        again = view.resample(seed)
        same = again.public_view() if seat == PUBLIC else again.view(seat)
        assert same == view
        assert same.resample(seed) == again


# ---- another secret behind the same view: everything that is seen stays the same


def seen_by(events: list[Event], seat: int) -> list[tuple[Any, ...]]:
    return [
        (event.kind, event.seat, event.a, event.b, event.c, event.n, event.dice)
        for event in events
        if event.visible_to(seat)
    ]


def tells(events: list[Event], seat: int) -> bool:
    """Whether the seat is told something that was secret."""
    told = [event for event in events if event.visible_to(seat)]
    names = {EVENTS[event.kind] for event in told}
    drew = any(EVENTS[event.kind] == "drew" and event.a != NOBODY for event in told)
    return drew or "card_taken" in names or not names.isdisjoint(REVEALING)


def looks(state: State, seat: int) -> tuple[bytes, tuple[int, ...], View]:
    """All there is to see: the words of the view, which its text and digest are made of, and its memory."""
    view = state.public_view() if seat == PUBLIC else state.view(seat)
    return view.packed(), view.pending(), view


def compare_along(first: State, second: State, seat: int, chooser: Chooser, decisions: int) -> int:
    """Play both alike until the difference comes to light as the rules have it; how many decisions later."""
    assert looks(first, seat) == looks(second, seat)
    for decision in range(decisions):
        if not first.pending():
            return decision
        asked = first.pending()[0]
        action = chooser(first.legal(asked))
        if int(action) not in second.legal(asked):
            return decision
        one, two = first.play(asked, action), second.play(asked, action)
        if tells(one, seat) or tells(two, seat):
            return decision
        if first.phase != second.phase:
            assert {phase(first), phase(second)} & ASKED_ABOUT_SECRETS
            return decision
        assert seen_by(one, seat) == seen_by(two, seat)
        assert looks(first, seat) == looks(second, seat)
    return decisions


@every_setup
@given(SEED, MOMENT, SEED)
@settings(PROPERTY, max_examples=4)
def test_all_secrets_changed_at_once_are_not_seen(number: int, seed: int, permille: int, fill: int) -> None:
    """Hands, deck, missions, headquarters, face-down rewards: others, and nothing seen or told differs."""
    state = moment(number, seed, permille)
    for seat, view in views(state):
        guess = view.resample(fill)
        other = with_fields(guess, {"rolls": state.rolls, "decisions": (state.decisions,)})
        other = state.game.unpack_position(other.packed(), seed=state.key)
        compare_along(state.copy(), other, seat, Chooser(state.game, seed), 150)


MISSIONS = [number for number in range(len(SETUPS)) if has_field(game_of(number), "mission")]
REWARDS_DOWN = [n for n in range(len(SETUPS)) if option(game_of(n), "reward_visibility") == "down"]
HIDDEN = [n for n in range(len(SETUPS)) if option(game_of(n), "headquarters") == "hidden"]
PICKING = [n for n in range(len(SETUPS)) if option(game_of(n), "headquarters") != "none"]


@pytest.mark.parametrize("number", MISSIONS, ids=setup_name)
def test_other_missions_change_nothing_that_is_seen_until_one_wins(number: int) -> None:
    """Whole games long: only a mission that is fulfilled tells anything, and only when it is."""
    compared = changed = 0
    for seed in range(4):
        state = moment(number, seed, 200 * seed)
        for seat, view in views(state):
            guess = view.resample(seed)
            other = with_fields(state, {name: guess.field(name) for name in MISSION_FIELDS})
            changed += other != state
            compared += play_missions(state.copy(), other, seat, Chooser(state.game, seed))
    assert compared > 2000
    assert changed > 8


def play_missions(first: State, second: State, seat: int, chooser: Chooser) -> int:
    decisions = 0
    while first.pending() and decisions < 500:
        asked = first.pending()[0]
        action = chooser(first.legal(asked))
        one, two = first.play(asked, action), second.play(asked, action)
        if first.result().over or second.result().over:
            return decisions
        assert seen_by(one, seat) == seen_by(two, seat)
        assert looks(first, seat) == looks(second, seat)
        decisions += 1
    return decisions


def other_card(state: State, seat: int) -> tuple[int, int] | None:
    """A card of the seat's hand and one of the same kind further down in the deck."""
    symbols = [card.symbol for card in state.game.ruleset.deck.cards]
    for card, holder in enumerate(state.cards):
        for other in reversed(state.deck[: state.deck_count]):
            if holder == seat and symbols[card] == symbols[other]:
                return card, int(other)
    return None


def exchanged(state: State, card: int, other: int) -> State:
    """The state with two cards in each other's place."""
    cards, deck = list(state.cards), list(state.deck)
    cards[card], cards[other] = cards[other], cards[card]
    deck[deck.index(other)] = card
    return with_fields(state, {"cards": cards, "deck": deck})


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_another_card_in_a_hand_shows_to_nobody_else(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
    for holder in range(state.game.seats):
        cards = other_card(state, holder)
        phase = state.game.description.phases[state.phase]
        if cards is None or (phase == "reroll" and holder in state.pending()):
            continue  # who may have a die rolled again has a card for it, as all see
        other = exchanged(state, *cards)
        assert other != state
        assert other.view(holder) != state.view(holder)
        for seat, _ in views(state):
            if seat != holder:
                compare_along(state.copy(), other.copy(), seat, Chooser(state.game, seed), 200)


@pytest.mark.parametrize("number", REWARDS_DOWN, ids=setup_name)
def test_face_down_rewards_show_to_nobody(number: int) -> None:
    """Tokens of a rank in another order, on the board or in the pile; nobody sees a difference."""
    compared = 0
    for seed in range(8):
        state = moment(number, seed, 120 * seed)
        guess = state.public_view().resample(seed + 1)
        names = [name for name in ("reward_on", "reward_pile") if has_field(state.game, name)]
        other = with_fields(state, {name: guess.field(name) for name in names})
        for seat, _ in views(state):
            compared += compare_along(state.copy(), other.copy(), seat, Chooser(state.game, seed), 300)
    assert compared > 300


# ---- events


OWN_EYES = {"card_taken", "mission", "mission_changed", "headquarters_picked"}


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=3)
def test_only_the_one_concerned_is_told_a_secret(number: int, seed: int) -> None:
    state, events = game_of(number).start(seed)
    chooser, rng = Chooser(state.game, seed), random.Random(seed)
    seats = range(state.game.seats)
    for _ in range(1200):
        for event in events:
            name = EVENTS[event.kind]
            told_to = [seat for seat in (PUBLIC, *seats) if event.visible_to(seat)]
            if name in OWN_EYES or (name == "drew" and event.a != NOBODY):
                assert told_to == [event.seat], name
            elif name == "drew":
                assert told_to == [PUBLIC, *(seat for seat in seats if seat != event.seat)]
            else:
                assert told_to == [PUBLIC, *seats]
        if not state.pending():
            return
        if rng.random() < 0.002:
            leaver = rng.choice(state.pending())
            events = state.retire(leaver, rng.choice(["passive", "neutral"]))
        else:
            asked = state.pending()[-1]
            events = state.play(asked, chooser(state.legal(asked)))


# ---- guesses


def fulfilled(state: State, colour: int) -> bool:
    """Whether the colour's mission is done, read off the table of missions."""
    table: Any = state.game.ruleset.tables["missions"]
    row = table["missions"][state.mission[colour]]
    own = [at for at, owner in enumerate(state.owner) if owner == colour]
    if state.mission_void[colour]:
        row = {"kind": "territories", **table["fallback"]}
    if row["kind"] == "territories":
        return bool(sum(state.troops[at] >= row["least"] for at in own) >= row["count"])
    if row["kind"] == "eliminate":
        return not state.living[state.game.description.colours.index(row["colour"])]
    board = state.game.ruleset.board
    foreign = {place.region for at, place in enumerate(board.territories) if at not in own}
    whole = {region.id for number, region in enumerate(board.regions) if number not in foreign}
    return set(row["regions"]) <= whole and len(whole) >= len(row["regions"]) + (row["kind"] != "regions")


def already_won(state: State, seat: int) -> list[int]:
    """Colours whose guessed mission is done although the game goes on."""
    own_turn = option(state.game, "mission_check") == "own_turn"
    return [
        colour
        for colour in range(state.game.seats)
        if colour != seat
        and state.living[colour]
        and not state.retired[colour]
        and not (own_turn and colour != state.turn_colour)
        and fulfilled(state, colour)
    ]


def check_guess(state: State, seat: int, view: View, fill: int) -> None:
    guess = view.resample(fill)
    guess.check()
    assert (guess.public_view() if seat == PUBLIC else guess.view(seat)) == view
    assert guess == view.resample(fill)
    assert guess.pending() == view.pending()
    assert guess.result().over == state.result().over
    if has_field(state.game, "mission") and not state.result().over:
        assert not already_won(guess, seat)
    for asked in guess.pending():
        legal = guess.legal(asked)
        assert legal.count() >= 2
        for entry in random.Random(fill).sample(list(legal), min(6, len(legal))):
            twin = guess.copy()
            twin.apply(asked, entry.last())
            twin.check()
    for _ in walk(guess, Chooser(state.game, fill), 40):
        pass
    guess.check()


@every_setup
@given(SEED, MOMENT, SEED)
@PROPERTY
def test_guesses_fit_the_view_and_can_be_played(number: int, seed: int, permille: int, fill: int) -> None:
    state = moment(number, seed, permille)
    for seat, view in views(state):
        check_guess(state, seat, view, fill)


@pytest.mark.parametrize("number", sorted({*MISSIONS, *HIDDEN, *REWARDS_DOWN}), ids=setup_name)
def test_guesses_fit_all_through_games_with_secret_goals(number: int) -> None:
    """From the deal to the last turns, seats leaving now and then."""
    for seed in range(2):
        state, rng = game_of(number).new_state(seed), random.Random(seed)
        for decision, asked in enumerate(walk(state, Chooser(state.game, seed), 1500)):
            if decision % 100 == seed:
                for seat, view in views(state):
                    check_guess(state, seat, view, decision)
            if rng.random() < 0.0015:
                state.retire(asked, rng.choice(["passive", "neutral"]))
                break
        for decision, _ in enumerate(walk(state, Chooser(state.game, seed), 1000)):
            if decision % 100 == seed:
                for seat, view in views(state):
                    check_guess(state, seat, view, decision)


@pytest.mark.parametrize("deck", ["eu14", "us12_guess"])
def test_guesses_find_a_mission_for_who_has_done_most_of_them(deck: str) -> None:
    """Violet holds two thirds of the board: few missions are left that it would not have won by."""
    game = load("secret_mission", seats=6, mission_deck=deck)
    places = enumerate(game.ruleset.board.territories)
    yellow = [place.id for at, place in places if at % 5 and place.region in (4, 5)]
    board = ",".join(["*:5x3", *(f"{name}:4x1" for name in yellow)])
    state = game.position(f"phase=attack turn_colour=5 mission=M05,M06,M04,M03,M02,M01 board={board}")
    for seat in (PUBLIC, 0, 4):
        view = state.public_view() if seat == PUBLIC else state.view(seat)
        for fill in range(400):
            assert not already_won(view.resample(fill), seat)


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=2)
def test_a_guess_at_a_seat_that_is_asked_about_cards_gives_it_some(number: int, seed: int) -> None:
    """Everybody sees the question, so a hand that does not raise it is not consistent with what is seen."""
    state = game_of(number).new_state(seed)
    for seat in walk(state, Chooser(state.game, seed), 1500):
        if phase(state) in ("trade", "stars", "reroll"):
            guess = state.public_view().resample(seed)
            assert guess.legal(seat).count() >= 2
            assert guess.public_view() == state.public_view()


# ---- headquarters are picked at the same time


def picking(number: int, seed: int) -> State:
    """A game in which all headquarters are still to be picked."""
    state = game_of(number).new_state(seed)
    for _ in walk(state, Chooser(state.game, seed), 1000):
        if phase(state) == "headquarters":
            return state
    raise AssertionError("no headquarters are picked")


@pytest.mark.parametrize("number", PICKING, ids=setup_name)
def test_the_order_of_simultaneous_answers_shows_nowhere(number: int) -> None:
    """Whoever answers first: the same game; and until the last answer nobody else sees any difference."""
    rng = random.Random(number)
    start = picking(number, number)
    picks = {seat: start.legal(seat).sample(rng) for seat in start.pending()}
    before = {seat: looks(start, seat) for seat, _ in views(start)}
    ends = []
    for order in rng.sample(list(permutations(picks)), min(12, len(list(permutations(picks))))):
        state = start.copy()
        for place, seat in enumerate(order):
            events = state.play(seat, picks[seat])
            if place < len(order) - 1:
                assert [event.visible_to(other) for event in events for other in (PUBLIC, *picks)] == [
                    other == seat for other in (PUBLIC, *picks)
                ]
                unmoved = [PUBLIC, *order[place + 1 :]]
                assert {other: looks(state, other) for other in unmoved} == {
                    other: before[other] for other in unmoved
                }
        ends.append(state)
    assert all(end == ends[0] for end in ends)
    assert all(end.public_view().packed() == ends[0].public_view().packed() for end in ends)


@pytest.mark.parametrize("number", PICKING, ids=setup_name)
def test_what_was_picked_does_not_show_before_all_have(number: int) -> None:
    start = picking(number, number + 1)
    for seat in start.pending():
        before = [looks(start, other) for other, _ in views(start) if other != seat]
        for action in [entry.first() for entry in start.legal(seat)]:
            state = start.copy()
            state.apply(seat, action)
            last = start.pending() == (seat,)
            assert last or [looks(state, other) for other, _ in views(state) if other != seat] == before
            assert seat not in state.view(seat).pending()


# ---- the end


@pytest.mark.parametrize("number", sorted({*MISSIONS, *HIDDEN, *REWARDS_DOWN}), ids=setup_name)
def test_goals_are_shown_when_the_game_is_over(number: int) -> None:
    state = played(number, 3, 10**5, turn_cap=30)
    assert state.result().over
    for _, view in views(state):
        for name in (*MISSION_FIELDS, "capital", "reward_on", "reward_pile"):
            if has_field(state.game, name):
                assert view.field(name) == state.field(name)
        assert view.decisions == state.decisions
