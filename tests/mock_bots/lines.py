"""A JSON-lines bot that plays the first legal action and misbehaves as its argument says; needs no packages.

chatter      writes all kinds of other things between its messages, in awkward pieces
behind       joins and answers behind other text on the same line
trails       writes other text behind its answers
no_message   answers with lines that are no PlayRequest, but claim to be
no_join      answers without having joined
other_token  joins with somebody else's token
wrong_range  answers with a range that was not offered
deaf         joins and never reads
hangs        joins, reads and never answers
babbles      writes lines without end
huge         answers with a line of two MiB
closes       closes its output at the tenth question and lives on
leaves       ends well at the tenth question
dies         writes its last answer and dies of a signal
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator

OUT = sys.stdout.fileno()


def write(data: bytes) -> None:
    while data:
        data = data[os.write(OUT, data) :]


def say(**message: object) -> None:
    write(json.dumps(message).encode() + b"\n")


def act(decision: int, **answer: int) -> None:
    say(acts={"acts": [{"decisionId": decision, **answer}]})


def questions() -> Iterator[int]:
    """The number of each question."""
    for line in sys.stdin:
        for question in json.loads(line).get("decides", {}).get("decides", []):
            yield question["decisionId"]


def chatter(decision: int) -> None:
    """An answer among things that are none."""
    answer = json.dumps({"acts": {"acts": [{"decisionId": decision}]}}).encode()
    write(b'{"decision": 1}\n{}\n{"state": {"acts": []}}\n')
    write(b"thinking hard about it\n\n\r\n \xff\x00\xfe{ 'not': \xf0\x9f }\n[1, 2]\n")
    write(b"." * (1_500_000 if decision == 1 else 50))
    write(b"\n" + answer[:7])
    time.sleep(0.001)
    write(answer[7:] + b"\r\n  {" + b"left open")
    write(b"\n")


def main(mode: str) -> None:
    if mode == "deaf":
        say(join={"name": mode})
        time.sleep(3600)
    if mode == "babbles":
        say(join={"name": mode})
        while True:
            write((b"and another thing " * 60 + b"\n") * 50)  # far too much also for who reads slowly
    if mode == "behind":
        write(b"debug ")
    if mode != "no_join":
        say(join={"name": mode, "token": "guess" if mode == "other_token" else ""})
    if mode == "no_join":
        act(1)
    for number, decision in enumerate(questions(), 1):
        if mode == "chatter":
            chatter(decision)
        elif mode == "behind":
            write(b"debug {x} 'acts': \xff{\t")
            act(decision)
        elif mode == "trails":
            answer = json.dumps({"acts": {"acts": [{"decisionId": decision}]}})
            write(b"sent " + answer.encode() + b" to the arena\n")
        elif mode == "no_message":
            say(acts={"acts": [{"decisionNumber": decision}]})
        elif mode == "wrong_range":
            act(decision, range=9999)
        elif mode == "huge":
            say(log={"text": "x" * 2**21})
        elif mode == "closes" and number == 10:
            os.close(OUT)
            time.sleep(3600)
        elif mode == "leaves" and number == 10:
            print("that is enough", file=sys.stderr)
            return
        elif mode == "dies" and number == 10:
            write(b"that hurt\n")
            act(decision)
            os.kill(os.getpid(), signal.SIGSEGV)
        elif mode == "hangs":
            time.sleep(3600)
        else:
            act(decision)


if __name__ == "__main__":
    main(sys.argv[1])
