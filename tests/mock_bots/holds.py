"""Thinks for a moment about each question, and ends with code 9 if it ever holds more than it may.

Arguments: how many questions it may hold, and how many it asks for in its Join (0: leaves it to the server).
"""

import sys
import threading
from queue import Empty, SimpleQueue

from raw import Stream, lowest

from arena.v1 import play_pb2

may_hold, asks_for = map(int, sys.argv[1:])
stream = Stream(max_questions=asks_for)
arrived: SimpleQueue[play_pb2.Decide | None] = SimpleQueue()


def read() -> None:
    for question in stream.questions():
        arrived.put(question)
    arrived.put(None)


threading.Thread(target=read, daemon=True).start()
held: list[play_pb2.Decide | None] = []
while True:
    try:
        held.append(arrived.get(timeout=None if not held else 0.005))
        continue
    except Empty:
        pass
    if None in held:
        break
    if len(held) > may_hold:
        print(f"holds {len(held)} questions", file=sys.stderr)
        sys.exit(9)
    question = held.pop()
    assert question is not None
    stream.act(question.decision_id, range=0, amount=lowest(question))
