"""What the hub tells: nobody waits for those who read it."""

from __future__ import annotations

import threading
import time

from hub_samples import wait_until

from arena.hub.news import Event, News


def test_nobody_waits_for_who_reads_the_news() -> None:
    """A reader that stops reading, or goes away, costs the games nothing."""
    shown: list[str] = []
    stuck = threading.Event()

    def show(event: Event) -> None:
        if event.kind == "stuck":
            stuck.wait(20.0)
            raise BrokenPipeError
        shown.append(event.text)

    news = News(show)
    for kind in ("first", "stuck", "third"):
        began = time.monotonic()
        news.tell(kind, kind)
        assert time.monotonic() - began < 5.0
    wait_until(lambda: shown == ["first"], "the first event")
    stuck.set()
    news.close()
    news.tell("late", "late")
    assert shown == ["first"]
