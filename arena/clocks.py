"""What clocks are made of: a seat's bank, a way's round trip, stalls of the host, words for late answers.

The time from question to answer is queue + transport + thinking. Only thinking counts, and it is late when it
is longer than the limit by more than the margin: the 99th percentile of the round trip of a bot that does not
think at all, measured on this host.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

from arena.seats import Door, Question
from arena.types import Limits

# A wake-up this much too late was a stall of the host.
STALL_S = 0.1
_KEPT_STALLS = 256
# Times are shown to the millisecond; less is nothing to show.
SHOWN_S = 0.0005


class RoundTrip(NamedTuple):
    """How long question and answer of a bot that does not think are on their way, in seconds."""

    median_s: float = 0.0
    p99_s: float = 0.0


# The way to a bot in this process, and any way that was not measured.
NO_WAY = RoundTrip()


class Bank:
    """What is left of a seat's time for a game, in seconds, never below 0; endless without a clock."""

    __slots__ = ("increment_s", "left_s")

    def __init__(self, limits: Limits) -> None:
        """Start full."""
        self.left_s = limits.game if limits.clocked else math.inf
        self.increment_s = limits.increment

    def bill(self, used_s: float) -> None:
        """Take the time of a decision."""
        left_s = self.left_s - used_s
        self.left_s = left_s if left_s > 0.0 else 0.0

    def answered(self, used_s: float) -> None:
        """Take the time of a decision that was answered, and give the increment for it."""
        left_s = self.left_s - used_s
        self.left_s = (left_s if left_s > 0.0 else 0.0) + self.increment_s


class Lost(NamedTuple):
    """What of a span of time the host took from a bot, in seconds: by stalls, and by a crowd on its cores."""

    stalled_s: float = 0.0
    crowded_s: float = 0.0
    why: str = ""

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.stalled_s + self.crowded_s


class StallLog:
    """Remembers when the host stalled; `latest` is the end of the last stall. Any thread may note one.

    A stall is `busy` when this process ran all the time, but bots' answers could not be taken: that is the
    platform's doing to bots in processes of their own, and none to those that run in this one.
    """

    def __init__(self) -> None:
        """No stall yet."""
        self.latest = -math.inf
        self._stalls: deque[tuple[float, float, bool]] = deque(maxlen=_KEPT_STALLS)

    def note(self, begin: float, end: float, *, busy: bool = False) -> None:
        """The host stood still from `begin` to `end`; what is known already is not counted twice."""
        begin = max(begin, self.latest)
        if end > begin:
            self._stalls.append((begin, end, busy))
            self.latest = end

    def stalled_s(self, begin: float, end: float, door: Door) -> float:
        """How much of the time from `begin` to `end` the host kept a door's bot from answering."""
        if begin >= self.latest:
            return 0.0
        inside = door.guard == "in_process"
        stalls = [(since, until) for since, until, busy in tuple(self._stalls) if not (busy and inside)]
        return sum(max(0.0, min(end, until) - max(begin, since)) for since, until in stalls)

    def lost(self, begin: float, end: float, limit_s: float, door: Door) -> Lost:
        """What the host took from a bot that had `limit_s` seconds from `begin` on."""
        del limit_s  # a stall counts whole
        stalled_s = self.stalled_s(begin, end, door)
        return Lost(stalled_s, why=stall_text(stalled_s))


def stall_text(stalled_s: float) -> str:
    """A stall in words; nothing for none."""
    return f"the host stalled for {stalled_s:.3f} s" if stalled_s else ""


def time_text(question: Question | None, limits: Limits, used_s: float, limit_s: float) -> str:
    """How long a decision took, what was allowed, and what was not counted; for people."""
    host_s = question.host_s if question is not None else 0.0
    took = f"took {used_s:.3f} s of {limit_s:.3f} s allowed"
    if host_s >= SHOWN_S:
        took += f" and {host_s:.3f} s that the crowded host took"
    over = _over_text(used_s - limit_s - host_s)
    if question is None:
        return took + over
    if limit_s < limits.decision:
        over += f"; that was all of its bank of {bank_text(limits)}"
    parts = {"queueing": question.queue_s, "transport": question.transport_s}
    apart = [f"{seconds:.4f} s {name}" for name, seconds in parts.items() if seconds > 0.0]
    if question.margin_s > 0.0:
        apart.append(f"a margin of {question.margin_s:.4f} s")
    rest = f" (not counted: {', '.join(apart)})" if apart else ""
    return f"decision {question.decision_id} {took}{over}{rest}"


def _over_text(late_s: float) -> str:
    """By how much an answer is late; so little that limit and time look the same is told too."""
    if late_s >= SHOWN_S:
        return f", {late_s:.3f} s over"
    return ", less than 0.001 s over" if late_s > 0.0 else ""


def bank_text(limits: Limits) -> str:
    """A game bank in words."""
    more = f" and {limits.increment:g} s an answer" if limits.increment else ""
    return f"{limits.game:g} s for the game{more}"
