"""Does it play whole games, several at once?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import engine_core
from arena.doctor import Patient, count
from arena.doctor.advice import advice_for, last_words
from arena.doctor.checks import Found
from arena.errors import ArenaError
from arena.plugins import installed
from arena.runners.inline import InlineRunner
from arena.setups import setup_for
from arena.types import BotSpec, MatchPlan, MatchResult, Player

ORDER = 30
NAME = "whole games"
KEY = bytes(range(16))
LOOK = "look at the game: `arena play` it with --record, then `arena explain`"
LAPS = 8  # a game is cut there where the variant has a turn cap


def examine(patient: Patient) -> Found:
    """A match against `random` in each variant: all its games at once, the bot in every seat."""
    plans = [_plan(patient, variant) for variant in patient.variants]
    games = faults = 0
    try:
        results = _play(patient, plans)
    except ArenaError as error:
        yield "fix", str(error), "see the check `start`"
        return
    for plan, result in zip(plans, results, strict=True):
        games += len(result.games)
        own = [fault for game in result.games for fault in game.faults if game.players[fault.seat] == 0]
        faults += len(own)
        for kind in dict.fromkeys(fault.kind for fault in own):
            alike = [fault for fault in own if fault.kind == kind]
            problem = f"{kind}: {alike[0].message}"
            more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
            told = f"{plan.setup.variant}: {problem}{more}{last_words(alike[0].output)}"
            yield "fix", told, advice_for(problem, LOOK)
    if not faults:
        yield "ok", f"{count(games, 'game')} against {_opponent(patient).name}, no fault", ""


def _plan(patient: Patient, variant: str) -> MatchPlan:
    known = engine_core.variants()[variant]
    seats = known.usual_seats
    caps = {"turn_cap": LAPS} if any(option.name == "turn_cap" for option in known.options) else {}
    setup = setup_for(variant, seats, caps, "split")
    if patient.quick:
        setup = replace(setup, rotations=setup.rotations[:1])
    opponent = _opponent(patient)
    others = [Player(f"{opponent.name} {seat}", opponent) for seat in range(1, seats)]
    sequence = patient.variants.index(variant)
    players = (patient.player, *others)
    return MatchPlan(sequence, KEY, setup, players, patient.limits, isolation=patient.isolation)


def _opponent(patient: Patient) -> BotSpec:
    """`random`; in the sandbox, where no Python file may play, the bot itself."""
    return patient.player.bot if patient.isolation.level == "sandbox" else installed().find_bot("random")


def _play(patient: Patient, plans: Sequence[MatchPlan]) -> list[MatchResult]:
    """All matches with one start of the bot, unless it is lost."""
    results: list[MatchResult] = []
    players = tuple(dict.fromkeys(player for plan in plans for player in plan.players))
    runner = InlineRunner(players)
    try:
        if problems := runner.check(patient.limits, patient.isolation):
            raise ArenaError("; ".join(message for _, message in problems))
        runner.run(plans, lambda _plan, result: None if result.error else results.append(result))
    finally:
        runner.close()
    return results
