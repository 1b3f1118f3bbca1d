"""The Python step loop and copies of a state, beside pyspiel's connect_four in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import engine_core
from arena.bench import Figure, paired
from arena.errors import PlatformFault

TITLE = "Stepping and copying from Python"
GAME_DECISIONS = 2000


def measure(quick: bool) -> list[Figure]:
    """ns of CPU per step (pending, legal into a buffer, apply of an int; no view) and per copy."""
    steps, repeats = (50_000, 3) if quick else (200_000, 9)
    spiel = _load_spiel()
    conditions = f"classic, 3 seats, {steps} each, median of {repeats} pairs"
    theirs_step, ours_step, step_ratio = paired(
        lambda: _spiel_step_ns(spiel, steps), lambda: _step_ns(steps), repeats
    )
    state = engine_core.load("classic", seats=3).new_state(1)
    other = spiel.load_game("connect_four").new_initial_state()
    theirs_copy, ours_copy, copy_ratio = paired(
        lambda: _call_ns(other.clone, steps), lambda: _call_ns(state.copy, steps), repeats
    )
    beside = "pyspiel connect_four"
    return [
        Figure("step (times faster)", ours_step, "ns", beside, theirs_step, step_ratio, ">= 2.5", conditions),
        Figure("copy (times faster)", ours_copy, "ns", beside, theirs_copy, copy_ratio, ">= 5", conditions),
    ]


def _load_spiel() -> Any:
    try:
        return import_module("pyspiel")
    except ImportError:
        raise PlatformFault("this benchmark needs open_spiel: pip install 'conquest-arena[bench]'") from None


def _next(number: int) -> int:
    """A cheap pseudo-random policy, the same for both loops."""
    return (number * 1103515245 + 12345) & 0x7FFFFFFF


def _step_ns(steps: int) -> float:
    game = engine_core.load("classic", seats=3, defender_dice="max")
    buffer, number, done = game.buffer(), 1, 0
    started = time.process_time()
    while done < steps:
        state = game.new_state(done)
        pending, legal_into, apply, code = state.pending_mask, state.legal_into, state.apply, buffer.code
        for _ in range(GAME_DECISIONS):
            mask = pending()
            if not mask:
                break
            seat = mask.bit_length() - 1
            count = legal_into(seat, buffer)
            number = _next(number)
            apply(seat, code((number >> 8) % count, number & 7))
            done += 1
    return (time.process_time() - started) / done * 1e9


def _spiel_step_ns(spiel: Any, steps: int) -> float:
    game, number, done = spiel.load_game("connect_four"), 1, 0
    started = time.process_time()
    while done < steps:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            number = _next(number)
            state.apply_action(actions[(number >> 8) % len(actions)])
            done += 1
    return (time.process_time() - started) / done * 1e9


def _call_ns(function: Callable[[], object], calls: int) -> float:
    started = time.process_time()
    for _ in range(calls):
        function()
    return (time.process_time() - started) / calls * 1e9
