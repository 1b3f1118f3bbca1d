"""Does it play whole games, several at once?"""

from __future__ import annotations

from dataclasses import replace

import engine_core
from arena.doctor import Patient
from arena.doctor.checks import Found
from arena.errors import ArenaError
from arena.plugins import installed
from arena.runners.inline import InlineRunner
from arena.setups import setup_for
from arena.types import MatchPlan, MatchResult, Player

ORDER = 30
NAME = "whole games"
KEY = bytes(range(16))
ADVICE = "look at the game: `arena play` it with --record, then `arena explain`"
LAPS = 8  # a game is cut there where the variant has a turn cap


def examine(patient: Patient) -> Found:
    """A match against `random` in each variant: all its games at once, the bot in every seat."""
    games = faults = 0
    for variant in patient.variants:
        try:
            result = _match(patient, variant)
        except ArenaError as error:
            faults += 1
            yield "fix", f"{variant}: {error}", "see the check `start`"
            continue
        games += len(result.games)
        own = {
            (fault.kind, fault.message)
            for game in result.games
            for fault in game.faults
            if game.players[fault.seat] == 0
        }
        faults += len(own)
        for kind, message in sorted(own)[:2]:
            yield "fix", f"{variant}: {kind}: {message}", ADVICE
    if not faults:
        yield "ok", f"{games} games against random, no fault", ""


def _match(patient: Patient, variant: str) -> MatchResult:
    known = engine_core.variants()[variant]
    seats = known.usual_seats
    caps = {"turn_cap": LAPS} if any(option.name == "turn_cap" for option in known.options) else {}
    setup = setup_for(variant, seats, caps, "split")
    if patient.quick:
        setup = replace(setup, rotations=setup.rotations[:1])
    others = [Player(f"random {seat}", installed().find_bot("random")) for seat in range(1, seats)]
    players = (patient.player, *others)
    results: list[MatchResult] = []
    runner = InlineRunner(players)
    try:
        if problems := runner.check(patient.limits):
            raise ArenaError("; ".join(message for _, message in problems))
        plan = MatchPlan(0, KEY, setup, players, patient.limits)
        runner.run([plan], lambda _plan, result: results.append(result))
    finally:
        runner.close()
    return results[-1]
