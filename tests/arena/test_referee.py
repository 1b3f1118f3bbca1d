"""The referee on the real classic game: what it asks, what a fault costs, and that others play on."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_samples import KEY, classic

import engine_core
from arena.errors import PlatformFault
from arena.record import unpack, verify, walk
from arena.referee import Referee
from arena.seats import Question
from arena.types import Fault, FaultKind, FaultPolicy, GameResult, Limits, PointRule, RetireMode
from engine_core import Event, Game, View

LENIENT = FaultPolicy(retire=frozenset(), strikes=10**9)


def referee_of(
    game: Game | None = None, policy: FaultPolicy | None = None, limits: Limits | None = None, **more: Any
) -> Referee:
    return Referee(game or classic(), KEY, policy or FaultPolicy(), limits or Limits(), **more)


def answer(referee: Referee, question: Question, rng: Random, used_s: float = 0.0) -> None:
    referee.answer(question.seat, question.decision_id, int(question.legal.sample(rng)), used_s)


def play_on(referee: Referee, rng: Random | None = None) -> GameResult:
    """Random answers until the game is over; its record must verify."""
    rng = rng or Random(0)
    while not referee.over:
        for question in referee.questions():
            answer(referee, question, rng)
    result = referee.outcome()
    verify(unpack(result.record))
    return result


def only(questions: Iterable[Question]) -> Question:
    (question,) = questions
    return question


def last_fault(referee: Referee) -> Fault:
    return referee.conduct.faults[-1]


def test_a_question_is_asked_once_and_matches_the_state() -> None:
    referee = referee_of()
    question = only(referee.questions())
    assert referee.questions() == []
    assert (question.seat,) == referee.state.pending()
    assert question.view.digest() == referee.state.view(question.seat).digest()
    assert [repr(r) for r in question.legal] == [repr(r) for r in referee.state.legal(question.seat)]
    assert question.limit_s == 2.0
    assert question.bank_s == 120.0


def test_a_game_is_played_to_its_end() -> None:
    referee = referee_of(labels=("a", "b", "c"))
    result = play_on(referee)
    assert referee.questions() == []
    assert result.termination == "turn_cap"
    assert result.laps == 4
    assert result.scores == (1 / 3,) * 3
    assert result.faults == ()
    assert result.decisions == len(referee.steps)
    assert unpack(result.record).players == ("a", "b", "c")


def test_a_decision_with_a_single_answer_is_never_asked() -> None:
    referee = referee_of()
    rng = Random(3)
    while not referee.over:
        for question in referee.questions():
            assert question.legal.count() > 1
            answer(referee, question, rng)


def test_the_same_answers_give_the_same_game() -> None:
    one, two = (play_on(referee_of(), Random(7)) for _ in range(2))
    assert one == two
    assert one.final_digest != play_on(referee_of(), Random(8)).final_digest


def test_c16_answers_to_old_unknown_and_others_questions_are_ignored() -> None:
    referee = referee_of()
    first = only(referee.questions())
    code = int(first.legal[0].first())
    for seat, decision in ((first.seat, 0), (first.seat, 99), ((first.seat + 1) % 3, first.decision_id)):
        referee.answer(seat, decision, code)
    assert referee.steps == []
    referee.answer(first.seat, first.decision_id, code)
    second = only(referee.questions())
    referee.answer(first.seat, first.decision_id, code)
    assert referee.steps == [(first.seat, code)]
    assert referee.conduct.faults == []
    assert second.decision_id == first.decision_id + 1


def test_d05_an_illegal_answer_plays_the_default_and_names_the_rule() -> None:
    referee = referee_of()
    first = only(referee.questions())
    code = int(first.legal[0].first())
    referee.answer(first.seat, first.decision_id, code)
    second = only(referee.questions())
    referee.answer(second.seat, second.decision_id, code, 0.25)  # the same territory again
    default = int(second.legal[0].first())
    assert referee.steps[-1] == (second.seat, default)
    fault = last_fault(referee)
    text = referee.game.action_text
    assert (fault.seat, fault.kind, fault.action) == (second.seat, "illegal", "default")
    assert (fault.decision, fault.used_ms, fault.limit_ms) == (2, 250.0, 2000.0)
    assert (first.faulted, second.faulted) == (False, True)  # by which a door drops its plan
    assert f"may not play `{text(code)}`: " in fault.message
    assert f"`{text(default)}` is played instead (fault 1 of 3)" in fault.message


@pytest.mark.parametrize("variant", sorted(engine_core.variants()))
def test_d05_an_answer_with_an_amount_that_no_action_uses_is_named_so(variant: str) -> None:
    """The number 123456789 is the first kind of action with an amount; it is not called that action alone."""
    referee = referee_of(engine_core.load(variant))
    question = referee.questions()[0]
    referee.answer(question.seat, question.decision_id, 123456789)
    name = referee.game.description.actions[0].name
    assert f"may not play `{name} (unused: amount = 123456789)`: " in last_fault(referee).message


@pytest.mark.parametrize("code", [-1, 1 << 63, 1 << 100])
def test_a_number_that_is_no_action_is_malformed(code: int) -> None:
    referee = referee_of()
    question = only(referee.questions())
    referee.answer(question.seat, question.decision_id, code)
    assert last_fault(referee).kind == "malformed"
    assert "is not the code of an action" in last_fault(referee).message
    assert referee.steps == [(question.seat, int(question.legal[0].first()))]


def test_b04_a_late_answer_is_a_timeout_with_limit_time_and_overrun() -> None:
    referee = referee_of()
    question = only(referee.questions())
    answer(referee, question, Random(1), used_s=2.5)
    fault = last_fault(referee)
    assert (fault.kind, fault.limit_ms, fault.used_ms) == ("timeout", 2000.0, 2500.0)
    assert question.faulted
    assert fault.message.startswith("decision 1 took 2.500 s of 2.000 s allowed, 0.500 s over; `claim ")
    assert referee.steps == [(question.seat, int(question.legal[0].first()))]


def test_the_third_strike_retires() -> None:
    referee = referee_of()
    victim = only(referee.questions()).seat
    referee.fault(victim, "timeout", "", 3.0, 2.0)
    rng = Random(1)
    while victim not in referee.conduct.retired:
        question = only(referee.questions())
        if question.seat == victim:
            referee.fault(victim, "timeout", "", 3.0, 2.0)
        else:
            answer(referee, question, rng)
    assert [fault.action for fault in referee.conduct.faults] == ["default", "default", "retire"]
    assert "the seat is retired, passive (fault 3 of 3)" in last_fault(referee).message
    assert (victim, "passive") in referee.steps


@pytest.mark.parametrize("mode", ["passive", "neutral"])
@pytest.mark.parametrize("victim", range(3))
@pytest.mark.parametrize("moment", [1, 20, 60, 150, 200])
def test_a_seat_that_dies_never_stops_the_others(victim: int, mode: RetireMode, moment: int) -> None:
    referee = referee_of(policy=FaultPolicy(mode=mode))
    rng = Random(moment)
    asked = 0
    while not referee.over:
        for question in referee.questions():
            asked += 1
            assert question.seat not in referee.conduct.retired
            if asked >= moment and question.seat == victim:
                referee.fault(victim, "crash", "gone")
            else:
                answer(referee, question, rng)
    result = referee.outcome()
    verify(unpack(result.record))
    (fault,) = result.faults
    assert (fault.seat, fault.kind, fault.action) == (victim, "crash", "retire")
    assert result.scores[victim] == 0.0
    assert result.placements[victim] == (3, 3)
    assert sum(result.scores) == 1.0


def test_a_fault_while_another_thinks_waits_for_the_answer() -> None:
    referee = referee_of()
    question = only(referee.questions())
    victim = (question.seat + 1) % 3
    before = referee.state.digest()
    referee.fault(victim, "disconnect", "the stream broke")
    assert referee.state.digest() == before == referee.state.copy().digest()
    assert question.view.digest() == referee.state.view(question.seat).digest()
    answer(referee, question, Random(1))
    assert referee.steps[1:] == [(victim, "passive")]
    play_on(referee)


def test_a_fault_between_questions_retires_at_once() -> None:
    referee = referee_of()
    answer(referee, only(referee.questions()), Random(1))
    referee.fault(1, "disconnect", "the stream broke")
    assert referee.steps[1:] == [(1, "passive")]
    assert last_fault(referee).decision == 1
    assert play_on(referee).scores[1] == 0.0


def without(game: Game, absent: Iterable[int], **settings: Any) -> Referee:
    """A game at its first questions, of which these seats' bots were told to be absent in this order."""
    referee = referee_of(game, **settings)
    for seat in absent:
        referee.fault(seat, "no_show", "nobody came", 10.0, 10.0)
    assert (referee.steps, referee.over) == ([], False)
    return referee


@pytest.mark.parametrize("absent", list(permutations(range(3), 2)))
def test_c15_whoever_is_missed_first_only_who_came_wins(absent: tuple[int, int]) -> None:
    (came,) = set(range(3)) - set(absent)
    referee = without(classic(3), absent)
    assert referee.questions() == []
    result = referee.outcome()
    assert (result.termination, result.winners) == ("forfeit", (came,))
    assert result.scores == tuple(float(seat == came) for seat in range(3))
    assert result.placements == tuple((1, 1) if seat == came else (2, 3) for seat in range(3))
    assert [(fault.seat, fault.decision, fault.action) for fault in result.faults] == [
        (seat, 0, "retire") for seat in absent
    ]
    verify(unpack(result.record))


@pytest.mark.parametrize("point_rule", get_args(PointRule))
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("seats", [2, 3])
def test_c15_a_game_nobody_came_to_counts_for_nobody(
    seats: int, lenient: bool, point_rule: PointRule
) -> None:
    """All are tied at 0 points, under every point rule and whatever absence costs."""
    policy = LENIENT if lenient else FaultPolicy()
    referee = without(classic(seats), reversed(range(seats)), policy=policy, point_rule=point_rule)
    assert referee.questions() == []
    result = referee.outcome()
    assert (result.termination, result.winners, result.decisions) == ("game_limit", (), 0)
    assert result.scores == (0.0,) * seats
    assert result.placements == ((1, seats),) * seats
    assert sorted(fault.seat for fault in result.faults) == list(range(seats))
    verify(unpack(result.record))


@pytest.mark.parametrize("absent", [(0,), (3, 0), (0, 1), (1, 0), (2, 3), (3, 1, 0)])
def test_c15_who_is_absent_wins_through_no_team_mate(absent: tuple[int, ...]) -> None:
    """A team with an absent seat loses to one that is whole; where none is, the game counts for nobody."""
    game = engine_core.load("endor_teams", seats=4)
    referee = without(game, absent)
    assert referee.questions() == []
    result = referee.outcome()
    whole = {0, 1} - {game.description.teams[seat] for seat in absent}
    assert {game.description.teams[seat] for seat in result.winners} == whole
    assert not any(result.scores[seat] for seat in absent)
    assert sum(result.scores) == len(whole)
    verify(unpack(result.record))


def test_c15_who_came_plays_on_without_the_absent() -> None:
    referee = without(classic(4), (2, 0))
    assert only(referee.questions()).seat in (1, 3)
    assert referee.steps == [(0, "passive"), (2, "passive")]


def test_the_time_to_start_is_not_taken_from_the_bank() -> None:
    referee = referee_of(policy=LENIENT)
    seat = only(referee.questions()).seat
    referee.fault(seat, "start_timeout", "slow", 9.0, 8.0)
    assert referee.conduct.banks[seat].left_s == 120.0
    assert (last_fault(referee).used_ms, last_fault(referee).limit_ms) == (9000.0, 8000.0)


@pytest.mark.parametrize("loser", range(2))
def test_d03_a_forfeit_is_won_by_the_other_seat(loser: int) -> None:
    referee = referee_of(classic(2))
    rng = Random(2)
    while not referee.over:
        for question in referee.questions():
            if question.seat == loser:
                referee.fault(loser, "disconnect", "gone")
            else:
                answer(referee, question, rng)
    result = referee.outcome()
    assert result.termination == "forfeit"
    assert result.winners == (1 - loser,)
    assert result.scores == tuple(float(seat != loser) for seat in range(2))
    verify(unpack(result.record))


def test_nothing_counts_after_the_end() -> None:
    referee = referee_of(classic(2))
    answer(referee, only(referee.questions()), Random(1))
    referee.fault(0, "crash", "one")
    referee.fault(1, "crash", "two")
    assert referee.over
    assert [fault.seat for fault in referee.conduct.faults] == [0]
    assert referee.outcome().winners == (1,)


def test_a_spent_game_bank_retires() -> None:
    referee = referee_of(limits=Limits(decision=2.0, game=3.0))
    first = only(referee.questions())
    victim = first.seat
    answer(referee, first, Random(1), used_s=1.5)
    question = first
    rng = Random(1)
    while (question := only(referee.questions())).seat != victim:
        answer(referee, question, rng)
    assert (question.limit_s, question.bank_s) == (1.5, 1.5)
    answer(referee, question, rng, used_s=1.75)
    fault = last_fault(referee)
    assert (fault.kind, fault.action, fault.limit_ms, fault.used_ms) == ("timeout", "retire", 1500.0, 1750.0)
    assert "the seat is retired, passive (its 3 s for the game are used up)" in fault.message
    assert play_on(referee).scores[victim] == 0.0


KINDS: list[FaultKind] = ["timeout", "illegal", "malformed", "crash", "disconnect", "flood", "resource"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 250), st.sampled_from(KINDS)), max_size=8), st.integers(0, 2**32))
def test_any_faults_at_any_time_leave_a_game_that_ends_and_verifies(
    faults: list[tuple[int, FaultKind]], seed: int
) -> None:
    referee = referee_of(policy=FaultPolicy(strikes=2))
    at = dict(faults)
    rng = Random(seed)
    asked = 0
    while not referee.over:
        for question in referee.questions():
            asked += 1
            assert question.seat not in referee.conduct.retired
            if asked in at:
                referee.fault(rng.randrange(3), at[asked], "made up")
            answer(referee, question, rng)
    result = referee.outcome()
    verify(unpack(result.record))
    assert sum(result.scores) == pytest.approx(1.0)
    retired = [fault.seat for fault in result.faults if fault.action == "retire"]
    assert len(set(retired)) == len(retired)
    assert all(result.scores[seat] == 0.0 for seat in retired)


def test_a_lenient_policy_plays_the_default_for_ever() -> None:
    referee = referee_of(classic(2, turn_cap=1), policy=LENIENT)
    while not referee.over:
        for question in referee.questions():
            referee.fault(question.seat, "crash", "again")
    result = referee.outcome()
    assert result.termination == "turn_cap"
    assert {fault.action for fault in result.faults} == {"default"}
    assert len(result.faults) == result.decisions
    verify(unpack(result.record))


def test_b10_a_stopped_game_is_scored_like_a_capped_one() -> None:
    referee = referee_of()
    answer(referee, only(referee.questions()), Random(1))
    question = only(referee.questions())
    referee.stop()
    answer(referee, question, Random(1))
    assert referee.questions() == []
    result = referee.outcome()
    assert (result.termination, result.winners, result.scores) == ("game_limit", (), (1 / 3,) * 3)
    assert result.decisions == 1
    verify(unpack(result.record))


def test_there_is_no_outcome_before_the_end() -> None:
    with pytest.raises(PlatformFault, match="not over"):
        referee_of().outcome()


def told(events: Iterable[Event], game: Game) -> list[str]:
    return [game.event_text(event) for event in events]


def test_every_seat_hears_what_it_may_see_once_and_in_order() -> None:
    """Against a replay, which sees everything."""
    referee = referee_of(classic(turn_cap=30))
    rng = Random(5)
    heard: dict[int, list[str]] = {seat: [] for seat in range(3)}
    while not referee.over:
        for question in referee.questions():
            heard[question.seat] += told(question.events, referee.game)
            answer(referee, question, rng)
    happened = [event for _, events in walk(referee.record()) for event in events]
    hidden = 0
    for seat in range(3):
        visible = told((event for event in happened if event.visible_to(seat)), referee.game)
        assert heard[seat] == visible[: len(heard[seat])]
        assert len(heard[seat]) > 0.9 * len(visible)
        hidden += len(happened) - len(visible)
    assert hidden > 0  # drawn cards are their owner's


def test_only_the_audience_is_told() -> None:
    referee = referee_of(audience=[1])
    rng = Random(5)
    heard = [0, 0, 0]
    while not referee.over:
        for question in referee.questions():
            heard[question.seat] += len(question.events)
            answer(referee, question, rng)
    assert heard[1] > 0 == heard[0] == heard[2]


def test_a_spectator_sees_what_is_public_and_nothing_else() -> None:
    seen: list[tuple[Event, ...]] = []
    views: list[View] = []

    def watch(events: tuple[Event, ...], view: View) -> None:
        seen.append(events)
        views.append(view)

    referee = referee_of(classic(turn_cap=30), audience=(), watch=watch)
    play_on(referee)
    assert len(seen) == len(referee.steps) + 1
    assert all(event.visible_to(-1) for events in seen for event in events)
    happened = [event for _, events in walk(referee.record()) for event in events]
    public = [event for event in happened if event.visible_to(-1)]
    assert told((event for events in seen for event in events), referee.game) == told(public, referee.game)
    assert len(public) < len(happened)
    assert views[-1].seat == -1
    assert views[-1].digest() == referee.state.public_view().digest()


def test_the_point_rule_decides_a_capped_game() -> None:
    adjudicated = referee_of(point_rule="adjudicate")
    result = play_on(adjudicated)
    facts = adjudicated.record().facts
    best = max(zip(facts.territories, facts.troops, strict=True))
    assert result.winners == tuple(
        seat for seat in range(3) if (facts.territories[seat], facts.troops[seat]) == best
    )
    assert play_on(referee_of(point_rule="void")).scores == (0.0, 0.0, 0.0)
