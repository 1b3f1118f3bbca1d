"""Behaves, but a thread of it computes all the time, also while it owes no answer."""

import threading

from first_legal import decide

from arena.client import serve


def burn() -> None:
    while True:
        sum(range(10_000))


threading.Thread(target=burn, daemon=True).start()
serve(decide)
