"""Ends without an error at its tenth question."""

import sys

from raw import Stream, lowest

stream = Stream()
for number, question in enumerate(stream.questions(), 1):
    if number == 10:
        sys.exit(0)
    stream.act(question.decision_id, range=0, amount=lowest(question))
