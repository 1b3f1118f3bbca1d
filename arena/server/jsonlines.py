"""The door for bots without gRPC: a line in is a PlayRequest, a line out a PlayResponse, over two pipes.

The launcher makes the pipes and hands the server's ends over on a Unix socket, with the bot's token. A line
that is no object with a PlayRequest's name is the bot's own chatter, kept as its output, up to a message at
its end. One thread a bot reads, and writes what the pipe could not take at once; nothing waits for bots that
do not read.
"""

from __future__ import annotations

import logging
import os
import select
import shutil
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from arena.launcher.folders import socket_folder
from arena.server.connection import Connection, Refused
from arena.server.door import RemoteDoor
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.server.questions import Asked, Wishes, packed_messages, typed_lines
from arena.server.spelling import (
    NAMELESS,
    claims_message,
    line_of,
    looks_like_message,
    message_behind,
    request_of,
    shown,
    suspicion,
)
from arena.v1 import play_pb2

CHUNK_BYTES = 65536
MAX_TOKEN_BYTES = 256
HANDOVER_S = 5.0
# How long what is still to be said may take once the connection is to end.
FLUSH_S = 1.0
_log = logging.getLogger(__name__)

FindDoor = Callable[[str], RemoteDoor | None]


class Piece(NamedTuple):
    """A line that claims to be a message, or a piece of chatter."""

    message: bool
    data: bytes


class Lines:
    """Cuts what a bot writes into lines; never keeps more of one than a message may have."""

    def __init__(self) -> None:
        """At the start of a line."""
        self._line = bytearray()
        self._cut = False
        self._suspicion = ""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The lines that `data` completes, and the start of one that is too long."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._line += end
            yield from self._take()
            self._cut = False
        self._line += rest
        if len(self._line) > MAX_MESSAGE_BYTES or (self._cut and self._line):
            yield from self._take()
            self._cut = True

    def end(self) -> Iterator[Piece]:
        """What there is of a last line without an end."""
        if self._line:
            yield from self._take()

    def hint(self) -> str:
        """Of what came behind the last message: what looks like one and was not taken; for any thread."""
        begun = bytes(self._line)
        if begun.startswith(b"{") or looks_like_message(begun):
            return suspicion(begun, "it has no end yet: write a newline, and flush")
        return self._suspicion

    def _take(self) -> Iterator[Piece]:
        """The line as it is: a message, chatter, or a message behind chatter."""
        line = bytes(self._line)
        self._line.clear()
        start, why = 0, ""
        if self._cut or not claims_message(line):
            start, why = message_behind(line)
            if start >= 0 and self._cut:
                start, why = -1, f"its line has more than {MAX_MESSAGE_BYTES} bytes"
            if start < 0 and not (why or self._cut or self._suspicion) and line.startswith(b"{"):
                why = NAMELESS
        self._suspicion = suspicion(line, why) if why else "" if start >= 0 else self._suspicion
        if start < 0:
            yield Piece(False, line)
            return
        if line[:start].strip():
            yield Piece(False, line[:start])
        yield Piece(True, line[start:])


class Pipes(Connection):
    """Two pipes to a process; `pieces` is its reading side and does what `send` could not do at once."""

    protocol = "jsonlines"
    resumable = False
    typed = True

    def __init__(self, reading: int, writing: int) -> None:
        """Take the descriptors over."""
        super().__init__()
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)
            os.set_inheritable(descriptor, False)
        self._reading, self._writing = reading, writing
        self._lines = Lines()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = threading.Lock()
        self._backlog: deque[bytes] = deque()
        self._waiting = 0
        self._close_at: float | None = None
        self._deaf = self._released = False

    def send(self, message: play_pb2.PlayResponse) -> int:
        """Write a message, or what of it the pipe takes now."""
        return self._write(line_of(message))

    def ask(self, asked: Iterable[Asked], wishes: Wishes) -> int:
        """Write questions, in typed form by a shorter way."""
        waiting = 0
        if wishes.typed:
            for line in typed_lines(asked, wishes):
                waiting = self._write(line)
        else:
            for data in packed_messages(asked, wishes):
                waiting = self.send(play_pb2.PlayResponse.FromString(data))
        return waiting

    def _write(self, data: bytes) -> int:
        """Write, or keep, what is no longer in vain; how many bytes the pipe could not take yet."""
        with self._lock:
            if self._close_at is not None or self._deaf:
                return 0
            self._backlog.append(data)
            self._waiting += len(data)
            if len(self._backlog) == 1:
                self._flush()
            if self._backlog:
                os.eventfd_write(self._wake, 1)
            return self._waiting

    def close(self, refusal: Refused | None = None) -> None:
        """End the process's input once all is written; what it does not take within a second is lost."""
        with self._lock:
            if self._close_at is None:
                self.refusal = refusal
                self._close_at = time.monotonic() + FLUSH_S
                if not self._released:
                    os.eventfd_write(self._wake, 1)

    def decode(self, data: bytes) -> play_pb2.PlayRequest:
        """Parse a line."""
        return request_of(data)

    def quote(self, data: bytes) -> str:
        """The line itself."""
        return data.decode("utf-8", errors="replace")

    def hint(self) -> str:
        """What the bot wrote that looks like a message but is none; "" if nothing did."""
        return self._lines.hint()

    def pieces(self) -> Iterator[tuple[Piece, float]]:
        """What the bot writes, each with its time.monotonic(), until its output ends or close() is done."""
        poll = select.poll()
        poll.register(self._reading, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while not self._done():
            if not self._deaf:
                poll.register(self._writing, select.POLLOUT if self._backlog else 0)
            ready = dict(poll.poll(self._patience()))
            received = time.monotonic()
            if self._wake in ready:
                os.eventfd_read(self._wake)
            if self._writing in ready:
                self._write_on(hung_up=not ready[self._writing] & select.POLLOUT)
                if self._deaf:
                    poll.unregister(self._writing)
            if self._reading in ready and self._close_at is not None:
                poll.unregister(self._reading)  # it is heard no more, and must not keep waking us
            elif self._reading in ready:
                data = os.read(self._reading, CHUNK_BYTES)
                for piece in self._lines.feed(data) if data else self._lines.end():
                    yield piece, received
                if not data:
                    return

    def release(self) -> None:
        """Give the descriptors back; the reading thread's last act."""
        with self._lock:
            self._deaf = self._released = True
            for descriptor in (self._reading, self._writing, self._wake):
                os.close(descriptor)

    def _done(self) -> bool:
        if self._close_at is None:
            return False
        return not self._backlog or time.monotonic() > self._close_at

    def _patience(self) -> float | None:
        """How long poll may wait, in milliseconds."""
        return None if self._close_at is None else max(0.0, 1000.0 * (self._close_at - time.monotonic()))

    def _write_on(self, *, hung_up: bool) -> None:
        with self._lock:
            if hung_up:
                self._fall_deaf()
            else:
                self._flush()

    def _flush(self) -> None:
        """Write what the pipe takes; with the lock held."""
        try:
            while self._backlog:
                data = self._backlog[0]
                written = os.write(self._writing, data)
                self._waiting -= written
                if written < len(data):
                    self._backlog[0] = data[written:]
                    return
                self._backlog.popleft()
        except BlockingIOError:
            return
        except OSError:
            self._fall_deaf()

    def _fall_deaf(self) -> None:
        """The bot has closed its input: what it says, or its exit, decides what that means."""
        self._deaf = True
        self._backlog.clear()
        self._waiting = 0


class JsonLines:
    """Takes pipes of bots over on `address`, a socket in a private folder, and serves each by a thread."""

    def __init__(self, find_door: FindDoor) -> None:
        """Listen at once."""
        self._find_door = find_door
        self._folder = Path(socket_folder())  # the next run removes it, should we be killed
        self.address = str(self._folder / "pipes")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(self.address)
        self._socket.listen(64)
        self._thread = threading.Thread(target=self._accept, name="pipes", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more pipes, and remove the folder; bots that are served end with their doors."""
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._thread.join(HANDOVER_S)
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._take_over, args=(peer,), name="pipes", daemon=True).start()

    def _take_over(self, peer: socket.socket) -> None:
        """Receive one bot's pipes, and serve it to the end."""
        with peer:
            peer.settimeout(HANDOVER_S)
            try:
                token, descriptors, _, _ = socket.recv_fds(peer, MAX_TOKEN_BYTES, 2)
            except OSError as error:
                _log.warning("no pipes came: %s", error)
                return
        door = self._find_door(token.decode("utf-8", errors="replace"))
        if door is None or len(descriptors) != 2:
            # A bot that is over before its pipes are here is no news; its own end says what there is to say.
            owner = "a seat that is unknown, or over" if door is None else door.name
            _log.debug("closed %d pipes of %s", len(descriptors), owner)
            for descriptor in descriptors:
                os.close(descriptor)
            return
        threading.current_thread().name = f"read {door.name}"
        _serve(Pipes(*descriptors), door)


def _serve(pipes: Pipes, door: RemoteDoor) -> None:
    joined = False
    door.overhears = pipes.hint
    try:
        for piece, received in pipes.pieces():
            if not piece.message:
                door.chatter(piece.data, received)
            elif joined:
                door.receive(pipes, piece.data, received)
            else:
                joined = _join(pipes, door, piece.data)
                if not joined:
                    pipes.close()
    finally:
        door.detach(pipes)
        pipes.release()


def _join(pipes: Pipes, door: RemoteDoor, line: bytes) -> bool:
    """Let a bot in by its first message; a wrong one is its fault at once, for it would wait for ever."""
    try:
        request = request_of(line)
        if request.WhichOneof("content") != "join":
            raise ValueError(
                f'the first message must be a join, such as {{"join":{{}}}}, not `{shown(line)}`'
            )
        if request.join.token not in ("", door.token):
            raise ValueError("its join has another token than ARENA_TOKEN; leave it out, its pipes are known")
        request.join.ClearField("connection_id")  # pipes cannot be resumed
        door.attach(pipes, request.join)
    except ValueError as error:
        door.reject(pipes, line, str(error))
        return False
    except Refused as refusal:
        if door.fault is None:  # else its fault has told why
            _log.warning("%s may not join: %s", door.name, refusal)
        return False
    return True
