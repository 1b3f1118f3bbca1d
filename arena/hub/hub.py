"""The hub: one server that bots dial in to, its tournaments and its lobby, each on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import grpc

from arena.errors import StoreError
from arena.hub.guests import NETWORK_S, Guests
from arena.hub.house import House, Row
from arena.hub.lobby import Lobby
from arena.hub.news import News, shown
from arena.hub.served import ServedTournament
from arena.hub.tables import Tables
from arena.server import PlayServer
from arena.spec import TournamentSpec
from arena.store import Store
from arena.types import Limits, VariantSetup

RESUME_S = 30.0
TABLES = 8
# How often the database is asked whether a token was revoked.
REVOKED_S = 0.5
# For how long it may fail at that before the server ends: it may be in a restart.
DATABASE_S = 10.0
# How often is looked whether this is still the one server of its database.
LEASE_S = 3.0
# What the end may take: the schedulers commit what they hold, then matches at hand are given up.
SETTLE_S = 0.8
GIVE_UP_S = 0.6
# How often a line says how things stand, if they have changed.
STATUS_S = 30.0


class Hub:
    """Serves on `addresses` with `credentials`; `serve` plays until `stopping` is set, by anybody.

    `failure` is what ended it when it was not asked to end.
    """

    def __init__(
        self,
        store: Store,
        news: News,
        addresses: Sequence[str],
        *,
        credentials: grpc.ServerCredentials | None = None,
        resume_s: float = RESUME_S,
        tables: int = TABLES,
        network_s: float = NETWORK_S,
        check_lease: Callable[[], None] = lambda: None,
    ) -> None:
        """Bind the addresses; `check_lease` raises StoreError when another server may be on the database."""
        self.stopping = threading.Event()
        self.failure: Exception | None = None
        self.guests = Guests(store.tokens, news, resume_s, network_s)
        self.server = PlayServer(addresses, credentials=credentials, admit=self.guests.admit)
        self.tables = Tables(self.guests, tables, self.server.spectators.watch)
        self._store, self._news = store, news
        self._house = House(self.guests, news, self._ratings)
        self._rated: list[ServedTournament | Lobby] = []
        self._threads: list[threading.Thread] = []
        self._status: tuple[list[str], int, int] = [], 0, 0
        self._status_at = 0.0
        self._check_lease = check_lease
        self._lease_at = 0.0
        self._broken_since: float | None = None
        self._done = False

    def add_tournament(self, spec: TournamentSpec) -> None:
        """Play a tournament, from where it was left."""
        served = ServedTournament(self._store, spec, self.guests, self.tables, self._news, self.stopping)
        self._rated.insert(0, served)
        self._add(f"tournament {spec.name}", served.run)

    def add_lobby(self, setups: Sequence[VariantSetup], limits: Limits) -> None:
        """Play rated games of whoever is idle."""
        lobby = Lobby(self._store, setups, self.guests, self.tables, self._news, limits)
        self._rated.append(lobby)
        self._add("lobby", lambda: lobby.run(self.stopping))

    def house(self) -> list[Row]:
        """The bots that are here or may come back; ratings are those of the lobby where it knows the bot."""
        return self._house.rows()

    def serve(self) -> None:
        """Play until `stopping` is set; then end within two seconds."""
        self.server.start()
        for thread in self._threads:
            thread.start()
        try:
            while not self.stopping.wait(REVOKED_S):
                self._look_at_database()
                self.guests.measure()
                self._tell_status()
                self._tell_when_done()
        except StoreError as error:
            self._fail("database", error)
        finally:
            self._end()

    def _look_at_database(self) -> None:
        """Whether this is still its server, and tokens were revoked; StoreError: it goes on no longer."""
        now = time.monotonic()
        if now >= self._lease_at:
            self._lease_at = now + LEASE_S
            self._check_lease()
        try:
            self.guests.send_away_revoked()
        except StoreError as error:
            if self._broken_since is None:
                self._broken_since = now
                text = f"the database fails, which may last up to {DATABASE_S:g} s: {error}"
                self._news.tell("database_fails", text, error=str(error))
            elif now - self._broken_since > DATABASE_S:
                raise
            return
        if self._broken_since is not None:
            self._broken_since = None
            self._news.tell("database_back", "the database works again")

    def _ratings(self) -> dict[tuple[str, str], float]:
        known: dict[tuple[str, str], float] = {}
        for rated in self._rated:
            if rated.identity is not None:
                known.update(self._store.bot_ratings(rated.identity))
        return known

    def _end(self) -> None:
        """First the schedulers end, so that results are nobody's from then on; then games are broken off."""
        self.stopping.set()
        until = time.monotonic() + SETTLE_S
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))
        self.tables.give_up()
        self.guests.close()
        self.server.stop()
        self.tables.close(GIVE_UP_S)

    def _tell_status(self) -> None:
        """Say who is here and what is played, from time to time."""
        doors = self.guests.here()
        here = [door.name for door in doors]
        status = here, self.tables.playing, self.tables.played
        if status == self._status or time.monotonic() < self._status_at + STATUS_S:
            return
        self._status, self._status_at = status, time.monotonic()
        names = f" ({', '.join(shown(door.bot) for door in doors)})" if here else ""
        text = f"bots here: {len(here)}{names}; matches at hand: {self.tables.playing}, "
        text += f"finished since the start: {self.tables.played}"
        self._news.tell("status", text, bots=here, playing=self.tables.playing, played=self.tables.played)

    def _tell_when_done(self) -> None:
        """Say once when nothing is left to play; the server goes on, for whoever looks at rules."""
        if not self._done and not any(thread.is_alive() for thread in self._threads):
            self._done = True
            self._news.tell("nothing_left", "nothing is left to play; Ctrl-C stops, bots that are here idle")

    def _add(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except Exception as error:  # whatever it is, the whole server must not go on without this part
                self._fail(name, error)

        self._threads.append(threading.Thread(target=run, name=name, daemon=True))

    def _fail(self, part: str, error: Exception) -> None:
        """End because of an error; the first is what is said at last."""
        self.failure = self.failure or error
        self._news.tell("failed", f"{part}: {error}", part=part, error=str(error))
        self.stopping.set()
