"""The referee of one game: what to ask, how to judge what comes back, what to record. No I/O, no clock.

Every kind of seat goes through it. Simultaneous decisions are asked at once; answers are held until the last
is in and applied in seat order. The state never changes under an open question: a seat that faults out while
another one thinks is retired once the open questions are answered. Seats that fault before the first question
never came: they leave together when it is due, and a game that one of them would win is stopped there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence

from arena.clocks import Bank, bank_text, time_text
from arena.errors import PlatformFault
from arena.record import Record, Step
from arena.scores import Facts, placements, scores, winners
from arena.seats import Question
from arena.types import Fault, FaultKind, FaultPolicy, GameResult, Limits, PointRule, Termination
from engine_core import Event, Game, IllegalAction, View

# Told after the set-up and after every step what the public saw happen, and the public's view.
Watch = Callable[[tuple[Event, ...], View], None]

PUBLIC = -1
# The time to start is no decision's time.
START_FAULTS: tuple[FaultKind, ...] = ("no_show", "start_timeout")


class Conduct:
    """The seats' clocks and faults in one game: what is left of their banks, and what a fault costs."""

    def __init__(self, seats: int, policy: FaultPolicy, limits: Limits) -> None:
        """Start with full banks and no faults."""
        self.policy = policy
        self.limits = limits
        self.faults: list[Fault] = []
        self.retired: set[int] = set()
        self.banks = [Bank(limits) for _ in range(seats)]
        self._strikes = [0] * seats
        self._decision_s = limits.decision if limits.clocked else math.inf

    def limit_s(self, seat: int) -> float:
        """What the next decision of a seat may take, in seconds."""
        left_s = self.banks[seat].left_s
        return left_s if left_s < self._decision_s else self._decision_s

    def strike(self, seat: int, kind: FaultKind) -> bool:
        """Count a fault; whether the seat retires for it."""
        self._strikes[seat] += 1
        out = kind in self.policy.retire or self._strikes[seat] >= self.policy.strikes
        if out or self.banks[seat].left_s == 0.0:
            self.retired.add(seat)
        return seat in self.retired

    def cost(self, seat: int, default: str) -> str:
        """What the seat's last fault cost it, in words; `default` is the action played for it, or empty."""
        count = f"fault {self._strikes[seat]} of {self.policy.strikes}"
        if seat not in self.retired:
            return f"`{default}` is played instead ({count})" if default else f"the seat plays on ({count})"
        if self.banks[seat].left_s == 0.0:
            count = f"its {bank_text(self.limits)} are used up"
        return f"the seat is retired, {self.policy.mode} ({count})"


class Referee:
    """Referees one game from set-up to result.

    `audience` are the seats whose questions carry events (default: all); without any a game is faster.
    """

    def __init__(
        self,
        game: Game,
        key: bytes,
        policy: FaultPolicy,
        limits: Limits,
        point_rule: PointRule = "split",
        *,
        game_id: int = 0,
        dice: Iterable[int] = (),
        labels: Sequence[str] = (),
        audience: Collection[int] | None = None,
        watch: Watch | None = None,
    ) -> None:
        """Set the game up; `key` is the match's, `dice` are scripted rolls, `labels` go into the record."""
        self.game = game
        self.game_id = game_id
        self.point_rule: PointRule = point_rule
        self.conduct = Conduct(game.seats, policy, limits)
        self.state, events = game.start(key, dice=(dice := tuple(dice)))
        self.over = not self.state.pending_mask()
        self.steps: list[Step] = []
        self._origin = key, dice, tuple(labels)
        self._watch = watch
        told = [seat for seat in range(game.seats) if audience is None or seat in audience]
        self._backlog: dict[int, list[list[Event]]] = {seat: [] for seat in told}
        self._asked = 0
        self._open: dict[int, Question] = {}
        self._held: dict[int, int | None] = {}  # None: the seat leaves
        self._leaving: set[int] = set()
        self._absent: set[int] = set()  # who did wrong before anybody was asked
        self._stopped: Termination | None = None
        self._tell(events)

    def questions(self) -> list[Question]:
        """The open decisions that were not asked yet: all simultaneous ones, each asked once."""
        if self._absent and not self._asked:
            self._begin_without_absent()
        if self._open or self.over:
            return []
        for seat in self.state.pending():
            self._open[seat] = self._question(seat)
        return list(self._open.values())

    def answer(
        self,
        seat: int,
        decision_id: int,
        action: int,
        used_s: float = 0.0,
        last_message: Callable[[], str] = str,
    ) -> None:
        """Take the answer to an open question, thought about for `used_s` seconds; ignore any other.

        `last_message` puts into words what the bot sent, should it be a fault.
        """
        question = self._open.get(seat)
        if question is None or question.decision_id != decision_id or seat in self._held:
            return
        if used_s > question.limit_s + question.margin_s:
            self.fault(seat, "timeout", "", used_s, question.limit_s, last_message=last_message())
            return
        try:
            legal = action in question.legal
        except ValueError as error:
            words = last_message()
            self.fault(seat, "malformed", str(error), used_s, question.limit_s, last_message=words)
            return
        if legal:
            self.conduct.banks[seat].answered(used_s)
            self._hold(seat, action)
        else:
            rule, words = self._broken_rule(seat, action), last_message()
            self.fault(seat, "illegal", rule, used_s, question.limit_s, last_message=words)

    def fault(
        self,
        seat: int,
        kind: FaultKind,
        message: str = "",
        used_s: float = 0.0,
        limit_s: float = 0.0,
        *,
        output: str = "",
        last_message: str = "",
    ) -> None:
        """A seat did something wrong: the default action answers its open question, or the seat retires.

        `used_s` and `limit_s` are the time taken and allowed, in seconds; `message` says what was wrong (a
        timeout needs none), `output` and `last_message` what the bot left (see arena.types.Fault).
        Ignored once the seat is retired or the game over; what a fallen seat does wrong is noted and changes
        nothing.
        """
        if self.over or seat in self.conduct.retired:
            return
        if not self._asked:
            self._absent.add(seat)
        question = self._open.get(seat) if seat not in self._held else None
        default = None
        if question is not None:
            question.faulted = True
            default = question.legal[0].first()
        if kind not in START_FAULTS:
            self.conduct.banks[seat].bill(used_s)
        message = message or time_text(question, self.conduct.limits, used_s, limit_s)
        fallen = self._fallen(seat)
        retires = self.conduct.strike(seat, kind) and not fallen
        cost = self.conduct.cost(seat, self.game.action_text(default) if default is not None else "")
        self.conduct.faults.append(
            Fault(
                seat=seat,
                kind=kind,
                decision=question.decision_id if question is not None else self._asked,
                limit_ms=1000.0 * limit_s,
                used_ms=1000.0 * used_s,
                action="retire" if retires else "default",
                message=f"{message}; {'the seat had fallen' if fallen else cost}",
                queue_ms=1000.0 * question.queue_s if question is not None else 0.0,
                transport_ms=1000.0 * question.transport_s if question is not None else 0.0,
                output=output,
                last_message=last_message,
            )
        )
        if not fallen:
            self._answer_for(seat, None if retires or default is None else int(default))

    def stop(self) -> None:
        """End an over-long game here: it counts like a capped one, with the termination `game_limit`."""
        if not self.over:
            self._stopped = "game_limit"
            self.over = True
            self._open, self._held = {}, {}

    def record(self) -> Record:
        """The record of the finished game; PlatformFault while it goes on."""
        if not self.over:
            raise PlatformFault("the game is not over")
        key, dice, labels = self._origin
        facts = Facts.of(self.state.result(), self._stopped)
        ruleset, steps = self.game.ruleset, tuple(self.steps)
        return Record(ruleset.text, ruleset.hash, key, dice, steps, facts, self.state.digest(), labels)

    def outcome(self) -> GameResult:
        """The finished game's result; `players`, `rotation` and `wall_ms` are the driver's to fill in."""
        record = self.record()
        facts, rule, teams = record.facts, self.point_rule, self.game.description.teams
        return GameResult(
            rotation=0,
            players=(),
            winners=winners(facts, rule, teams),
            termination=facts.termination,
            scores=scores(facts, rule, teams),
            placements=placements(facts, rule, teams),
            eliminated_at=facts.eliminated_at,
            laps=facts.lap,
            decisions=facts.decisions,
            faults=tuple(self.conduct.faults),
            record=record.packed(),
            final_digest=record.final_digest,
            wall_ms=0.0,
        )

    def _question(self, seat: int) -> Question:
        self._asked += 1
        bank_s, limit_s = self.conduct.banks[seat].left_s, self.conduct.limit_s(seat)
        backlog: Sequence[list[Event]] = ()
        if seat in self._backlog:
            backlog, self._backlog[seat] = self._backlog[seat], []
        legal = self.state.legal(seat)
        return Question(self.game_id, seat, self._asked, self.state, legal, backlog, limit_s, bank_s)

    def _broken_rule(self, seat: int, action: int) -> str:
        """Why an action that is not among the legal ones is not, in the engine's words."""
        try:
            self.state.copy().apply(seat, action)
        except IllegalAction as error:
            return str(error)
        raise PlatformFault(f"the engine plays `{self.game.action_text(action)}`, which it did not list")

    def _answer_for(self, seat: int, default: int | None) -> None:
        """Go on after a fault: with the default action, or without the seat if it is retired now."""
        if seat in self._open and seat not in self._held:
            self._hold(seat, default)
        elif seat in self.conduct.retired:
            self._leaving.add(seat)
            if not self._open and self._asked:
                self._settle()

    def _begin_without_absent(self) -> None:
        """Let those leave who never came, unless one of them would win: then there is no game."""
        left = self.state.copy()
        for seat in sorted(self._leaving):
            if left.pending_mask():
                left.retire(seat, self.conduct.policy.mode)
        if len(self._absent) == self.game.seats or self._absent.intersection(left.result().winners):
            self.stop()
        else:
            self._settle()

    def _hold(self, seat: int, action: int | None) -> None:
        self._held[seat] = action
        if len(self._held) == len(self._open):
            self._settle()

    def _settle(self) -> None:
        """No question is open any more: play what is held, in seat order, then let the retired leave."""
        held, self._open, self._held = self._held, {}, {}
        for seat in sorted(held):
            action = held[seat]
            if action is None:
                self._leaving.add(seat)
            else:
                self._play(seat, action)
        for seat in sorted(self._leaving):
            self._retire(seat)
        self._leaving.clear()
        self.over = not self.state.pending_mask()

    def _play(self, seat: int, action: int) -> None:
        self.steps.append((seat, action))
        try:
            if self._backlog or self._watch:
                self._tell(self.state.play(seat, action))
            else:
                self.state.apply(seat, action)
        except IllegalAction as error:
            raise PlatformFault(f"the engine refuses what it listed as legal: {error}") from error

    def _fallen(self, seat: int) -> bool:
        """Whether the rules have taken the seat out of the game."""
        return self.state.result().eliminated_at[seat] >= 0

    def _retire(self, seat: int) -> None:
        """Take a seat out, unless the game ended or the seat fell before."""
        if self.state.pending_mask() and not self._fallen(seat):
            mode = self.conduct.policy.mode
            self.steps.append((seat, mode))
            self._tell(self.state.retire(seat, mode))

    def _tell(self, events: list[Event]) -> None:
        for backlog in self._backlog.values():
            backlog.append(events)
        if self._watch:
            public = tuple(event for event in events if event.visible_to(PUBLIC))
            self._watch(public, self.state.public_view())
