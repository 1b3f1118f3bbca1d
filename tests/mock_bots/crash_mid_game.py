"""Dies by a signal at its tenth question."""

import os
import signal

from arena.client import serve
from engine_core import ActionRange, Legal, View

asked = 0


def decide(_view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 10:
        os.kill(os.getpid(), signal.SIGSEGV)
    return legal[0]


serve(decide)
