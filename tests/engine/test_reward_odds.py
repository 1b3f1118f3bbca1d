"""Odds of battles with the 2008 game's rewards: every roll of every combination, played through the core.

Airfields of either side, the Attack Die and the Defense Die make 16 combinations; with 1 to 3 attack dice
against 1 or 2 they make 96 kinds of roll, of up to 6**7 outcomes each. All of them are scripted into the
core, counted, and compared with exact fractions, and with an enumerator of the rules' sentences alone.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

import engine_core
from engine_core import Game, State

ORACLE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "battle_odds.json").read_text(encoding="utf-8")
)
REWARDS = ("attack_airfield", "defence_airfield", "attack_die", "defense_die")
COMBINATIONS = [held for count in range(5) for held in combinations(REWARDS, count)]
SIZES = [(attack, defence) for attack in (1, 2, 3) for defence in (1, 2)]
GAME = engine_core.load("command_room", seats=3)
CAPPED = engine_core.load("command_room", seats=3, airfield_cap=True)
ALA, KAM = (GAME.description.territories.index(name) for name in ("ALA", "KAM"))
TROOPS = 9
Held = tuple[str, ...]
Pair = tuple[int, int]
Roll = tuple[int, ...]


def name(held: Held) -> str:
    return "+".join(held) or "none"


# ---- the rules, on their own


def kept(dice: Roll, extra: Roll, airfield: bool, cap: bool) -> list[int]:
    """The dice that count, highest first: the best n of n and the extra one, and 1 more on the highest."""
    best = sorted(dice + extra, reverse=True)[: len(dice)]
    if airfield and not (cap and best[0] == 6):
        best[0] += 1
    return best


def losses(roll: Roll, attack: int, defence: int, held: Held, cap: bool = False) -> Pair:
    """What a roll costs (attacker, defender); its dice are in the order in which they are scripted."""
    extra = roll[attack + defence :]
    split = "attack_die" in held
    mine = kept(roll[:attack], extra[:split], "attack_airfield" in held, cap)
    its = kept(roll[attack : attack + defence], extra[split:], "defence_airfield" in held, cap)
    lost = sum(a > d for a, d in zip(mine, its, strict=False))
    return min(attack, defence) - lost, lost


def dice_of(attack: int, defence: int, held: Held) -> int:
    return attack + defence + ("attack_die" in held) + ("defense_die" in held)


# ---- the core


def holding(held: Held) -> str:
    """Tokens of a position: seat 0 attacks with, and seat 1 defends with, these rewards."""
    owners = {"attack_airfield": "airfield_minor:0", "defence_airfield": "airfield_major:1"}
    owners |= {"attack_die": "attack_die:0", "defense_die": "defense_die:1"}
    if not held:
        return ""
    fields = ["ALA" if "attack_airfield" in held else "-", "KAM" if "defence_airfield" in held else "-"]
    return f" reward={','.join(owners[one] for one in held)} airfield={','.join(fields)}"


def defending(game: Game, attack: int, held: Held, attackers: int = TROOPS, defenders: int = TROOPS) -> State:
    """ALA attacks KAM with so many dice, and seat 1 is to choose its own."""
    return game.position(
        f"phase=defend attack_from=ALA attack_to=KAM attack_dice={attack} capital=ALA,CHI,SAF"
        f" board=*:1x1,ALA:0x{attackers},KAM:1x{defenders},SAF:2x1{holding(held)}"
    )


def core_losses(start: State, answer: int, roll: Roll) -> Pair:
    state = start.copy()
    state.script(roll)
    state.apply(1, answer)
    troops = state.troops
    return TROOPS - troops[ALA], TROOPS - troops[KAM]


@cache
def core_counts(attack: int, defence: int, held: Held, cap: bool = False) -> Counter[Pair]:
    """How many of all rolls end in which losses (attacker, defender); each is played in the core."""
    game = CAPPED if cap else GAME
    start, answer = defending(game, attack, held), int(game.action(f"defend ALA KAM {defence}"))
    rolls = product(range(1, 7), repeat=dice_of(attack, defence, held))
    return Counter(core_losses(start, answer, roll) for roll in rolls)


@pytest.mark.parametrize("held", COMBINATIONS, ids=name)
@pytest.mark.parametrize(("attack", "defence"), SIZES)
def test_chances_of_one_roll(attack: int, defence: int, held: Held) -> None:
    oracle = [Fraction(text) for text in ORACLE["per_roll_rewards"][name(held)][f"{attack}v{defence}"]]
    assert sum(oracle) == 1
    at_risk = min(attack, defence)
    total = 6 ** dice_of(attack, defence, held)
    found = core_counts(attack, defence, held)
    assert found.total() == total
    wanted = {(lost, at_risk - lost): chance for lost, chance in enumerate(oracle)}
    assert {lost: Fraction(count, total) for lost, count in found.items()} == wanted


@pytest.mark.parametrize("cap", [False, True], ids=["6 becomes 7", "6 stays 6"])
@pytest.mark.parametrize("held", COMBINATIONS, ids=name)
@pytest.mark.parametrize(("attack", "defence"), SIZES)
def test_each_roll_costs_what_the_rules_say(attack: int, defence: int, held: Held, cap: bool) -> None:
    """Each combination of dice of the smaller rolls, every 41st of the larger ones: who loses how many."""
    game = CAPPED if cap else GAME
    start, answer = defending(game, attack, held), int(game.action(f"defend ALA KAM {defence}"))
    dice = dice_of(attack, defence, held)
    step = 1 if dice < 5 else 41
    for number, roll in enumerate(product(range(1, 7), repeat=dice)):
        if number % step == 0:
            assert core_losses(start, answer, roll) == losses(roll, attack, defence, held, cap), roll


@pytest.mark.parametrize("held", [held for held in COMBINATIONS if "attack_airfield" in held], ids=name)
def test_chances_where_a_6_stays_a_6(held: Held) -> None:
    """With airfield_cap the airfield moves fewer rolls; 2 against 1 dice, the largest rolls above aside."""
    counted = Counter(
        losses(roll, 2, 1, held, cap=True) for roll in product(range(1, 7), repeat=dice_of(2, 1, held))
    )
    assert core_counts(2, 1, held, cap=True) == counted
    if "defence_airfield" not in held:
        uncapped = core_counts(2, 1, held)
        assert counted[0, 1] < uncapped[0, 1]


def test_figures_of_three_against_two() -> None:
    """Whole numbers of rolls, as they are printed beside the rules."""
    printed = {
        ("attack_airfield",): (3970, 2377, 1429),
        ("defence_airfield",): (1860, 3176, 2740),
        ("attack_airfield", "defence_airfield"): (2890, 2611, 2275),
        ("attack_die",): (21421, 15470, 9765),
        ("defense_die",): (10767, 13671, 22218),
        ("attack_die", "defense_die"): (86247, 87365, 106324),
        ("attack_airfield", "attack_die"): (29455, 11700, 5501),
        ("defence_airfield", "defense_die"): (5989, 14576, 26091),
    }
    for held, figures in printed.items():
        found = core_counts(3, 2, held)
        assert (found[0, 2], found[1, 1], found[2, 0]) == figures, held


@pytest.mark.parametrize(
    "dice", [(), ("attack_die",), ("defense_die",), ("attack_die", "defense_die")], ids=name
)
def test_airfields_on_both_sides_cancel_out(dice: Held) -> None:
    """Only the top pair changes, by the same on both sides."""
    for attack, defence in SIZES[:-1]:
        both = ("attack_airfield", "defence_airfield", *dice)
        assert core_counts(attack, defence, both) == core_counts(attack, defence, dice)


# ---- attacking to the end


@cache
def capture(held: Held, attackers: int, defenders: int) -> Fraction:
    """The chance to capture with so many troops that may still be lost, both sides rolling the most dice."""
    if not defenders or not attackers:
        return Fraction(not defenders)
    attack, defence = min(attackers, 3), min(defenders, 2)
    total = 6 ** dice_of(attack, defence, held)
    left = (
        Fraction(count, total) * capture(held, attackers - mine, defenders - its)
        for (mine, its), count in core_counts(attack, defence, held).items()
    )
    return sum(left, Fraction())


@pytest.mark.parametrize("held", [tuple(text.split("+")) for text in ORACLE["capture_rewards"]], ids=name)
def test_capture_chances_up_to_10_against_10(held: Held) -> None:
    held = () if held == ("none",) else held
    table = ORACLE["capture_rewards"][name(held)]
    for attackers, defenders in product(range(1, 11), range(1, 11)):
        found = float(capture(held, attackers, defenders))
        assert found == pytest.approx(table[attackers - 1][defenders - 1], abs=1e-10)


@pytest.mark.parametrize(
    ("held", "five", "ten"),
    [
        (("attack_airfield",), 0.759, 0.875),
        (("defence_airfield",), 0.286, 0.267),
        (("attack_die",), 0.712, 0.814),
        (("defense_die",), 0.202, 0.145),
        (("attack_die", "defense_die"), 0.374, 0.359),
    ],
    ids=lambda value: name(value) if isinstance(value, tuple) else None,
)
def test_five_against_five_and_ten_against_ten(held: Held, five: float, ten: float) -> None:
    assert round(float(capture(held, 5, 5)), 3) == five
    assert round(float(capture(held, 10, 10)), 3) == ten


# ---- a roll that captures


@pytest.mark.parametrize("held", COMBINATIONS, ids=name)
def test_a_capturing_roll_costs_the_attacker_nothing_and_moves_in_no_more(held: Held) -> None:
    """The least that moves in is the number of ordinary attack dice, with the Attack Die too."""
    for attack, defence in ((1, 1), (2, 2), (3, 1)):
        state = GAME.position(
            f"phase=attack capital=ALA,CHI,SAF board=*:1x1,ALA:0x9,KAM:1x{defence},SAF:2x1{holding(held)}"
        )
        extra = [6] * ("attack_die" in held) + [1] * ("defense_die" in held)
        state.script([6] * attack + [1] * defence + extra)
        state.apply(0, GAME.action(f"attack ALA KAM {attack}"))
        if state.pending() == (1,):
            state.apply(1, GAME.action(f"defend ALA KAM {defence}"))
        (entry,) = state.legal(0)
        assert (entry.lo, entry.hi) == (attack, 8)
        assert state.troops[ALA] == 9
