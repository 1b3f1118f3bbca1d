"""One stream of a bot, as its door sees it: a queue of outgoing bytes, and how it is to end."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue

import grpc


class Refused(Exception):
    """A Join that is not accepted, with the status the stream ends with."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        """Keep both for the one who ends the stream."""
        self.code = code
        super().__init__(message)


class Connection:
    """Outgoing side of a stream; every method may be called from any thread."""

    def __init__(self) -> None:
        """Nothing to send yet."""
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.refusal: Refused | None = None

    def send(self, data: bytes) -> None:
        """Queue one serialised PlayResponse."""
        self._queue.put(data)

    def close(self, refusal: Refused | None = None) -> None:
        """End the stream once all is sent, well or with a status."""
        if self.refusal is None:
            self.refusal = refusal
        self._queue.put(None)

    def outgoing(self) -> Iterator[bytes]:
        """What is to be sent, until closed."""
        return iter(self._queue.get, None)
