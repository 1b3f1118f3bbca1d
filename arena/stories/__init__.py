"""Says in sentences why each seat of a recorded game won or lost; one module a family, found by its name.

A family's module has `sentences(record)`: for each seat what decided its game, and `goal(record)`: by which
goal a game was won, "" if by none. Families without a module are told by their results alone.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from types import ModuleType
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
        return f"won: {ending(record)}"
    if facts.eliminated_at[seat] >= 0:
        fallen = sorted({order for order in facts.eliminated_at if order >= 0})
        if len(fallen) == 1:
            return "was eliminated"
        return f"was eliminated, the {ordinal(fallen.index(facts.eliminated_at[seat]) + 1)} to fall"
    if facts.termination in ("turn_cap", "game_limit"):
        return f"was still there when {ENDINGS[facts.termination]}"
    return "lost: another side reached its goal first"


def ending(record: Record) -> str:
    """What ended the game, in one clause: where somebody won by a goal, which one."""
    facts = record.facts
    if facts.termination == "rules" and facts.winners:
        module = _family_module(record)
        if module and (goal := str(module.goal(record))):
            return goal
        if all(facts.eliminated_at[seat] >= 0 for seat in _losers(record)):
            return "all others were eliminated"
    return ENDINGS[facts.termination]


def _losers(record: Record) -> list[int]:
    """The seats on no winner's side."""
    teams = record.game().description.teams
    winning = {teams[seat] for seat in record.facts.winners}
    return [seat for seat, team in enumerate(teams) if team not in winning]


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
    module = _family_module(record)
    if module is None:
        return ((),) * record.game().seats
    return cast("tuple[tuple[str, ...], ...]", module.sentences(record))


def _family_module(record: Record) -> ModuleType | None:
    family = record.game().ruleset.family
    if family not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{family}")
