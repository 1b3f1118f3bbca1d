"""Written positions of the endor family: what they may leave out, and what is refused instead of played."""

from __future__ import annotations

import random
import struct

import pytest
from endor_games import SETUPS, game_of, played, seats_and_public

import engine_core
from engine_core import StateError, TextError

REBELS = [
    card for card in game_of(0).description.cards[:30] if card != "xwing_luke"
]  # the other 30 are the Empire's


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("phase=order turn=0 xwing=O3:5", "phase"),
        ("phase=order flipped=xwing_luke xwing=O3:5", "phase"),
        ("phase=next turn=0 flipped=xwing_luke xwing=O3:5", "phase"),
        ("phase=move turn=0 flipped=xwing_luke xwing=O3:5", "phase"),
        ("phase=attack turn=0 flipped=xwing_luke order=luke xwing=O3:5", "phase"),
        ("phase=assign turn=0 flipped=xwing_luke order=xwing xwing=O3:5", "phase"),
        ("phase=plan held=0,0", "the phase waits"),
        ("phase=plan held=2,2 turn=0", "the open card"),
        ("phase=order turn=0 flipped=tie_vader_1", "the open card"),
        ("phase=order turn=1 flipped=tie_vader_1 marker=*:0", "Rebels are left"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 tie=O3:1", "no two sides"),
        (
            "phase=order turn=0 flipped=xwing_luke xwing=F1:5 marker=F1:0",
            "only Rebel fighters are on markers",
        ),
        ("phase=order turn=1 flipped=tie_vader_1 tie=F1:1", "only Rebel fighters are on markers"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:15,O2:15", "every ship is"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 aboard=28", "every ship is"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 executor=O8 aboard=3", "every ship is"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 cards=xwing_luke:0", "every card is"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 cards=tie_vader_1:0", "every card is"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 shield=27 troopers=2", "storm troopers"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 redeemed=1", "storm troopers"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 dice=1,0,0,0,0,0", "dice on the table"),
        ("phase=order turn=0 flipped=assault_redeem xwing=O3:5 shield=28", "the phase waits"),
        ("phase=attack turn=0 flipped=xwing_luke order=xwing xwing=O3:5 tie=O7:1", "the phase waits"),
        ("phase=attack turn=0 flipped=xwing_luke order=ywing xwing=O3:5 ywing=O2:1", "the open card"),
        (
            "phase=attack turn=0 flipped=xwing_luke order=xwing origin=O2 xwing=M1:5 tie=I1:1",
            "the phase waits",
        ),
        ("phase=fire turn=1 flipped=death_star_vader_1 order=vader xwing=O3:5", "the open card"),
        (
            "phase=fire turn=1 flipped=death_star_vader_1 order=death_star marker=*:0 xwing=O3:5",
            "the phase waits",
        ),
        (
            "phase=assign turn=0 flipped=xwing_luke order=xwing origin=M1 target=I1 xwing=M1:1 tie=I1:1 "
            "dice=0,0,1,1,0,0",
            "dice on the table",
        ),
        ("lap=201 phase=order turn=0 flipped=xwing_luke", "lap"),
    ],
)
def test_impossible_positions_are_refused(text: str, what: str) -> None:
    with pytest.raises((StateError, TextError), match=what):
        game_of(0).position(text)


def test_what_a_position_leaves_out_is_filled_in() -> None:
    state = game_of(0).position("phase=order turn=0 flipped=xwing_luke falcon=M1 tie=O7:4")
    assert (state.lap, state.falcon_hits, state.executor_hits) == (1, 6, 0)
    assert state.box == (20, 16, 15, 52)
    assert state.deck_count == (29, 30)
    assert state.marker == (1,) * 6


def test_a_pile_counts_its_cards_and_hidden_cards_leave_the_deck() -> None:
    state = game_of(0).position(
        "phase=order turn=0 flipped=xwing_luke held=3,3 pile=ywing_luke_1,-*59 xwing=O3:5"
    )
    assert (state.pile_count, state.chosen, state.held) == ((1, 0), (1, 0), (3, 3))
    assert state.deck_count == (25, 27)


def test_with_neither_deck_nor_discards_fewer_cards_are_drawn() -> None:
    """Rules page, 6.16; it takes 29 cards in one hand."""
    hand = ",".join(f"{card}:0" for card in REBELS)
    state = game_of(0).position(f"phase=order turn=0 flipped=xwing_luke xwing=O3:5 cards={hand}")
    assert state.deck_count == (0, 30)
    events = [state.game.event_text(event) for event in state.play(0, state.game.action("pass"))]
    drawn = [text for text in events if text.startswith("0: drew") and not text.endswith("-")]
    assert drawn == ["0: drew xwing_luke"], "its own discard is all there is"
    assert (state.deck_count, state.held) == ((0, 27), (30, 3))


def test_without_any_card_no_bonus_is_drawn() -> None:
    hand = ",".join(f"{card}:0" for card in REBELS)
    state = game_of(0).position(
        f"phase=order turn=0 flipped=xwing_luke vader=1 xwing=O3:5 pile=-*30,tie_vader_1,-*29 cards={hand}"
    )
    state.script([4, 4, 4, 4])
    events = [state.game.event_text(event) for event in state.play(0, state.game.action("order luke"))]
    assert "-: fell vader" in events
    assert not [text for text in events if "bonus" in text]
    assert state.pile_count == (0, 0)


def mutated(words: list[int], rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        values = (-1, 0, 1, 2, 3, 7, 28, 30, 60, 100, 101, 102, 255, rng.choice(words), rng.getrandbits(31))
        words[rng.randrange(1, len(words))] = rng.choice(values)
    return struct.pack(f"<{len(words)}i", *words)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_changed_words_are_refused_or_make_a_playable_position(number: int) -> None:
    rng, game = random.Random(number), game_of(number)
    accepted = 0
    for seed in range(60):
        state = played(number, seed, rng.randrange(400))
        form = f"<{game.description.words() + 1}i"
        for _ in range(20):
            data = mutated(list(struct.unpack(form, state.packed())), rng)
            try:
                other = game.unpack_position(data)
            except (TextError, StateError):
                continue
            accepted += 1
            assert all(other.legal(seat).count() >= 2 for seat in other.pending())
            assert game.unpack_position(other.packed()) == other
    assert accepted > 50


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_changed_views_can_be_looked_at(number: int) -> None:
    """Views are not checked; whatever they say, reading them is safe."""
    rng, game = random.Random(number), game_of(number)
    for seed in range(40):
        state = played(number, seed, rng.randrange(400))
        for seat in seats_and_public(game):
            view = state.view(seat) if seat >= 0 else state.public_view()
            form = f"<{game.description.words() + 1}i"
            data = mutated(list(struct.unpack(form, view.packed())), rng)
            try:
                other = game.unpack_view(data, seat)
            except TextError:
                continue
            other.result()
            for asked in other.pending():
                other.legal(asked)
            try:
                guess = other.resample(1)
            except StateError:
                continue
            assert all(guess.legal(asked).count() >= 2 for asked in guess.pending())


def test_the_engine_names_the_word_at_fault() -> None:
    game = engine_core.load("endor")
    with pytest.raises(TextError, match="shield"):
        game.position("phase=order turn=0 flipped=xwing_luke shield=29")
    with pytest.raises(TextError, match=r"cards\[2\]"):
        game.position("phase=order turn=0 flipped=xwing_luke cards=xwing_redeem:77")
