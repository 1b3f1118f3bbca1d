"""Does it run where organisers lock bots up?"""

from __future__ import annotations

from arena.doctor import Patient
from arena.doctor.advice import kind_of
from arena.doctor.checks import Found
from arena.doctor.positions import positions
from arena.errors import ArenaError
from arena.launcher import check_isolation
from arena.rerun import problem_of
from arena.types import Isolation

ORDER = 70
NAME = "sandbox"
SANDBOX = Isolation("sandbox")
ADVICE = "read only the bot's own folder and the system, write only to HOME and /tmp, use no network"


def examine(patient: Patient) -> Found:
    """Start it in the sandbox and ask it once in every variant: is anything wrong that is right outside?"""
    if not patient.remote:
        yield (
            "warn",
            "a Python file runs inside the arena's process; no sandbox takes it",
            ("for competitions give it a folder with a bot.toml, as `arena init` does"),
        )
        return
    if patient.isolation.level == "sandbox":
        yield "skip", "not done: all the checks above were made there", ""
        return
    if missing := check_isolation(SANDBOX):
        yield "skip", f"not done: {missing}", ""
        return
    try:
        with patient.interview(SANDBOX) as bot:
            for variant in patient.variants:
                position = positions(variant)[0]
                number = bot.open(position.game, position.seat, bytes(16))
                answer, _ = bot.ask(number, position.seat, position.state)
                bot.close(number, position.seat)
                problem = problem_of(position.game, position.state, answer)
                if problem and kind_of(problem) in patient.faults:
                    yield (
                        "ok",
                        f"starts in the sandbox, and is as wrong there as outside: {kind_of(problem)}",
                        "",
                    )
                    return
                if problem:
                    yield "warn", f"in the sandbox: {variant}: {problem}", ADVICE
                    return
    except ArenaError as error:
        yield "warn", f"in the sandbox: {error}", ADVICE
        return
    yield "ok", "starts and answers in the sandbox", ""
