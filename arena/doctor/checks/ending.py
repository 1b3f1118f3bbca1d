"""Does it go when it is told to?"""

from __future__ import annotations

import time

from arena.doctor import Patient, share
from arena.doctor.checks import Found
from arena.server import RemoteDoor

ORDER = 60
NAME = "ending"
LIMIT_S = 2.0


def examine(patient: Patient) -> Found:
    """End its stream and ask its processes to end."""
    if not patient.remote:
        yield "skip", "not done: a Python file runs inside the arena's process", ""
        return
    with patient.interview() as bot:
        door = bot.door
        assert isinstance(door, RemoteDoor)
        process = door.process
        since = time.monotonic()
        door.close()
        how = process.wait(LIMIT_S) if process is not None else None
        used_s = time.monotonic() - since
    if how is None:
        yield "fix", f"it still ran {LIMIT_S:g} s after its stream had ended", "end when the stream ends"
    elif how.signal == "SIGKILL":
        yield "warn", "it ignored SIGTERM and had to be killed", "end when the stream ends, or on SIGTERM"
    elif how.left:
        yield "warn", f"processes outlived it: {', '.join(how.left)}", "wait for the processes it starts"
    else:
        yield "ok", f"gone {share(used_s, LIMIT_S)} after its stream ended", ""
