"""What one bot has been told and asked: open games, open questions, plans, and what a resume sends again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from arena import wire
from arena.seats import Answer, GameOpening, Question
from arena.server.questions import Asked, Response, Wishes
from arena.types import GameResult
from arena.v1 import play_pb2, rules_pb2

_KEPT_ENDS = 1024

# What a bot answers: decision_id, range and amount, or the actions that stand in their place.
Act = tuple[int, int, int, Sequence[rules_pb2.Action]]


@dataclass(slots=True)
class OpenGame:
    """A seat's game on this connection, by its number there; it was opened after question `after`.

    `plan` holds further actions of the answer to `planned_at`.
    """

    number: int
    start: play_pb2.GameStart
    opening: GameOpening
    after: int
    plan: list[int] = field(default_factory=list)
    planned_at: Question | None = None


class Ledger:
    """Numbers games and questions of one bot; not thread-safe: its door has the lock."""

    def __init__(self) -> None:
        """No game, no question."""
        self.wishes = Wishes()
        self.games: dict[tuple[int, int], OpenGame] = {}
        self._asked: dict[int, Asked] = {}
        self._owed = 0  # the last question whose game ended without its answer
        self._ends: list[tuple[int, play_pb2.GameEnd]] = []
        self._last_question = 0
        self._last_game = 0

    def open(self, opening: GameOpening) -> Response:
        """Number a new game."""
        self._last_game += 1
        start = wire.game_start(
            self._last_game,
            opening.seat,
            opening.game,
            opening.limits,
            opening.bot_seed,
            opening.labels,
            opening.options,
        )
        self.games[opening.game_id, opening.seat] = OpenGame(
            self._last_game, start, opening, self._last_question
        )
        return Response(game_start=start)

    def ask(self, questions: Iterable[Question]) -> tuple[list[Asked], list[tuple[Question, int]]]:
        """Number questions; those that their seat's plan answers need not be asked, and come with its action.

        A plan that no longer holds is dropped.
        """
        asked: list[Asked] = []
        planned: list[tuple[Question, int]] = []
        for question in questions:
            game = self.games[question.game_id, question.seat]
            if game.plan:
                if self._holds(game, question):
                    planned.append((question, game.plan.pop(0)))
                    continue
                game.plan.clear()
            self._last_question = number = self._last_question + 1
            entry = self._asked[number] = number, game.number, question
            asked.append(entry)
        return asked, planned

    @staticmethod
    def _holds(game: OpenGame, question: Question) -> bool:
        """Whether a plan goes on: all of it was played so far, without a surprise, and the next is legal."""
        if game.planned_at is None or game.planned_at.faulted:
            return False
        kinds = game.opening.game.description.events
        surprised = any(event.seat != question.seat or kinds[event.kind].luck for event in question.events)
        return not surprised and game.plan[0] in question.legal

    def answers(
        self, acts: Iterable[Act], received: float
    ) -> tuple[list[Answer], list[tuple[Question, str]], int]:
        """The answers to open questions, what is wrong with others, and how many acts answer no question."""
        answers: list[Answer] = []
        wrong: list[tuple[Question, str]] = []
        idle = 0
        for number, index, amount, actions in acts:
            asked = self._asked.pop(number, None)
            if asked is None:
                self._settle(number)
                idle += 1
                continue
            if self._ends:  # an answer shows that all sent before its question arrived
                self._ends = [(after, end) for after, end in self._ends if after >= number]
                self._settle(number)
            question = asked[2]
            try:
                if actions:
                    code, *plan = map(wire.action_code, actions)
                else:
                    code, plan = wire.range_code(question.legal, index, amount), []
            except ValueError as error:
                wrong.append((question, str(error)))
                continue
            game_id, seat = question.game_id, question.seat
            if plan and not question.faulted and not self.wishes.skip_events:
                game = self.games[game_id, seat]
                game.plan, game.planned_at = plan, question
            answer = game_id, seat, question.decision_id, code, received, None, "", "", ""
            answers.append(tuple.__new__(Answer, answer))  # as Answer() does, in half the time
        return answers, wrong, idle

    def _settle(self, number: int) -> None:
        """An answer to `number`, or to a later question, shows that nothing up to it is owed any more."""
        self._owed = self._owed if self._owed > number else 0

    @property
    def owes(self) -> bool:
        """Whether the bot has not answered a question yet, be it too late or the game over."""
        return bool(self._asked) or self._owed > 0

    def take_open(self) -> list[Question]:
        """All questions without an answer, which are open no longer."""
        questions = [question for _, _, question in self._asked.values()]
        self._asked.clear()
        return questions

    def close(self, game_id: int, seat: int, result: GameResult | None) -> Response | None:
        """Forget a game and its questions; None if it was not open."""
        game = self.games.pop((game_id, seat), None)
        if game is None:
            return None
        number = game.number
        for decision_id in [i for i, game_number, _ in self._asked.values() if game_number == number]:
            del self._asked[decision_id]
            self._owed = max(self._owed, decision_id)
        end = wire.game_end(number, seat, result)
        self._ends = [*self._ends[-_KEPT_ENDS:], (self._last_question, end)]
        return Response(game_end=end)

    def open_questions(self) -> list[Asked]:
        """All questions without an answer, in the order in which they were asked."""
        return list(self._asked.values())

    def resend(self, acknowledged: int) -> Iterator[Response]:
        """The starts and ends of games that a bot may have missed whose last question was `acknowledged`."""
        for game in self.games.values():
            if game.after >= acknowledged:
                yield Response(game_start=game.start)
        for after, end in self._ends:
            if after >= acknowledged > 0:
                yield Response(game_end=end)
