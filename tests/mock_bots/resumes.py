"""Cuts its stream after the tenth question, resumes it and plays on; says what was sent again."""

import sys

from raw import Stream, lowest, play_on

stream = Stream()
connection_id, received = "", 0
for message in stream:
    if message.HasField("welcome"):
        connection_id = message.welcome.connection_id
    for question in message.decides.decides:
        received = question.decision_id
        if received < 10:
            stream.act(received, range=0, amount=lowest(question))
    if received == 10:
        break
stream.break_off()
stream = Stream(connection_id, received)
first, second = next(iter(stream)), next(iter(stream))
print(
    first.welcome.resumed,
    second.WhichOneof("content"),
    second.decides.decides[0].decision_id,
    file=sys.stderr,
)
question = second.decides.decides[0]
stream.act(question.decision_id, range=0, amount=lowest(question))
play_on(stream)
