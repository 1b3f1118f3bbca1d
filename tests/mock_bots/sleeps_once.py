"""Sleeps before its first answer of all. argv: seconds, a file that says that it has done so."""

import sys
import time
from pathlib import Path

from first_legal import decide as first_legal

from arena.client import serve
from engine_core import ActionRange, Legal, View

seconds, begun = float(sys.argv[1]), Path(sys.argv[2])


def decide(view: View, legal: Legal) -> ActionRange:
    if not begun.exists():
        begun.touch()
        time.sleep(seconds)
    return first_legal(view, legal)


serve(decide)
