"""A bot that does not think: it answers with the first range as soon as it can. For calibration alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from queue import SimpleQueue


def over_grpc() -> None:
    """Play on the stream at ARENA_ADDRESS until it ends."""
    import grpc

    from arena.v1 import play_pb2, play_pb2_grpc

    out: SimpleQueue[play_pb2.PlayRequest] = SimpleQueue()
    out.put(play_pb2.PlayRequest(join=play_pb2.Join(token=os.environ["ARENA_TOKEN"], name="noop")))
    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        for response in play_pb2_grpc.PlayServiceStub(channel).Play(iter(out.get, None)):
            for decide in response.decides.decides:
                act = play_pb2.Act(decision_id=decide.decision_id, range=0)
                out.put(play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[act])))


def over_lines(lines: Iterable[str]) -> Iterator[str]:
    """What to write for what is read, line by line."""
    yield json.dumps({"join": {"name": "noop"}})
    for line in lines:
        for decide in json.loads(line).get("decides", {}).get("decides", ()):
            act = {"decisionId": decide["decisionId"], "range": 0}
            yield json.dumps({"acts": {"acts": [act]}})


if __name__ == "__main__":
    if sys.argv[1] == "grpc":
        over_grpc()
    else:
        for answer in over_lines(sys.stdin):
            print(answer, flush=True)
