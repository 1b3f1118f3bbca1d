"""Chooses a range that was not offered."""

from raw import Stream

stream = Stream()
for question in stream.questions():
    stream.act(question.decision_id, range=9999, amount=1)
