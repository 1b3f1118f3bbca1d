"""Asks one bot questions outside of any match, through its own door: for reruns and for the doctor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty
from types import TracebackType
from typing import Self

from arena.errors import PluginError
from arena.runners import UNGUARDED
from arena.runners.reaper import Run
from arena.runners.worker import MatchWorker
from arena.seats import NO_DECISION, Answer, Door, GameOpening, Question
from arena.types import GameResult, Isolation, Limits, Player
from engine_core import Event, Game, State

# An answer that comes this much too late is still told as a late one, not as none.
PATIENCE_S = 1.0


class Interview:
    """One started bot, in this process or in its own; a context manager.

    PluginError when the bot cannot be built, started or does not join.
    """

    def __init__(self, player: Player, limits: Limits, isolation: Isolation = UNGUARDED) -> None:
        """Nothing is started yet."""
        self.player, self.limits, self.isolation = player, limits, isolation
        self._run = Run() if player.bot.kind == "command" else None
        self._worker = MatchWorker("interview", self._run.folder if self._run else Path())
        self.lost = False  # whether its last answer was the end of it; asked for again, its door is another
        self._doors: dict[int, Door] = {}  # by game: a door that was lost still tells why
        self._games = 0
        self._decisions = 0

    def __enter__(self) -> Self:
        """Start the bot."""
        if problems := self._worker.check([self.player], self.limits, self.isolation):
            self.__exit__(None, None, None)
            raise PluginError(f"{self.player.name}: {problems[0][1]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the bot and what it needed."""
        self._worker.close()
        if self._run is not None:
            self._run.close()

    @property
    def door(self) -> Door:
        """The bot's door; a bot that was lost is started anew."""
        return self._worker.door(self.player, self.limits)

    def open(self, game: Game, seat: int, seed: bytes, labels: Sequence[str] = ()) -> int:
        """Begin a game for one seat and return its number."""
        self._games += 1
        options, names = dict(self.player.options), tuple(labels) or ("",) * game.seats
        self._doors[self._games] = door = self.door
        door.open_game(GameOpening(self._games, seat, game, seed, self.limits, options, names))
        return self._games

    def ask(
        self, game_id: int, seat: int, state: State, backlog: Sequence[Sequence[Event]] = ()
    ) -> tuple[Answer, float]:
        """The seat's answer in a state, or its fault, and the seconds it took; never waits for ever."""
        self._decisions += 1
        limit_s = self.limits.decision
        question = Question(
            game_id, seat, self._decisions, state, state.legal(seat), backlog, limit_s, self.limits.game
        )
        asked, door = time.monotonic(), self._doors[game_id]
        door.ask([question])
        while True:
            left_s = max(0.0, asked + limit_s + PATIENCE_S - time.monotonic())
            try:
                answer = self._worker.inbox.get(timeout=left_s)
            except Empty:
                hint: Callable[[], str] = getattr(door, "hint", str)
                late = "; ".join(filter(None, (f"no answer within {limit_s + PATIENCE_S:g} s", hint())))
                answer = Answer(game_id, seat, self._decisions, None, time.monotonic(), "timeout", late)
            ours = (answer.game_id, answer.seat) == (game_id, seat)
            if ours and answer.decision_id in (self._decisions, NO_DECISION):
                self.lost = getattr(door, "fault", None) is not None
                return answer, answer.received - asked

    def close(self, game_id: int, seat: int, result: GameResult | None = None) -> None:
        """End a game."""
        self._doors.pop(game_id).close_game(game_id, seat, result)
