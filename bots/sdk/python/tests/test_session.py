"""A session answers each question once, and the same way however often it is asked."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from samples import asked, golden, opened, welcome

from conquest_arena_bot import Action, Game, Legal, Limits, Session, View
from conquest_arena_bot.v1 import play_pb2

START, BATCH, _ = golden("classic")
QUESTIONS = list(BATCH.decides)


def answers(session: Session, *responses: play_pb2.PlayResponse) -> list[play_pb2.Act]:
    return [act for r in responses for request in session.handle(r) for act in request.acts.acts]


def test_c12_a_question_asked_again_gets_the_same_answer_without_asking_the_bot() -> None:
    calls = 0

    def decide(_view: View, legal: Legal, rng: Random) -> Action:
        nonlocal calls
        calls += 1
        return legal.sample(rng)

    session = Session(decide)
    first = answers(session, welcome("here"), opened(START), asked(*QUESTIONS))
    assert len(first) == len(QUESTIONS)
    assert answers(session, welcome("here"), opened(START), asked(*QUESTIONS)) == first
    assert calls == len(QUESTIONS)


def test_c16_answers_carry_their_questions_number_and_an_unknown_game_is_an_error() -> None:
    session = Session(lambda _view, legal: legal[0])
    acts = answers(session, opened(START), asked(*QUESTIONS))
    assert [act.decision_id for act in acts] == [question.decision_id for question in QUESTIONS]
    with pytest.raises(ValueError, match="question 1 is about game 99, which has not begun"):
        answers(session, asked(play_pb2.Decide(decision_id=1, game=99)))


def test_a_class_that_asks_for_limits_is_told_them() -> None:
    told: list[Limits] = []

    class Bot:
        def __init__(self, _game: Game, _seat: int, _rng: Random, pace: int, *, limits: Limits) -> None:
            assert pace == 3
            told.append(limits)

        def decide(self, _view: View, legal: Legal) -> Action:
            return legal[0].first()

    answers(Session(Bot), opened(START))
    assert told == [Limits(decision=2.0, game=120.0, increment=0.5, clocked=True)]


def test_the_join_that_resumes_names_the_connection_and_the_last_question_answered() -> None:
    session = Session(lambda _view, legal: legal[0], token="secret", name="mine", version="2")
    assert session.join().join.connection_id == ""
    answers(session, welcome("here"), opened(START), asked(*QUESTIONS))
    join = session.join().join
    assert (join.token, join.name, join.version) == ("secret", "mine", "2")
    assert (join.connection_id, join.acknowledged) == ("here", QUESTIONS[-1].decision_id)


def test_a_class_is_made_once_for_each_game_with_its_options() -> None:
    made = []

    class Bot:
        def __init__(self, game: Game, seat: int, rng: Random, pace: int = 0) -> None:
            made.append((game.ruleset.name, seat, pace, rng.random()))

        def decide(self, _view: View, legal: Legal) -> Action:
            return legal[0].last()

    session = Session(Bot)
    answers(session, opened(START), opened(START), asked(*QUESTIONS))
    assert made == [("classic", START.seat, 3, Random(START.bot_seed).random())]


def test_an_answer_may_be_an_action_a_range_or_a_plan() -> None:
    def actions(answer: Callable[[Legal], Any]) -> list[Any]:
        session = Session(lambda _view, legal: answer(legal))
        return list(answers(session, opened(START), asked(QUESTIONS[0]))[0].actions)

    action = actions(lambda legal: legal[0].first())
    assert len(action) == 1
    assert actions(lambda legal: legal[0]) == action
    assert actions(lambda legal: [legal[0].first(), legal[0].first()]) == action * 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        *(
            (wrong, "; expected an Action, an ActionRange or a list of Actions")
            for wrong in (None, 7, [], [1])
        ),
        (Action(-1), "; Value out of range: -1"),
        (Action(1, n=2**40), "; Value out of range: 1099511627776"),
    ],
)
def test_an_answer_that_is_no_action_is_the_referees_to_judge(
    capsys: pytest.CaptureFixture[str], wrong: Any, words: str
) -> None:
    """It leaves as a range that no question has, and the bot plays on; stderr says what it was."""
    session = Session(lambda _view, _legal: wrong)
    acts = answers(session, opened(START), asked(*QUESTIONS))
    assert [(act.decision_id, act.range, len(act.actions)) for act in acts] == [
        (question.decision_id, 2**32 - 1, 0) for question in QUESTIONS
    ]
    assert f"decide returned {wrong!r}{words}\n" in capsys.readouterr().err
