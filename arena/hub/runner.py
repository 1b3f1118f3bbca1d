"""The runner of tournaments with bots that dial in: a match is played when its players are there and free.

A match's turn comes when it is among the next few of the schedule. Its players have the connect limit to
come, or to come back, counted from when its turn has come and one of the tournament's bots is here to wait
for them; who has not come then is no_show. Each match has a wait of its own: it counts from when the last one
without that bot began, too, so that a late bot loses a match a wait, not all whose turn has come. While none
is here nobody is missed, however long that takes: it is the server that was away, or all are to come yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event

from arena.hub.guests import Guests
from arena.hub.news import News, shown
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
        self._missed: tuple[tuple[str, ...], bool] = (), True
        self._somebody_since: float | None = None
        self._given_up: dict[BotSpec, float] = {}  # when a match last began without the bot

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
        missed: set[BotSpec] = set()
        self._look_who_is_here()
        for turn in list(self._turns):
            here = self._present(turn)
            if here is None:
                missed.update(bot for bot in turn.remote() if self._guests.find(bot) is None)
                continue
            guests = self._guests.claim(here)
            if guests is None:
                continue
            if not self._tables.seat(turn.plan, guests, self._finish):
                self._guests.release(guests.values())
                break
            self._turns.remove(turn)
            self._given_up.update((bot, time.monotonic()) for bot in turn.remote() if bot not in guests)
            self._playing += 1
            self._news.tell_begun(self._name, turn.plan)
        self._tell_missed(missed)

    def _finish(self, plan: MatchPlan, result: MatchResult) -> None:
        """Take a result from its table's thread."""
        self._finished.put((plan, result))

    def _present(self, turn: Turn) -> list[BotSpec] | None:
        """The guests of a match that can begin as far as their presence goes; None: it waits for somebody."""
        here = []
        for bot in turn.remote():
            if self._guests.find(bot) is not None:
                here.append(bot)
            elif self._has_time(turn, bot):
                return None
        return here

    def _has_time(self, turn: Turn, bot: BotSpec) -> bool:
        """Whether a bot that is not here may still come."""
        if self._somebody_since is None:
            return True
        missed_since = max(self._guests.gone_since(bot), self._given_up.get(bot, 0.0))
        since = max(turn.since, self._somebody_since, missed_since)
        return time.monotonic() - since < turn.plan.limits.connect

    def _look_who_is_here(self) -> None:
        """Note since when one of the tournament's bots that dial in has been here."""
        bots = (player.bot for player in self._players if player.bot.kind == "remote")
        if not any(self._guests.find(bot) is not None for bot in bots):
            self._somebody_since = None
        elif self._somebody_since is None:
            self._somebody_since = time.monotonic()

    def _tell_missed(self, missed: set[BotSpec]) -> None:
        """Say whom matches wait for and how long, whenever that changes."""
        names = tuple(sorted(bot.target for bot in missed))
        nobody = self._somebody_since is None
        if (names, nobody) != self._missed and names:
            labels = ", ".join(sorted(map(shown, missed)))
            connect_s = self._turns[0].plan.limits.connect
            how = "for as long as none is here" if nobody else f"{connect_s:g} s, then it is no_show"
            text = f"{self._name}: waits for {labels}, {how}"
            self._news.tell("waiting", text, tournament=self._name, players=names)
        self._missed = names, nobody
