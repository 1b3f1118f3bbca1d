"""Rule faults seen in other implementations: those of the 2008 game; each line is a test with its number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from playing import Chooser

import engine_core
from engine_core import Event, Game, IllegalAction, State

ROOM = engine_core.load("command_room", seats=3)
BASIC = engine_core.load("objectives_basic", seats=3)
VARIANTS = ("objectives_basic", "command_room", "world_conquest")
NORTH_AMERICA = ("ALA", "NWT", "GRE", "ALB", "ONT", "QUE", "WUS", "EUS", "CAM")


def play(state: State, *lines: str, dice: tuple[int, ...] = ()) -> list[str]:
    """Play `seat action` lines, with dice scripted before; what was told, as texts."""
    state.script(dice)
    told = []
    for line in lines:
        seat, _, action = line.partition(" ")
        told += state.play(int(seat), state.game.action(action))
    return [state.game.event_text(event) for event in told]


def refuses(state: State, seat: int, action: str) -> None:
    before = state.copy()
    assert state.game.action(action) not in state.legal(seat)
    with pytest.raises(IllegalAction):
        state.apply(seat, state.game.action(action))
    assert state == before


def phase(state: State) -> str:
    return str(state.game.description.phases[state.phase])


def events_of(game: Game, seed: int, decisions: int) -> Iterator[tuple[State, Event]]:
    """Play at random, and yield each event with the state behind the action that told it."""
    state, chooser = game.new_state(seed), Chooser(game, seed)
    for _ in range(decisions):
        pending = state.pending()
        if not pending:
            return
        for event in state.play(pending[0], chooser(state.legal(pending[0]))):
            yield state, event


def whole_america(objectives: str, game: Game = BASIC) -> State:
    """Seat 0 holds North America and seat 1's capital: it has achieved m2 and m5."""
    mine = ",".join(f"{name}:0x1" for name in NORTH_AMERICA[1:])
    return game.position(
        f"phase=attack capital=ALA,KAM,SAF {objectives}"
        f" board=*:1x1,{mine},ALA:0x5,KAM:0x1,JAP:1x1,SAF:2x2,MAD:2x1"
    )


# ---- objectives


def test_R43_of_two_objectives_achieved_only_one_may_be_claimed() -> None:
    for first, other in (("m2", "m5"), ("m5", "m2")):
        state = whole_america("objective=m2:100,m5:100")
        play(state, "0 end")
        assert phase(state) == "objective"
        play(state, f"0 objective {first}")
        assert phase(state) == "fortify"
        refuses(state, 0, f"objective {other}")
        play(state, "0 end")
        names = BASIC.description.labels["objective"]
        holders = dict(zip(names, state.field("objective"), strict=True))
        assert (holders[first], holders[other]) == (0, 100)


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_objective_a_turn_in_random_play(variant: str) -> None:
    """R43 of its kind: no turn has two claims, and a turn with a claim draws no card."""
    game = engine_core.load(variant, seats=3, turn_cap=40)
    names = [kind.name for kind in game.description.events]
    claims = 0
    for seed in range(12):
        in_turn: Counter[str] = Counter()
        for _, event in events_of(game, seed, 4000):
            kind = names[event.kind]
            if kind == "turn":
                in_turn.clear()
            in_turn[kind] += 1
            claims += kind == "objective"
            assert in_turn["objective"] <= 1
            # A draw is told twice: to who drew, and to the others without the card.
            assert in_turn["drew"] <= (0 if in_turn["objective"] else 2)
    assert claims > 10


# ---- reinforcements


def draft(mine: str, capitals: str, cities: str = "") -> int:
    """Seat 0's reinforcements at the start of its turn."""
    city = f"city={cities}" if cities else ""
    state = BASIC.position(
        f"phase=fortify turn_colour=2 capital={capitals} {city} board=*:1x1,{mine},SAF:2x2,MAD:2x1"
    )
    play(state, "2 end")
    assert state.turn_colour == 0
    return int(state.reinforcements)


def test_R44_the_least_of_3_is_taken_before_regions_and_capitals_are_added() -> None:
    """5 territories and cities, Australia, the own capital: 3 + 2 + 1, and not max(3, 1 + 2 + 1)."""
    assert draft("INO:0x1,NGU:0x1,WAU:0x1,EAU:0x1", "EAU,KAM,SAF", "EAU:1") == 6
    assert draft("INO:0x1,NGU:0x1,WAU:0x1,ALA:0x1", "ALA,KAM,SAF") == 4


@pytest.mark.parametrize("count", range(1, 25))
def test_every_number_of_territories_and_cities_brings_a_third_and_3_at_least(count: int) -> None:
    """Territories that make no region, half of the count with a city on it."""
    lone = (*NORTH_AMERICA[:-1], "VEN", "PER", "BRA", "ICE", "SCA", "UKR")
    cities = count // 2
    owned = lone[: count - cities]
    mine = ",".join(f"{name}:0x1" for name in owned)
    built = ",".join(f"{name}:1" for name in owned[:cities])
    assert draft(mine, "JAP,KAM,SAF", built) == max(3, count // 3)


# ---- cards


def stars_of(game: Game) -> Counter[str]:
    return Counter(card.symbol for card in game.ruleset.deck.cards)


def test_R46_cards_come_from_42_with_stars_of_their_own_at_the_end_of_a_turn_without_a_claim() -> None:
    assert stars_of(ROOM) == {"one_star": 30, "two_star": 12}
    state = whole_america("objective=m2:100 captured=1")
    assert not [text for text in play(state, "0 end", "0 end") if "drew" in text]
    assert [text for text in play(state, "0 end") if "drew" in text]
    assert (state.cards_held, state.deck_count) == ((1, 0, 0), 41)
    state = whole_america("objective=m2:100 captured=1")
    told = play(state, "0 end", "0 objective m2", "0 end")
    assert not [text for text in told if "drew" in text]
    assert (state.turn_colour, state.cards_held, state.deck_count) == (1, (0, 0, 0), 42)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_card_is_drawn_last_and_is_one_of_42_all_game_long(variant: str) -> None:
    """R46 of its kind: between two turns lie at most one card and no other event behind it."""
    game = engine_core.load(variant, seats=4, turn_cap=30)
    names = [kind.name for kind in game.description.events]
    drawn = 0
    for seed in range(6):
        before = ""
        for state, event in events_of(game, seed, 3000):
            kind = names[event.kind]
            if before == "drew":
                assert kind in ("drew", "turn", "over"), kind
            before = kind
            drawn += kind == "drew"
            holders = Counter(state.field("cards"))
            assert holders.total() == 42
            assert holders[100] == state.deck_count
    assert drawn > 50


def test_a_card_turned_in_and_drawn_again_counts_again() -> None:
    """R41 of its kind: nothing about a card is remembered once it went to the discards."""
    state = BASIC.position(
        "phase=stars reinforcements=3 capital=ALA,KAM,SAF cards=*:1,ALA:0,NWT:0"
        " board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x2,MAD:2x1"
    )
    play(
        state, "0 stars 2 0", "0 deploy ALA 5", "0 attack ALA KAM 3", "0 occupy ALA KAM 3", dice=(6, 6, 6, 1)
    )
    told = play(state, "0 end", "0 end")
    assert "-: reshuffled 2" in told
    assert (state.cards_held[0], state.deck_count) == (1, 1)
    again = BASIC.position(
        "phase=stars reinforcements=3 capital=ALA,KAM,SAF cards=*:1,ALA:0,NWT:0 reshuffles=1"
        " board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x2,MAD:2x1"
    )
    play(again, "0 stars 2 0")
    assert again.reinforcements == 5


# ---- rewards


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_reward_has_one_owner_who_claimed_it_and_goes_with_its_owner(seats: int) -> None:
    """In random play: owners live, airfields lie on their owners' territories, tokens are never made anew."""
    game = engine_core.load("command_room", seats=seats, turn_cap=60)
    names = [kind.name for kind in game.description.events]
    told: Counter[str] = Counter()
    for seed in range(10):
        claimed: Counter[int] = Counter()
        for state, event in events_of(game, seed, 4000):
            told[names[event.kind]] += 1
            if names[event.kind] == "reward":
                claimed[event.a] += 1
                assert claimed[event.a] == 1
            for owner in state.field("reward"):
                assert owner == -1 or state.living[owner]
            for token, at in enumerate(state.field("airfield")):
                assert at == -1 or state.owner[at] == state.field("reward")[4 * token]
    assert told["reward"] > 10
    assert told["airfield"] > 2


HIDING: tuple[dict[str, str], ...] = ({"reward_visibility": "down"}, {"reward_placement": "pile"})


@pytest.mark.parametrize("options", HIDING, ids=lambda options: next(iter(options)))
def test_hidden_tokens_are_guessed_among_those_that_nobody_has(options: dict[str, str]) -> None:
    """A state made of a view keeps to what the view shows, and lays each token once, by its rank."""
    game = engine_core.load("command_room", seats=3, turn_cap=60, **options)
    names, claims = [kind.name for kind in game.description.events], 0
    for seed in range(8):
        for state, event in events_of(game, seed, 3000):
            if names[event.kind] != "reward":
                continue
            claims += 1
            for seat in range(3):
                view = state.view(seat)
                guess = view.resample(seed)
                guess.check()
                assert guess.view(seat).text() == view.text()
                laid = [token for token in guess.field("reward_on") if token >= 0]
                assert len(set(laid)) == len(laid)
                if "reward_placement" in options:
                    assert sorted(guess.field("reward_pile")) == list(range(8))
                else:
                    assert len(laid) == 8
    assert claims > 10
