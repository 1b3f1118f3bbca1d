"""What the hub tells: nobody waits for those who read it."""

from __future__ import annotations

import threading
import time

import pytest
from hub_samples import wait_until

from arena.hub.news import Event, News


def test_what_nobody_reads_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server runs for months, and whoever read what it says may be long gone."""
    monkeypatch.setattr("arena.hub.news.MOST_UNREAD", 3)
    shown: list[str] = []
    stuck, begun = threading.Event(), threading.Event()

    def show(event: Event) -> None:
        begun.set()
        stuck.wait(120.0)
        shown.append(event.text)

    news = News(show)
    news.tell("first", "first")
    assert begun.wait(60.0)
    for number in range(10):
        news.tell("more", str(number))
    stuck.set()
    wait_until(lambda: len(shown) == 4, "what was kept")
    news.close()
    assert shown == ["first", "0", "1", "2"]


def test_nobody_waits_for_who_reads_the_news() -> None:
    """A reader that stops reading, or goes away, costs the games nothing."""
    shown: list[str] = []
    stuck = threading.Event()

    def show(event: Event) -> None:
        if event.kind == "stuck":
            stuck.wait(120.0)
            raise BrokenPipeError
        shown.append(event.text)

    news = News(show)
    for kind in ("first", "stuck", "third"):
        began = time.monotonic()
        news.tell(kind, kind)
        assert time.monotonic() - began < 60.0
    wait_until(lambda: shown == ["first"], "the first event")
    stuck.set()
    news.close()
    news.tell("late", "late")
    assert shown == ["first"]
