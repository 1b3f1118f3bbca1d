"""Does it rest while it owes no answer?"""

from __future__ import annotations

import time

from arena.doctor import Patient
from arena.doctor.checks import Found, Unanswered, ask_once
from arena.doctor.positions import positions
from arena.server import RemoteDoor

ORDER = 45
NAME = "idle"
SETTLE_S = 0.5  # what a bot may tidy up behind an answer
LOOK_S = 1.0
BUSY_SHARE = 0.2  # of one core
ADVICE = (
    "wait for the next message without polling, and let threads rest between questions: "
    "what it burns then is missing to the others"
)


def examine(patient: Patient) -> Found:
    """Ask it once, and look for a second at what CPU time its processes use behind the answer."""
    if not patient.remote:
        yield "skip", "not done: a Python file runs inside the arena's process", ""
        return
    position = positions(patient.variants[0])[0]
    try:
        with patient.interview() as bot:
            ask_once(bot, bot.open(position.game, position.seat, bytes(16)), position)
            door = bot.door
            assert isinstance(door, RemoteDoor)
            time.sleep(SETTLE_S)
            since = time.monotonic()
            before = door.process.census() if door.process is not None else None
            time.sleep(LOOK_S)
            after = door.process.census() if door.process is not None else None
            used_s = time.monotonic() - since
    except Unanswered as error:
        yield "skip", f"not done: {error}", ""
        return
    if before is None or after is None:
        yield "skip", "not done: the bot ends behind its answer", ""
        return
    share = (after.cpu_s - before.cpu_s) / used_s
    text = f"{1000 * share:.0f} ms of CPU time a second while it owes no answer"
    yield ("warn", text, ADVICE) if share > BUSY_SHARE else ("ok", text, "")
