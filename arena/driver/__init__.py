"""The driver plays matches: many games at once over one set of doors, and the only clock.

A decision's time runs from the latest of (question sent, bot ready, that bot's previous answer received) to
the answer, whatever the door, less what a question's way takes (see arena.clocks). Waiting in a queue and
stalls of this host are not billed; where a bot would lose by the host's doing, the match is voided. All
rotations of all matches at hand move together, so that questions reach a door in batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from queue import Empty
from traceback import extract_tb

from arena.clocks import NO_WAY, STALL_S, RoundTrip, StallLog, time_text
from arena.driver.table import Chair, Game, Line, Match
from arena.driver.timekeeper import LIVENESS_S, LateByHost, Timekeeper
from arena.errors import PlatformFault
from arena.record import game_of
from arena.referee import START_FAULTS, Referee, Watch
from arena.rehearsal import Rehearsal
from arena.seats import NO_DECISION, Answer, Door, GameOpening, Inbox, Question
from arena.seeds import bot_seed
from arena.types import GameResult, MatchPlan, MatchResult, Player

# How soon the driver notices that a bot it waits for has become ready.
READY_POLL_S = 0.25
# Doors outlive drivers: no number of a game is used twice in a process, so no answer can reach another game.
_GAME_IDS = count(1)

WatchGame = Callable[[MatchPlan, int], Watch | None]


class Driver:
    """Plays matches over the doors of their players; one thread, reusable, knows nothing of networks.

    `game_limit_s` ends a game after so many seconds (termination `game_limit`); `watch` may give a spectator
    for a plan's rotation; `worker` signs the results. `round_trips` says by protocol what a question's way
    takes, `host` knows when this host stalled.
    """

    def __init__(
        self,
        doors: Mapping[Player, Door],
        inbox: Inbox,
        *,
        worker: str = "",
        game_limit_s: float | None = None,
        watch: WatchGame | None = None,
        round_trips: Mapping[str, RoundTrip] | None = None,
        host: StallLog | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the doors, which all answer on `inbox`."""
        ways = round_trips or {}
        self.lines = {player: Line(door, ways.get(door.protocol, NO_WAY)) for player, door in doors.items()}
        # Bots elsewhere think while bots in this process, which have no bound, are computed.
        self._order = sorted(self.lines.values(), key=lambda line: line.door.max_open is None)
        self._inbox = inbox
        self._worker = worker
        self._game_limit_s = game_limit_s
        self._watch = watch
        self._time = Timekeeper(host or StallLog())
        self._clock = clock
        self._games: dict[int, Game] = {}
        self._chairs: dict[tuple[int, int], Chair] = {}
        self._moved: dict[int, Game] = {}

    def play(self, plan: MatchPlan) -> MatchResult:
        """Play all rotations of a match; a platform fault voids it (`error`)."""
        return self.play_many([plan])[0]

    def play_many(self, plans: Iterable[MatchPlan]) -> list[MatchResult]:
        """Play several matches at once; results in the order of the plans."""
        cpu = time.process_time()
        matches = [Match(plan, self._clock()) for plan in plans]
        try:
            for match in matches:
                self._open(match)
            self._take_all()  # who never came is known before the first game begins
            while self._games:
                self._pose()
                self._send()
                self._receive()
        finally:
            for game in list(self._games.values()):
                self._break_off(game)
        cpu_ms = 1000.0 * (time.process_time() - cpu)
        decisions = sum(match.decisions for match in matches)
        return [self._result(match, cpu_ms * match.decisions / max(1, decisions)) for match in matches]

    def _result(self, match: Match, cpu_ms: float) -> MatchResult:
        games = () if match.error else tuple(match.results[rotation] for rotation in sorted(match.results))
        wall_ms = 1000.0 * (match.closed_at - match.opened_at)
        return MatchResult(match.plan.sequence, games, self._worker, wall_ms, cpu_ms, match.error)

    def _open(self, match: Match) -> None:
        try:
            for rotation in range(len(match.plan.setup.rotations)):
                self._open_game(match, rotation)
        except Exception as error:
            self._void(match, error)

    def _open_game(self, match: Match, rotation: int) -> None:
        """Set one rotation up and tell its bots; the match's key is the same for all of them."""
        plan = match.plan
        rules = game_of(plan.setup.ruleset)
        seating = plan.setup.rotations[rotation]
        players = [plan.players[index] for index in seating]
        lines = [self._line(player) for player in players]
        labels = tuple(player.name for player in players)
        referee = (Rehearsal if plan.opening else Referee)(
            rules,
            plan.key,
            plan.policy,
            plan.limits,
            plan.setup.point_rule,
            game_id=next(_GAME_IDS),
            dice=plan.dice,
            labels=labels,
            audience=[seat for seat, line in enumerate(lines) if line.door.wants_events],
            watch=self._watch(plan, rotation) if self._watch else None,
        )
        if isinstance(referee, Rehearsal):
            referee.rehearse(plan.opening)
        game = Game(match, rotation, seating, referee, self._clock())
        game.chairs = [Chair(game, seat, line) for seat, line in enumerate(lines)]
        self._chairs.update((chair.key, chair) for chair in game.chairs)
        self._games[referee.game_id] = self._moved[referee.game_id] = game
        for (game_id, seat), player, line in zip((c.key for c in game.chairs), players, lines, strict=True):
            seed = bot_seed(plan.key, plan.rotation + rotation, seat)
            options = dict(player.options)
            line.door.open_game(GameOpening(game_id, seat, rules, seed, plan.limits, options, labels))

    def _line(self, player: Player) -> Line:
        if player not in self.lines:
            raise PlatformFault(f"player {player.name} has no door")
        return self.lines[player]

    def _pose(self) -> None:
        """Line up the new questions of the games that moved; finish those that are over."""
        moved, self._moved = self._moved, {}
        now = self._clock()
        for game in moved.values():
            if game.referee.game_id not in self._games:
                continue
            try:
                questions = game.referee.questions()
                if game.referee.over:
                    self._finish(game)
                    continue
                for question in questions:
                    chair = game.chairs[question.seat]
                    chair.question, chair.posed_at = question, now
                    chair.line.waiting.append((chair, question))
            except Exception as error:
                self._void(game.match, error)

    def _send(self) -> None:
        for line in self._order:
            if not line.waiting:
                continue
            questions = line.batch(self._clock())
            try:
                if questions:
                    line.door.ask(questions)
            except Exception as error:
                for question in questions:
                    if game := self._games.get(question.game_id):
                        self._void(game.match, error)

    def _receive(self) -> None:
        """Take all answers that are there, waiting for one if there is none, then look at the deadlines."""
        if self._inbox.empty() and self._games:
            self._wait()
        now = self._clock()
        self._take_all()
        if now >= self._time.look_at:
            for match, why in self._time.look(self._order, now):
                self._void(match, PlatformFault(why))
        for line in self._order:
            if line.open:
                for chair in [chair for chair in line.open.values() if chair.deadline() <= now]:
                    self._overdue(chair, now)
        if self._game_limit_s is not None:
            for game in list(self._games.values()):
                if now >= game.opened_at + self._game_limit_s:
                    game.referee.stop()
                    self._moved[game.referee.game_id] = game

    def _wait(self) -> None:
        """Wait for an answer, a deadline or the next look at the processes; note a stall of the host."""
        holding = [chair for line in self._order for chair in line.open.values()]
        due = [chair.deadline() for chair in holding]
        if self._game_limit_s is not None:
            due += [game.opened_at + self._game_limit_s for game in self._games.values()]
        now = self._clock()
        if any(chair.line.door.ready_at is None for chair in holding):
            due.append(now + READY_POLL_S)
        if not due and not self._moved:
            raise PlatformFault("games are open, but nothing is asked")
        wake = max(now, min(*due, now + LIVENESS_S)) if due else now
        answer = None
        with suppress(Empty):
            answer = self._inbox.get(timeout=wake - now)
        now = self._clock()
        if now - wake > STALL_S:
            self._time.host.note(wake, now)
        if answer is not None:
            self._take(answer)

    def _take_all(self) -> None:
        """Take all answers that are there."""
        while not self._inbox.empty():
            self._take(self._inbox.get())

    def _take(self, answer: Answer) -> None:
        """Hand an answer or fault to its referee; what belongs to no open question or game is ignored."""
        chair = self._chairs.get((answer.game_id, answer.seat))
        if chair is None:
            return
        question, used_s = chair.question, 0.0
        try:
            if answer.decision_id != NO_DECISION:
                if question is None or question.decision_id != answer.decision_id:
                    return
                used_s = self._time.used_s(chair, question, answer)
            chair.release()
            if answer.fault is None and answer.action is not None:
                words = chair.line.last_message
                chair.game.referee.answer(chair.seat, answer.decision_id, answer.action, used_s, words)
            else:
                self._fault(chair, question, answer, used_s)
        except Exception as error:
            self._void(chair.game.match, error)
        self._moved[answer.game_id] = chair.game

    def _fault(self, chair: Chair, question: Question | None, answer: Answer, used_s: float) -> None:
        """Tell the referee of a fault that a door reports."""
        if answer.fault is None:
            raise PlatformFault(f"door {chair.line.door.name} sent neither an action nor a fault")
        limit_s = question.limit_s if question is not None and answer.decision_id != NO_DECISION else 0.0
        if answer.fault in START_FAULTS:
            limit_s, used_s = chair.start_s, max(0.0, answer.received - chair.game.opened_at)
            if answer.fault == "start_timeout":
                used_s = max(used_s, limit_s)  # a door that failed before the game opened
        chair.game.referee.fault(
            chair.seat,
            answer.fault,
            answer.message,
            used_s,
            limit_s,
            output=answer.output,
            last_message=answer.last_message,
        )

    def _overdue(self, chair: Chair, now: float) -> None:
        """Nothing came in time: wait longer if the host took the time, else it is a fault."""
        question, door, referee = chair.question, chair.line.door, chair.game.referee
        try:
            if door.ready_at is None:
                if self._time.excuses_start(chair, now):
                    return
                chair.release()
                why = f"{door.name} was not ready within {chair.start_s:g} s"
                referee.fault(chair.seat, "no_show", why, now - chair.game.opened_at, chair.start_s)
            elif question is not None:
                used_s = self._time.overdue_s(chair, question, now)
                if used_s is None:
                    return
                chair.release()
                limit_s, words, hint = question.limit_s, chair.line.last_message(), chair.line.hint()
                why = time_text(question, chair.game.match.plan.limits, used_s, limit_s)
                why = f"{why}; {hint}" if hint else why
                referee.fault(chair.seat, "timeout", why, used_s, limit_s, last_message=words)
        except Exception as error:
            self._void(chair.game.match, error)
        self._moved[referee.game_id] = chair.game

    def _finish(self, game: Game) -> None:
        now = self._clock()
        result = game.result(now)
        match = game.match
        match.results[game.rotation] = result
        match.decisions += result.decisions
        match.closed_at = now
        self._close(game, result)

    def _close(self, game: Game, result: GameResult | None) -> None:
        """Forget a game and tell its bots; None: it was broken off."""
        del self._games[game.referee.game_id]
        for chair in game.chairs:
            chair.release()
            del self._chairs[chair.key]
        for chair in game.chairs:
            chair.line.door.close_game(*chair.key, result)

    def _void(self, match: Match, error: Exception) -> None:
        """The platform failed: the attempt does not count, its games are broken off."""
        if not match.error:
            frames = extract_tb(error.__traceback__) if not isinstance(error, LateByHost) else []
            where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
            match.error = f"{type(error).__name__}: {error}{where}"
        match.closed_at = self._clock()
        for game in [game for game in self._games.values() if game.match is match]:
            self._break_off(game)

    def _break_off(self, game: Game) -> None:
        """Close a game that does not count, whatever state its doors are in."""
        with suppress(Exception):
            self._close(game, None)
