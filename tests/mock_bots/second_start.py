"""Starts well once and crashes at its third question; started again it fails as told. argv: what to do then.

leaves  ends without having joined
hangs   runs and does not join
"""

import sys
import time
from pathlib import Path

from first_legal import decide as first_legal

from arena.client import serve
from engine_core import ActionRange, Legal, View

STARTED = Path("started")
asked = 0


def decide(view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 3:
        raise RuntimeError("lost the thread")
    return first_legal(view, legal)


if STARTED.exists():
    print("no second start for me", file=sys.stderr, flush=True)
    time.sleep(3600 if sys.argv[1] == "hangs" else 0)
else:
    STARTED.touch()
    serve(decide)
