"""Sleeps before every answer. argv: seconds, and for how many decisions (default: all of them)."""

import sys
import time
from itertools import count

from arena.client import serve
from engine_core import ActionRange, Legal, View

number = count(1)
seconds, last = float(sys.argv[1]), float((*sys.argv, "inf")[2])


def decide(_view: View, legal: Legal) -> ActionRange:
    if next(number) <= last:
        time.sleep(seconds)
    return legal[0]


serve(decide)
