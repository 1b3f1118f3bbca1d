"""Dies by a signal (default: SIGSEGV) at its tenth question."""

import os
import signal
import sys

from arena.client import serve
from engine_core import ActionRange, Legal, View

asked = 0
end = signal.Signals[sys.argv[1]] if len(sys.argv) > 1 else signal.SIGSEGV


def decide(_view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 10:
        os.kill(os.getpid(), end)
    return legal[0]


serve(decide)
