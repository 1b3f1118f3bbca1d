"""The bots that dialled in: who is here, who is free to play, and which token opens which door.

A bot is account + version: a new version is a new player. A token holds one connection, and a bot is at one
table at a time.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue

import grpc

from arena.errors import StoreError
from arena.hub.news import News
from arena.seats import Answer, Inbox
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
        self.busy = False
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


class Guests:
    """All bots that are here; thread-safe. `admit` is what PlayServer asks about tokens it does not know."""

    def __init__(self, tokens: Tokens, news: News, resume_s: float) -> None:
        """Nobody is here."""
        self._tokens = tokens
        self._news = news
        self._resume_s = resume_s
        self._lock = threading.RLock()
        self._doors: dict[BotSpec, GuestDoor] = {}
        self._wanted: dict[object, frozenset[BotSpec]] = {}
        self._gone: dict[BotSpec, float] = {}

    # ---- coming and going

    def admit(self, join: play_pb2.Join, peer: str) -> GuestDoor | None:
        """The door that a Join opens; None: the token is unknown or revoked; Refused: anything else."""
        try:
            token = self._tokens.check(join.token)
        except StoreError as error:  # nobody's fault: it may dial again
            raise Refused(
                grpc.StatusCode.UNAVAILABLE, f"the server cannot read its database: {error}"
            ) from None
        if token is None:
            self._news.tell("refused", f"a token that is not known, from {host_of(peer)}", host=host_of(peer))
            return None
        version = join.version or "1"
        if not VERSION.fullmatch(version):
            raise Refused(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"version {version[:60]!r}: use up to 40 letters, digits and ._+-, no sign first",
            )
        door = self._door(remote_bot(token.player, version), token, join)
        door.host = host_of(peer)
        self._tokens.note_join(token.id, version)
        return door

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
        sentences = {
            "joined": f"{door.name} joined from {door.host or 'this host'}",
            "back": f"{door.name} is back",
            "away": f"{door.name} lost its connection; it may resume",
            "gone": f"{door.name} is gone: {door.fault[1] if door.fault else ''}",
        }
        self._news.tell(what, sentences[what], bot=door.name, host=door.host)

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
