"""Feeds a recorded game to a bot: which of a seat's decisions it makes otherwise, and what comes of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.record import Record, walk
from arena.rehearsal import MOST_FAULTS
from arena.runners import UNGUARDED
from arena.runners.inline import InlineRunner
from arena.runners.interview import Interview
from arena.seats import Answer
from arena.types import GameResult, Isolation, Limits, MatchPlan, MatchResult, Player, PointRule, VariantSetup
from engine_core import Event, Game, IllegalAction, State


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the seat: its number from 1, its step in the record, and both answers.

    `answer` is the int code of the bot's action, or None for a fault, which `fault` tells.
    """

    number: int
    step: int
    lap: int
    recorded: int
    answer: int | None
    fault: str
    used_s: float

    @property
    def changed(self) -> bool:
        """Whether the bot does something else."""
        return self.answer != self.recorded


def owed(record: Record, seat: int) -> int:
    """How many decisions of a record were a seat's own."""
    return sum(mover == seat and not isinstance(action, str) for mover, action in record.steps)


def decisions(record: Record, seat: int, bot: Interview, seed: bytes) -> Iterator[Decision]:
    """Every decision of a seat, asked of a bot in the state of the record, whatever it answered before.

    `seed` is what the seat's bot is told: with the one of the game, a bot that draws repeats itself. A bot
    that ends, or faults MOST_FAULTS times in a row, is broken and asked no more: the rest would say the same.
    """
    game = record.game()
    if not 0 <= seat < game.seats:
        raise ArenaError(f"seat {seat} is not in the game; its seats are 0 to {game.seats - 1}")
    number = bot.open(game, seat, seed, record.players)
    backlog: list[list[Event]] = []
    asked = broken = 0
    for index, (state, events) in enumerate(walk(record)):
        backlog.append(events)
        if index == len(record.steps):
            break
        mover, action = record.steps[index]
        if mover != seat or isinstance(action, str):
            continue
        asked += 1
        answer, used_s = bot.ask(number, seat, state, backlog)
        backlog = []
        fault = problem_of(game, state, answer)
        said = None if fault else answer.action
        yield Decision(asked, index, state.result().lap, action, said, fault, used_s)
        broken = broken + 1 if fault else 0
        if bot.lost or broken == MOST_FAULTS:
            return
    bot.close(number, seat)


def branch(
    record: Record,
    decision: Decision,
    players: tuple[Player, ...],
    limits: Limits,
    rule: PointRule,
    isolation: Isolation = UNGUARDED,
    rotation: int = 0,
) -> GameResult:
    """Play on from a decision with the bot's answer there and the record's dice; a player a seat.

    Up to there the players are asked as those of the record were, with the seeds of its `rotation`, and their
    answers ignored: bots that are deterministic then know and draw what they would have.
    """
    if decision.answer is None:
        raise ArenaError(f"decision {decision.number} has no answer to go on with: {decision.fault}")
    seat = record.steps[decision.step][0]
    opening = (*record.steps[: decision.step], (seat, decision.answer))
    results: list[MatchResult] = []
    plan = MatchPlan(
        0,
        record.key,
        _setup(record, rule),
        players,
        limits,
        opening=opening,
        dice=record.dice,
        isolation=isolation,
        rotation=rotation,
    )
    runner = InlineRunner(players)
    try:
        if problems := runner.check(limits, isolation):
            raise ArenaError("; ".join(f"{name}: {message}" for name, message in problems))
        runner.run([plan], lambda _plan, result: results.append(result))
    finally:
        runner.close()
    return results[-1].games[0]


def problem_of(game: Game, state: State, answer: Answer) -> str:
    """What is wrong with an answer; empty if nothing is."""
    if answer.action is None:
        return f"{answer.fault}: {answer.message}"
    try:
        legal = answer.action in state.legal(answer.seat)
    except ValueError as error:
        return f"malformed: {error}"
    if legal:
        return ""
    try:
        state.copy().apply(answer.seat, answer.action)
    except IllegalAction as error:
        return f"illegal: {error}"
    return f"illegal: {game.action_text(answer.action)} was not offered"


def _setup(record: Record, rule: PointRule) -> VariantSetup:
    """The recorded game as something to play, everybody on the seat they have."""
    rules = record.game().ruleset
    seats = tuple(range(rules.seats))
    cap = int(str(rules.options.get("turn_cap", 0)))
    return VariantSetup(rules.name, rules.text, rules.hash, rules.seats, cap, rules.teams, (seats,), rule)
