"""What bots read of their goals: missions, headquarters, objectives, capitals; and what follows from them."""

from __future__ import annotations

from random import Random

import pytest

import engine_core
from arena.bot import action_code
from arena.tactics import Goals, PhaseBot, Situation, capture_chance, terrain_of
from arena.tactics.aims import Aims
from arena.tactics.goals import FADE
from engine_core import Game, View

NEARLY_SA = "board=*:1x1,VEN:0x5,BRA:0x3,PER:0x1,MAD:2x1"
MISSION = "mission=M01,M12,M07"  # Asia and South America; eliminate red, who is not here; 24 territories


class Seen:
    """The goals of colour 0 at seat 0 of a position."""

    def __init__(self, variant: str, position: str, seats: int = 3, **options: str | int) -> None:
        self.game: Game = engine_core.load(variant, seats=seats, **options)
        self.view: View = self.game.position(position).view(0)
        terrain = terrain_of(self.game.ruleset)
        self.now = Situation(terrain, 0, self.view.owner, self.view.troops, frozenset({-1}))
        self.goals = Goals(self.game, 0)
        self.aims = Aims(self.goals, self.view, self.now)

    def index(self, territory: str) -> int:
        return self.game.ruleset.board.index(territory)

    def ids(self, territories: list[int]) -> set[str]:
        return {self.game.ruleset.board.ids[t] for t in territories}

    def pull(self, territory: str) -> float:
        return self.aims.pull[self.index(territory)]

    def members(self, *regions: str) -> set[str]:
        board = self.game.ruleset.board
        numbers = [number for number, region in enumerate(board.regions) if region.id in regions]
        return self.ids([t for number in numbers for t in board.members(number)])

    def plans(self) -> list[tuple[set[str], int]]:
        """All plans that lack something."""
        return [
            (self.ids(missing), need) for missing, need in self.goals.plans(self.view, self.now) if need > 0
        ]


def objective(kind: str, position: str, **more: object) -> tuple[set[str], int]:
    """What an objective of this kind lacks in a position of the 2008 game."""
    seen = Seen("objectives_basic", f"phase=attack capital=VEN,ALA,MAD {position}")
    missing, need = seen.goals.of_objective({"kind": kind, **more}, seen.view, seen.now)
    return seen.ids(missing), need


# ---- missions


def test_regions_ask_for_what_is_missing_of_them() -> None:
    seen = Seen("secret_mission", f"phase=attack mission=M01,M02,M07 {NEARLY_SA}")
    assert seen.plans() == [({"ARG", *seen.members("AS")}, 13)]
    assert seen.pull("ARG") == pytest.approx(1 / 13)
    assert seen.pull("NAF") == 0.0


def test_two_regions_and_one_ask_for_the_nearest_other() -> None:
    """Europe, South America, and Australia, of which one territory is missing."""
    seen = Seen("secret_mission", f"phase=attack mission=M05,M02,M07 {NEARLY_SA},INO:0x1,NGU:0x1,WAU:0x1")
    assert seen.plans() == [({"ARG", "EAU", *seen.members("EU")}, 9)]


def test_an_elimination_asks_for_all_territories_of_the_colour() -> None:
    seen = Seen("secret_mission", f"phase=attack mission=M11,M02,M07 {NEARLY_SA}")
    assert seen.plans() == [({"MAD"}, 1)]
    assert seen.pull("MAD") == 1.0
    assert seen.pull("EAF") == FADE
    assert seen.pull("NAF") == FADE * FADE


def test_a_mission_that_is_void_asks_for_the_fallback() -> None:
    seen = Seen("secret_mission", f"phase=attack mission=M11,M02,M07 mission_void=1,0,0 {NEARLY_SA}")
    (plan,) = seen.plans()
    assert (len(plan[0]), plan[1]) == (39, 24 - 3)
    assert seen.aims.garrisons == (24, 1)


@pytest.mark.parametrize(("weak", "call"), [("ALA", "deploy ALA 1"), ("", None)])
def test_two_troops_on_each_of_eighteen(weak: str, call: str | None) -> None:
    """With 18 territories the reinforcements go where a second troop is missing, and it stays there."""
    own = sorted(Seen("secret_mission", f"phase=attack {MISSION} {NEARLY_SA}").members("NA", "SA", "AU"))
    held = ",".join(f"{t}:0x{1 if t == weak else 2}" for t in (*own, "ICE"))
    deploy = f"phase=deploy reinforcements=3 mission=M08,M02,M07 board=*:1x1,MAD:2x1,{held}"
    seen = Seen("secret_mission", deploy)
    called = seen.aims.call(seen.view.legal(0))
    assert (called and seen.game.action_text(called)) == call
    assert seen.aims.keep(seen.index("VEN")) == 1


# ---- capitals and headquarters


def test_all_other_headquarters_are_asked_for_that_are_known_and_not_held() -> None:
    seen = Seen("capital", f"phase=attack capital=VEN,BRA,MAD capital_known=1,1,1 {NEARLY_SA}")
    assert seen.plans() == [({"MAD"}, 1)]


def test_headquarters_that_are_hidden_are_not_known() -> None:
    position = f"phase=attack capital=VEN,BRA,MAD capital_known=0,1,0 {NEARLY_SA}"
    assert Seen("capital", position, headquarters="hidden").plans() == []


def test_the_short_game_asks_for_two_of_them() -> None:
    board = "board=*:1x1,VEN:0x5,BRA:0x3,PER:0x1,MAD:2x1,JAP:3x1"
    position = f"phase=attack capital=VEN,EGY,MAD,BRA capital_known=1,1,1,1 {board}"
    assert Seen("capital", position, seats=4, capital_short=1).plans() == [({"EGY", "MAD"}, 1)]
    assert Seen("capital", position, seats=4).plans() == [({"EGY", "MAD"}, 2)]


def test_the_own_capital_is_asked_for_when_it_is_lost() -> None:
    seen = Seen("capital", f"phase=attack capital=NAF,BRA,PER capital_known=1,1,1 {NEARLY_SA}")
    assert seen.plans() == [({"NAF"}, 1)]


@pytest.mark.parametrize(("beside", "call"), [(9, "deploy VEN 3"), (2, None), (40, None)])
def test_a_capital_in_danger_is_guarded_where_that_can_be_done(beside: int, call: str | None) -> None:
    """5 troops and 3 reinforcements against 8 that could come; against 39 it is no use."""
    board = f"board=*:1x1,VEN:0x5,BRA:0x3,PER:0x1,MAD:2x1,CAM:1x{beside}"
    seen = Seen("capital", f"phase=deploy reinforcements=3 capital=VEN,BRA,MAD capital_known=1,1,1 {board}")
    called = seen.aims.call(seen.view.legal(0))
    assert (called and seen.game.action_text(called)) == call
    assert seen.aims.reserve(seen.index("VEN")) == beside - 1
    assert seen.aims.reserve(seen.index("VEN"), seen.index("CAM")) == 0
    assert seen.aims.reserve(seen.index("BRA")) == 0


# ---- objectives


def test_a_region_and_the_nearest_regions() -> None:
    assert objective("region", NEARLY_SA, region="SA") == ({"ARG"}, 1)
    islands = f"{NEARLY_SA},INO:0x1,NGU:0x1"
    assert objective("regions", islands, count=2) == ({"ARG", "WAU", "EAU"}, 3)


def test_a_new_region_has_nothing_that_was_held_when_the_turn_began() -> None:
    islands = f"{NEARLY_SA},INO:0x1,NGU:0x1"
    began = "turn_owned=VEN:1,BRA:1,PER:1"
    assert objective("new_region", f"{began} {islands}", count=1) == ({"WAU", "EAU"}, 2)


def test_cities_and_new_cities() -> None:
    cities = "city=*:0,VEN:1,BRA:1,ARG:1,NAF:1,EGY:1"
    assert objective("cities", f"{cities} {NEARLY_SA}", count=4) == ({"ARG", "NAF", "EGY"}, 2)
    began = "turn_owned=VEN:1,PER:1"
    assert objective("new_cities", f"{began} {cities} {NEARLY_SA}", count=4) == ({"ARG", "NAF", "EGY"}, 3)


def test_territories_new_territories_and_capitals_of_others() -> None:
    assert objective("territories", NEARLY_SA, count=18)[1] == 15
    assert objective("new_territories", f"turn_owned=VEN:1 {NEARLY_SA}", count=10)[1] == 8
    assert objective("enemy_capitals", NEARLY_SA, count=2) == ({"ALA", "MAD"}, 2)


def test_only_objectives_on_the_board_are_asked_for() -> None:
    """One that lacks nothing is not; Australia is in no objective."""
    board = "phase=attack capital=VEN,ALA,MAD objective=m1:board,M2:0,M3:1"
    seen = Seen("objectives_basic", f"{board} {NEARLY_SA}")
    assert seen.plans() == [(seen.members("EU"), 7)]
    assert seen.pull("ICE") == pytest.approx(1 / 7)


def test_the_classic_game_has_no_goals() -> None:
    seen = Seen("classic", f"phase=attack {NEARLY_SA}")
    assert not seen.goals.any
    assert set(seen.aims.pull) == {0.0}
    assert seen.aims.pursuit(seen.index("VEN"), seen.index("CAM")) == seen.aims.keep(seen.index("VEN")) == 0


def test_an_attack_for_a_goal_is_on_at_longer_odds_the_more_it_brings() -> None:
    """4 troops against 4, odds of 0.48: enough for all of a goal, not for a third of one."""
    board = "board=*:1x1,VEN:0x5,CAM:2x4"
    for more, worth in (("", 2 * capture_chance(4, 4)), (",MAD:2x1,JAP:2x1", 0.0)):
        seen = Seen("secret_mission", f"phase=attack mission=M11,M02,M07 {board}{more}")
        assert seen.aims.pursuit(seen.index("VEN"), seen.index("CAM")) == worth


# ---- choices


def decision(variant: str, position: str, seats: int = 3, **options: str | int) -> str:
    """What a bot of no thoughts of its own answers, as text."""
    seen = Seen(variant, position, seats, **options)
    choice = PhaseBot(seen.game, 0, Random(1)).decide(seen.view, seen.view.legal(0))
    return seen.game.action_text(action_code(choice))


def stars(*symbols: str) -> str:
    """A hand of cards with these symbols."""
    cards = list(engine_core.load("objectives_basic", seats=3).ruleset.deck.cards)
    hand = []
    for symbol in symbols:
        hand.append(next(card for card in cards if card.symbol == symbol))
        cards.remove(hand[-1])
    return ",".join(f"{card.id}:0" for card in hand)


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        (("one_star", "two_star"), "end"),
        (("one_star", "two_star", "two_star"), "stars 1 2"),
        (("two_star",) * 5 + ("one_star",), "stars 0 5"),
    ],
)
def test_stars_are_turned_in_once_there_are_enough(hand: tuple[str, ...], answer: str) -> None:
    position = f"phase=stars reinforcements=3 capital=VEN,ALA,MAD {NEARLY_SA} cards={stars(*hand)}"
    assert decision("objectives_basic", position) == answer


@pytest.mark.parametrize(
    ("rewards", "answer"),
    [
        ("m2:airfield_minor,M3:two_troops", "objective M3"),
        ("m2:starting_maneuver,M3:airfield_major", "objective M3"),
        ("", "objective m2"),
    ],
)
def test_the_best_reward_is_claimed(rewards: str, answer: str) -> None:
    """North America and 18 territories are held; without rewards seen the first one goes."""
    members = Seen("secret_mission", f"phase=attack {MISSION} {NEARLY_SA}").members("NA", "SA", "AU")
    board = f"board=*:1x1,MAD:2x1,{','.join(f'{t}:0x1' for t in sorted((*members, 'ICE')))}"
    own = ",".join(f"{t}:1" for t in sorted(members))
    lying = f" reward_on={rewards}" if rewards else ""
    position = (
        f"phase=objective capital=VEN,EGY,MAD objective=m2:board,M3:board turn_owned={own} {board}{lying}"
    )
    assert decision("command_room", position) == answer


@pytest.mark.parametrize(
    ("rolled", "answer"),
    [
        ("6,2,1,5,3", "reroll VEN 1"),  # a 2 against a 3 is lost
        ("6,5,1,5,3", "end"),  # both pairs are won
        ("4,0,0,4,3", "reroll VEN 0"),  # one die against two: the others were not rolled
    ],
)
def test_the_die_that_loses_is_rolled_again(rolled: str, answer: str) -> None:
    dice = 1 if ",0,0," in rolled else 3
    battle = f"attack_from=VEN attack_to=CAM attack_dice={dice} rolled={rolled}"
    board = "board=*:1x1,VEN:0x5,CAM:1x2,MAD:2x1"
    assert decision("classic", f"phase=reroll {battle} {board} cards=VEN:0", expert_card_reroll=1) == answer
    commanded = answer.replace("reroll VEN", "command")
    assert decision("classic", f"phase=reroll {battle} {board}", expert_commander=1) == commanded


def test_the_capital_is_founded_where_it_is_strongest() -> None:
    """Peru has no enemy beside it; Argentina, as safe, comes later."""
    board = "board=*:1x1,VEN:0x2,BRA:0x2,PER:0x2,ARG:0x2,MAD:2x1"
    position = f"phase=capital lap=0 {board} capital=-,-,-"
    assert decision("objectives_basic", position) == "capital PER"
