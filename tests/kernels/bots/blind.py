"""Knows the wire and no game: takes the lowest of the first range, or plans the lowest of every range."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from queue import SimpleQueue

import grpc

from arena.v1 import play_pb2, play_pb2_grpc, rules_pb2


def lowest(entry: rules_pb2.ActionRange) -> rules_pb2.Action:
    return rules_pb2.Action(kind=entry.kind, a=entry.a, b=entry.b, c=entry.c, n=entry.lo)


def answers(question: play_pb2.Decide, planning: bool) -> play_pb2.PlayRequest:
    actions = [lowest(entry) for entry in question.typed_legal]
    act = play_pb2.Act(decision_id=question.decision_id, actions=actions if planning else actions[:1])
    return play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[act]))


def main(planning: bool) -> None:
    requests: SimpleQueue[play_pb2.PlayRequest] = SimpleQueue()
    join = play_pb2.Join(token=os.environ["ARENA_TOKEN"], name="blind", encoding=play_pb2.ENCODING_TYPED)
    requests.put(play_pb2.PlayRequest(join=join))

    def outgoing() -> Iterator[play_pb2.PlayRequest]:
        return iter(requests.get, None)

    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        for message in play_pb2_grpc.PlayServiceStub(channel).Play(outgoing()):
            for question in message.decides.decides:
                requests.put(answers(question, planning))


main("plan" in sys.argv)
