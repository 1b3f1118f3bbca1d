"""Answers with bytes that are no message."""

from raw import Stream

stream = Stream()
for _ in stream.questions():
    stream.send(b"\xff\xfe\xfd garbage")
