"""Answers its third question and then a question that nobody asked, again and again."""

from raw import Stream, lowest

stream = Stream()
for number, question in enumerate(stream.questions(), 1):
    stream.act(question.decision_id, range=0, amount=lowest(question))
    if number == 3:
        for _ in range(20_000):
            stream.act(2**31)
