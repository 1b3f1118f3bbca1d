"""The bot of the endor family: exact odds, choices in plain positions, strength in whole matches."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from bot_samples import LIMITS, SEED, player, without_faults
from match_samples import driver_of, setup_of

import engine_core
from arena.bot import Decide, action_code, load_bot
from arena.record import unpack
from arena.seeds import match_key
from arena.tactics.endor import Mark, assaults_left, best_worth, chart_of, expected_worth
from arena.tactics.endor.shield import advance
from arena.types import GameResult, MatchPlan
from engine_core import Game, State

REBELS, EMPIRE = 0, 1
# Over 400 games the bot wins nearly all; a sample falls below these bars with a chance of less than 1e-9.
MATCHES, NEEDED, NEEDED_A_SIDE = {"endor": 50, "endor_teams": 25}, 0.9, 0.8
ENDOR = engine_core.load("endor")
# Every option away from its default.
ALL_DIFFERENT: dict[str, str | int] = {
    "tie_reserve": 32,
    "bwing_on_o1": 0,
    "luke_vader": "13_12",
    "ambush": "three_ahead",
    "may_waste_hits": 0,
    "bonus_for_clearing_marker": "any_attack",
    "death_star_sector_shot_gives_clear_bonus": 0,
    "death_star_falcon_kill_gives_2": 0,
    "attack_uses_all_fighters_of_type_in_origin": 0,
    "tie_attack_after_deploy": 0,
    "attack_from_marker": 0,
    "redeem_requires_luke_alive": 0,
    "emperor_order_after_vader_killed": 0,
    "partners_show_hands": 0,
}


def matches(variant: str, rebels: str, empire: str, count: int, **options: str | int) -> list[GameResult]:
    """The faultless games of that many matches in every rotation; each side is played by bots of one name."""
    game = engine_core.load(variant, seats=None, **options)
    names = [(rebels, empire)[team] for team in game.ruleset.teams]
    players = [player(name, f"{name}{seat}") for seat, name in enumerate(names)]
    driver = driver_of(players)
    games: list[GameResult] = []
    for number in range(count):
        key = match_key(SEED, "endor bots", f"{variant}/{rebels}/{empire}", number)
        result = driver.play(MatchPlan(number, key, setup_of(game), tuple(players), LIMITS))
        assert result.error == ""
        games += without_faults(iter(result.games))
    return games


def started(game: Game, seat: int) -> Decide:
    return load_bot(player("greedy_endor").bot).start(game, seat, Random(seat), {})


def answers(position: str, count: int, dice: tuple[int, ...] = ()) -> list[str]:
    """What the bot answers from a position on, for whichever seat is asked."""
    state = ENDOR.position(position, seed=1)
    state.script(dice)
    texts = []
    for _ in range(count):
        seat = state.pending()[0]
        action = action_code(started(ENDOR, seat)(state.view(seat), state.legal(seat)))
        texts.append(ENDOR.action_text(action))
        state.apply(seat, action)
    return texts


# ---- odds


@pytest.mark.parametrize("dice", range(1, 6))
def test_a_last_ship_falls_as_often_as_one_die_hits(dice: int) -> None:
    last = (Mark(ship=3, needs=5, left=1, hit=1.0),)
    assert expected_worth(dice, last, 0.0) == pytest.approx(float(1 - Fraction(4, 6) ** dice))


def test_expected_worth_is_the_mean_over_all_rolls() -> None:
    """The classes of dice that it counts by leave the mean of all 6^4 rolls as it is."""
    target = (Mark(0, 3, 2, 0.4), Mark(2, 5, 1, 0.7), Mark(4, 5, 2, 0.1, 2.0))
    rolls = [best_worth(tuple(sorted(roll)), target, 1.0) for roll in product(range(1, 7), repeat=4)]
    assert expected_worth(4, target, 1.0) == pytest.approx(sum(rolls) / len(rolls))


def test_a_marker_takes_what_is_on_it() -> None:
    target = (Mark(0, 3, 5, 1.0), Mark(6, 5, 1, 2.0, sweeps=True))
    assert best_worth((5,), target, 0.5) == 7.5
    assert best_worth((3, 4, 5), target, 0.0) == 2 + (3 + 2)
    assert best_worth((3, 4), target, 0.0) == 2.0


def test_the_best_use_of_dice_keeps_high_ones_for_hard_marks() -> None:
    target = (Mark(3, 3, 1, 1.0), Mark(5, 5, 1, 1.0))
    assert best_worth((3, 6), target, 10.0) == 12.0
    assert best_worth((6,), target, 10.0) == 1.0


def test_the_shield_takes_the_known_number_of_assaults() -> None:
    track = chart_of(ENDOR.ruleset).shield
    assert assaults_left(track, 5, 0, 0) == pytest.approx(8.946, abs=5e-4)
    assert assaults_left(track, 5, 20, 3) > assaults_left(track, 5, 20, 0)
    assert assaults_left(track, 5, len(track), 0) == 0.0
    assert assaults_left((5,), 1, 0, 1) == pytest.approx(6)
    assert assaults_left((6,), 5, 0, 1) > 100  # no die is higher than 6


def test_an_assault_uses_the_lowest_dice_that_suffice() -> None:
    assert advance((2, 3, 3), 0, 0, (1, 2, 3, 3, 6)) == 3
    assert advance((2, 3, 3), 0, 3, (1, 2, 3, 3, 6)) == 2
    assert advance((2, 3, 3), 1, 0, (2, 2, 2, 2, 2)) == 0


# ---- choices in plain positions


def test_redeems_vader_as_soon_as_possible() -> None:
    position = "phase=order turn=0 flipped=xwing_redeem xwing=M3:5 tie=I3:4"
    assert answers(f"{position} vader=3", 1) == ["order redeem"]
    assert answers(f"{position} vader=4", 1) == ["order xwing"]


def test_attacks_the_death_star_once_the_shield_is_down() -> None:
    position = "phase=order turn=0 flipped=xwing_luke xwing=M2:5 tie=I3:4 shield=28"
    assert answers(position, 3, (6,) * 5) == ["order xwing", "move M2 I2 xwing 5", "attack I2 DS xwing"]


def test_gives_the_dice_of_the_rulebook_example_to_the_executor_when_it_dies() -> None:
    position = (
        "phase=attack turn=0 flipped=ywing_luke_1 order=ywing ywing=M2:6 tie=I2:4 executor=I2 aboard=28"
    )
    roll = (1, 2, 4, 6, 6)
    dying = answers(f"{position} executor_hits=2", 4, roll)
    assert dying == ["attack M2 I2 ywing", "hit tie 4", "hit executor 6", "hit executor 6"]
    assert answers(position, 4, roll) == ["attack M2 I2 ywing", "hit tie 4", "hit tie 6", "hit tie 6"]


def test_the_death_star_fires_at_the_fullest_marker() -> None:
    position = (
        "phase=fire turn=1 flipped=death_star_vader_1 order=death_star ywing=F1:4 xwing=F2:5 bwing=F3:3"
    )
    assert answers(position, 1) == ["fire F2"]


def test_the_empire_shoots_a_marker_with_all_on_it() -> None:
    position = "phase=attack turn=1 flipped=tie_vader_1 order=tie tie=O1:5,M1:5 bwing=O2:1,F1:3"
    assert answers(position, 2, (1, 3, 3, 3, 5)) == ["attack O1 F1 tie", "hit marker 5"]


def test_lays_an_ambush_where_the_track_is_hard() -> None:
    position = "phase=order turn=1 flipped=executor_ambush_1 xwing=F1:1 executor=O7"
    assert answers(f"{position} shield=23", 1) == ["order ambush"]


# ---- whole games


@pytest.mark.parametrize("variant", ["endor", "endor_teams"])
def test_beats_random_on_both_sides(variant: str) -> None:
    games = matches(variant, "greedy_endor", "random", MATCHES[variant])
    teams = engine_core.load(variant).ruleset.teams
    played, won = Counter[int](), Counter[int]()
    for game in games:
        side = teams[game.players.index(0)]
        played[side] += 1
        won[side] += game.players.index(0) in game.winners
    assert played == {REBELS: len(games) // 2, EMPIRE: len(games) // 2}
    assert len(games) == 100
    assert won.total() >= NEEDED * len(games)
    assert all(won[side] >= NEEDED_A_SIDE * played[side] for side in (REBELS, EMPIRE))


def test_games_among_its_own_kind_are_decided() -> None:
    games = matches("endor", "greedy_endor", "greedy_endor", 10)
    assert Counter(game.termination for game in games) == {"rules": 20}


def test_every_kind_of_decision_is_met_and_answered() -> None:
    answered = Counter[str]()
    for game in matches("endor", "greedy_endor", "greedy_endor", 10):
        record = unpack(game.record)
        answered.update(
            record.game().action_text(action).split()[0]
            for _, action in record.steps
            if isinstance(action, int)
        )
    assert set(answered) == {kind.name for kind in ENDOR.description.actions}


@pytest.mark.parametrize("variant", ["endor", "endor_teams"])
def test_plays_with_all_options_changed(variant: str) -> None:
    options = dict(engine_core.load(variant).ruleset.options)
    assert {name for name in ALL_DIFFERENT if options[name] != ALL_DIFFERENT[name]} == set(options) - {
        "turn_cap"
    }
    changed = dict(ALL_DIFFERENT)
    if variant == "endor":
        del changed["partners_show_hands"]  # refused: there are no partners
    games = matches(variant, "greedy_endor", "random", 2, **changed)
    assert {game.termination for game in games} == {"rules"}


def test_secrets_change_none_of_its_answers() -> None:
    """Along a game each answer is the same from another state that the seat cannot tell from this one."""
    state = ENDOR.new_state(seed=11)
    bots = [started(ENDOR, seat) for seat in range(ENDOR.seats)]
    met = 0
    while pending := state.pending():
        seat = pending[0]
        view = state.view(seat)
        other: State = view.resample(met)
        action = action_code(bots[seat](view, state.legal(seat)))
        assert action == action_code(bots[seat](other.view(seat), other.legal(seat)))
        state.apply(seat, action)
        met += 1
    assert met > 50
