"""A bot's connection, as its door sees it: messages out, their spelling both ways, and how it is to end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import ClassVar

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from arena.server.codec import plain_acts
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.server.ledger import Act
from arena.server.questions import Asked, Wishes, packed_messages, typed_messages
from arena.v1 import play_pb2

# What may wait for a bot that does not read; more than the platform has to say at once.
MAX_WAITING_BYTES = 16 * 1024 * 1024


class Refused(Exception):
    """A Join that is not accepted, with the status the stream ends with."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        """Keep both for the one who ends the stream."""
        self.code = code
        super().__init__(message)


class Connection(ABC):
    """One way to a joined bot; every method may be called from any thread, and none waits for the bot.

    `resumable`: a broken one may be followed by another. `typed`: the form a bot gets that asks for none.
    """

    protocol: ClassVar[str]
    resumable: ClassVar[bool]
    typed: ClassVar[bool]

    def __init__(self, peer: str = "") -> None:
        """Open, and well; `peer` is gRPC's name of the other end, where there is one."""
        self.peer = peer
        self.refusal: Refused | None = None

    @abstractmethod
    def send(self, message: play_pb2.PlayResponse) -> int:
        """Send one message, or keep it until the bot reads; how many bytes it has not taken yet."""

    @abstractmethod
    def ask(self, asked: Iterable[Asked], wishes: Wishes) -> int:
        """Send questions in the form that the bot wants; how many bytes it has not taken yet."""

    @abstractmethod
    def close(self, refusal: Refused | None = None) -> None:
        """End the connection once all is sent, well or with a status."""

    def read(self, data: bytes) -> Sequence[Act] | play_pb2.PlayRequest:
        """The answers in some bytes, or the message if it holds none; ValueError says what is wrong."""
        request = self.decode(data)
        acts = request.acts.acts
        return [(act.decision_id, act.range, act.amount, act.actions) for act in acts] or request

    @abstractmethod
    def decode(self, data: bytes) -> play_pb2.PlayRequest:
        """The message of some bytes; ValueError says what is wrong with them."""

    @abstractmethod
    def quote(self, data: bytes) -> str:
        """The same for people: JSON text where it is a message."""


class Stream(Connection):
    """A gRPC stream: a queue of serialised messages that the call's own thread sends."""

    protocol = "grpc"
    resumable = True
    typed = False

    def __init__(self, peer: str = "") -> None:
        """Nothing to send yet."""
        super().__init__(peer)
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        # Each is written by one thread alone.
        self._queued = self._taken = 0

    def send(self, message: play_pb2.PlayResponse) -> int:
        """Queue one message."""
        return self._put(message.SerializeToString())

    def ask(self, asked: Iterable[Asked], wishes: Wishes) -> int:
        """Queue questions, in packed form by a shorter way."""
        waiting = 0
        if wishes.typed:
            for message in typed_messages(asked, wishes):
                waiting = self.send(message)
        else:
            for data in packed_messages(asked, wishes):
                waiting = self._put(data)
        return waiting

    def _put(self, data: bytes) -> int:
        self._queued += len(data)
        waiting = self._queued - self._taken
        self._queue.put(data)  # at last: the thread that it wakes would only wait for this one
        return waiting

    def close(self, refusal: Refused | None = None) -> None:
        """End the stream once all is sent."""
        if self.refusal is None:
            self.refusal = refusal
        self._queue.put(None)

    def outgoing(self) -> Iterator[bytes]:
        """What is to be sent, until closed."""
        for data in iter(self._queue.get, None):
            yield data
            self._taken += len(data)  # gRPC asks for the next when this one has left

    def read(self, data: bytes) -> Sequence[Act] | play_pb2.PlayRequest:
        """Plain answers by a shorter way."""
        return plain_acts(data) or super().read(data)

    def decode(self, data: bytes) -> play_pb2.PlayRequest:
        """Parse the binary form."""
        try:
            return play_pb2.PlayRequest.FromString(data)
        except DecodeError:
            raise ValueError(f"a message of {len(data)} bytes that is no PlayRequest") from None

    def quote(self, data: bytes) -> str:
        """JSON, or the first bytes of what is no message, or is too long to be read."""
        if len(data) > MAX_MESSAGE_BYTES:
            return f"a message of {len(data)} bytes: {data[:64].hex(' ')}"
        try:
            return json_format.MessageToJson(self.decode(data), indent=None)
        except ValueError as error:
            return f"{error}: {data[:64].hex(' ')}"
