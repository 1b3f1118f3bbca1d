"""The hub's match worker: like any other, but bots that dialled in are lent to it for one match."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.driver import WatchGame
from arena.hub.guests import GuestDoor
from arena.runners.worker import MatchWorker
from arena.seats import NO_DECISION, Answer, Door, GameOpening, Inbox, Question
from arena.types import BotSpec, FaultKind, GameResult, Limits, MatchPlan, MatchResult, Player

_NO_SHOW: FaultKind = "no_show"


class AbsentDoor:
    """Stands for a bot that did not come: every game and every question is its fault `no_show`."""

    max_open: int | None = None
    wants_events = False
    guard = "remote"
    protocol = "remote"
    pid: int | None = None

    def __init__(self, name: str, inbox: Inbox, connect_s: float) -> None:
        """It had `connect_s` seconds to come."""
        self.name = name
        self.ready_at: float | None = time.monotonic()
        self._inbox = inbox
        self._message = f"{name} did not connect within {connect_s:g} s of its match's turn"

    def open_game(self, opening: GameOpening) -> None:
        """Report it for the game as a whole."""
        self._report(opening.game_id, opening.seat, NO_DECISION)

    def ask(self, questions: Sequence[Question]) -> None:
        """Report it again, for where the policy keeps the seat in the game."""
        for question in questions:
            self._report(question.game_id, question.seat, question.decision_id)

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        """Nobody is there to be told."""

    def close(self) -> None:
        """Nothing is open."""

    def _report(self, game_id: int, seat: int, decision_id: int) -> None:
        now = time.monotonic()
        self._inbox.put(Answer(game_id, seat, decision_id, None, now, _NO_SHOW, self._message))


class HubWorker(MatchWorker):
    """Plays one match at a time; bots of this host stay with it from match to match, guests do not."""

    def __init__(self, name: str, folder: Path | None = None, watch: WatchGame | None = None) -> None:
        """See arena.runners.worker.MatchWorker."""
        super().__init__(name, folder, watch)
        self._guests: Mapping[BotSpec, GuestDoor] = {}

    def play_with(self, plan: MatchPlan, guests: Mapping[BotSpec, GuestDoor]) -> MatchResult:
        """Play a match with the guests of it who are here; the others do not show up."""
        self._guests = guests
        for door in guests.values():
            door.sit_down(self.inbox)
        try:
            return self.play([plan])[0]
        finally:
            for player in plan.players:
                if player.bot.kind == "remote":
                    self._doors.pop(player, None)
            self._driver = None
            for door in guests.values():
                door.get_up()

    def door(self, player: Player, limits: Limits) -> Door:
        """The player's door; a guest's is there for one match only."""
        if player.bot.kind != "remote":
            return super().door(player, limits)
        guest: Door | None = self._guests.get(player.bot)
        door = guest or AbsentDoor(player.name, self.inbox, limits.connect)
        self._doors[player] = door
        self._driver = None  # its doors are those of one match
        return door
