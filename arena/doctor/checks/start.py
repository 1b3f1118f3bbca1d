"""Does it start, and how quickly?"""

from __future__ import annotations

import time

from arena.doctor import WARN_SHARE, Patient, share
from arena.doctor.advice import advice_for
from arena.doctor.checks import Found
from arena.errors import ArenaError

ORDER = 10
NAME = "start"


def examine(patient: Patient) -> Found:
    """Start it once, built as it is; a bot that does not start is lost."""
    since = time.monotonic()
    limit_s = patient.limits.start
    try:
        with patient.interview():
            used_s = time.monotonic() - since
    except ArenaError as error:
        patient.lost = True
        problem = str(error).removeprefix(f"{patient.player.name}: ")
        yield "fix", problem, advice_for(problem, "try its command by hand")
        return
    grade = "warn" if used_s > WARN_SHARE * limit_s else "ok"
    advice = "load less before joining, or ask for a longer `clocks.start`" if grade == "warn" else ""
    yield grade, f"ready after {share(used_s, limit_s)}", advice
