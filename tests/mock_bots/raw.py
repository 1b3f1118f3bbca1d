"""A stream to the server without arena.client's good manners, for bots that misbehave on the wire."""

from __future__ import annotations

import os
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any, TypeAlias

import grpc

from arena.v1 import play_pb2

Request: TypeAlias = play_pb2.PlayRequest
Response: TypeAlias = play_pb2.PlayResponse


class Stream:
    """Joined; `send` takes bytes or a message, iterating gives the server's messages."""

    def __init__(self, connection_id: str = "", acknowledged: int = 0, max_questions: int = 0) -> None:
        self._out: SimpleQueue[bytes] = SimpleQueue()
        self._channel = grpc.insecure_channel(os.environ["ARENA_ADDRESS"])
        grpc.channel_ready_future(self._channel).result(timeout=60)
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(
            "/arena.v1.PlayService/Play"
        )
        join = play_pb2.Join(
            token=os.environ["ARENA_TOKEN"],
            name="mock",
            connection_id=connection_id,
            acknowledged=acknowledged,
            max_questions=max_questions,
        )
        self.send(Request(join=join))
        self._answers = call(iter(self._out.get, None))

    def send(self, what: bytes | Request) -> None:
        self._out.put(what if isinstance(what, bytes) else what.SerializeToString())

    def act(self, decision_id: int, **answer: Any) -> None:
        act = play_pb2.Act(decision_id=decision_id, **answer)
        self.send(Request(acts=play_pb2.ActBatch(acts=[act])))

    def __iter__(self) -> Iterator[Response]:
        return (Response.FromString(data) for data in self._answers)

    def questions(self) -> Iterator[play_pb2.Decide]:
        for message in self:
            yield from message.decides.decides

    def break_off(self) -> None:
        """Cut the connection without a word."""
        self._channel.close()


def lowest(question: play_pb2.Decide) -> int:
    """The lowest amount of the question's first range."""
    return int.from_bytes(question.legal[4:8], "little", signed=True)


def play_on(stream: Stream) -> None:
    """Answer everything with the first legal action."""
    for question in stream.questions():
        stream.act(question.decision_id, range=0, amount=lowest(question))
