"""The runner of tournaments with bots that dial in: a match is played when its players are there and free.

A match's turn comes when it is among the next few of the schedule. From then on its players have the connect
limit to come, or to come back; who has not is no_show. While none of the tournament's bots is here, matches
among them wait: then it is the server that was away, or they all are to come yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event

from arena.hub.guests import Guests
from arena.hub.news import News
from arena.hub.tables import Tables
from arena.runners import UNGUARDED, Attempts, OnResult, Problem, RunnerKind
from arena.types import BotSpec, Isolation, Limits, MatchPlan, MatchResult, Player

# How many matches of the schedule are looked at for one whose players are free.
WINDOW = 64
TICK_S = 0.1


@dataclass(slots=True)
class Turn:
    """A match whose turn has come, and since when it waits for players who are not there."""

    plan: MatchPlan
    since: float

    def remote(self) -> list[BotSpec]:
        """Its players that dial in."""
        return [player.bot for player in self.plan.players if player.bot.kind == "remote"]


class GuestRunner:
    """Plays plans with whoever is here; implements arena.runners.Runner, on the thread that calls `run`.

    `idle` is called on that thread when nothing follows a result at once. `run` raises KeyboardInterrupt when
    `stopping` is set.
    """

    kind: RunnerKind = "inline"

    def __init__(
        self,
        name: str,
        players: Sequence[Player],
        guests: Guests,
        tables: Tables,
        news: News,
        stopping: Event,
        idle: Callable[[], None] = lambda: None,
        workers: int = 1,
    ) -> None:
        """Nothing is played yet."""
        self.workers = workers
        self._name = name
        self._players = players
        self._guests, self._tables, self._news = guests, tables, news
        self._stopping = stopping
        self.idle = idle
        self._finished: SimpleQueue[tuple[MatchPlan, MatchResult]] = SimpleQueue()
        self._turns: list[Turn] = []
        self._playing = 0
        self._missed: tuple[str, ...] = ()

    def check(self, limits: Limits, isolation: Isolation = UNGUARDED) -> list[Problem]:
        """Start the players of this host; those that dial in may come any time."""
        return self._tables.check(self._players, limits, isolation)

    def run(self, plans: Iterable[MatchPlan], on_result: OnResult) -> None:
        """See arena.runners.Runner."""
        source, attempts, news = iter(plans), Attempts(), False
        try:
            while self._fill(source) or self._playing:
                self._seat()
                if (finished := self._next_finished()) is None:
                    if news:
                        self.idle()
                    news = False
                    continue
                plan, result = finished
                on_result(plan, result)
                news = True
                if result.error:
                    again = attempts.again(plan, result)
                    self._turns.insert(0, Turn(again, time.monotonic()))
        finally:
            self._guests.want(self, ())

    def close(self) -> None:
        """The tables are the hub's."""

    def _fill(self, source: Iterator[MatchPlan]) -> bool:
        """Draw the next matches of the schedule; False when none is left to begin."""
        while len(self._turns) < WINDOW and (plan := next(source, None)) is not None:
            self._turns.append(Turn(plan, time.monotonic()))
        self._guests.want(self, {bot for turn in self._turns for bot in turn.remote()})
        return bool(self._turns)

    def _next_finished(self) -> tuple[MatchPlan, MatchResult] | None:
        """A match that was finished, if there is one before long."""
        try:
            finished = self._finished.get(timeout=TICK_S)
        except Empty:
            finished = None
        if self._stopping.is_set():
            raise KeyboardInterrupt
        self._playing -= finished is not None
        return finished

    def _seat(self) -> None:
        """Begin every match that can begin, in scheduled order; later ones take whom earlier ones leave."""
        missed: set[str] = set()
        for turn in list(self._turns):
            here = self._present(turn)
            if here is None:
                missed.update(bot.target for bot in turn.remote() if self._guests.find(bot) is None)
                continue
            guests = self._guests.claim(here)
            if guests is None:
                continue
            if not self._tables.seat(turn.plan, guests, self._finish):
                self._guests.release(guests.values())
                break
            self._turns.remove(turn)
            self._playing += 1
            self._news.tell_begun(self._name, turn.plan)
        self._tell_missed(missed)

    def _finish(self, plan: MatchPlan, result: MatchResult) -> None:
        """Take a result from its table's thread."""
        self._finished.put((plan, result))

    def _present(self, turn: Turn) -> list[BotSpec] | None:
        """The guests of a match that can begin as far as their presence goes; None: it waits for somebody."""
        bots, here = turn.remote(), []
        now, connect_s = time.monotonic(), turn.plan.limits.connect
        for bot in bots:
            if self._guests.find(bot) is not None:
                here.append(bot)
            elif now - max(turn.since, self._guests.gone_since(bot)) < connect_s:
                return None
        nobody = not here and len(bots) == len(turn.plan.players)
        return None if nobody and not self._anybody() else here

    def _anybody(self) -> bool:
        """Whether one of the tournament's bots that dial in is here."""
        bots = (player.bot for player in self._players if player.bot.kind == "remote")
        return any(self._guests.find(bot) is not None for bot in bots)

    def _tell_missed(self, missed: set[str]) -> None:
        """Say whom matches wait for, whenever that changes."""
        names = tuple(sorted(missed))
        if names != self._missed and names:
            text = f"{self._name}: waits for {', '.join(names)}"
            self._news.tell("waiting", text, tournament=self._name, players=names)
        self._missed = names
