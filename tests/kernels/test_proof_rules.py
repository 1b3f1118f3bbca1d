"""The rules of the proof kernels that the games to come need, one test a sentence."""

from __future__ import annotations

import pytest
from proof_samples import PUBLIC, game_of, play_out, seats_and_public, seen

from engine_core import Game, State, TextError, load_resolved_ruleset, load_ruleset


def play(state: State, seat: int, action: str) -> list[str]:
    """What everyone sees of an action that is given as text."""
    game = state.game
    events = state.play(seat, game.action(action))
    return [game.event_text(event) for event in events if event.visible_to(PUBLIC)]


def choose(state: State, seat: int, number: int) -> list[str]:
    """Play a seat's legal range by its number; what everyone sees of it."""
    return play(state, seat, state.game.action_text(state.legal(seat)[number].first()))


# ---- picks: hidden choices at once


def test_nobody_else_sees_what_or_whether_a_seat_has_chosen() -> None:
    state = game_of("picks").new_state(1)
    others = [seen(state, seat).text() for seat in (PUBLIC, 1)]
    for _ in range(3):
        assert choose(state, 0, 0) == []
        assert [seen(state, seat).text() for seat in (PUBLIC, 1)] == others
        assert state.view(1).pending() == state.public_view().pending() == (0, 1)
        assert state.view(1).result().decisions == 0
    assert state.pending() == (1,)
    assert -1 not in state.view(0).order[:3]


def test_choices_are_flipped_together_when_the_last_is_in() -> None:
    state = game_of("picks").new_state(1)
    for _ in range(3):
        choose(state, 0, 0)
    mine = state.order[:3]
    for _ in range(2):
        assert choose(state, 1, 0) == []
    flipped = choose(state, 1, 0)
    assert [line.split()[1] for line in flipped] == ["flipped"] * 3
    assert state.lap == 2
    assert [state.public_view().cards[card] for card in mine] == [101] * 3, "flipped cards are discarded"


def test_only_its_seat_is_told_of_a_card_drawn_or_chosen() -> None:
    state, events = game_of("picks").start(1)
    for event in [*events, *state.play(0, state.legal(0)[0].first())]:
        assert [event.visible_to(seat) for seat in (0, 1, PUBLIC)] == [
            event.seat == 0,
            event.seat == 1,
            False,
        ]


def test_a_last_place_without_a_choice_is_filled_and_not_asked() -> None:
    state = game_of("picks", hand=3).new_state(1)
    choose(state, 0, 0)
    choose(state, 0, 1)
    assert state.pending() == (1,)
    assert state.order[:3].count(-1) == 0


# ---- reaction: windows inside another seat's battle


def battle(dice: tuple[int, ...], **cards: str) -> State:
    """Seat 0 is about to strike seat 1; `cards` says who holds them."""
    held = [sum(holder == str(seat) for holder in cards.values()) for seat in range(3)]
    hands = ",".join(f"{card}:{holder}" for card, holder in cards.items())
    text = f"lap=1 troops=3,3,3 held={','.join(map(str, held))} cards={hands}"
    state = game_of("reaction").position(text)
    state.script(dice)
    return state


def test_a_boost_adds_to_the_attacker_before_the_roll() -> None:
    state = battle((3, 4), boost0="0")
    play(state, 0, "strike 1")
    assert state.pending() == (0,)
    play(state, 0, "play boost0")
    assert state.troops == (3, 2, 3), "3 and 2 against 4"


def test_the_defender_cancels_a_card_in_the_middle_of_the_attackers_turn() -> None:
    state = battle((3, 4), boost0="0", cancel0="1")
    play(state, 0, "strike 1")
    play(state, 0, "play boost0")
    assert state.turn == 0
    assert state.pending() == (1,)
    assert [state.game.action_text(entry.first()) for entry in state.legal(1)] == ["pass", "play cancel0"]
    seen_by_all = play(state, 1, "play cancel0")
    assert "-: resolved boost0 0" in seen_by_all
    assert state.troops == (2, 3, 3), "3 against 4: without the boost the attacker loses"
    cards = dict(zip(state.game.description.cards, state.cards, strict=True))
    assert (cards["boost0"], cards["cancel0"]) == (101, 101), "cancelled or not, both are discarded"
    assert state.held == (0, 0, 0)


def test_a_third_seat_may_cancel_too() -> None:
    state = battle((3, 4), boost0="0", cancel0="2")
    play(state, 0, "strike 1")
    play(state, 0, "play boost0")
    assert state.pending() == (2,)
    play(state, 2, "play cancel0")
    assert state.troops == (2, 3, 3)


@pytest.mark.parametrize(
    ("last", "works", "troops"), [("pass", 1, (3, 2, 3)), ("play cancel2", 0, (2, 3, 3))]
)
def test_a_cancel_can_be_cancelled_and_that_again(last: str, works: int, troops: tuple[int, ...]) -> None:
    state = battle((3, 4), boost0="0", cancel0="1", cancel1="0", cancel2="2")
    play(state, 0, "strike 1")
    play(state, 0, "play boost0")
    play(state, 1, "play cancel0")
    assert state.pending() == (2,), "asked clockwise from who played the card on top"
    play(state, 2, "pass")
    assert state.pending() == (0,)
    play(state, 0, "play cancel1")
    assert state.pending() == (2,)
    assert state.depth == 3
    assert f"-: resolved boost0 {works}" in play(state, 2, last)
    assert state.troops == troops
    assert state.depth == 0
    assert state.held == (0, 0, last == "pass")


def test_a_dodge_rolls_the_defenders_die_again() -> None:
    state = battle((5, 2, 6), dodge0="1")
    assert state.pending() == (0,)
    play(state, 0, "strike 1")
    assert state.pending() == (1,)
    assert state.view(1).dice == (5, 2)
    play(state, 1, "play dodge0")
    assert state.troops == (2, 3, 3)
    assert state.scripted_left() == 0


def test_a_cancelled_dodge_rolls_nothing() -> None:
    state = battle((5, 2, 6), dodge0="1", cancel0="0")
    play(state, 0, "strike 1")
    play(state, 1, "play dodge0")
    play(state, 0, "play cancel0")
    assert state.troops == (3, 2, 3)
    assert state.scripted_left() == 1


def test_who_passed_and_who_could_only_pass_look_the_same() -> None:
    asked = battle((3, 4), boost0="0", cancel0="1")
    unasked = battle((3, 4), boost0="0", dodge0="1")
    seen_by_all = []
    for state in (asked, unasked):
        lines = play(state, 0, "strike 1") + play(state, 0, "play boost0")
        if state is asked:
            lines += play(state, 1, "pass")
        seen_by_all.append(lines[:4])
        views = [line for line in lines if "passed" in line]
        assert views == ["1: passed", "2: passed"]
    assert seen_by_all[0] == seen_by_all[1]


def test_a_guess_gives_whom_a_window_asks_a_card_to_answer_with() -> None:
    state = battle((3, 4), boost0="0", cancel0="1", dodge0="2")
    play(state, 0, "strike 1")
    play(state, 0, "play boost0")
    for seat in (PUBLIC, 0, 2):
        for seed in range(20):
            guess = seen(state, seat).resample(seed)
            guess.check()
            assert guess.pending() == (1,)
            assert guess.legal(1).count() >= 2


@pytest.mark.parametrize(("mode", "troops"), [("passive", (3, 2, 3)), ("neutral", (3, 0, 3))])
def test_a_window_does_not_wait_for_a_seat_that_is_retired(mode: str, troops: tuple[int, ...]) -> None:
    state = battle((3, 4), boost0="0", boost1="2", cancel0="1")
    play(state, 0, "strike 1")
    play(state, 0, "play boost0")
    state.retire(1, mode)
    assert state.troops == troops
    assert state.pending() == (2,)
    play_out(state)


# ---- consent: a team-mate is asked


def proposal() -> State:
    state = game_of("consent").new_state()
    play(state, 0, "propose T2 T0 3")
    return state


def test_the_partner_is_asked_in_another_seats_turn() -> None:
    state = proposal()
    assert state.turn == 0
    assert state.pending() == (2,)
    assert state.troops == (4, 4, 4, 4), "nothing moves before it is accepted"


def test_an_accepted_move_hands_the_troops_over() -> None:
    state = proposal()
    play(state, 2, "accept")
    assert state.troops == (7, 4, 1, 4)
    assert state.owner == (0, 1, 2, 3)
    assert state.pending() == (1,)


def test_a_refused_move_costs_the_turn_and_nothing_else() -> None:
    state = proposal()
    play(state, 2, "refuse")
    assert state.troops == (4, 4, 4, 4)
    assert state.pending() == (1,)


def test_a_partner_that_is_retired_refuses_and_is_not_asked_again() -> None:
    state = proposal()
    state.retire(2)
    assert state.troops == (4, 4, 4, 4)
    kinds = {entry.kind for seat in state.pending() for entry in state.legal(seat)}
    assert state.game.description.action_kind("propose") in kinds, "seat 1 has a partner"
    choose(state, 1, 0)
    choose(state, 3, 0)
    kinds = {entry.kind for entry in state.legal(0)}
    assert state.game.description.action_kind("propose") not in kinds


def test_a_team_wins_with_all_its_seats() -> None:
    state = game_of("consent").position("lap=3 falls=2 fell=-,0,1,- turn=0 board=T0:0x9,T1:0x1,T2:0x1,T3:3x1")
    play(state, 0, "attack T0 T3 8")
    result = state.result()
    assert result.winners == (0, 2)
    assert result.survivors == (0,)
    assert result.eliminated_at == (-1, 0, 1, 2)


# ---- regent: one seat, two colours


def test_a_seat_answers_for_one_of_its_colours_at_a_time() -> None:
    game = game_of("regent")
    assert game.description.colour_seat == (0, 1, 0)
    state = game.new_state(4)
    assert {entry.c for entry in state.legal(0)} == {0, 2}
    play(state, 0, "claim HUB 2")
    assert {entry.c for entry in state.legal(1)} == {1}
    assert state.owner[0] == 2


def test_a_seat_sees_the_secrets_of_both_its_colours() -> None:
    state = game_of("regent").new_state(4)
    red, blue, gold = state.reserve
    assert state.view(0).reserve == (red, -1, gold)
    assert state.view(1).reserve == (-1, blue, -1)
    assert state.public_view().reserve == (-1, -1, -1)


def test_a_seat_falls_with_its_last_colour() -> None:
    two_left = "lap=2 turn=1 reserve=0,0,0 board=HUB:1x9,R1:0x1,R2:1x9,R3:1x1,R4:1x1,R5:1x1,R6:{last}"
    state = game_of("regent").position(two_left.format(last="2x1"))
    state.script((6, 1))
    play(state, 1, "march HUB R1 1 8")
    assert state.result().eliminated_at == (-1, -1), "red is gone, gold is not"
    state = game_of("regent").position(two_left.format(last="1x1"))
    state.script((6, 1))
    play(state, 1, "march HUB R1 1 8")
    assert state.result().eliminated_at == (0, -1)
    assert state.result().winners == (1,)


def test_facts_add_up_a_seats_colours() -> None:
    state = game_of("regent").position(
        "lap=2 reserve=0,0,0 board=HUB:1x2,R1:0x3,R2:1x2,R3:2x4,R4:1x2,R5:1x2,R6:2x5"
    )
    assert state.result().territories == (3, 4)
    assert state.result().troops == (12, 8)


# ---- uneven: sides that have nothing in common


def test_the_sides_have_different_actions() -> None:
    state = game_of("uneven").new_state()
    names = state.game.description.actions
    assert {names[entry.kind].name for entry in state.legal(0)} == {"fire"}
    play(state, 0, "fire 1 1")
    assert {names[entry.kind].name for entry in state.legal(1)} == {"hold", "run", "snipe"}


def test_the_sides_win_differently() -> None:
    game = game_of("uneven")
    state = game.position("lap=1 place=1 shield=1 guns=2 ships=0,1,1")
    state.script((4,))
    play(state, 1, "run 1")
    assert state.result().winners == (1, 2)
    state = game.position("lap=1 falls=1 fell=-,-,0,- shield=9 guns=2 ships=0,1,0")
    state.script((4,))
    play(state, 0, "fire 1 1")
    assert state.result().winners == (0,)


def test_the_cap_is_a_draw_between_sides_that_cannot_be_compared() -> None:
    state = game_of("uneven").position("lap=8 place=3 shield=9 guns=2 ships=0,1,1")
    play(state, 2, "hold")
    result = state.result()
    assert (result.termination, result.winners) == ("turn_cap", ())
    assert result.survivors == (0, 1, 2)
    assert set(result.territories + result.troops) == {0}


# ---- what a ruleset may say about sides


def rotations(game: Game) -> tuple[tuple[int, ...], ...]:
    return game.ruleset.rotations


def test_listed_rotations_take_teams_to_teams() -> None:
    game = game_of("consent")
    assert game.description.teams == (0, 1, 0, 1)
    assert rotations(game) == ((0, 1, 2, 3), (1, 2, 3, 0))
    text = game.ruleset.text.replace("[[0,1,2,3],[1,2,3,0]]", "[[0,1,2,3],[0,2,1,3]]")
    with pytest.raises(TextError, match="must take team-mates to team-mates"):
        load_resolved_ruleset(text)


def test_sides_of_unequal_size_are_fair_only_when_every_player_has_every_seat() -> None:
    assert rotations(game_of("uneven")) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def test_a_family_can_do_without_board_deck_and_cap() -> None:
    ruleset = load_ruleset("picks")
    assert (ruleset.board.territories, ruleset.deck.cards) == ((), ())
    assert "turn_cap" not in ruleset.options
    assert load_resolved_ruleset(ruleset.text) == ruleset


@pytest.mark.parametrize("family", ["picks", "reaction", "consent", "regent", "uneven"])
def test_hidden_words_read_as_question_marks_and_come_back(family: str) -> None:
    state = game_of(family).new_state(2)
    for seat in seats_and_public(state.game):
        view = seen(state, seat)
        assert ("?" in view.text()) == (family in ("picks", "reaction", "regent"))
