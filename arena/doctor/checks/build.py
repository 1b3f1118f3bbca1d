"""Can it be built?"""

from __future__ import annotations

import time

from arena.doctor import Patient, seconds
from arena.doctor.checks import Found
from arena.errors import PluginError

ORDER = 5
NAME = "build"


def examine(patient: Patient) -> Found:
    """Run its build step, unless it has run since the last change; a bot that cannot be built is lost."""
    if not patient.remote:
        return
    from arena.server import build_bot

    since = time.monotonic()
    try:
        built = build_bot(patient.player.bot, patient.isolation)
    except PluginError as error:
        patient.lost = True
        yield "fix", str(error), "run its build step by hand, in its folder, until it works"
        return
    if built:
        yield "ok", f"built in {seconds(time.monotonic() - since)}", ""
