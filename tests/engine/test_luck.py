"""The keyed generator: known answers, which key a roll has, fair dice, and luck that stays aligned."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import pytest

import engine_core
from engine_core import Event, State
from engine_core.bench import keyed_words

GAME = engine_core.load("classic", seats=3)
KEY = bytes(range(16))
BATTLE = [kind.name for kind in GAME.description.events].index("battle")
FIRST_ROLL, SHUFFLE, BATTLES, FAMILY = 1, 2, 3, 4  # streams
TERRITORY_DECK, MISSIONS, CITIES, MINORS, MAJORS, MINOR_REWARDS, MAJOR_REWARDS = range(1, 8)
WORD = 1 << 64
PLACES = {name: number for number, name in enumerate(GAME.description.territories)}


# ---- Threefry-2x64-20


KNOWN = [  # from the known-answer file of Random123: key, counter, words
    ((0, 0), (0, 0), (0xC2B6E3A8C2C69865, 0x6F81ED42F350084D)),
    ((WORD - 1, WORD - 1), (WORD - 1, WORD - 1), (0xE02CB7C4D95D277A, 0xD06633D0893B8B68)),
    (
        (0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x243F6A8885A308D3, 0x13198A2E03707344),
        (0x263C7D30BB0F0AF1, 0x56BE8361D3311526),
    ),
]


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Threefry-2x64 with 20 rounds, from its paper (Salmon et al., 2011)."""
    schedule = (*key, 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1])
    x, y = ((word + schedule[i]) % WORD for i, word in enumerate(counter))
    for number in range(20):
        turn = (16, 42, 12, 31, 16, 32, 24, 21)[number % 8]
        x = (x + y) % WORD
        y = ((y << turn | y >> (64 - turn)) % WORD) ^ x
        if number % 4 == 3:
            step = number // 4 + 1
            x = (x + schedule[step % 3]) % WORD
            y = (y + schedule[(step + 1) % 3] + step) % WORD
    return x, y


@pytest.mark.parametrize(("key", "counter", "words"), KNOWN)
def test_known_answers(key: tuple[int, int], counter: tuple[int, int], words: tuple[int, int]) -> None:
    assert keyed_words(key, counter) == words
    assert threefry(key, counter) == words


def test_the_generator_agrees_with_its_paper_on_random_keys() -> None:
    rng = random.Random(0)
    for _ in range(300):
        key, counter = [(rng.getrandbits(64), rng.getrandbits(64)) for _ in range(2)]
        assert keyed_words(key, counter) == threefry(key, counter)


# ---- which word is rolled: the same on every machine, for ever


def word(key: bytes, stream: int, lap: int, a: int, b: int, n: int) -> int:
    keys = (int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little"))
    return threefry(keys, (stream << 56 | a << 28 | b, lap << 32 | n))[0]


def digits(value: int, count: int, sides: int = 6) -> list[int]:
    """Dice of a word: the word is a fraction, each die its next digit."""
    dice = []
    for _ in range(count):
        die, value = divmod(value * sides, WORD)
        dice.append(die + 1)
    return dice


def battle_dice(key: bytes, lap: int, a: str, b: str, n: int, attack: int, defence: int) -> tuple[int, ...]:
    """Three digits for the attacker, two for the defender, as many of them as are rolled."""
    dice = digits(word(key, BATTLES, lap, PLACES[a], PLACES[b], n), 5)
    return (*dice[:attack], *dice[3 : 3 + defence])


def test_battle_dice_come_from_lap_border_and_count() -> None:
    state = fresh(lap=7)
    for n in range(3):
        assert roll(state, "ALA", "KAM", 3, 2) == battle_dice(KEY, 7, "ALA", "KAM", n, 3, 2)
    assert roll(state, "ALB", "WUS", 2, 1) == battle_dice(KEY, 7, "ALB", "WUS", 0, 2, 1)


def test_first_rolls_come_from_seat_and_attempt() -> None:
    for seed in range(200):
        _, events = GAME.start(seed)
        rolled = [event for event in events if event.dice]
        assert len(rolled) >= 3
        for event in rolled:
            assert event.dice == (digits(word(key_of(seed), FIRST_ROLL, 0, event.seat, 0, event.n), 1)[0],)


def test_the_deck_is_sorted_by_a_word_per_card() -> None:
    for seed in range(20):
        words = {card: word(key_of(seed), SHUFFLE, 0, 0, card, 0) for card in range(44)}
        assert list(GAME.new_state(seed).deck) == sorted(range(44), key=words.__getitem__, reverse=True)


def in_drawn_order(seed: int, deck: int, cards: Iterable[int]) -> list[int]:
    return sorted(cards, key=lambda card: word(key_of(seed), SHUFFLE, 0, deck, card, 0))


def test_missions_are_sorted_by_a_word_each_and_dealt_from_the_first_player_on() -> None:
    game = engine_core.load("secret_mission", seats=6)
    for seed in range(20):
        state = game.new_state(seed)
        order = in_drawn_order(seed, MISSIONS, range(14))
        assert [state.mission[(state.first_colour + turn) % 6] for turn in range(6)] == order[:6]


def test_cities_objectives_and_rewards_have_decks_of_their_own() -> None:
    game = engine_core.load("command_room", seats=5)
    names = game.description.labels["objective"]
    minors = [number for number, name in enumerate(names) if name.startswith("m")]
    majors = [number for number, name in enumerate(names) if name.startswith("M")]
    for seed in range(20):
        state = game.new_state(seed)
        cities = {place for place, city in enumerate(state.city) if city}
        assert cities == set(in_drawn_order(seed, CITIES, range(42))[:15])
        lying = [number for number, holder in enumerate(state.objective) if holder == 100]
        drawn = [*in_drawn_order(seed, MINORS, minors)[:4], *in_drawn_order(seed, MAJORS, majors)[:4]]
        assert lying == sorted(drawn)
        tokens = [
            *in_drawn_order(seed, MINOR_REWARDS, range(4)),
            *in_drawn_order(seed, MAJOR_REWARDS, range(4, 8)),
        ]
        assert [state.reward_on[number] for number in lying] == tokens


def test_a_dealt_start_is_sorted_by_a_word_a_territory() -> None:
    game = engine_core.load("secret_mission", seats=4)
    for seed in range(20):
        state = game.new_state(seed)
        order = in_drawn_order(seed, TERRITORY_DECK, range(42))
        owners = [(state.first_colour + turn) % 4 for turn in range(42)]
        assert [state.owner[place] for place in order] == owners


def test_extra_dice_are_the_next_digits_of_the_same_word() -> None:
    """Attack Die and Defense Die are listed last of their side; the plain dice stay what they are."""
    game = engine_core.load("command_room", seats=3)
    board = "capital=ALB,KAM,SAF board=*:1x30,ALA:0x50,NWT:0x50,ALB:0x50,KAM:1x40,SAF:2x1"
    for reward in ("", "reward=attack_die:0 ", "reward=attack_die:0,defense_die:1 "):
        state = game.position(f"phase=attack {reward}{board}", seed=KEY)
        for n in range(4):
            state.apply(0, game.action("attack ALA KAM 3"))
            (event,) = [e for e in state.play(1, game.action("defend ALA KAM 2")) if e.kind == BATTLE]
            dice = digits(word(KEY, BATTLES, 1, PLACES["ALA"], PLACES["KAM"], n), 7)
            extra = [dice[5:6] * ("attack" in reward), dice[6:7] * ("defense" in reward)]
            assert event.dice == (*dice[:3], *extra[0], *dice[3:5], *extra[1])


def test_a_die_that_is_rolled_again_has_a_stream_of_its_own() -> None:
    game = engine_core.load("classic", seats=3, expert_card_reroll=1)
    board = "cards=ALA:0 board=*:1x30,ALA:0x50,NWT:0x50,ALB:0x50,KAM:1x40,SAF:2x1"
    rerolled = [kind.name for kind in game.description.events].index("rerolled")
    state = game.position(f"phase=attack {board}", seed=KEY)
    for n in range(1, 6):
        state.apply(0, game.action("attack ALA KAM 3"))
        state.apply(1, game.action("defend ALA KAM 2"))
        plain = battle_dice(KEY, 1, "ALA", "KAM", n - 1, 3, 2)
        assert state.rolled == plain
        events = state.play(0, game.action("reroll ALA 1"))
        (event,) = [event for event in events if event.kind == rerolled]
        assert event.dice == (digits(word(KEY, FAMILY, 1, PLACES["ALA"], PLACES["KAM"], n), 1)[0],)
        (battle,) = [event for event in events if event.kind == BATTLE]
        assert battle.dice == (plain[0], event.dice[0], *plain[2:])


def test_seeds_are_little_endian_keys() -> None:
    assert GAME.new_state(5).key == key_of(5)
    assert GAME.new_state(KEY).key == KEY
    assert GAME.new_state(int.from_bytes(KEY, "little")) == GAME.new_state(KEY)
    for wrong in (-1, 1 << 128, b"short"):
        with pytest.raises(ValueError, match=r"seed|key"):
            GAME.new_state(wrong)


def key_of(seed: int) -> bytes:
    return seed.to_bytes(16, "little")


# ---- luck stays aligned


def fresh(lap: int = 1, seed: bytes = KEY, ala: int = 50) -> State:
    return GAME.position(
        f"phase=attack lap={lap} board=*:1x30,ALA:0x{ala},NWT:0x50,ALB:0x50,KAM:1x40,SAF:2x1", seed=seed
    )


def roll(state: State, a: str, b: str, attack: int, defence: int) -> tuple[int, ...]:
    """The dice of one attack by seat 0 against seat 1."""
    state.apply(0, GAME.action(f"attack {a} {b} {attack}"))
    (event,) = [one for one in state.play(1, GAME.action(f"defend {a} {b} {defence}")) if one.kind == BATTLE]
    return event.dice


def test_a_roll_does_not_depend_on_battles_elsewhere() -> None:
    quiet, busy = fresh(), fresh()
    for _ in range(4):
        roll(busy, "ALB", "WUS", 3, 2)
        roll(busy, "NWT", "GRE", 1, 1)
    for _ in range(3):
        assert roll(quiet, "ALA", "KAM", 3, 2) == roll(busy, "ALA", "KAM", 3, 2)


def test_a_roll_does_not_depend_on_troops_phases_or_placing() -> None:
    late = GAME.position(
        "phase=deploy reinforcements=9 sets_traded=4 cards=ALA:0,VEN:1"
        " board=*:2x7,ALA:0x3,ALB:0x5,KAM:1x3,GRE:1x3",
        seed=KEY,
    )
    late.apply(0, GAME.action("deploy ALA 9"))
    assert roll(late, "ALA", "KAM", 3, 2) == roll(fresh(), "ALA", "KAM", 3, 2)


def test_a_die_does_not_depend_on_how_many_others_are_rolled() -> None:
    full = roll(fresh(), "ALA", "KAM", 3, 2)
    for attack in (1, 2, 3):
        for defence in (1, 2):
            fewer = (*full[:attack], *full[3 : 3 + defence])
            assert roll(fresh(), "ALA", "KAM", attack, defence) == fewer


def test_rolls_differ_by_key_lap_border_direction_and_count() -> None:
    def several(state: State, a: str = "ALA", b: str = "KAM") -> list[tuple[int, ...]]:
        return [roll(state, a, b, 3, 2) for _ in range(4)]

    back = GAME.position("phase=attack board=*:1x30,ALA:1x40,KAM:0x50,SAF:2x1", seed=KEY)
    rows = [
        several(fresh()),
        several(fresh(lap=2)),
        several(fresh(seed=bytes(16))),
        several(fresh(), "ALB", "WUS"),
        several(back, "KAM", "ALA"),
    ]
    for one, other in combinations(rows, 2):
        assert one != other
    assert all(len(set(row)) > 1 for row in rows)


def test_counts_start_anew_in_every_lap() -> None:
    state = GAME.position("phase=attack board=*:1x9,ALA:0x90,KAM:1x9", seed=KEY)
    assert [roll(state, "ALA", "KAM", 1, 1) for _ in range(2)] == [
        battle_dice(KEY, 1, "ALA", "KAM", n, 1, 1) for n in range(2)
    ]
    for seat, text in ((0, "end"), (1, "deploy SAF 32"), (1, "end"), (1, "end"), (0, "deploy ALA 3")):
        state.apply(seat, GAME.action(text))
    assert (state.lap, set(state.rolls)) == (2, {0})
    assert roll(state, "ALA", "KAM", 1, 1) == battle_dice(KEY, 2, "ALA", "KAM", 0, 1, 1)


def test_the_seed_changes_the_game() -> None:
    decks = {tuple(GAME.new_state(seed).deck) for seed in range(100)}
    assert len(decks) == 100
    firsts = Counter(GAME.new_state(seed).first_colour for seed in range(3000))
    assert all(900 < firsts[seat] < 1100 for seat in range(3))


# ---- fair dice


def battles(seed: int, decisions: int) -> Iterator[Event]:
    """The battles of a game in which everybody attacks whenever possible, with as many dice as possible."""
    game = engine_core.load("classic", seats=2 + seed % 5)
    state, rng = game.new_state(seed), random.Random(seed)
    for _ in range(decisions):
        if not state.pending():
            return
        (seat,) = state.pending()
        action = state.legal(seat)[rng.randrange(max(1, len(state.legal(seat)) - 1))].last()
        yield from (event for event in state.play(seat, action) if event.kind == BATTLE)


def chi_square(found: Iterable[tuple[int, ...]], cells: int) -> float:
    counts = Counter(found)
    expected = counts.total() / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + expected * (
        cells - len(counts)
    )


def test_dice_of_real_games_are_fair_and_independent() -> None:
    dice = [event.dice for seed in range(60) for event in battles(seed, 4000) if len(event.dice) == 5]
    assert len(dice) > 20_000
    for place in range(5):
        assert chi_square(((roll[place],) for roll in dice), 6) < 20.5  # 5 degrees, 1 in 1,000
    for one, other in combinations(range(5), 2):
        assert chi_square(((roll[one], roll[other]) for roll in dice), 36) < 66.6  # 35 degrees, 1 in 1,000
    assert chi_square(((one[0], other[0]) for one, other in pairwise(dice)), 36) < 66.6
