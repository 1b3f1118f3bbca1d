"""The open lobby: rated games of whoever is here and idle, for as long as the hub runs.

It is a tournament like any other in the database, but one that grows: players are entered when their first
match begins, and a pairing is made when its players are free. Its matches are numbered as they begin, and
rated in that order; a number whose match was lost with the process is given to the next pairing.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from queue import Empty, SimpleQueue
from random import Random
from threading import Event

from arena import seeds
from arena.conditions import QUARANTINE_AFTER
from arena.hub.guests import Guests
from arena.hub.news import News
from arena.hub.pairing import Meetings, line_up
from arena.hub.tables import Tables
from arena.runners import MAX_ATTEMPTS
from arena.spec import LOBBY, remote_bot
from arena.store import Store
from arena.store.rows import FinishedMatch
from arena.tournament import pool_text
from arena.types import BotSpec, Limits, MatchPlan, MatchResult, Pairing, Player, VariantSetup

NAME = "lobby"
TICK_S = 0.1
# How long a bot waits for an opponent it has met less, while that one plays.
PATIENCE_S = 10.0
# How long a match that the platform failed keeps everybody from starting the next.
REST_S = 1.0


class Lobby:
    """Makes and plays pairings on `setups`, commits and rates them; `run` is one thread's work."""

    def __init__(
        self,
        store: Store,
        setups: Sequence[VariantSetup],
        guests: Guests,
        tables: Tables,
        news: News,
        limits: Limits,
    ) -> None:
        """Take up the lobby of the database, or open one."""
        self._store = store
        self._guests, self._tables, self._news = guests, tables, news
        self._limits = limits
        self.identity = _open(store)
        self._seed = store.seed(self.identity)
        self._setups = {store.add_setup(self.identity, setup): setup for setup in setups}
        self._entries: dict[BotSpec, int] = {}
        self._meetings: Meetings[BotSpec] = Meetings()
        self._begun: Counter[int] = Counter()
        self._voided: Counter[int] = Counter()
        self._numbers: list[int] = []
        self._playing: dict[int, tuple[Pairing, tuple[BotSpec, ...]]] = {}
        self._free_since: dict[BotSpec, float] = {}
        self._quarantined: set[int] = set()
        self._rest_until = 0.0
        self._finished: SimpleQueue[tuple[MatchPlan, MatchResult]] = SimpleQueue()
        self._recall()

    def run(self, stopping: Event) -> None:
        """Play until `stopping` is set; matches at hand then are lost and their numbers given out again."""
        self._store.set_state(self.identity, "running")
        try:
            while not stopping.is_set():
                self._pair()
                try:
                    finished = self._finished.get(timeout=TICK_S)
                except Empty:
                    continue
                if not stopping.is_set():
                    self._commit(*finished)
        finally:
            self._store.set_state(self.identity, "stopped")

    def _recall(self) -> None:
        """Read what earlier runs left: entries, who met whom how often, numbers without a match."""
        row = self._store.tournament(self.identity)
        done = self._store.done_sequences(self.identity)
        self._next = row.total
        self._numbers = [number for number in range(done.prefix, row.total) if number not in done]
        bots = {}
        for entry, player in enumerate(self._store.entries(self.identity)):
            bot = bots[player.id] = remote_bot(player.bot.partition(":")[2], player.version)
            self._entries[bot] = entry
        for standing in self._store.leaderboard(tournament_id=self.identity):
            self._meetings.games[bots[standing.player.id]] = standing.games
        for pair in self._store.pairwise(tournament_id=self.identity):
            if pair.player.id < pair.opponent.id:
                self._meetings.add_pair(bots[pair.player.id], bots[pair.opponent.id], pair.games)
        self._take_quarantines()

    def _take_quarantines(self) -> None:
        """Note who is quarantined by now, and tell of it."""
        for row in self._store.quarantines(self.identity):
            if row.entry not in self._quarantined:
                self._quarantined.add(row.entry)
                self._news.tell_quarantine(NAME, row, self._store.url)

    def _pair(self) -> None:
        """Begin a match for as long as there is a table and a line-up for one."""
        while time.monotonic() >= self._rest_until:
            idle = [door.bot for door in self._guests.idle()]
            free = [bot for bot in idle if self._entries.get(bot) not in self._quarantined]
            now = time.monotonic()
            self._free_since = {bot: self._free_since.get(bot, now) for bot in free}
            if self._tables.full or not self._begin_one(free, now):
                return

    def _begin_one(self, free: Sequence[BotSpec], now: float) -> bool:
        """Begin a match on the setup that had the fewest, if a line-up for it is free."""
        patient = all(now - since < PATIENCE_S for since in self._free_since.values())
        awaited = {bot for _, bots in self._playing.values() for bot in bots}
        for setup in sorted(self._setups, key=lambda index: (self._begun[index], index)):
            seats = self._setups[setup].entrants
            chosen = line_up(free, seats, self._meetings, awaited=awaited if patient else ())
            if chosen is not None and self._begin(setup, chosen):
                return True
        return False

    def _begin(self, setup: int, chosen: tuple[BotSpec, ...]) -> bool:
        """Begin one match; False when there is no table, or somebody left in this moment."""
        guests = self._guests.claim(chosen)
        if guests is None:
            return False
        number = self._numbers[0] if self._numbers else self._next
        players = {self._entry(bot): _player(bot) for bot in chosen}
        plan, pairing = self._plan(number, setup, players)
        if not self._tables.seat(plan, guests, lambda *finished: self._finished.put(finished)):
            self._guests.release(guests.values())
            return False
        if self._numbers:
            heapq.heappop(self._numbers)
        else:
            self._next += 1
            self._store.plan_matches(self.identity, self._next)
        self._begun[setup] += 1
        self._playing[number] = pairing, chosen
        self._meetings.add(chosen, len(plan.setup.rotations))
        self._news.tell_begun(NAME, plan)
        return True

    def _plan(self, number: int, setup: int, players: dict[int, Player]) -> tuple[MatchPlan, Pairing]:
        """The match of that number; who sits next to whom is drawn from the lobby's seed."""
        pool = self._setups[setup]
        key = seeds.match_key(self._seed, pool_text(pool), str(number), 0)
        order = sorted(players)
        Random(blake2b(key, person=b"lobby order").digest()).shuffle(order)
        pairing = Pairing(number, 0, setup, tuple(order))
        seated = tuple(players[entry] for entry in order)
        final = self._voided[number] >= MAX_ATTEMPTS - 1
        plan = MatchPlan(number, key, pool, seated, limits=self._limits, final=final)
        return plan, pairing

    def _entry(self, bot: BotSpec) -> int:
        """A bot's place among the lobby's entries; who plays first is entered."""
        if bot not in self._entries:
            self._entries[bot] = self._store.add_entry(self.identity, _player(bot))
        return self._entries[bot]

    def _commit(self, plan: MatchPlan, result: MatchResult) -> None:
        """Store a match and rate what it released; a voided attempt gives its number back."""
        pairing, _ = self._playing.pop(plan.sequence)
        self._store.commit_matches(self.identity, [FinishedMatch(pairing, plan.key, result)])
        if result.error:
            heapq.heappush(self._numbers, plan.sequence)
            self._voided[plan.sequence] += 1
            self._rest_until = time.monotonic() + REST_S
            text = f"{NAME}: match {plan.sequence} does not count: {result.error}"
            self._news.tell("match_voided", text, tournament=NAME, match=plan.sequence, error=result.error)
            return
        self._store.update_ratings(self.identity)
        self._take_quarantines()
        self._news.tell_done(NAME, plan, result.games)


def _player(bot: BotSpec) -> Player:
    """A bot's player in the lobby, labelled with account and version."""
    return Player(f"{bot.target} {bot.version}", bot)


def _open(store: Store) -> int:
    """The lobby's tournament in a database."""
    for row in store.tournaments():
        if row.spec == LOBBY:
            return row.id
    seed = seeds.new_seed()
    return store.create_tournament(
        name=NAME,
        spec=LOBBY,
        seed=seed,
        commitment=seeds.seed_commitment(seed),
        setups=(),
        players=(),
        total=0,
        quarantine_after=QUARANTINE_AFTER,
    )
