"""Rule faults seen in other implementations of the games: each line is a test that bears its number.

The faults of the map are in test_board.py, those of the 2008 edition in test_rule_faults_2008.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playing import Chooser, game_of, walk

import engine_core
from engine_core import Action, Game, IllegalAction, State, TextError

CLASSIC = engine_core.load("classic", seats=3)
TWO = engine_core.load("classic", seats=2)
NUMBERS = (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38)
FAULTS = {f"R{number:02}" for number in (*NUMBERS, 40, 41, 43, 44, 46, 47, 49, 50, 52, 53)}


def test_every_fault_has_a_test() -> None:
    names = [
        name
        for path in Path(__file__).parent.glob("test_*.py")
        for name in re.findall(r"^def test_(R\d\d)_", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert set(names) == FAULTS
    assert len(names) == len(set(names))


def play(state: State, *lines: str, dice: tuple[int, ...] = ()) -> State:
    """Play `seat action` lines, with dice scripted before."""
    state.script(dice)
    for line in lines:
        seat, _, action = line.partition(" ")
        state.apply(int(seat), state.game.action(action))
    return state


def refuses(state: State, seat: int, action: Action | int | str, rule: str) -> None:
    """The action is not offered, apply refuses it by that rule, and nothing changes."""
    before = state.copy()
    played = state.game.action(action) if isinstance(action, str) else action
    assert played not in state.legal(seat)
    with pytest.raises(IllegalAction) as caught:
        state.apply(seat, played)
    assert rule in caught.value.rule
    assert state == before


def territory(game: Game, name: str) -> int:
    return game.description.territories.index(name)


# In this order no region is ever complete.
NO_REGION = [
    *("ALA", "NWT", "GRE", "ALB", "ONT", "QUE", "WUS", "EUS", "VEN", "PER", "BRA"),
    *("ICE", "SCA", "UKR", "GBR", "NEU", "WEU", "URA", "SIB", "YAK", "KAM", "IRK"),
]


def income(owned: int) -> int:
    """Reinforcements of seat 0 at the start of a turn with so many territories, no region among them."""
    mine = ",".join(f"{name}:0x1" for name in NO_REGION[:owned])
    state = CLASSIC.position(f"phase=fortify turn_colour=2 board=*:1x1,{mine},SAF:2x2,MAD:2x1")
    play(state, "2 end")
    assert (state.turn_colour, state.field("owner").count(0)) == (0, owned)
    return int(state.reinforcements)


def capturing(hand: int, taken: int) -> State:
    """Seat 0 has just taken seat 1's last territory and its cards: `hand` own ones and `taken` more."""
    infantry = ("ALA", "VEN", "PER", "ARG", "ICE", "EGY", "EAF", "CON", "KAM", "MON", "CHI")
    held = [f"{card}:{0 if place < hand else 1}" for place, card in enumerate(infantry[: hand + taken])]
    text = f"phase=attack cards={','.join(held)} board=*:2x1,SAF:0x9,CON:1x1"
    return play(CLASSIC.position(text), "0 attack SAF CON 3", "0 occupy SAF CON 3", dice=(6, 6, 6, 1))


def phase(state: State) -> str:
    return str(state.game.description.phases[state.phase])


# ---- reinforcements


def test_R04_thirteen_territories_bring_4_and_ten_bring_3() -> None:
    assert income(13) == 4
    assert income(10) == 3


def test_R05_twelve_territories_bring_4() -> None:
    assert income(12) == 4


def test_R37_eighteen_territories_bring_6_not_9() -> None:
    assert income(18) == 6


@pytest.mark.parametrize("owned", range(1, 23))
def test_every_number_of_territories_brings_a_third_and_3_at_least(owned: int) -> None:
    assert income(owned) == max(3, owned // 3)


def test_R20_reinforcements_to_a_foreign_or_unknown_territory_are_refused_and_not_lost() -> None:
    state = CLASSIC.position("phase=deploy reinforcements=5 board=*:1x1,ALA:0x3,BRA:0x1,SAF:2x1")
    refuses(state, 0, "deploy KAM 2", "the acting colour's own")
    refuses(state, 0, "deploy 42 2", "no such territory")
    refuses(state, 0, "deploy 255 2", "no such territory")
    assert state.reinforcements == 5


def test_R31_initial_troops_are_placed_exactly() -> None:
    for number in range(9):
        game = game_of(number)
        state = game.new_state(number)
        for _ in walk(state, Chooser(game, number), 1000):
            if phase(state) not in ("claim", "place"):
                break
        allotment = int(game.ruleset.options["starting_troops"])
        held = [0] * len(game.description.colours)
        for owner, troops in zip(state.owner, state.troops, strict=True):
            held[owner] += troops
        assert held == [allotment] * len(held)


# ---- cards


def test_R28_infantry_cavalry_and_a_wild_are_a_set() -> None:
    state = CLASSIC.position(
        "phase=trade reinforcements=3 cards=ALA:0,GRE:0,wild1:0 board=*:1x1,SAF:0x3,MAD:2x1"
    )
    play(state, "0 trade ALA GRE wild1")
    assert state.reinforcements == 7


def test_R16_sets_bring_4_6_8_10_12_15_20_in_order() -> None:
    found = []
    for sets in range(10):
        state = CLASSIC.position(
            f"phase=trade reinforcements=3 sets_traded={sets} cards=ALA:0,VEN:0,PER:0"
            " board=*:1x1,SAF:0x3,MAD:2x1"
        )
        play(state, "0 trade ALA VEN PER")
        found.append(state.reinforcements - 3)
    assert found == [4, 6, 8, 10, 12, 15, 20, 25, 30, 35]


TWO_SETS = (
    "phase=trade reinforcements=3 cards=ALA:0,VEN:0,PER:0,ARG:0,ICE:0,EGY:0"
    " board=*:1x1,ALA:0x1,PER:0x1,ARG:0x1,SAF:0x3,MAD:2x1"
)


def test_R14_two_sets_in_a_turn_bring_one_bonus_where_the_owner_chooses() -> None:
    for choice in ("ALA", "PER"):
        state = play(CLASSIC.position(TWO_SETS), "0 trade ALA VEN PER")
        assert phase(state) == "bonus"
        refuses(state, 0, "bonus VEN", "not offered")
        refuses(state, 0, "bonus ARG", "not offered")
        play(state, f"0 bonus {choice}", "0 trade ARG ICE EGY")
        bonus = {name: state.troops[territory(CLASSIC, name)] for name in ("ALA", "PER", "ARG")}
        assert bonus == {"ALA": 1, "PER": 1, "ARG": 1} | {choice: 3}


def test_R32_two_trades_bring_2_troops_and_not_4() -> None:
    state = play(CLASSIC.position(TWO_SETS), "0 trade ALA VEN PER", "0 bonus ALA")
    before = sum(state.troops)
    play(state, "0 trade ARG ICE EGY")
    assert sum(state.troops) == before
    assert (state.bonuses_used, state.reinforcements) == (1, 3 + 4 + 6)


def test_R41_a_card_traded_and_drawn_again_brings_its_bonus_again() -> None:
    """Alaska's card is traded with its bonus, comes back by the reshuffle, and is traded once more."""
    game = engine_core.load("classic", seats=2, two_player="plain")
    state = game.position(
        "phase=attack captured=1 bonuses_used=1 trades_this_turn=1 sets_traded=1"
        " cards=*:1,ALA:discard,VEN:0,PER:0 board=*:1x1,ALA:0x3,NWT:0x1,INO:1x5"
    )
    play(state, "0 end", "0 end")
    assert (state.reshuffles, state.cards_held[0]) == (1, 3)
    while state.pending() == (1,):
        legal = state.legal(1)
        state.apply(1, legal[len(legal) - 1].first())  # as little as possible
    before = state.troops[territory(game, "ALA")]
    play(state, "0 trade ALA VEN PER")
    assert state.troops[territory(game, "ALA")] == before + 2


# ---- elimination


def test_R07_the_last_territory_lost_eliminates_and_the_turn_skips_the_fallen() -> None:
    state = capturing(1, 1)
    assert (state.living, state.eliminated_at) == ((1, 0, 1), (-1, 0, -1))
    assert state.cards_held == (2, 0, 0)
    play(state, "0 end", "0 end")
    assert state.turn_colour == 2


def test_R08_a_hand_of_exactly_5_by_elimination_is_not_traded() -> None:
    for hand, taken in ((4, 1), (3, 2), (1, 4)):
        state = capturing(hand, taken)
        assert (phase(state), state.cards_held) == ("attack", (5, 0, 0))


def test_R29_a_hand_of_6_by_elimination_is_traded_down_to_4_or_fewer() -> None:
    for total, left in ((6, 3), (7, 4), (8, 2), (9, 3), (10, 4), (11, 2)):
        state = capturing(4, total - 4)
        assert phase(state) == "trade"
        while phase(state) == "trade":
            refuses(state, 0, "end", "must be traded")
            state.apply(0, state.legal(0)[0].first())
            if phase(state) == "bonus":
                state.apply(0, state.legal(0)[0].first())
        assert (phase(state), state.cards_held) == ("deploy", (left, 0, 0))


def test_R11_two_players_win_when_the_opponent_has_nothing_left() -> None:
    state = TWO.position("phase=attack board=*:2x1,SAF:0x9,CON:1x1")
    play(state, "0 attack SAF CON 3", "0 occupy SAF CON 3", dice=(6, 6, 6, 1))
    result = state.result()
    assert (result.over, result.termination, result.winners) == (True, "rules", (0,))
    assert state.pending() == ()


def test_R40_a_round_never_starts_with_the_fallen() -> None:
    """Seat 0 began and is out: the turn, and the lap, pass to the next living seat."""
    state = CLASSIC.position("phase=attack turn_colour=2 first_colour=0 lap=3 board=*:1x1,SAF:2x9,CON:0x1")
    play(state, "2 attack SAF CON 3", "2 occupy SAF CON 3", "2 end", "2 end", dice=(6, 6, 6, 1))
    assert (state.lap, state.turn_colour, state.pending()) == (4, 1, (1,))
    for number in range(9):
        game = game_of(number)
        for seed in range(5):
            state = game.new_state(seed)
            for seat in walk(state, Chooser(game, seed), 6000):
                assert state.living[seat] == 1


# ---- missions


def mission_game(seats: int, **options: str) -> Game:
    return engine_core.load("secret_mission", seats=seats, **options)


@pytest.mark.parametrize("watcher", [0, 2, 4])
def test_R13_a_mission_completed_in_another_players_turn_is_noticed_at_once(watcher: int) -> None:
    """Whoever was to destroy red wins by seat 1's elimination of red, wherever that seat sits."""
    deck = ["M01", "M02", "M03", "M04", "M05"]
    deck[watcher] = "M12"
    keepers = ",".join(f"{name}:{seat}x2" for name, seat in (("SAF", 0), ("MAD", 4), ("EGY", 2)))
    state = mission_game(5).position(
        f"phase=attack turn_colour=1 mission={','.join(deck)} board=*:2x1,ALA:1x9,KAM:3x1,URA:0x1,{keepers}"
    )
    play(state, "1 attack ALA KAM 3", "1 occupy ALA KAM 3", dice=(6, 6, 6, 1))
    result = state.result()
    assert (result.over, result.termination, result.winners) == (True, "rules", (watcher,))


def regions(*names: str) -> list[str]:
    """The territories of these regions."""
    board = CLASSIC.ruleset.board
    return [place.id for place in board.territories if board.regions[place.region].id in names]


@pytest.mark.parametrize(
    ("mission", "held", "wins"),
    [
        ("M05", ("EU", "AS", "AF"), False),
        ("M05", ("SA", "AS", "AF"), False),
        ("M05", ("EU", "SA", "AF"), True),
        ("M05", ("EU", "SA"), False),
        ("M06", ("EU", "SA", "AF"), False),
        ("M06", ("AU", "AS", "AF"), False),
        ("M06", ("EU", "AU", "NA"), True),
        ("M06", ("EU", "AU"), False),
    ],
)
def test_R50_both_regions_that_the_card_names_are_needed(
    mission: str, held: tuple[str, ...], wins: bool
) -> None:
    """The move at the end of the turn has the missions checked; seat 2 keeps two territories elsewhere."""
    mine = regions(*held)
    free = [place.id for place in CLASSIC.ruleset.board.territories if place.id not in mine]
    owners = dict.fromkeys(mine, "0x2") | dict.fromkeys(free[:2], "2x1")
    board = ",".join(f"{name}:{value}" for name, value in owners.items())
    state = mission_game(3).position(f"phase=fortify mission={mission},M11,M09 board=*:1x1,{board}")
    state.apply(0, state.legal(0)[0].first())
    assert state.result().over == wins
    assert not wins or state.result().winners == (0,)


# ---- the cap


@pytest.mark.parametrize("held", [(12, 12), (12, 11), (11, 11), (12, 1), (1, 1)])
def test_R53_the_cap_refuses_new_troops_and_never_deletes_old_ones(held: tuple[int, int]) -> None:
    game = engine_core.load("expert", seats=3)
    text = f"phase=fortify turn_colour=2 board=*:1x1,ALA:0x{held[0]},BRA:0x{held[1]},SAF:2x2,MAD:2x1"
    state = play(game.position(text), "2 end")
    room = 24 - sum(held)
    while phase(state) == "deploy":
        state.apply(0, state.legal(0)[0].first())
    after = [state.troops[territory(game, name)] for name in ("ALA", "BRA")]
    assert sum(after) == sum(held) + min(3, room)
    assert all(before <= now <= 12 for before, now in zip(held, after, strict=True))


def test_no_way_to_gain_troops_passes_the_cap() -> None:
    """No random game of expert rules ever has more than 12 troops anywhere, and no event takes any away."""
    for seats in (2, 3, 6):
        game = engine_core.load("expert", seats=seats, turn_cap=40)
        state = game.new_state(seats)
        for _ in walk(state, Chooser(game, seats), 4000):
            assert max(state.troops) <= 12


# ---- moving


def test_R19_a_free_move_goes_to_a_neighbour_or_along_own_territories_only() -> None:
    text = "phase=fortify board=*:1x1,ALA:0x5,NWT:0x1,GRE:0x1,BRA:0x1,SAF:2x1"
    state = CLASSIC.position(text)
    refuses(state, 0, "fortify ALA GRE 1", "within reach")
    refuses(state, 0, "fortify ALA BRA 1", "within reach")
    path = engine_core.load("classic", seats=3, fortify="path")
    state = path.position(text)
    refuses(state, 0, "fortify ALA BRA 1", "within reach")
    play(state, "0 fortify ALA GRE 4")
    assert state.troops[territory(path, "GRE")] == 5


@pytest.mark.parametrize("amount", [2.0, 2.5, "2", "two", None, True])
def test_R22_amounts_that_are_no_integers_are_refused(amount: Any) -> None:
    state = CLASSIC.position("phase=fortify board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x1")
    before = state.copy()
    kind = CLASSIC.description.action_kind("fortify")
    if amount is not True:
        with pytest.raises(TypeError):
            Action(kind, 0, 1, 0, amount)
        with pytest.raises(TextError):
            CLASSIC.action(f"fortify ALA NWT {amount if amount != '2' else '2.'}")
    with pytest.raises(TypeError):
        state.apply(0, amount)
    assert state == before


def test_R23_an_attack_on_an_own_territory_is_refused() -> None:
    state = CLASSIC.position("phase=attack board=*:1x1,ALA:0x5,NWT:0x5,SAF:2x1")
    refuses(state, 0, "attack ALA NWT 1", "another colour")
    refuses(state, 0, "attack ALA ALA 1", "another colour")
    refuses(state, 0, "attack KAM ALA 1", "the acting colour's own")


def test_R35_a_territory_is_never_left_empty() -> None:
    state = CLASSIC.position("phase=fortify board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x1")
    refuses(state, 0, "fortify ALA NWT 5", "leave at least 1")
    attack = CLASSIC.position("phase=attack board=*:1x1,ALA:0x5,NWT:0x1,KAM:1x1,SAF:2x1")
    refuses(attack, 0, "attack NWT GRE 1", "one troop more than dice")
    play(attack, "0 attack ALA KAM 1", dice=(6, 1))
    refuses(attack, 0, "occupy ALA KAM 5", "leave one behind")


def test_R38_from_7_troops_with_3_dice_3_to_6_may_move_in() -> None:
    state = CLASSIC.position("phase=attack board=*:1x1,ALA:0x7,KAM:1x1,SAF:2x1")
    play(state, "0 attack ALA KAM 3", dice=(6, 6, 6, 1))
    (entry,) = state.legal(0)
    assert (entry.lo, entry.hi) == (3, 6)
    for amount in (3, 4, 5, 6):
        twin = state.copy()
        play(twin, f"0 occupy ALA KAM {amount}")
        assert (twin.troops[territory(CLASSIC, "ALA")], twin.troops[territory(CLASSIC, "KAM")]) == (
            7 - amount,
            amount,
        )


MOVES = {
    "deploy": ("phase=deploy reinforcements=5 board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x1", (0, 0)),
    "attack": ("phase=attack board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x1", (0, 29)),
    "occupy": (
        "phase=occupy attack_from=ALA attack_to=KAM attack_dice=1 victim=1"
        " board=*:1x1,ALA:0x5,KAM:0x0,SAF:2x1",
        (0, 29),
    ),
    "fortify": ("phase=fortify board=*:1x1,ALA:0x5,NWT:0x1,SAF:2x1", (0, 1)),
    "defend": (
        "phase=defend attack_from=ALA attack_to=KAM attack_dice=1 board=*:1x1,ALA:0x5,KAM:1x2,SAF:2x1",
        (0, 29),
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_R52_negative_and_zero_amounts_are_refused(name: str) -> None:
    text, (a, b) = MOVES[name]
    state = CLASSIC.position(text)
    (seat,) = state.pending()
    kind = CLASSIC.description.action_kind(name)
    legal = Action(kind, a, b, 0, 1)
    assert legal in state.legal(seat)
    refuses(state, seat, Action(kind, a, b, 0, 0), "")
    for negative in (-1, -3, -(2**31)):
        with pytest.raises(ValueError, match="does not fit an action"):
            Action(kind, a, b, 0, negative)
        refuses(state, seat, int(legal) - 1 + (negative & 0xFFFFFFFF), "")
        with pytest.raises(ValueError, match=r"not the code|fit"):
            state.apply(seat, -int(legal))


def test_what_an_action_does_not_use_must_be_zero() -> None:
    """A kind of its own: two codes for one action would let a record differ from what was played."""
    for text, action in (
        ("phase=attack board=*:1x1,ALA:0x5,SAF:2x1", "end"),
        (MOVES["deploy"][0], "deploy ALA 1"),
        (MOVES["attack"][0], "attack ALA KAM 1"),
        (MOVES["fortify"][0], "fortify ALA NWT 1"),
    ):
        state = CLASSIC.position(text)
        base = CLASSIC.action(action)
        refuses(state, 0, Action(base.kind, base.a, base.b, 1, base.n), "does not use must be 0")
    refuses(state, 0, Action(0, 1), "does not use must be 0")
    refuses(state, 0, Action(0, 0, 0, 0, 1), "does not use must be 0")
