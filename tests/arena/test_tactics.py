"""Exact odds and what the tactics read off a board, on the classic board."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from match_samples import classic

from arena.behaviour import Behaviour, behaviour_of, is_open
from arena.tactics import Situation, capture_chance, terrain_of
from arena.tactics.odds import EXACT_UP_TO, roll_outcomes
from engine_core import Event, State

RULESET = classic().ruleset
BOARD, TERRAIN = RULESET.board, terrain_of(RULESET)
CARDS = [card.id for card in RULESET.deck.cards]
ME, RIVAL, THIRD, NEUTRAL = 0, 1, 2, 3


def ids(territories: object) -> list[str]:
    assert isinstance(territories, (list, tuple, dict))
    return [BOARD.ids[territory] for territory in territories]


def situation(held: Mapping[str, tuple[int, int]], rest: int = NEUTRAL) -> Situation:
    """Colour and troops of some territories; one troop of `rest` is everywhere else."""
    owner, troops = [rest] * len(BOARD.ids), [1] * len(BOARD.ids)
    for territory, (colour, count) in held.items():
        owner[BOARD.index(territory)], troops[BOARD.index(territory)] = colour, count
    return Situation(TERRAIN, ME, owner, troops, frozenset({-1, NEUTRAL}))


# ---- odds


@pytest.mark.parametrize(
    ("dice", "outcomes"),
    [
        ((3, 2), [(0, 2, 2890), (1, 1, 2611), (2, 0, 2275)]),
        ((2, 2), [(0, 2, 295 * 6), (1, 1, 420 * 6), (2, 0, 581 * 6)]),
        ((3, 1), [(0, 1, 855 * 6), (1, 0, 441 * 6)]),
        ((1, 1), [(0, 1, 15 * 216), (1, 0, 21 * 216)]),
    ],
)
def test_rolls_have_the_known_odds(dice: tuple[int, int], outcomes: list[tuple[int, int, int]]) -> None:
    known: list[tuple[int, int, Any]] = [
        (own, theirs, pytest.approx(count / 7776)) for own, theirs, count in outcomes
    ]
    assert roll_outcomes(*dice) == tuple(known)


@pytest.mark.parametrize(
    ("attackers", "defenders", "chance"),
    [(1, 1, Fraction(5, 12)), (2, 2, Fraction(235, 648)), (3, 2, Fraction(6610505, 10077696))],
)
def test_captures_have_the_known_chances(attackers: int, defenders: int, chance: Fraction) -> None:
    assert capture_chance(attackers, defenders) == pytest.approx(float(chance), abs=1e-12)


def test_no_attackers_never_capture() -> None:
    assert capture_chance(0, 1) == capture_chance(-5, 1) == 0.0


def test_more_attackers_help_and_more_defenders_hurt() -> None:
    for size in range(1, 30):
        assert capture_chance(size, 10) < capture_chance(size + 1, 10)
        assert capture_chance(10, size) > capture_chance(10, size + 1)


def test_battles_beyond_the_exact_range_keep_their_favourite() -> None:
    assert capture_chance(1_000_000, 1) > 0.999
    assert capture_chance(1, 1_000_000) == 0.0
    edge = capture_chance(EXACT_UP_TO, EXACT_UP_TO)
    assert capture_chance(10 * EXACT_UP_TO, 10 * EXACT_UP_TO) == edge > 0.8


# ---- the board


def test_gates_are_the_members_that_look_outside() -> None:
    gates = {region.id: ids(TERRAIN.gates[number]) for number, region in enumerate(BOARD.regions)}
    assert gates["AU"] == ["INO"]
    assert set(gates["SA"]) == {"VEN", "BRA"}
    assert set(gates["NA"]) == {"ALA", "GRE", "CAM"}


def test_fronts_enemies_and_rivals() -> None:
    now = situation({"VEN": (ME, 5), "PER": (ME, 1), "BRA": (RIVAL, 4), "CAM": (THIRD, 3)})
    assert ids(now.own) == ["VEN", "PER"]
    venezuela = BOARD.index("VEN")
    assert ids(now.fronts) == ["VEN", "PER"]
    assert set(ids(now.fronts[venezuela])) == {"BRA", "CAM"}
    assert set(ids(now.enemies(BOARD.index("PER")))) == {"BRA", "ARG"}
    assert ids(now.rivals_near(BOARD.index("PER"))) == ["BRA"]
    assert {colour: ids(near) for colour, near in now.beside.items()} == {RIVAL: ["BRA"], THIRD: ["CAM"]}
    assert now.company(venezuela) == 1
    assert now.chance(venezuela, BOARD.index("BRA"), extra=1) == capture_chance(5, 4)


def test_a_threat_is_the_army_of_one_rival() -> None:
    now = situation({"VEN": (ME, 5), "BRA": (RIVAL, 4), "CAM": (THIRD, 3), "PER": (RIVAL, 6)})
    assert now.threat(now.enemies(BOARD.index("VEN"))) == 3 + 5
    assert now.threat([BOARD.index("ICE"), BOARD.index("VEN")]) == 0


def test_regions_held_and_holders() -> None:
    now = situation(dict.fromkeys(("INO", "NGU", "WAU", "EAU"), (ME, 1)) | {"JAP": (RIVAL, 2)})
    regions = {region.id: number for number, region in enumerate(BOARD.regions)}
    assert now.regions == [regions["AU"]]
    assert now.holder(regions["SA"]) == NEUTRAL
    assert now.holder(regions["AS"]) is None
    assert now.held(regions["AS"], RIVAL) == 1


def test_distances_lead_to_the_front() -> None:
    now = situation(dict.fromkeys(("INO", "NGU", "WAU", "EAU"), (ME, 1)))
    distances = {BOARD.ids[territory]: steps for territory, steps in now.distances.items()}
    assert distances == {"INO": 0, "NGU": 1, "WAU": 1, "EAU": 2}


# ---- behaviour


def test_behaviour_adds_up_and_gives_shares() -> None:
    one = Behaviour(turns=2, regions=1, bonus=4, border_shares=1.5, guarded_shares=1.0, colours_attacked=3)
    one.add(Behaviour(turns=2, regions=2, targets_with_choice=4, targets_of_strongest=3))
    assert (one.regions_held, one.bonus_held, one.border_share) == (0.75, 1.0, 0.375)
    assert (one.guarded_share, one.neighbours_attacked, one.strongest_share) == (0.25, 0.75, 0.75)
    assert Behaviour().strongest_share == Behaviour().border_share == 0.0


def test_behaviour_of_a_turn() -> None:
    """Seat 0 has South America, fails against the stronger Central America, then against North Africa."""
    game = classic(3, first_player="first")
    north = [
        BOARD.ids[t]
        for r, region in enumerate(BOARD.regions)
        if region.id in ("NA", "EU")
        for t in BOARD.members(r)
    ]
    thirds = ",".join(f"{id}:{THIRD}x{4 if id == 'CAM' else 1}" for id in (*north, "MAD"))
    board = f"board=*:{RIVAL}x1,{thirds},VEN:0x5,BRA:0x3,PER:0x1,ARG:0x1"
    state = game.position(f"lap=1 phase=attack deck_count=44 living=1*3 {board} deck={','.join(CARDS)}")
    state.script([1, 1, 1, 6, 6, 1, 1, 6])
    steps: list[tuple[State, list[Event]]] = [(state.copy(), [])]
    for text in ("attack VEN CAM 3", "defend VEN CAM 2", "attack BRA NAF 2", "end", "end"):
        events = state.play(state.pending()[0], game.action(text))
        steps.append((state.copy(), events))
    did, *others = behaviour_of(game, steps)
    assert (did.turns, did.regions, did.bonus, did.colours_attacked) == (1, 1, 2, 2)
    assert did.border_share == pytest.approx(5 / 7)
    assert did.guarded_share == 0.5
    assert (did.targets, did.targets_with_choice, did.targets_of_strongest) == (2, 2, 1)
    assert others == [Behaviour(), Behaviour()]


def test_a_game_is_open_until_somebody_has_more_than_half() -> None:
    assert is_open([0, 0, 1, 2])
    assert not is_open([0, 0, 0, 1])
