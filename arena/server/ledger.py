"""What one bot has been told and asked: open games, open questions, plans, and what a resume sends again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena import wire
from arena.seats import GameOpening, Question
from arena.types import GameResult
from arena.v1 import play_pb2

BATCH_BYTES = 512 * 1024
_KEPT_ENDS = 1024
# Starts of the names of events that hold luck beside dice.
_LUCK = ("drew", "dealt", "reshuffled", "rolled")

Response = play_pb2.PlayResponse


@dataclass(slots=True)
class OpenGame:
    """A seat's game on this connection; it was opened after question `after`."""

    start: play_pb2.GameStart
    opening: GameOpening
    after: int
    plan: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question and the message that asked it."""

    question: Question
    message: play_pb2.Decide


class Ledger:
    """Numbers games and questions of one bot; not thread-safe: its door has the lock."""

    def __init__(self) -> None:
        """No game, no question."""
        self.encoding: play_pb2.Encoding.ValueType = play_pb2.ENCODING_PACKED
        self.games: dict[tuple[int, int], OpenGame] = {}
        self._asked: dict[int, Asked] = {}
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
        self.games[opening.game_id, opening.seat] = OpenGame(start, opening, self._last_question)
        return Response(game_start=start)

    def planned(self, question: Question) -> int | None:
        """The action that the seat's plan has for this question; a plan that no longer holds is dropped."""
        game = self.games[question.game_id, question.seat]
        if not game.plan:
            return None
        if self._surprised(question, game) or game.plan[0] not in question.legal:
            game.plan.clear()
            return None
        return game.plan.pop(0)

    @staticmethod
    def _surprised(question: Question, game: OpenGame) -> bool:
        """Whether dice, a draw or another seat came in between since the seat's last action."""
        kinds = game.opening.game.description.events
        return any(
            event.dice
            or event.seat not in (question.seat, wire.NOBODY)
            or kinds[event.kind].name.startswith(_LUCK)
            for event in question.events
        )

    def ask(self, question: Question) -> play_pb2.Decide:
        """Number a question and put it in the form the bot asked for."""
        self._last_question += 1
        message = play_pb2.Decide(
            decision_id=self._last_question,
            game=self.games[question.game_id, question.seat].start.game,
            game_left_ms=wire.milliseconds(question.bank_s),
        )
        if self.encoding == play_pb2.ENCODING_TYPED:
            message.typed_legal.extend(wire.range_messages(question.legal))
            message.typed_view.extend(wire.view_messages(question.view))
            message.typed_events.extend(wire.event_messages(question.events))
        else:
            message.legal = question.legal.packed()
            message.view = question.view.packed()
            message.events = wire.pack_events(question.events)
        self._asked[self._last_question] = Asked(question, message)
        return message

    def answer(self, act: play_pb2.Act) -> tuple[Question, int | None, str] | None:
        """(question, action code or None, what is wrong) for an answer; None: no such question is open."""
        asked = self._asked.pop(act.decision_id, None)
        if asked is None:
            return None
        self._acknowledge(act.decision_id)
        question = asked.question
        try:
            if not act.actions:
                return question, wire.range_code(question.legal, act.range, act.amount), ""
            code, *plan = (wire.action_code(action) for action in act.actions)
        except ValueError as error:
            return question, None, str(error)
        self.games[question.game_id, question.seat].plan = plan
        return question, code, ""

    def take_open(self) -> list[Question]:
        """All questions without an answer, which are open no longer."""
        questions = [asked.question for asked in self._asked.values()]
        self._asked.clear()
        return questions

    def close(self, game_id: int, seat: int, result: GameResult | None) -> Response | None:
        """Forget a game and its questions; None if it was not open."""
        game = self.games.pop((game_id, seat), None)
        if game is None:
            return None
        number = game.start.game
        for decision_id in [i for i, asked in self._asked.items() if asked.message.game == number]:
            del self._asked[decision_id]
        end = wire.game_end(number, seat, result)
        self._ends = [*self._ends[-_KEPT_ENDS:], (self._last_question, end)]
        return Response(game_end=end)

    def resend(self, acknowledged: int) -> Iterator[Response]:
        """What a bot that last received question `acknowledged` may have missed, and all open questions."""
        for game in self.games.values():
            if game.after >= acknowledged:
                yield Response(game_start=game.start)
        for after, end in self._ends:
            if after >= acknowledged > 0:
                yield Response(game_end=end)
        yield from batches([asked.message for asked in self._asked.values()])

    def _acknowledge(self, decision_id: int) -> None:
        """An answer shows that all sent before its question arrived."""
        self._ends = [(after, end) for after, end in self._ends if after >= decision_id]


def batches(decides: Sequence[play_pb2.Decide]) -> Iterator[Response]:
    """Questions in as few messages as stay well below what clients accept by default (4 MiB)."""
    batch, size = play_pb2.DecideBatch(), 0
    for decide in decides:
        if size > BATCH_BYTES:
            yield Response(decides=batch)
            batch, size = play_pb2.DecideBatch(), 0
        batch.decides.append(decide)
        size += decide.ByteSize()
    if batch.decides:
        yield Response(decides=batch)
