"""Measures what a question's way takes here, through the real server, with a bot that does not think."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import engine_core
from arena.clocks import RoundTrip
from arena.errors import PlatformFault
from arena.launcher import Launcher
from arena.seats import Answer, Door, GameOpening, Inbox, Question
from arena.types import BotSpec, Limits, Protocol

if TYPE_CHECKING:
    from arena.server import PlayServer

QUESTIONS = 200
WARM_UP = 10  # questions that are not counted
FEWEST = 20
# No further question is asked after this; FEWEST are in any case.
ASKING_S = 0.5
START_S = 20.0
ANSWER_S = 10.0
POLL_S = 0.005
_SOURCES = Path(__file__).resolve().parents[2]


def calibrate(server: PlayServer, launcher: Launcher, protocol: Protocol) -> RoundTrip:
    """The median and 99th percentile of a no-op bot's round trips; PlatformFault when it does not play."""
    from arena.server import launch_bot

    argv = ("python", "-m", "arena.runners.noop", protocol)
    bot = BotSpec("calibration", "command", str(_SOURCES), argv, protocol=protocol)
    inbox: Inbox = SimpleQueue()
    door = launch_bot(server, launcher, bot, inbox, start_s=START_S)
    try:
        while door.ready_at is None:  # the door itself gives up after the start limit
            time.sleep(POLL_S)
        trips = list(_round_trips(door, inbox))
    finally:
        door.close()
    return summary(trips[WARM_UP:])


def summary(trips_s: list[float]) -> RoundTrip:
    """Median and 99th percentile of at least two times."""
    return RoundTrip(statistics.median(trips_s), statistics.quantiles(trips_s, n=100, method="inclusive")[98])


def _round_trips(door: Door, inbox: Inbox) -> Iterator[float]:
    """Ask one question after the other; how long each took, clocked as the driver does."""
    game = engine_core.load("classic", seats=4)
    state, _ = game.start(bytes(16))
    (seat, *_), limits = state.pending(), Limits()
    door.open_game(GameOpening(0, seat, game, bytes(16), limits, {}, ("",) * game.seats))
    until = time.monotonic() + ASKING_S
    for number in range(1, QUESTIONS + WARM_UP + 1):
        legal = state.legal(seat)
        question = Question(0, seat, number, state, legal, (), limits.decision, limits.game)
        sent = time.monotonic()
        door.ask([question])
        yield _answer(inbox).received - sent
        if number >= FEWEST + WARM_UP and time.monotonic() > until:
            return


def _answer(inbox: Inbox) -> Answer:
    try:
        answer = inbox.get(timeout=ANSWER_S)
    except Empty:
        raise PlatformFault(f"the calibration bot did not answer within {ANSWER_S:g} s") from None
    if answer.fault is not None:
        raise PlatformFault(f"the calibration bot failed: {answer.fault}: {answer.message}\n{answer.output}")
    return answer
