"""What an answer of an installed bot that plays inside costs, beside one of `random` in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count, islice
from random import Random

import engine_core
from arena.bench import Figure, paired
from arena.bot import action_code, load_bot
from arena.plugins import installed
from arena.spec import plays
from arena.types import BotSpec

TITLE = "Answers of bots"
BESIDE = "random"


def measure(quick: bool) -> list[Figure]:
    """us of CPU per answer, the view's fields included, for every such bot and variant that it plays."""
    answers, repeats = (100, 3) if quick else (1000, 9)
    bots = [bot for bot in installed().bots.values() if bot.kind == "python"]
    yardstick = next(bot for bot in bots if bot.name == BESIDE)
    return [
        _beside(yardstick, bot, engine_core.load(name, seats=variant.usual_seats), answers, repeats)
        for name, variant in engine_core.variants().items()
        for bot in bots
        if bot is not yardstick and plays(bot, variant)
    ]


def _beside(yardstick: BotSpec, bot: BotSpec, game: engine_core.Game, answers: int, repeats: int) -> Figure:
    ours, theirs, ratio = paired(
        lambda: _answer_us(bot, game, answers), lambda: _answer_us(yardstick, game, answers), repeats
    )
    name = f"{bot.name}, {game.ruleset.name}, {game.seats} seats"
    conditions = f"the first {answers} answers of games among its own kind, median of {repeats} pairs"
    return Figure(name, ours, "us/answer", BESIDE, theirs, ratio, conditions=conditions)


def _answer_us(bot: BotSpec, game: engine_core.Game, answers: int) -> float:
    """CPU us of an answer, by the first ones of as many games as they fill."""
    took = islice((seconds for seed in count() for seconds in _answers(bot, game, seed)), answers)
    return sum(took) / answers * 1e6


def _answers(bot: BotSpec, game: engine_core.Game, seed: int) -> Iterator[float]:
    """CPU seconds of every answer of a game."""
    state, factory = game.new_state(seed), load_bot(bot)
    seated = [factory.start(game, seat, Random(seat), {}) for seat in range(game.seats)]
    while pending := state.pending():
        seat = pending[0]
        view, legal = state.view(seat), state.legal(seat)
        begun = time.thread_time()
        choice = seated[seat](view, legal)
        yield time.thread_time() - begun
        state.apply(seat, action_code(choice))
