"""Does it start, and how quickly?"""

from __future__ import annotations

import time

from arena.doctor import WARN_SHARE, Patient, share
from arena.doctor.checks import Found
from arena.errors import ArenaError

ORDER = 10
NAME = "start"


def examine(patient: Patient) -> Found:
    """Start it once; a bot that does not start is lost."""
    since = time.monotonic()
    limit_s = patient.limits.start
    try:
        with patient.interview():
            used_s = time.monotonic() - since
    except ArenaError as error:
        patient.lost = True
        yield "fix", str(error), f"make its command join within {limit_s:g} s; try the command by hand"
        return
    grade = "warn" if used_s > WARN_SHARE * limit_s else "ok"
    advice = "load less before joining, or ask for a longer `clocks.start`" if grade == "warn" else ""
    yield grade, f"ready after {share(used_s, limit_s)}, its build step included", advice
