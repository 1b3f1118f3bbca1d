"""The tables of a hub: each plays one match at a time on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from arena.driver import WatchGame
from arena.errors import PlatformFault
from arena.hub.guests import GuestDoor, Guests
from arena.hub.worker import HubWorker
from arena.referee import Watch
from arena.runners import UNGUARDED, Problem
from arena.runners.reaper import Run
from arena.types import BotSpec, Isolation, Limits, MatchPlan, MatchResult, Player
from engine_core import Event as EngineEvent
from engine_core import View

OnDone = Callable[[MatchPlan, MatchResult], None]


class Tables:
    """At most `most` matches at once; workers are made when first needed and keep this host's bots.

    A result comes on the match's own thread, after its guests are free again.
    """

    def __init__(self, guests: Guests, most: int, watch: WatchGame) -> None:
        """Nobody plays yet."""
        self._guests = guests
        self._most = most
        self._feed = watch
        self._closing = False
        self._lock = threading.Lock()
        self._free: list[HubWorker] = []
        self._workers: list[HubWorker] = []
        self._run: Run | None = None
        self.played = 0
        self._threads: set[threading.Thread] = set()

    @property
    def playing(self) -> int:
        """How many matches are being played."""
        return len(self._threads)

    @property
    def full(self) -> bool:
        """Whether no match can begin at the moment."""
        return not self._free and len(self._workers) >= self._most

    def check(
        self, players: Sequence[Player], limits: Limits, isolation: Isolation = UNGUARDED
    ) -> list[Problem]:
        """Build and start the players of this host; what is wrong with those that cannot play."""
        with self._lock:
            if self._run is None and any(player.bot.kind == "command" for player in players):
                self._begin_run()
            worker = self._take()
        if worker is None:
            return []
        try:
            here = [player for player in players if player.bot.kind != "remote"]
            return worker.check(here, limits, isolation)
        finally:
            self._give_back(worker)

    def seat(self, plan: MatchPlan, guests: Mapping[BotSpec, GuestDoor], on_done: OnDone) -> bool:
        """Begin a match with guests that were claimed; False when all tables are taken."""
        with self._lock:
            worker = self._take()
            if worker is None:
                return False
            thread = threading.Thread(
                target=self._play, args=(worker, plan, guests, on_done), name=worker.name, daemon=True
            )
            self._threads.add(thread)
            thread.start()  # in here: `close` joins only threads that have begun
        return True

    def give_up(self) -> None:
        """Break games off at their next step; nobody waits for their results any more."""
        self._closing = True

    def close(self, within_s: float) -> None:
        """End this host's bots; who has not ended after so many seconds is left to the process's end."""
        until = time.monotonic() + within_s
        closing = [threading.Thread(target=_close, args=(worker,), daemon=True) for worker in self._workers]
        for thread in closing:
            thread.start()
        for thread in [*closing, *self._threads]:
            thread.join(max(0.0, until - time.monotonic()))
        if self._run is not None:
            self._run.close()

    def _play(
        self, worker: HubWorker, plan: MatchPlan, guests: Mapping[BotSpec, GuestDoor], on_done: OnDone
    ) -> None:
        try:
            result = worker.play_with(plan, guests)
        finally:
            self._guests.release(guests.values())
            self._give_back(worker)
            with self._lock:
                self._threads.discard(threading.current_thread())
                self.played += 1
        on_done(plan, result)

    def _watch(self, plan: MatchPlan, rotation: int) -> Watch:
        """Spectators' view of a game, which also ends it when the tables close."""
        feed = self._feed(plan, rotation)

        def step(events: tuple[EngineEvent, ...], view: View) -> None:
            if self._closing:
                raise PlatformFault("the server stops")
            if feed is not None:
                feed(events, view)

        return step

    def _begin_run(self) -> None:
        """Have what programs of this host need; workers from before cannot start any, and make way."""
        self._run = Run()
        for worker in self._free:
            worker.close()
            self._workers.remove(worker)
        self._free.clear()

    def _take(self) -> HubWorker | None:
        """A free worker, maybe a new one; called with the lock held."""
        if self._free:
            return self._free.pop()
        if len(self._workers) >= self._most:
            return None
        folder = self._run.folder if self._run is not None else None
        worker = HubWorker(f"table {len(self._workers) + 1}", folder, self._watch)
        self._workers.append(worker)
        return worker

    def _give_back(self, worker: HubWorker) -> None:
        with self._lock:
            self._free.append(worker)


def _close(worker: HubWorker) -> None:
    with suppress(Exception):  # its match may be in the middle of anything, and does not count
        worker.close()
