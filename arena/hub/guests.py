"""The bots that dialled in: who is here, who is free to play, and which token opens which door.

A bot is account + version: a new version is a new player. A token holds one connection, and a bot is at one
table at a time.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue

import grpc

from arena.clocks import NO_WAY, RoundTrip
from arena.errors import StoreError
from arena.hub.network import Peer, TcpWay, peer_of, round_trip, ways
from arena.hub.news import News, shown
from arena.seats import Answer, Inbox, Question
from arena.server import RemoteDoor
from arena.server.connection import Connection, Refused
from arena.server.joins import host_of
from arena.server.play import JOIN_S
from arena.spec import remote_bot
from arena.store.tokens import TokenRow, Tokens
from arena.types import BotSpec, FaultKind
from arena.v1 import play_pb2

VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
# What an absence costs at least, so that it is no way to set a decision's clock back again and again.
LEAST_ABSENCE_S = 1.0
REVOKED = "this token was revoked; ask whoever runs the tournament for another"
NO_DATABASE = "the server cannot use its database at the moment; dial again in a while"
# A token may join so often at once, and once more every so many seconds: each join is written down.
JOINS_AT_ONCE, JOIN_EVERY_S = 30, 1.0
# And as a version that never came before, which may become one more rated player.
VERSIONS_AT_ONCE, VERSION_EVERY_S = 5, 3600.0
# What the network may take at most without being billed.
NETWORK_S = 1.0


class Relay(SimpleQueue[Answer]):
    """A bot's inbox that outlives its matches: what is put in goes to the table where the bot plays."""

    table: Inbox | None = None

    def put(self, item: Answer, block: bool = True, timeout: float | None = None) -> None:
        """Pass an answer on; between matches there is nobody to hear it."""
        if (table := self.table) is not None:
            table.put(item, block, timeout)


class GuestDoor(RemoteDoor):
    """The door of one bot that dialled in; it stays from match to match.

    While its stream is cut, the clock of its open questions stands still, for `resume_s` seconds a match in
    all; what is left of them when they are used up is a disconnect.
    """

    def __init__(
        self, bot: BotSpec, token: TokenRow, secret: str, resume_s: float, on_change: OnChange
    ) -> None:
        """Nobody has joined yet."""
        self._relay = Relay()
        self.bot = bot
        self.token_id = token.id
        self.host = ""
        self.peer: Peer | None = None
        self.busy = False
        self._way = NO_WAY
        self._allowance_s = resume_s
        self._left_at: float | None = None
        self._on_change = on_change
        super().__init__(
            f"{bot.target} {bot.version}",
            secret,
            self._relay,
            start_s=JOIN_S,
            resume_s=resume_s,
            guard="remote",
            protocol="remote",
        )

    @property
    def way(self) -> RoundTrip:
        """What the network takes to it and back, as far as that was measured."""
        return self._way

    def measured(self, way: TcpWay, most_s: float) -> None:
        """Take the network's round trips, of which at most `most_s` count; the shortest of a stream stays."""
        now = round_trip(way, most_s)
        least_s = min(now.median_s, self._way.median_s) if self._way is not NO_WAY else now.median_s
        self._way = RoundTrip(least_s, now.p99_s)

    def ask(self, questions: Sequence[Question]) -> None:
        """Send questions; what the network takes is not billed."""
        way = self._way
        if way is not NO_WAY:
            for question in questions:
                question.transport_s += way.median_s
                question.margin_s += way.p99_s
        super().ask(questions)

    @property
    def connected(self) -> bool:
        """Whether its stream is there."""
        return self._connection is not None and self.fault is None and not self._closed

    @property
    def usable(self) -> bool:
        """Whether it is connected or may still resume."""
        return self.fault is None and not self._closed

    def sit_down(self, table: Inbox) -> None:
        """A match begins: what the bot says goes to its table."""
        with self._lock:
            self._resume_s = self._allowance_s
            self._relay.table = table

    def get_up(self) -> None:
        """The match is over."""
        self._relay.table = None

    def attach(self, connection: Connection, join: play_pb2.Join) -> None:
        """A stream has joined: for the first time, once more, or in the place of one that is dead."""
        with self._lock:
            super().attach(connection, join)
            self.host, self.peer = host_of(connection.peer), peer_of(connection.peer)
            self._way = NO_WAY
            now, left_at = time.monotonic(), self._left_at
            self._left_at = None
            if left_at is not None:
                self._resume_s = max(0.0, self._resume_s - max(LEAST_ABSENCE_S, now - left_at))
                self.ready_at = now
        self._on_change(self, "joined" if left_at is None else "back")

    def detach(self, connection: Connection) -> None:
        """A stream has ended; what is left of the allowance runs."""
        with self._lock:
            current = connection is self._connection
            if current and self.usable:
                self._left_at = time.monotonic()
                self.ready_at = self._left_at + self._resume_s
            super().detach(connection)
        if current and self.usable:
            self._on_change(self, "away")

    def close(self) -> None:
        """End the stream, and whatever game it plays."""
        with self._lock:
            for question in self._ledger.take_open():
                key = question.game_id, question.seat, question.decision_id
                self._report(*key, "disconnect", "the server stops")
        super().close()

    def _fail(self, kind: FaultKind, message: str) -> None:
        super()._fail(kind, message)
        self._on_change(self, "gone")


OnChange = Callable[[GuestDoor, str], None]


def _pay(paid: dict[int, float], token_id: int, at_once: int, every_s: float) -> int:
    """Count what a token may do `at_once` times and once more every so many seconds.

    0: it is counted; else it is not, and may be done in so many seconds. `paid` is when all that was done is
    paid for, by token: a leaky bucket in one number.
    """
    now = time.monotonic()
    until = max(paid.get(token_id, now), now) + every_s
    wait_s = until - now - at_once * every_s
    if wait_s <= 0.0:
        paid[token_id] = until
    return max(0, math.ceil(wait_s))


class Guests:
    """All bots that are here; thread-safe. `admit` is what PlayServer asks about tokens it does not know."""

    def __init__(self, tokens: Tokens, news: News, resume_s: float, network_s: float = NETWORK_S) -> None:
        """Nobody is here; of what the network takes, at most `network_s` count for a decision."""
        self._network_s = network_s
        self._unmeasured = network_s <= 0.0
        self._tokens = tokens
        self._news = news
        self._resume_s = resume_s
        self._lock = threading.RLock()
        self._doors: dict[BotSpec, GuestDoor] = {}
        self._wanted: dict[object, frozenset[BotSpec]] = {}
        self._gone: dict[BotSpec, float] = {}
        # By token, when all its joins and new versions so far are paid for.
        self._paid: dict[int, float] = {}
        self._paid_versions: dict[int, float] = {}
        self._versions: set[BotSpec] = set()  # that came, of which some have not played yet

    # ---- coming and going

    def admit(self, join: play_pb2.Join, peer: str) -> GuestDoor | None:
        """The door that a Join opens; None: the token is unknown; Refused: anything else."""
        try:
            return self._admit(join, peer)
        except StoreError as error:  # nobody's fault: it may dial again; the rest is not its business
            text = f"a join from {host_of(peer)}, since the database fails: {error}"
            self._news.tell("refused", text, host=host_of(peer))
            raise Refused(grpc.StatusCode.UNAVAILABLE, NO_DATABASE) from None

    def _admit(self, join: play_pb2.Join, peer: str) -> GuestDoor | None:
        """See admit; StoreError: the database is not to be used."""
        token = self._tokens.check(join.token)
        if token is None:
            revoked = self._tokens.was_revoked(join.token)
            what = f"a token that {'was revoked' if revoked else 'is not known'}, from {host_of(peer)}"
            self._news.tell("refused", what, host=host_of(peer))
            if revoked:
                raise Refused(grpc.StatusCode.UNAUTHENTICATED, REVOKED)
            return None
        version = join.version or "1"
        if not VERSION.fullmatch(version):
            raise Refused(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"version {version[:60]!r}: use up to 40 letters, digits and ._+-, no sign first",
            )
        bot = remote_bot(token.player, version)
        self._count_version(token, bot)
        self._count_join(token.id)
        door = self._door(bot, token, join)
        self._tokens.note_join(token.id, version)
        return door

    def _count_join(self, token_id: int) -> None:
        """Let a token join; Refused when it has done so too often."""
        with self._lock:
            if wait_s := _pay(self._paid, token_id, JOINS_AT_ONCE, JOIN_EVERY_S):
                raise Refused(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    f"too many joins with this token; try again in {wait_s} s",
                )

    def _count_version(self, token: TokenRow, bot: BotSpec) -> None:
        """Let a token come as a new player; Refused when it has done so too often."""
        if bot in self._versions or self._tokens.plays(bot):
            return
        with self._lock:
            if bot in self._versions:  # by another of its streams, at the same moment
                return
            if wait_s := _pay(self._paid_versions, token.id, VERSIONS_AT_ONCE, VERSION_EVERY_S):
                raise Refused(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    f"too many new versions with this token: {VERSIONS_AT_ONCE} may come at once, one more "
                    f"every {VERSION_EVERY_S:g} s; join as version {bot.version} in {wait_s} s, "
                    "or now as one that has played",
                )
            self._versions.add(bot)

    def _door(self, bot: BotSpec, token: TokenRow, join: play_pb2.Join) -> GuestDoor:
        with self._lock:
            door = self._doors.get(bot)
            if door is not None and door.usable:
                if door.token_id != token.id:
                    raise Refused(
                        grpc.StatusCode.ALREADY_EXISTS,
                        f"{door.name} is connected with another token of {bot.target}; "
                        "give this process another version, or end that one",
                    )
                return door
            if join.connection_id:
                raise Refused(grpc.StatusCode.NOT_FOUND, "no such connection; join without connection_id")
            others = [other for other in self._doors.values() if other.token_id == token.id]
            door = self._doors[bot] = GuestDoor(bot, token, join.token, self._resume_s, self._changed)
        door.expect()
        for other in others:  # not with the lock held: they tell of it
            other.dismiss(f"its token joined again, as version {bot.version}")
        return door

    def _changed(self, door: GuestDoor, what: str) -> None:
        """A door tells of itself, maybe with its lock held: nobody may call a door with ours held."""
        with self._lock:
            if what == "gone" and self._doors.get(door.bot) is door:
                del self._doors[door.bot]
                self._gone[door.bot] = time.monotonic()
        if what in ("joined", "back"):
            self.measure()
        name = shown(door.bot)
        way = f", {1000.0 * door.way.median_s:.1f} ms there and back" if door.way is not NO_WAY else ""
        sentences = {
            "joined": f"{name} joined from {door.host or 'this host'}{way}",
            "back": f"{name} is back{way}",
            "away": f"{name} lost its connection; it may resume",
            "gone": f"{name} is gone: {door.fault[1] if door.fault else ''}",
        }
        network_ms = round(1000.0 * door.way.median_s, 3)
        self._news.tell(what, sentences[what], bot=door.name, host=door.host, network_ms=network_ms)

    def measure(self) -> None:
        """Look how long the network takes to each bot; where nobody says, nothing counts."""
        doors = [door for door in self.everybody() if door.peer is not None and door.connected]
        if self._unmeasured or not doors:
            return
        try:
            found = ways()
        except OSError as error:
            self._unmeasured = True
            text = f"what the network takes cannot be measured here ({error}); give `decision` a margin"
            self._news.tell("unmeasured", text, error=str(error))
            return
        for door in doors:
            if door.peer in found:
                door.measured(found[door.peer], self._network_s)

    def send_away_revoked(self) -> None:
        """End the streams of tokens that were revoked meanwhile."""
        with self._lock:
            doors = list(self._doors.values())
        if doors:
            revoked = self._tokens.revoked(door.token_id for door in doors)
            for door in doors:
                if door.token_id in revoked:
                    door.dismiss("its token was revoked")

    def close(self) -> None:
        """Send everybody home."""
        with self._lock:
            doors = list(self._doors.values())
            self._doors.clear()
        for door in doors:
            door.close()

    # ---- who plays

    def here(self) -> tuple[GuestDoor, ...]:
        """The bots that are connected, playing or not, in the order in which they came."""
        with self._lock:
            return tuple(door for door in self._doors.values() if door.connected)

    def everybody(self) -> tuple[GuestDoor, ...]:
        """The bots that are connected or may still resume, in the order in which they came."""
        with self._lock:
            return tuple(door for door in self._doors.values() if door.usable)

    def wanted(self, bot: BotSpec) -> bool:
        """Whether a tournament has matches for a bot."""
        with self._lock:
            return any(bot in bots for bots in self._wanted.values())

    def find(self, bot: BotSpec) -> GuestDoor | None:
        """The door of a bot that is connected or may still resume."""
        with self._lock:
            return self._doors.get(bot)

    def gone_since(self, bot: BotSpec) -> float:
        """When (time.monotonic) a bot that was here was given up; 0 when it never was."""
        with self._lock:
            return self._gone.get(bot, 0.0)

    def claim(self, bots: Sequence[BotSpec]) -> dict[BotSpec, GuestDoor] | None:
        """Take bots for a match, all or none: each must be connected and free."""
        with self._lock:
            doors = {bot: door for bot in bots if (door := self._doors.get(bot)) and door.connected}
            if len(doors) < len(bots) or any(door.busy for door in doors.values()):
                return None
            for door in doors.values():
                door.busy = True
            return doors

    def release(self, doors: Iterable[GuestDoor]) -> None:
        """Give bots back after a match."""
        with self._lock:
            for door in doors:
                door.busy = False

    def want(self, who: object, bots: Iterable[BotSpec]) -> None:
        """Note which bots a tournament waits for: the lobby leaves them alone."""
        with self._lock:
            self._wanted[who] = frozenset(bots)

    def idle(self) -> tuple[GuestDoor, ...]:
        """The bots that are connected, free, and not waited for by a tournament."""
        with self._lock:
            wanted = frozenset().union(*self._wanted.values())
            return tuple(door for door in self.here() if not door.busy and door.bot not in wanted)
