"""Battle odds: every combination of dice through the core, against an enumerator of the rule alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import engine_core
from engine_core import State

ORACLE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "battle_odds.json").read_text(encoding="utf-8")
)
GAME = engine_core.load("classic", seats=3)
SIZES = [(attack, defence) for attack in (1, 2, 3) for defence in (1, 2)]
ALA, KAM = (GAME.description.territories.index(name) for name in ("ALA", "KAM"))
DEFEND = GAME.description.phases.index("defend")
Pair = tuple[int, int]


# ---- the rule, on its own


def losses(attack: tuple[int, ...], defence: tuple[int, ...]) -> Pair:
    """What a roll costs (attacker, defender): best against best, next with next, equal is the defender's."""
    attacker = defender = 0
    for mine, its in zip(sorted(attack, reverse=True), sorted(defence, reverse=True), strict=False):
        if mine > its:
            defender += 1
        else:
            attacker += 1
    return attacker, defender


def rolls(dice: int) -> Iterator[tuple[int, ...]]:
    return product(range(1, 7), repeat=dice)


@cache
def chances(attack: int, defence: int) -> dict[Pair, Fraction]:
    counts = Counter(losses(roll[:attack], roll[attack:]) for roll in rolls(attack + defence))
    return {lost: Fraction(count, 6 ** (attack + defence)) for lost, count in counts.items()}


# ---- the core


def defending(attack: int, attackers: int, defenders: int) -> State:
    """ALA attacks KAM with that many dice, and the defender (seat 1) is to choose."""
    return GAME.position(
        f"phase=defend attack_from=ALA attack_to=KAM attack_dice={attack}"
        f" board=*:1x1,ALA:0x{attackers},KAM:1x{defenders},SAF:2x1"
    )


def strength(state: State) -> Pair:
    """The troops of ALA and of seat 1's KAM (0 once it is captured)."""
    return state.troops[ALA], state.troops[KAM] if state.owner[KAM] == 1 else 0


@cache
def core_chances(attack: int, defence: int, attackers: int, defenders: int) -> dict[Pair, Fraction]:
    """Chance of every outcome (attacking troops, defending troops) of one roll, each combination played."""
    counts: Counter[Pair] = Counter()
    start = GAME.position(f"phase=attack board=*:1x1,ALA:0x{attackers},KAM:1x{defenders},SAF:2x1")
    declare = GAME.action(f"attack ALA KAM {attack}")
    answer = GAME.action(f"defend ALA KAM {defence}")
    for roll in rolls(attack + defence):
        state = start.copy()
        state.script(roll)
        state.apply(0, declare)
        if state.phase == DEFEND:
            state.apply(1, answer)
        assert state.scripted_left() == 0
        # What a capture moves in still counts as the attacker's.
        moved = state.troops[KAM] if state.owner[KAM] == 0 else 0
        ala, kam = strength(state)
        counts[ala + moved, kam] += 1
    return {outcome: Fraction(count, 6 ** (attack + defence)) for outcome, count in counts.items()}


@pytest.mark.parametrize(("attack", "defence"), SIZES)
def test_every_combination_of_dice_costs_what_the_rule_says(attack: int, defence: int) -> None:
    start = defending(attack, 9, 9)
    answer = GAME.action(f"defend ALA KAM {defence}")
    for roll in rolls(attack + defence):
        state = start.copy()
        state.script(roll)
        (battle,) = state.play(1, answer)
        lost = losses(roll[:attack], roll[attack:])
        assert battle.dice == roll
        assert strength(state) == (9 - lost[0], 9 - lost[1]), roll
        assert sum(lost) == min(attack, defence)


@pytest.mark.parametrize(("attack", "defence"), SIZES)
def test_chances_of_one_roll(attack: int, defence: int) -> None:
    at_risk = min(attack, defence)
    oracle = [Fraction(text) for text in ORACLE["per_roll"][f"{attack}v{defence}"]]
    assert sum(oracle) == 1
    wanted = {(lost, at_risk - lost): chance for lost, chance in enumerate(oracle)}
    assert chances(attack, defence) == wanted
    by_core = core_chances(attack, defence, 9, 9)
    assert {(9 - ala, 9 - kam): chance for (ala, kam), chance in by_core.items()} == wanted


@pytest.mark.parametrize("attack", [1, 2, 3])
def test_a_capturing_roll_costs_the_attacker_nothing(attack: int) -> None:
    for defenders in range(1, min(attack, 2) + 1):
        for (ala, kam), _ in core_chances(attack, defenders, 9, defenders).items():
            assert kam > 0 or ala == 9


def test_pairs_are_not_independent() -> None:
    """The trap: drawing an outcome for each pair by itself gives .1518 / .4757 / .3725 for 2 v 2."""
    both = chances(2, 2)
    best = sum(chance for (lost, _), chance in both.items() if lost == 0)
    assert float(best) == pytest.approx(0.2276, abs=1e-4)
    assert float(both[1, 1]) == pytest.approx(0.3241, abs=1e-4)


# ---- attacking to the end


def test_exact_capture_chances_played_through_the_core() -> None:
    """All 25 battles of up to 5 against 5: every roll of every battle is played in the core."""

    @cache
    def capture(attackers: int, defenders: int) -> Fraction:
        if not defenders or not attackers:
            return Fraction(not defenders)
        outcomes = core_chances(min(attackers, 3), min(defenders, 2), attackers + 1, defenders)
        return sum((chance * capture(ala - 1, kam) for (ala, kam), chance in outcomes.items()), Fraction())

    found = [[str(capture(a, d)) for d in range(1, 6)] for a in range(1, 6)]
    assert found == ORACLE["capture_exact"]


def test_capture_chances_up_to_30_against_30() -> None:
    by_core = {
        size: {(9 - ala, 9 - kam): chance for (ala, kam), chance in core_chances(*size, 9, 9).items()}
        for size in SIZES
    }
    table: dict[Pair, Fraction] = {(0, d): Fraction(0) for d in range(1, 31)}
    table |= {(a, 0): Fraction(1) for a in range(31)}
    for a, d in product(range(1, 31), range(1, 31)):
        outcomes = by_core[min(a, 3), min(d, 2)].items()
        table[a, d] = sum((chance * table[a - mine, d - its] for (mine, its), chance in outcomes), Fraction())
        assert float(table[a, d]) == pytest.approx(ORACLE["capture"][a - 1][d - 1], abs=1e-10)
    assert table[1, 1] == Fraction(5, 12)
    assert table[2, 2] == Fraction(235, 648)
    assert table[3, 2] == Fraction(6610505, 10077696)
    # Equal stacks favour the attacker from 5 against 5 on.
    assert [table[n, n] > Fraction(1, 2) for n in range(1, 11)] == [False] * 4 + [True] * 6


# ---- the first roll


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_every_first_roll(seats: int) -> None:
    """All 6**seats first rolls; ties are settled by the dice 1..6 that follow, so the last tied seat wins."""
    game = engine_core.load("classic", seats=seats)
    settle = (1, 2, 3, 4, 5, 6)
    unique = 0
    for roll in rolls(seats):
        state = game.new_state(dice=roll + settle)
        best = [seat for seat in range(seats) if roll[seat] == max(roll)]
        assert state.first_colour == best[-1]
        assert state.scripted_left() == 6 - (len(best) if len(best) > 1 else 0)
        unique += len(best) == 1
    assert Fraction(unique, 6**seats) == Fraction(ORACLE["unique_highest"][str(seats)])
