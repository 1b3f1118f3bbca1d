"""Written positions of the endor family: what they may leave out, and what is refused instead of played."""

from __future__ import annotations

import random
import struct

import pytest
from endor_games import SETUPS, game_of, played, seats_and_public, walk

import engine_core
from engine_core import StateError, TextError

REBELS = [
    card for card in game_of(0).description.cards[:30] if card != "xwing_luke"
]  # the other 30 are the Empire's


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("phase=order turn=0 xwing=O3:5", "flipped: must be given"),
        ("phase=order flipped=xwing_luke xwing=O3:5", "turn: must be given"),
        ("phase=next turn=0 flipped=xwing_luke xwing=O3:5", "phase"),
        ("phase=move turn=0 flipped=xwing_luke xwing=O3:5", "order: must be given"),
        ("phase=attack turn=0 flipped=xwing_luke order=luke xwing=O3:5", "order: luke"),
        ("phase=assign turn=0 flipped=xwing_luke order=xwing xwing=O3:5", "origin: must be given"),
        ("phase=assign turn=0 flipped=xwing_luke order=xwing origin=O3 xwing=O3:5", "target: must be given"),
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


XWINGS = "turn=0 flipped=xwing_luke order=xwing"
TIES = "turn=1 flipped=tie_vader_1 order=tie"
STEPS = "`origin` and `moved` are of ships"
FELL = "`falcon_fell` is 1 only"
END = "a game that goes on has no result"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # steps of an order before it is chosen, or begun
        ("phase=order turn=0 flipped=xwing_luke origin=O1 xwing=O2:1 tie=O9:1,M2:1", STEPS),
        ("phase=order turn=0 flipped=xwing_luke moved=1 xwing=O2:1", STEPS),
        ("phase=order turn=0 flipped=xwing_luke target=M2 xwing=O2:1 tie=M2:1", STEPS),
        ("phase=plan held=6,6 origin=O1", STEPS),
        ("phase=fire turn=1 flipped=death_star_vader_1 order=death_star target=F1", STEPS),
        (f"phase=move {XWINGS} origin=O2 moved=1 xwing=O2:1", STEPS),
        # ships that cannot have moved there
        (f"phase=attack {XWINGS} origin=O2 moved=3 xwing=O2:1 tie=M2:1", STEPS),
        (f"phase=attack {XWINGS} origin=O2 xwing=O2:1 tie=M2:1", STEPS),
        (f"phase=attack {XWINGS} moved=1 xwing=O2:1 tie=M2:1", STEPS),
        (f"phase=attack {XWINGS} target=M2 xwing=O2:1 tie=M2:1", STEPS),
        (f"phase=attack {XWINGS} origin=F2 moved=1 xwing=F2:1 tie=O2:1", STEPS),
        (f"phase=attack {XWINGS} origin=O6 moved=1 xwing=O6:1 tie=O5:1,O7:1,M5:1", STEPS),
        (
            "phase=attack turn=0 flipped=xwing_falcon_luke order=falcon origin=O2 moved=2 falcon=O2 tie=M2:1",
            STEPS,
        ),
        # targets that do not touch the origin
        (f"phase=assign {XWINGS} origin=O1 target=I3 xwing=O1:2 tie=I3:2 dice=0,0,0,0,0,2", STEPS),
        (f"phase=assign {TIES} origin=O1 target=F6 tie=O1:2 dice=0,0,0,0,0,2", STEPS),
        (f"phase=assign {XWINGS} origin=M1 target=I1 moved=3 xwing=M1:2 tie=I1:2 dice=0,0,0,0,0,2", STEPS),
        # the Falcon's end
        (f"phase=attack {XWINGS} falcon_fell=1 xwing=O2:1 tie=M2:1", FELL),
        (
            f"phase=assign {XWINGS} origin=M1 target=I1 falcon_fell=1 xwing=M1:2 tie=I1:2 dice=0,0,0,0,0,1",
            FELL,
        ),
        (
            f"phase=assign {TIES} origin=M1 target=O1 falcon_fell=1 falcon=O2 xwing=O1:1 tie=M1:2 "
            "dice=0,0,0,0,0,1",
            FELL,
        ),
        (f"phase=assign {TIES} origin=M1 target=O1 falcon_fell=1 xwing=O1:1 tie=M1:2 dice=0,0,0,0,0,2", FELL),
        (f"phase=assign {TIES} origin=O1 target=F1 falcon_fell=1 tie=O1:2 dice=0,0,0,0,0,1", FELL),
        # results
        ("phase=order turn=0 flipped=xwing_luke xwing=O2:1 termination=1 winner=empire retired=2,1", END),
        ("phase=order turn=0 flipped=xwing_luke xwing=O2:1 retired=1,0", END),
        ("phase=order turn=0 flipped=xwing_luke xwing=O2:1 winner=rebels", END),
        ("phase=over xwing=O2:1", END),
        ("phase=over winner=rebels shield=28 xwing=O2:1", END),
        ("phase=over termination=1 shield=28 xwing=O2:1", END),
        ("phase=over termination=1 winner=empire xwing=O2:1", END),
        ("phase=over termination=1 winner=empire", END),
        ("phase=over termination=1 winner=rebels xwing=I2:1", END),
        ("phase=over termination=1 winner=rebels marker=*:0 shield=28", END),
        ("phase=over termination=1 winner=empire marker=*:0 retired=1,0", END),
        ("phase=over termination=2 lap=199 xwing=O2:1", END),
        ("phase=over termination=2 lap=200 winner=rebels xwing=O2:1", END),
        ("phase=over termination=2 lap=200 marker=*:0", END),
        ("phase=over termination=3 winner=rebels xwing=O2:1", END),
        ("phase=over termination=3 winner=rebels retired=1,0 xwing=O2:1", END),
        ("phase=over termination=3 winner=rebels retired=1,1 xwing=O2:1", END),
        ("phase=over termination=3 retired=0,1 xwing=O2:1", END),
        # redeemed without him whose act it is
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 redeemed=1 vader=0 luke=0", "storm troopers"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O3:5 pile_count=5,0 chosen=4,0", "every card is"),
    ],
)
def test_positions_that_would_misplay_are_refused(text: str, what: str) -> None:
    for options in ({}, {"attack_uses_all_fighters_of_type_in_origin": False}):
        with pytest.raises(StateError, match=what):
            engine_core.load("endor", **options).position(text)


@pytest.mark.parametrize(
    "text",
    [
        f"phase=attack {XWINGS} xwing=O2:1 tie=M2:1",
        f"phase=attack {XWINGS} origin=O2 moved=1 xwing=O2:1 tie=M2:1",
        f"phase=attack {TIES} origin=O8 moved=4 executor=O8 tie=O8:4 xwing=O7:1,O9:1,M6:1",
        f"phase=assign {XWINGS} origin=F2 target=O2 xwing=F2:2 tie=O2:2 dice=0,0,0,0,0,2",
        f"phase=assign {TIES} origin=M1 target=O1 falcon_fell=1 xwing=O1:1 tie=M1:2 dice=0,0,0,0,0,1",
        "phase=over termination=1 winner=empire marker=*:0",
        "phase=over termination=1 winner=rebels shield=28 xwing=I2:1",
        "phase=over termination=2 lap=200",
        "phase=over termination=3 winner=rebels retired=0,2",
    ],
)
def test_possible_positions_are_taken(text: str) -> None:
    state = game_of(0).position(text)
    assert state.result().over == (not state.pending())
    walk(state, random.Random(1), 100).check()


def test_ships_that_moved_roll_no_more_dice_than_moved() -> None:
    """With attack_uses_all_fighters_of_type_in_origin = False; the attack comes from the origin only."""
    game = engine_core.load("endor", attack_uses_all_fighters_of_type_in_origin=False)
    state = game.position(f"phase=attack {XWINGS} origin=O2 moved=2 xwing=O2:5,O1:5 tie=M2:4,O9:1")
    assert [game.action_text(entry.first()) for entry in state.legal(0)] == ["pass", "attack O2 M2 xwing"]
    state.script([6, 6])
    state.apply(0, game.action("attack O2 M2 xwing"))
    assert state.dice == (0, 0, 0, 0, 0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phase=order", r"turn: must be given here \(whose card lies open.*\); possible: 0, 1$"),
        ("phase=order turn=0", r"flipped: must be given here \(the open card\); possible: xwing_"),
        ("phase=order turn=5 flipped=xwing_luke", "turn: 5 is not possible here; possible: 0, 1$"),
        ("phase=order turn=0 flipped=xwing_luke xwing=O1:21", r"xwing\[0\]: 21 .* possible: 0\.\.20$"),
        ("phase=order turn=0 flipped=xwing_luke marker=F1:2", r"marker\[0\]: 2 .* possible: 0, 1$"),
        ("phase=order turn=0 flipped=xwing_luke lap=201", r"lap: 201 .* possible: 0\.\.200$"),
        (
            "phase=move turn=0 flipped=xwing_luke order=luke",
            "order: luke .* xwing, ywing, bwing, tie, falcon, exec",
        ),
        (
            "phase=order turn=0 flipped=xwing_luke cards=xwing_luke:9",
            r"possible: \?, 0, 1, deck, discard, aside$",
        ),
        ("phase=order turn=0 flipped=xwing_luke shield=-1", r"shield: -1 is not .* possible: 0\.\.28$"),
        (
            "phase=order turn=0 flipped=xwing_luke decisions=-7",
            r"decisions: -7 .* possible: 0\.\.2147483647$",
        ),
    ],
)
def test_a_word_that_cannot_be_is_told_what_can(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
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
            assert other.result().over == (not other.pending())
            for _ in range(12):
                walk(other, rng, 5).check()
                assert game.unpack_position(other.packed()).packed() == other.packed()
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
