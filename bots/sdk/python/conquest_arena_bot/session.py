"""All games of one bot process: knows messages, not streams, and outlives a broken stream."""

from __future__ import annotations

import inspect
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from conquest_arena_bot.actions import Action, ActionRange, Legal
from conquest_arena_bot.game import Game, View
from conquest_arena_bot.v1 import play_pb2, rules_pb2

Answer = Action | ActionRange | Sequence[Action]
Decide = Callable[[View, Legal], Answer]

# Answers of a batch that are ready leave before the rest when the batch takes longer than this.
FLUSH_S = 0.02
_REMEMBERED_ANSWERS = 4096
# The range that is sent for an answer that fits no Act, so that the referee judges it.
_NO_RANGE = 2**32 - 1


class Session:
    """Opens games, answers questions, and remembers the answers in case a question is asked again."""

    def __init__(
        self, bot: Callable[..., Any], *, token: str = "", name: str = "", version: str = "1"
    ) -> None:
        self._bot = bot
        self._join = play_pb2.Join(token=token, name=name or bot.__name__, version=version)
        self._games: dict[int, tuple[Game, Decide]] = {}
        self._answers: OrderedDict[int, play_pb2.Act] = OrderedDict()
        self.resume_s = 0.0
        self.welcomed = self.asked = False

    @property
    def connected(self) -> bool:
        """Whether there is a connection that may be resumed."""
        return bool(self._join.connection_id)

    def join(self) -> play_pb2.PlayRequest:
        """The first message of a stream: the first time a new connection, later one that resumes it."""
        self.welcomed = self.asked = False
        return play_pb2.PlayRequest(join=self._join)

    def forget(self) -> None:
        """Drop a connection that is over; the next join is a new one."""
        self._games.clear()
        self._answers.clear()
        self._join.connection_id, self._join.acknowledged = "", 0

    def handle(self, response: play_pb2.PlayResponse) -> Iterator[play_pb2.PlayRequest]:
        """Take in a message; yields the answers to send, in as many lots as they get ready."""
        content = response.WhichOneof("content")
        if content == "decides":
            yield from self._answer_all(response.decides.decides)
        elif content == "game_start":
            self._open(response.game_start)
        elif content == "game_end":
            self._games.pop(response.game_end.game, None)
        elif content == "welcome":
            self.welcomed = True
            self._join.connection_id = response.welcome.connection_id
            self.resume_s = response.welcome.resume_ms / 1000.0

    def _open(self, start: play_pb2.GameStart) -> None:
        if start.game not in self._games:  # else sent again after a resume
            game = Game.of(start)
            self._games[start.game] = game, _decider(self._bot, game)

    def _answer_all(self, questions: Sequence[play_pb2.Decide]) -> Iterator[play_pb2.PlayRequest]:
        self.asked = True
        acts: list[play_pb2.Act] = []
        flushed = time.monotonic()
        for question in questions:
            acts.append(self._answer(question))
            if time.monotonic() - flushed > FLUSH_S:
                yield play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=acts))
                acts, flushed = [], time.monotonic()
        if acts:
            yield play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=acts))

    def _answer(self, asked: play_pb2.Decide) -> play_pb2.Act:
        """The bot's answer; to a question sent again, the same as before."""
        known = self._answers.get(asked.decision_id)
        if known is not None:
            return known
        if asked.game not in self._games:
            raise ValueError(f"question {asked.decision_id} is about game {asked.game}, which has not begun")
        game, decide = self._games[asked.game]
        view = game.view(asked.view, asked.events, asked.game_left_ms)
        act = _act(decide(view, Legal.from_packed(asked.legal)))
        act.decision_id = asked.decision_id
        self._join.acknowledged = max(self._join.acknowledged, asked.decision_id)
        self._answers[asked.decision_id] = act
        if len(self._answers) > _REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return act


def _decider(bot: Any, game: Game) -> Decide:
    """What decides in one game: a new object of a Bot class, or the function, with a generator of its own."""
    rng = Random(game.bot_seed)
    parameters = inspect.signature(bot).parameters
    made_for_each_game = inspect.isclass(bot)
    if made_for_each_game:
        given = {"limits": game.limits} if "limits" in parameters else {}
        started: Decide = bot(game, game.seat, rng, **{**game.options, **given}).decide
        return started
    if len(parameters) == 2:
        return lambda view, legal: bot(view, legal)
    return lambda view, legal: bot(view, legal, rng)


def _act(answer: Any) -> play_pb2.Act:
    """An answer as it travels; for what is no action, stderr says so and the referee judges it."""
    try:
        return play_pb2.Act(actions=[_message(action) for action in actions_of(answer)])
    except (TypeError, ValueError) as error:
        print(f"decide returned {answer!r:.80}; {error}", file=sys.stderr, flush=True)
        return play_pb2.Act(range=_NO_RANGE)


def actions_of(answer: Any) -> list[Action]:
    """An answer as the actions that are sent; TypeError says what an answer may be."""
    if isinstance(answer, ActionRange):
        return [answer.first()]
    actions = list(answer) if isinstance(answer, list | tuple) else [answer]
    if not actions or not all(isinstance(action, Action) for action in actions):
        raise TypeError("expected an Action, an ActionRange or a list of Actions")
    return actions


def _message(action: Action) -> rules_pb2.Action:
    return rules_pb2.Action(kind=action.kind, a=action.a, b=action.b, c=action.c, n=action.n)
