"""Says in sentences why each seat of a recorded game won or lost; one module a family, found by its name.

A family's module has `sentences(record)`: for each seat what decided its game. Families without one are told
by their results alone.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import cast

from arena.record import Record, walk

ENDINGS = {
    "rules": "the rules ended the game",
    "forfeit": "nobody else was left in the game",
    "turn_cap": "the turn cap ended the game",
    "game_limit": "the time for the game was over",
}


@dataclass(frozen=True, slots=True)
class Story:
    """A seat's game: who sat there, how it ended, and the sentences that say why."""

    seat: int
    player: str
    outcome: str
    sentences: tuple[str, ...]


def stories(record: Record) -> tuple[Story, ...]:
    """The story of every seat; RecordError when the record cannot be played."""
    game = record.game()
    told = _family_sentences(record)
    return tuple(
        Story(
            seat,
            record.players[seat] if seat < len(record.players) else "",
            outcome(record, seat),
            told[seat],
        )
        for seat in range(game.seats)
    )


def outcome(record: Record, seat: int) -> str:
    """How the game ended for a seat, in one clause."""
    facts = record.facts
    if facts.retired[seat]:
        return f"was taken out of the game for its faults{_when(record, seat)}"
    if seat in facts.winners:
        return f"won: {ENDINGS[facts.termination]}"
    if facts.eliminated_at[seat] >= 0:
        fallen = sorted({order for order in facts.eliminated_at if order >= 0})
        if len(fallen) == 1:
            return "was eliminated"
        return f"was eliminated, the {ordinal(fallen.index(facts.eliminated_at[seat]) + 1)} to fall"
    if facts.termination in ("turn_cap", "game_limit"):
        return f"was still there when {ENDINGS[facts.termination]}"
    return "lost: another side reached its goal first"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th ..."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number if number < 20 else number % 10, "th")
    return f"{number}{ending}"


def _when(record: Record, seat: int) -> str:
    for (state, _), (mover, what) in zip(walk(record), record.steps, strict=False):
        if mover == seat and isinstance(what, str):
            return f" in lap {state.result().lap}"
    return ""


def _family_sentences(record: Record) -> tuple[tuple[str, ...], ...]:
    game = record.game()
    if game.ruleset.family not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return ((),) * game.seats
    module = importlib.import_module(f"{__name__}.{game.ruleset.family}")
    return cast("tuple[tuple[str, ...], ...]", module.sentences(record))
