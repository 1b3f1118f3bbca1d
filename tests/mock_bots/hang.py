"""Never answers its tenth question, nor any later one."""

import time

from arena.client import serve
from engine_core import ActionRange, Legal, View

asked = 0


def decide(_view: View, legal: Legal) -> ActionRange:
    global asked
    asked += 1
    if asked == 10:
        time.sleep(3600)
    return legal[0]


serve(decide)
