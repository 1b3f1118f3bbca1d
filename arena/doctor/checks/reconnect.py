"""Does it come back when its stream breaks?"""

from __future__ import annotations

from arena.doctor import Patient
from arena.doctor.checks import Found
from arena.doctor.positions import positions
from arena.rerun import problem_of
from arena.server import RemoteDoor

ORDER = 40
NAME = "reconnect"
ADVICE = "join again with the connection_id of Welcome and the last decision_id; the SDKs do"


def examine(patient: Patient) -> Found:
    """Cut its stream between two questions of a game."""
    if not patient.remote or patient.player.bot.protocol != "grpc":
        where = "bots on pipes have" if patient.remote else "a Python file has"
        yield "skip", f"not done: {where} no stream that could be resumed", ""
        return
    position = positions(patient.variants[0])[0]
    with patient.interview() as bot:
        door = bot.door
        assert isinstance(door, RemoteDoor)
        number = bot.open(position.game, position.seat, bytes(16))
        bot.ask(number, position.seat, position.state)
        door.cut()
        answer, _ = bot.ask(number, position.seat, position.state)
        problem = problem_of(position.game, position.state, answer)
        if problem and answer.fault in patient.faults:
            # What it does after a broken stream, it does without.
            yield "skip", f"not done: its stream whole or broken, it faults ({answer.fault})", ""
            return
        if problem and answer.fault is not None:
            yield "warn", f"after a broken stream: {problem}", ADVICE
        else:
            yield "ok", "a broken stream was resumed, and the next question answered", ""
