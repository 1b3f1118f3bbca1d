"""Cuts its stream at the tenth question and lives on."""

import time

from raw import Stream, lowest

stream = Stream()
for number, question in enumerate(stream.questions(), 1):
    if number == 10:
        stream.break_off()
        time.sleep(3600)
    stream.act(question.decision_id, range=0, amount=lowest(question))
