"""Weighs the time of decisions: what of it counts, what was the host's doing; and looks after processes."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator

from arena.clocks import StallLog, time_text
from arena.driver.table import Chair, Line, Match
from arena.errors import PlatformFault
from arena.seats import Answer, Question
from arena.types import FaultKind

# How often somebody looks whether the processes that owe answers are there, and says whom a game waits for.
LIVENESS_S = 5.0
NOTICE_S = 60.0
# The least time by which an excuse prolongs a wait.
EXCUSE_S = 0.001
# What an answer may be (None: an action) for the host's stalls to matter.
CLOCKED: tuple[FaultKind | None, ...] = (None, "timeout", "illegal", "malformed")

_log = logging.getLogger(__name__)


class LateByHost(PlatformFault):
    """A bot would lose by the host's doing; the match does not count."""


class Timekeeper:
    """Says what of a decision's time counts; `host` knows when this host stalled or was crowded."""

    def __init__(self, host: StallLog) -> None:
        """Nobody has been looked after yet."""
        self.host = host
        self.look_at = -math.inf

    def used_s(self, chair: Chair, question: Question, answer: Answer) -> float:
        """The thinking time of an answer; what else it took is noted in the question; LateByHost.

        From now on the next answer of the same bot is clocked.
        """
        started = chair.started_at()
        chair.line.answered_at = answer.received
        question.queue_s = started - chair.posed_at
        used_s = answer.received - started - question.transport_s
        if used_s < 0.0:
            used_s, question.transport_s = 0.0, max(0.0, answer.received - started)
        if used_s > question.limit_s + question.margin_s or self.host.latest > started:
            return self._weighed_s(chair, question, answer, started, used_s)
        return used_s

    def _weighed_s(
        self, chair: Chair, question: Question, answer: Answer, started: float, used_s: float
    ) -> float:
        """What to bill where the host stalled or the answer seems late; a final attempt is billed all."""
        plan = chair.game.match.plan
        if plan.final or answer.fault not in CLOCKED:
            return used_s
        allowed_s, door = question.limit_s + question.margin_s, chair.line.door
        if used_s > allowed_s:
            lost = self.host.lost(started, answer.received, question.limit_s, door)
            if used_s - lost.seconds <= allowed_s:
                late = time_text(question, plan.limits, used_s, question.limit_s)
                raise LateByHost(f"{door.name} would be late by the host's doing: {late}; {lost.why}")
            question.host_s = lost.crowded_s
        return max(0.0, used_s - self.host.stalled_s(started, answer.received, door))

    def overdue_s(self, chair: Chair, question: Question, now: float) -> float | None:
        """The thinking time of a question without an answer; None: the host took some, so wait longer."""
        started = chair.started_at()
        question.queue_s = started - chair.posed_at
        used_s = max(0.0, now - started - question.transport_s)
        if chair.game.match.plan.final:
            return used_s
        lost = self.host.lost(started, now, question.limit_s, chair.line.door)
        if used_s - lost.seconds >= question.limit_s + question.margin_s - EXCUSE_S:
            question.host_s = lost.crowded_s
            return used_s - lost.stalled_s
        chair.excused_s = lost.seconds
        return None

    def excuses_start(self, chair: Chair, now: float) -> bool:
        """Whether the host stalled meanwhile, so that a door has yet to say that its bot did not start."""
        stalled_s = self.host.stalled_s(chair.game.opened_at, now, chair.line.door)
        longer = stalled_s > chair.excused_s + EXCUSE_S
        chair.excused_s = max(stalled_s, chair.excused_s)
        return longer

    def look(self, lines: Iterable[Line], now: float) -> Iterator[tuple[Match, str]]:
        """Matches that wait for a process gone without a word, each with the reason; due at `look_at`."""
        self.look_at = now + LIVENESS_S
        for line in lines:
            waiting = list(line.open.values())
            for chair in waiting:
                _notice(chair, now)
            if waiting and (gone_s := line.gone_s(now)) >= LIVENESS_S:
                why = f"process {line.door.pid} of {line.door.name} is gone, unreported for {gone_s:.0f} s"
                yield from {chair.game.match: why for chair in waiting}.items()


def _notice(chair: Chair, now: float) -> None:
    """Say once a minute for whom a game without a clock waits."""
    waited_s = now - chair.sent_at
    if chair.deadline() == math.inf and waited_s % NOTICE_S < LIVENESS_S <= waited_s:
        name, question = chair.line.door.name, chair.question
        number = question.decision_id if question is not None else 0
        _log.warning("%s has owed decision %d for %.0f s; no clock runs", name, number, waited_s)
