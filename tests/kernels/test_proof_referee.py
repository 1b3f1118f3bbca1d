"""The proof kernels through referee and driver, with bots in this process."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from proof_samples import FAMILIES, PUBLIC, game_of

from arena.driver import Driver
from arena.record import unpack, verify
from arena.referee import Referee
from arena.seats import Answer, InProcessDoor, Question
from arena.setups import setup_for
from arena.types import BotSpec, FaultPolicy, GameResult, Limits, MatchPlan, MatchResult, Player, RetireMode
from engine_core import Event, Game, View

KEY = bytes(range(16))
BOTS = Path(__file__).resolve().parents[2] / "bots"
RANDOM = BotSpec("random", "python", str(BOTS / "random.py"))
# A good bot is never late, however busy the machine is.
WIDE = Limits(start=120.0, decision=60.0, game=3600.0)


def referee_of(game: Game, mode: RetireMode = "passive", **more: Any) -> Referee:
    return Referee(game, KEY, FaultPolicy(mode=mode), Limits(), **more)


def answer(referee: Referee, question: Question, number: int = 0) -> None:
    referee.answer(question.seat, question.decision_id, int(question.legal[number].first()))


def play_on(referee: Referee, seed: int = 0) -> GameResult:
    """Random answers until the game is over; its record must verify."""
    rng = Random(seed)
    while not referee.over:
        for question in referee.questions():
            action = question.legal.sample(rng)
            referee.answer(question.seat, question.decision_id, int(action))
    result = referee.outcome()
    verify(unpack(result.record))
    return result


def play_until(referee: Referee, phase: str, seed: int = 0) -> Question:
    """The first question of a phase in another seat's turn, in a random game that has one."""
    rng = Random(seed)
    wanted = referee.game.description.phases.index(phase)
    while True:
        (question,) = referee.questions()
        if referee.state.phase == wanted and referee.state.turn != question.seat:
            return question
        referee.answer(question.seat, question.decision_id, int(question.legal.sample(rng)))


# ---- whole matches through the driver


def match(family: str, bots: list[BotSpec], limits: Limits, policy: FaultPolicy) -> MatchResult:
    setup = setup_for(family, len(bots), {}, "split")
    players = tuple(Player(f"{number}-{bot.name}", bot) for number, bot in enumerate(bots))
    inbox: SimpleQueue[Answer] = SimpleQueue()
    doors = {player: InProcessDoor(player.bot, inbox) for player in players}
    result = Driver(doors, inbox).play(MatchPlan(1, KEY, setup, players, limits, policy))
    assert result.error == ""
    for game in result.games:
        verify(unpack(game.record))
    return result


def bot_of(folder: Path, code: str) -> BotSpec:
    path = folder / "bot.py"
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return BotSpec("special", "python", str(path))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_match_is_played_in_all_rotations_and_its_records_verify(family: str) -> None:
    game = game_of(family)
    result = match(family, [RANDOM] * game.seats, WIDE, FaultPolicy())
    assert len(result.games) == len(game.ruleset.rotations)
    for played in result.games:
        assert played.faults == ()
        assert math.fsum(played.scores) == 1.0
        assert played.decisions > 0
    again = match(family, [RANDOM] * game.seats, WIDE, FaultPolicy())
    assert [played.record for played in again.games] == [played.record for played in result.games]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_bot_that_hangs_is_played_for_and_then_retired(family: str, tmp_path: Path) -> None:
    hangs = bot_of(
        tmp_path,
        """
        def decide(view, legal):
            while True:
                pass
        """,
    )
    bots = [hangs, *[RANDOM] * (game_of(family).seats - 1)]
    result = match(family, bots, Limits(decision=0.05), FaultPolicy(strikes=2))
    for played in result.games:
        seat = played.players.index(0)
        kinds = [(fault.kind, fault.action) for fault in played.faults if fault.seat == seat]
        both = [("timeout", "default"), ("timeout", "retire")]
        assert kinds in (both, both[:1])
        # With so little time, one of the others is late where the machine stalls.
        assert {fault.kind for fault in played.faults} == {"timeout"}
        if len(kinds) == 2:
            assert played.scores[seat] == 0.0
        assert math.fsum(played.scores) == 1.0


# ---- decisions at once


def test_both_seats_are_asked_at_once_and_answers_are_held_back() -> None:
    shown: list[tuple[tuple[Event, ...], View]] = []
    referee = referee_of(game_of("picks"), watch=lambda events, view: shown.append((events, view)))
    before = referee.state.text()
    one, other = referee.questions()
    assert (one.seat, other.seat) == (0, 1)
    answer(referee, other)
    assert referee.state.text() == before, "the state does not move under an open question"
    assert referee.questions() == []
    answer(referee, one, 1)
    assert [seat for seat, _ in referee.steps] == [0, 1]
    assert [question.seat for question in referee.questions()] == [0, 1]
    assert all(events == () for events, _ in shown)
    assert len({view.text() for _, view in shown}) == 1, "the public sees nothing before the flip"


def test_the_order_in_which_answers_come_in_does_not_matter() -> None:
    results = []
    for backwards in (False, True):
        referee = referee_of(game_of("picks"))
        while not referee.over:
            questions = referee.questions()
            for question in reversed(questions) if backwards else questions:
                answer(referee, question, (question.decision_id + question.seat) % 2)
        results.append(referee.outcome())
    assert results[0] == results[1]


def test_a_question_tells_a_seat_its_own_choices_and_not_the_others() -> None:
    referee = referee_of(game_of("picks"))
    told: dict[int, list[str]] = {0: [], 1: []}
    flips = 0
    while not flips:
        questions = referee.questions()
        flips = sum(event.visible_to(PUBLIC) for question in questions for event in question.events)
        for question in questions:
            told[question.seat] += [referee.game.event_text(event) for event in question.events]
            answer(referee, question)
    for seat, lines in told.items():
        assert {line[0] for line in lines} == {str(seat), "-"}
        assert [line.split()[1] for line in lines].count("picked") == 3
        assert [line.split()[1] for line in lines].count("flipped") == 3


def test_a_seat_that_times_out_while_the_other_thinks_plays_its_first_choice() -> None:
    referee = referee_of(game_of("picks"))
    one, other = referee.questions()
    referee.fault(0, "timeout", used_s=3.0, limit_s=2.0)
    assert referee.steps == []
    answer(referee, other, 1)
    assert referee.steps == [(0, int(one.legal[0].first())), (1, int(other.legal[1].first()))]
    assert referee.conduct.faults[0].action == "default"


def test_a_seat_that_crashes_while_the_other_thinks_leaves_when_it_has_answered() -> None:
    referee = referee_of(game_of("picks"))
    _, other = referee.questions()
    referee.fault(0, "crash", "died")
    assert not referee.over
    answer(referee, other)
    assert referee.steps == [(1, int(other.legal[0].first())), (0, "passive")]
    result = play_on(referee)
    assert (result.termination, result.winners, result.scores) == ("forfeit", (1,), (0.0, 1.0))


def test_of_two_that_crash_at_once_the_last_seat_is_left() -> None:
    """The rotations of a match make up for the order."""
    referee = referee_of(game_of("picks"))
    assert len(referee.questions()) == 2
    referee.fault(1, "crash", "died")
    referee.fault(0, "crash", "died, too")
    result = play_on(referee)
    assert referee.steps == [(0, "passive")]
    assert (result.termination, result.scores) == ("forfeit", (0.0, 1.0))
    assert [fault.kind for fault in result.faults] == ["crash", "crash"]


def test_a_draw_by_the_rules_has_no_winner() -> None:
    results = [play_on(referee_of(game_of("picks")), seed) for seed in range(30)]
    draws = [result for result in results if result.scores == (0.5, 0.5)]
    assert draws
    assert {(draw.termination, draw.winners, draw.placements) for draw in draws} == {
        ("rules", (), ((1, 2), (1, 2)))
    }


# ---- windows in another seat's turn


def windows() -> Iterator[tuple[Referee, Question]]:
    """Games in which a seat is asked to cancel a card, or for its consent, in another seat's turn."""
    for family, phase in (("reaction", "cancel"), ("consent", "consent")):
        for mode in ("passive", "neutral"):
            for seed in range(10):
                referee = referee_of(game_of(family), mode)
                yield referee, play_until(referee, phase, seed)


def test_a_seat_that_crashes_in_its_window_lets_it_pass() -> None:
    for referee, question in windows():
        referee.fault(question.seat, "crash", "died")
        assert referee.steps[-1] == (question.seat, referee.conduct.policy.mode)
        assert question.seat not in referee.state.pending()
        result = play_on(referee)
        assert result.scores[question.seat] == 0.0
        assert math.fsum(result.scores) == 1.0


def test_a_seat_that_crashes_during_a_window_of_another_leaves_when_it_is_answered() -> None:
    for referee, question in windows():
        owner = referee.state.turn
        before = len(referee.steps)
        referee.fault(owner, "crash", "died")
        assert len(referee.steps) == before
        assert referee.questions() == []
        answer(referee, question)
        assert referee.steps[before][0] == question.seat
        if not referee.over:
            assert referee.steps[before + 1] == (owner, referee.conduct.policy.mode)
        assert play_on(referee).scores[owner] == 0.0


def test_a_seat_that_is_too_late_in_a_window_declines() -> None:
    for referee, question in windows():
        referee.fault(question.seat, "timeout", used_s=3.0, limit_s=2.0)
        _, action = referee.steps[-1]
        assert isinstance(action, int)
        assert referee.game.action_text(action) in ("pass", "refuse")
        play_on(referee)


# ---- teams and sides


def test_a_team_shares_its_win_also_with_the_fallen() -> None:
    scores = set()
    for seed in range(40):
        result = play_on(referee_of(game_of("consent")), seed)
        scores.add((result.termination, result.scores))
        if result.termination == "rules":
            assert result.winners in ((0, 2), (1, 3))
    assert {("rules", (0.5, 0.0, 0.5, 0.0)), ("rules", (0.0, 0.5, 0.0, 0.5))} <= scores
    assert ("turn_cap", (0.25,) * 4) in scores


def test_a_team_plays_on_without_a_retired_seat_which_gets_nothing() -> None:
    outcomes = set()
    for seed in range(40):
        referee = referee_of(game_of("consent"))
        referee.questions()
        referee.fault(0, "crash", "died")
        result = play_on(referee, seed)
        lost = result.winners == (1, 3)
        assert result.placements[0] == ((3, 4) if lost else (4, 4)), "last, or where its team lost"
        outcomes.add((result.termination, result.scores))
    assert ("rules", (0.0, 0.0, 1.0, 0.0)) in outcomes, "the partner alone wins the team's point"
    assert ("rules", (0.0, 0.5, 0.0, 0.5)) in outcomes


def test_a_side_of_one_and_a_side_of_two_share_a_draw_by_sides() -> None:
    results = [play_on(referee_of(game_of("uneven")), seed) for seed in range(40)]
    draws = [result for result in results if result.termination == "turn_cap"]
    assert draws
    for draw in draws:
        assert draw.winners == ()
        assert draw.scores == (0.5, 0.25, 0.25)
        assert draw.placements == ((1, 3),) * 3
    assert {result.scores for result in results} >= {(1.0, 0.0, 0.0), (0.0, 0.5, 0.5)}


def test_adjudication_leaves_a_draw_of_sides_that_report_nothing_to_compare() -> None:
    results = [play_on(referee_of(game_of("uneven"), point_rule="adjudicate"), seed) for seed in range(40)]
    draws = [result for result in results if result.termination == "turn_cap"]
    assert draws
    assert {draw.scores for draw in draws} == {(0.5, 0.25, 0.25)}


def test_a_side_that_loses_by_one_seat_shares_a_place_with_the_seat_at_fault() -> None:
    referee = referee_of(game_of("uneven"))
    (question,) = referee.questions()
    referee.fault(2, "disconnect", "gone")
    answer(referee, question)
    result = play_on(referee)
    assert result.termination == "forfeit"
    assert result.winners == (0,)
    assert result.placements == ((1, 1), (2, 3), (2, 3))
    assert result.scores == (1.0, 0.0, 0.0)


def test_a_seat_of_two_colours_is_one_player() -> None:
    for seed in range(20):
        result = play_on(referee_of(game_of("regent")), seed)
        assert len(result.scores) == len(result.placements) == len(result.eliminated_at) == 2
        if result.termination == "rules":
            (winner,) = result.winners
            assert result.eliminated_at[winner] == -1
            assert result.eliminated_at[1 - winner] == 0


# ---- faults of seats that have fallen


def test_a_bot_that_dies_after_its_seat_fell_does_not_stop_the_others() -> None:
    met = 0
    for seed in range(20):
        referee, rng = referee_of(game_of("reaction")), Random(seed)
        while not referee.over:
            fallen = [seat for seat, order in enumerate(referee.state.result().eliminated_at) if order >= 0]
            questions = referee.questions()
            if fallen and fallen[0] not in referee.conduct.retired:
                referee.fault(fallen[0], "crash", "died")
                met += 1
            for question in questions:
                referee.answer(question.seat, question.decision_id, int(question.legal.sample(rng)))
        result = referee.outcome()
        verify(unpack(result.record))
        for fault in result.faults:
            assert fault.action == "default"
            assert fault.message == "died; the seat had fallen"
            assert unpack(result.record).facts.retired[fault.seat] == 0
    assert met > 5


def test_a_seat_that_falls_before_it_can_leave_just_falls() -> None:
    """It crashes while the other thinks, whose answer is the blow."""
    game = game_of("uneven")
    for seed in range(300):
        referee, rng = referee_of(game), Random(seed)
        while not referee.over:
            (question,) = referee.questions()
            action = question.legal.sample(rng)
            trial = referee.state.copy()
            trial.apply(question.seat, action)
            falls = trial.result().eliminated_at
            if falls[1] == 0 and falls[2] == -1 and trial.pending():
                referee.fault(1, "crash", "died")
                referee.answer(question.seat, question.decision_id, int(action))
                assert (1, "passive") not in referee.steps
                play_on(referee)
                return
            referee.answer(question.seat, question.decision_id, int(action))
    raise AssertionError("no such game")
