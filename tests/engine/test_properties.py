"""Properties of the engine on random play: every variant at every seat count, and mixes of options."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SETUPS, Chooser, every_setup, game_of, moment, option, played, walk

import engine_core
from engine_core import Action, ActionRange, Event, Game, IllegalAction, Legal, State, View
from engine_core.actions import MAX_RANGES

PROPERTY = settings(deadline=None, derandomize=True, max_examples=4)

SEED = st.integers(0, 2**32)
MOMENT = st.integers(0, 1000)
VOCABULARY = game_of(0).description
EVENTS = [kind.name for kind in VOCABULARY.events]
KINDS = len(VOCABULARY.actions)
PUBLIC = -1
MAX_FIELD_WORDS = 1024  # what the core's buffers hold


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


def beside(entry: ActionRange) -> Iterator[int]:
    """The actions just outside a range of amounts."""
    if entry.lo:
        yield int(Action(entry.kind, entry.a, entry.b, entry.c, entry.lo - 1))
    yield int(Action(entry.kind, entry.a, entry.b, entry.c, entry.hi + 1))


def wild_guesses(rng: random.Random) -> Iterator[int]:
    for _ in range(60):
        a, b, c = (rng.choice([rng.randrange(46), rng.randrange(256)]) for _ in range(3))
        yield int(Action(rng.randrange(KINDS + 2), a, b, c, rng.choice([0, 1, 2, 3, rng.getrandbits(31)])))
    yield from (rng.getrandbits(63) for _ in range(10))


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_an_action_is_legal_exactly_if_apply_takes_it(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
    rng = random.Random(seed)
    for seat in range(state.game.seats):
        legal = state.legal(seat)
        assert (len(legal) > 0) == (seat in state.pending())
        for code in [*(near_misses(rng, legal) if len(legal) else ()), *wild_guesses(rng)]:
            assert attempt(state, seat, code) == (code in legal), state.game.action_text(code)
        for entry in rng.sample(list(legal), min(60, len(legal))):
            for action in (entry.first(), entry.last(), entry.sample(rng)):
                assert attempt(state, seat, int(action))
            for code in beside(entry):
                assert not attempt(state, seat, code), state.game.action_text(code)


@every_setup
def test_all_actions_on_two_operands_are_judged_alike(number: int) -> None:
    """Every kind with every pair of operands and small amounts, not only what a mutation finds."""
    state = moment(number, number, 250 + 500 * (number % 2))
    seat = next(iter(state.pending()), 0)
    legal = concrete(state.legal(seat))
    takes = set()
    for kind in {Action.from_int(code).kind for code in legal}:
        for a in range(45):
            for b in range(45):
                for n in (0, 1, 2, 3, 4):
                    code = int(Action(kind, a, b, 0, n))
                    twin = state.copy()
                    try:
                        twin.apply(seat, code)
                    except IllegalAction:
                        continue
                    takes.add(code)
    small = [code for code in legal if (action := Action.from_int(code)).c == 0 and action.n <= 4]
    assert takes == set(small)


@every_setup
@given(SEED)
@PROPERTY
def test_a_decision_has_at_least_two_answers_and_a_seat_that_plays(number: int, seed: int) -> None:
    state = game_of(number).new_state(seed)
    several = VOCABULARY.phases.index("headquarters")
    for seat in walk(state, Chooser(state.game, seed), 1500):
        assert state.pending() == (seat,) or state.phase == several
        assert state.pending_mask() == sum(1 << asked for asked in state.pending())
        assert state.legal(seat).count() >= 2
        assert state.living[seat] == 1
        assert state.retired[seat] == 0
        assert state.eliminated_at[seat] == -1
        state.check()


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_buffers_codes_and_picks_agree_with_the_list(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
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


@every_setup
@given(SEED, MOMENT)
@PROPERTY
def test_a_copy_is_equal_and_evolves_equally_and_apart(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
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


@every_setup
@given(SEED, MOMENT)
@settings(PROPERTY, max_examples=8)
def test_positions_round_trip_as_text_and_packed(number: int, seed: int, permille: int) -> None:
    state = moment(number, seed, permille)
    game = state.game
    again = [game.position(state.text(), seed=seed), game.unpack_position(state.packed(), seed=seed)]
    for other in again:
        assert other == state
        assert forms(other) == forms(state)
        assert other.result() == state.result()
    for twin in (state, *again):
        for _ in walk(twin, Chooser(game, seed), 60):
            pass
    assert again == [state, state]


@every_setup
def test_every_position_of_a_game_round_trips(number: int) -> None:
    """Decision by decision, so that no phase and no end is left out."""
    state = game_of(number).new_state(number)
    for _ in walk(state, Chooser(state.game, number), 700):
        assert state.game.unpack_position(state.packed()) == state
    last = played(number, number, 10**5)
    assert last.game.unpack_position(last.packed()) == last.game.position(last.text()) == last


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=2)
def test_events_do_not_change_play_and_codes_equal_actions(number: int, seed: int) -> None:
    game = game_of(number)
    quiet, loud = game.new_state(seed), game.start(seed)[0]
    chooser = Chooser(game, seed)
    for seat in walk(quiet, Chooser(game, seed), 800):
        if len(quiet.pending()) > 1:
            assert chooser.rng.choice(quiet.pending()) == seat
        loud.play(seat, int(chooser(loud.legal(seat))))
    assert quiet == loud


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=2)
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
        seat = state.pending()[-1]
        yield before, state.play(seat, chooser(state.legal(seat)))


def holder(state: State, reward: str) -> int:
    """The colour that has the reward, -1 = nobody."""
    rewards = state.game.description.labels.get("reward", ())
    return state.field("reward")[rewards.index(reward)] if reward in rewards else -1


def gained(before: State, event: Event) -> int:
    """By how much an event changes the number of troops on the board."""
    name = EVENTS[event.kind]
    if name in ("claimed", "placed"):
        return 1
    if name in ("bonus", "deployed"):
        return event.n
    if name != "battle":
        return 0
    attack = event.c - int(holder(before, "attack_die") == before.turn_colour)
    defence = len(event.dice) - event.c - int(holder(before, "defense_die") == before.owner[event.b])
    return -min(attack, defence)


def still_due(due: int, events: list[Event]) -> int:
    """The reinforcements left after events: new with a turn, more by trades, fewer by deploying or losing."""
    homeless = 0  # of the 2 troops of a bonus, those that may be lost next
    for event in events:
        name = EVENTS[event.kind]
        due = 0 if name == "turn" else due
        due += event.n if name in ("reinforced", "traded", "stars") else 0
        due -= event.n if name == "deployed" or (name == "lost_troops" and event.n > homeless) else 0
        homeless = 2 - event.n if name == "bonus" else 0
    return due


def uses_pool(event: Event) -> bool:
    return EVENTS[event.kind] in ("claimed", "placed", "lost_troops")


@every_setup
@given(SEED)
@PROPERTY
def test_troops_are_conserved(number: int, seed: int) -> None:
    """Only claims, placings, bonuses and deployments add troops, only battles take any, one a pair."""
    state = game_of(number).new_state(seed)
    begin = [VOCABULARY.phases.index(name) for name in ("claim", "place", "capital")]
    for before, events in told(state, Chooser(state.game, seed), 1500):
        assert sum(state.troops) - sum(before.troops) == sum(gained(before, event) for event in events)
        names = [EVENTS[event.kind] for event in events]
        begun = names.index("turn") if "turn" in names else len(names)
        setup = events[:begun] if before.phase in begin else []
        used = sum(
            event.n if EVENTS[event.kind] == "lost_troops" else 1 for event in setup if uses_pool(event)
        )
        assert sum(before.pool) - sum(state.pool) == used
        if not state.result().over:
            assert state.reinforcements == still_due(before.reinforcements, events[len(setup) :])


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=2)
def test_cards_are_conserved(number: int, seed: int) -> None:
    """check() sees every card in one place; here: cards move only where the events say so."""
    state, events = game_of(number).start(seed)
    hands: Counter[int] = Counter()
    chooser = Chooser(state.game, seed)
    for _ in range(1500):
        state.check()
        for event in events:
            name = EVENTS[event.kind]
            if name == "traded":
                hands[event.seat] -= 3
            elif name == "stars":
                hands[event.seat] -= event.a + event.b
            elif name == "drew" and event.a != 255:
                hands[event.seat] += 1
            elif name == "cards_taken":
                hands[event.seat] += event.n
                hands[event.b] -= event.n
        assert [hands[colour] for colour in range(len(state.cards_held))] == list(state.cards_held)
        places = Counter(state.cards)
        assert places[100] == state.deck_count == sum(card >= 0 for card in state.deck)
        assert places[102] == (sum(at >= 0 for at in state.capital) if has_cards_aside(state) else 0)
        if not state.pending():
            return
        seat = state.pending()[0]
        events = state.play(seat, chooser(state.legal(seat)))


def has_cards_aside(state: State) -> bool:
    """Whether the headquarters' cards have left the deck: there are headquarters and all are picked."""
    picked = VOCABULARY.phases[state.phase] not in ("claim", "place", "headquarters")
    return picked and option(state.game, "headquarters") != "none"


@every_setup
@given(SEED)
@settings(PROPERTY, max_examples=3)
def test_set_up_places_every_colours_allotment(number: int, seed: int) -> None:
    game = game_of(number)
    state = game.new_state(seed)
    allotment = int(option(game, "starting_troops"))
    cap = int(option(game, "troop_cap"))
    begin = [game.description.phases.index(name) for name in ("capital", "claim", "place")]
    for _ in walk(state, Chooser(game, seed), 500):
        if state.phase not in begin:
            assert set(state.pool) == {0}
            return
        for colour in range(len(state.pool)):
            held = [n for owner, n in zip(state.owner, state.troops, strict=True) if owner == colour]
            assert sum(held) + state.pool[colour] == allotment or (held and set(held) == {cap})


# ---- bounds, and that the games are worth something


def sprawling(game: Game, phase: str) -> str:
    """A position in which seat 0 holds all but one territory a rival, and may move troops between any two."""
    ids = game.description.territories
    rivals = range(1, len(game.description.colours))
    board = ",".join(["*:0x2", *(f"{ids[7 * colour]}:{colour}x1" for colour in rivals)])
    words = [f"phase={phase}", f"board={board}"]
    if phase == "deploy":
        words.append("reinforcements=99")
    fields = {field.name for field in game.description.fields}
    if "capital" in fields:
        words.append("capital=" + ",".join([ids[1], *(ids[7 * colour] for colour in rivals)]))
    return " ".join(words)


@every_setup
def test_lists_and_fields_fit_their_buffers(number: int) -> None:
    """The longest list is that of the free moves when one colour holds nearly everything."""
    game = game_of(number)
    assert game.description.words() <= MAX_FIELD_WORDS
    longest = 0
    for phase in ("attack", "deploy", "fortify"):
        state = game.position(sprawling(game, phase))
        legal = state.legal(0)
        longest = max(longest, len(legal))
        assert all(int(entry.last()) in legal for entry in legal)
    reach = str(option(game, "fortify"))
    assert 40 < longest < MAX_RANGES
    assert longest > 1000 or not reach.startswith("path")


def test_the_longest_lists_of_all_options_fit() -> None:
    """Two plain seats leave 41 joined territories to one of them: 41 x 40 moves, and the end of the turn."""
    game = engine_core.load("classic", seats=2, two_player="plain", fortify="path_many")
    assert len(game.position("phase=fortify board=*:0x9,ALA:1x1").legal(0)) == 41 * 40 + 1 < MAX_RANGES


def test_who_hoards_more_sets_than_a_list_holds_may_still_keep_them() -> None:
    game = engine_core.load("classic", seats=3, must_trade_at=0)
    hand = ",".join(f"{name}:0" for name in game.description.cards)
    state = game.position(f"phase=trade reinforcements=3 cards={hand} board=*:1x2,ALA:0x3,KAM:2x2")
    legal = state.legal(0)
    assert len(legal) == MAX_RANGES
    assert int(game.action("end")) in legal
    for action in (legal[0].first(), legal[len(legal) - 2].first(), legal[len(legal) - 1].first()):
        assert attempt(state, 0, int(action))
