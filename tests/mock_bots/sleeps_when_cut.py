"""Cuts its stream at the tenth question, stays away for so many seconds, then resumes and plays on."""

import sys
import time

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
    if received >= 10:
        break
stream.break_off()
time.sleep(float(sys.argv[1]))
play_on(Stream(connection_id, received))
