"""Raises an exception at its tenth question."""

from arena.client import serve
from engine_core import ActionRange, Legal, View

asked = 0


def decide(_view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 10:
        raise KeyError("no plan for this position")
    return legal[0]


serve(decide)
