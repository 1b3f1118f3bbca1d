"""What the driver keeps track of: lines to doors, chairs with the questions they owe, games and matches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from arena.clocks import NO_WAY, RoundTrip
from arena.hostwatch import process_gone
from arena.referee import Referee
from arena.seats import Door, Question
from arena.types import GameResult, MatchPlan

# A door reports a bot that does not start itself; this much later the driver does it for a door that did not.
START_GRACE_S = 1.0


class Line:
    """The way to one door: the questions that wait for it, and the seats whose questions it holds.

    `round_trip` is what a question's way takes, `sent` counts the questions that took it.
    """

    def __init__(self, door: Door, round_trip: RoundTrip = NO_WAY) -> None:
        """Nothing waits yet."""
        self.door = door
        # What its bot sent last, in words; a bot that plays inside sends no messages.
        self.last_message: Callable[[], str] = getattr(door, "last_message", str)
        # Why what it said may not have been heard.
        self.hint: Callable[[], str] = getattr(door, "hint", str)
        self.round_trip = round_trip
        self.sent = 0
        # Since when its process has been gone without a word; None: it is there, or not ours to know.
        self.gone_at: float | None = None
        self.waiting: deque[tuple[Chair, Question]] = deque()
        self.open: dict[tuple[int, int], Chair] = {}
        self.answered_at = 0.0

    def gone_s(self, now: float) -> float:
        """For how long its process has been gone, as far as anybody looked; 0 while it is there."""
        if self.door.pid is None or not process_gone(self.door.pid):
            self.gone_at = None
            return 0.0
        if self.gone_at is None:
            self.gone_at = now
        return now - self.gone_at

    def batch(self, now: float) -> list[Question]:
        """Take the questions that may be sent now, and start their clocks."""
        questions: list[Question] = []
        most = self.door.max_open
        while self.waiting and (most is None or len(self.open) < most):
            chair, question = self.waiting.popleft()
            if chair.question is question:
                chair.send(now)
                questions.append(question)
        if self.round_trip is not NO_WAY:
            for question in questions:
                question.transport_s, question.margin_s = self.round_trip
        self.sent += len(questions)
        return questions


class Chair:
    """One seat of one game, and the question it owes an answer to."""

    def __init__(self, game: Game, seat: int, line: Line) -> None:
        """Nothing is asked yet."""
        self.game = game
        self.seat = seat
        self.line = line
        self.key = game.referee.game_id, seat
        self.question: Question | None = None
        self.posed_at = self.sent_at = self.excused_s = 0.0

    @property
    def start_s(self) -> float:
        """How long its bot may take to be there: to connect by itself, or to start."""
        limits = self.game.match.plan.limits
        return limits.connect if self.line.door.guard == "remote" else limits.start

    def started_at(self) -> float:
        """When the clock of its question started."""
        started, answered, ready = self.sent_at, self.line.answered_at, self.line.door.ready_at or 0.0
        if answered > started:
            started = answered
        return ready if ready > started else started

    def deadline(self) -> float:
        """When its question, or the start of a bot that is not ready yet, is overdue."""
        if self.line.door.ready_at is None:
            return self.game.opened_at + self.start_s + START_GRACE_S + self.excused_s
        question = self.question
        if question is None:
            return self.started_at()
        return (
            self.started_at() + question.transport_s + question.limit_s + question.margin_s + self.excused_s
        )

    def send(self, now: float) -> None:
        """Its question goes out."""
        self.sent_at = now
        self.excused_s = 0.0
        self.line.open[self.key] = self

    def release(self) -> None:
        """Its question is closed."""
        self.question = None
        self.line.open.pop(self.key, None)


class Game:
    """One game of a match; `seating[seat]` is the index of the plan's player."""

    def __init__(
        self, match: Match, rotation: int, seating: tuple[int, ...], referee: Referee, opened_at: float
    ) -> None:
        """Nobody sits yet."""
        self.match = match
        self.rotation = rotation
        self.seating = seating
        self.referee = referee
        self.opened_at = opened_at
        self.chairs: list[Chair] = []

    def result(self, now: float) -> GameResult:
        """The finished game's result, complete."""
        wall_ms = 1000.0 * (now - self.opened_at)
        return replace(
            self.referee.outcome(),
            rotation=self.rotation,
            players=self.seating,
            wall_ms=wall_ms,
            guards=tuple(chair.line.door.guard for chair in self.chairs),
        )


class Match:
    """One attempt at a match."""

    def __init__(self, plan: MatchPlan, opened_at: float) -> None:
        """Nothing is played yet."""
        self.plan = plan
        self.opened_at = opened_at
        self.closed_at = opened_at
        self.results: dict[int, GameResult] = {}
        self.decisions = 0
        self.error = ""
