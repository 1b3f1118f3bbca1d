"""Every endor rule a second time, beside the kernel: at each decision the same questions and facts."""

from __future__ import annotations

import random

import pytest
from endor_games import SETUPS, game_of, phase, row
from endor_reference import Options, Over, Story

from engine_core import State

GAMES = 8


def offered(state: State) -> Options:
    """What the kernel offers each seat that is asked, every amount on its own."""
    return {
        seat: {
            state.game.action_text(entry.action(n))
            for entry in state.legal(seat)
            for n in range(entry.lo, entry.hi + 1)
        }
        for seat in state.pending()
    }


def agree(state: State, story: Story) -> None:
    """All that the position states, but for cards that are being chosen."""
    known = state.game.description
    for ship, places in story.ships.items():
        assert state.field(ship) == tuple(places[place] for place in known.territories)
    for ship, hits in story.hits.items():
        at = story.special.get(ship)
        assert state.field(ship) == (-1 if at is None else known.territories.index(at),)
        assert state.field(f"{ship}_hits") == (hits,)
    assert state.marker == tuple(int(marker in story.markers) for marker in story.marker_of)
    track = (
        story.aboard,
        story.shield,
        story.troopers,
        story.luke,
        story.vader,
        int(story.redeemed),
        story.lap,
    )
    assert track == tuple(
        state.field(name)[0] for name in ("aboard", "shield", "troopers", "luke", "vader", "redeemed", "lap")
    )
    for number, side in enumerate(("rebels", "empire")):
        deck = [card for card in row(state, "deck", number, 2) if card >= 0]
        assert deck == story.decks[side]
        discards = {card for card in story.cards_of[side] if state.cards[card] == 101}
        assert discards == set(story.discards[side])
    for seat, hand in enumerate(story.hands):
        assert {card for card, holder in enumerate(state.cards) if holder == seat} == set(hand)
        if phase(state) not in ("plan", "over"):
            pile = row(state, "pile", seat, len(story.hands))[: state.pile_count[seat]]
            assert list(pile) == story.piles[seat]


def compare(number: int, seed: int) -> str:
    """Play a random game in both; returns how it ended."""
    game, rng = game_of(number), random.Random(seed)
    state = game.new_state(seed)
    story = Story(game.ruleset, state.key)
    flow = story.play()
    asked = next(flow)
    while True:
        assert offered(state) == asked, state.text()
        agree(state, story)
        seat = rng.choice(sorted(asked))
        text = rng.choice(sorted(asked[seat]))
        if text == "pass" and rng.random() < 0.7:
            text = rng.choice(sorted(asked[seat]))
        events = state.play(seat, game.action(text))
        story.rolls.extend(die for event in events for die in event.dice)
        try:
            asked = flow.send((seat, text))
        except Over as over:
            assert not state.pending()
            teams = [] if over.winner is None else [("rebels", "empire").index(over.winner)]
            winners = tuple(at for at, team in enumerate(game.description.teams) if team in teams)
            assert state.result().winners == winners
            return over.winner or "draw"
        assert not story.rolls


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_the_kernel_and_the_second_telling_agree(number: int) -> None:
    ends = {compare(number, seed) for seed in range(GAMES)}
    if number < 2:
        assert ends == {"rebels", "empire"}
    if "turn_cap" in SETUPS[number][1]:
        assert "draw" in ends
