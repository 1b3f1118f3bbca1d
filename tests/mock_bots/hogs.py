"""Plays well for three questions, then does what hostile.py does with the arguments given."""

import sys

import hostile
from first_legal import decide as first_legal

from arena.client import serve
from engine_core import ActionRange, Legal, View

asked = 0


def decide(view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 4:
        getattr(hostile, sys.argv[1])(*sys.argv[2:])
    return first_legal(view, legal)


serve(decide)
