"""What the driver keeps track of: lines to doors, chairs with the questions they owe, games and matches."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from arena.referee import Referee
from arena.seats import Door, Question
from arena.types import GameResult, MatchPlan

# A door reports a bot that does not start itself; this much later the driver does it for a door that did not.
START_GRACE_S = 1.0


class Line:
    """The way to one door: the questions that wait for it, and the seats whose questions it holds."""

    def __init__(self, door: Door) -> None:
        """Nothing waits yet."""
        self.door = door
        self.waiting: deque[tuple[Chair, Question]] = deque()
        self.open: dict[tuple[int, int], Chair] = {}
        self.answered_at = 0.0

    def batch(self, now: float) -> list[Question]:
        """Take the questions that may be sent now, and start their clocks."""
        questions: list[Question] = []
        most = self.door.max_open
        while self.waiting and (most is None or len(self.open) < most):
            chair, question = self.waiting.popleft()
            if chair.question is question:
                chair.send(now)
                questions.append(question)
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
        self.sent_at = 0.0
        self.forgiven = False

    def started_at(self) -> float:
        """When the clock of its question started."""
        return max(self.sent_at, self.line.answered_at, self.line.door.ready_at or 0.0)

    def deadline(self) -> float:
        """When its question, or the start of a bot that is not ready yet, is overdue."""
        if self.line.door.ready_at is None:
            return self.game.opened_at + self.game.match.plan.limits.start + START_GRACE_S
        return self.started_at() + (self.question.limit_s if self.question else 0.0)

    def send(self, now: float) -> None:
        """Its question goes out."""
        self.sent_at = now
        self.forgiven = False
        self.line.open[self.key] = self

    def restart(self, now: float) -> None:
        """Start its clock anew after a stall of the host, but once a question: bots may cause stalls."""
        if not self.forgiven:
            self.sent_at = now
            self.forgiven = True

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
