"""Says in sentences why each seat of a recorded game won or lost; one module a family, found by its name.

A family's module has `sentences(record)`: for each seat what decided its game, and `goal(record, who)`: by
which goal a game was won, "" if by none; `who` names the winners to the losers, and is "" for the winners
themselves. Families without a module are told by their results alone. No sentence begins with the name of a
player, since its first letter is shown as a capital one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
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
    names = [*record.players, *("",) * game.seats]
    return tuple(Story(seat, names[seat], outcome(record, seat), told[seat]) for seat in range(game.seats))


def outcome(record: Record, seat: int) -> str:
    """How the game ended for a seat, in one clause."""
    facts = record.facts
    if facts.retired[seat]:
        return f"was taken out of the game for its faults{_when(record, seat)}"
    if seat in facts.winners:
        return f"won: {ending(record)}"
    if facts.eliminated_at[seat] >= 0 and _eliminates(record):
        fallen = sorted({order for order in facts.eliminated_at if order >= 0})
        if len(fallen) == 1:
            return "was eliminated"
        return f"was eliminated, the {ordinal(fallen.index(facts.eliminated_at[seat]) + 1)} to fall"
    if _is_unplayed(record):
        return "won nothing: the game was over before its first decision, for too few bots had come"
    if facts.termination in ("turn_cap", "game_limit"):
        return f"was still there when {ENDINGS[facts.termination]}"
    if facts.termination == "forfeit":
        return f"lost: {_leavers(record)}"
    return f"lost: {_goal(record, winners(record)) or f'{winners(record)} won'}"


def ending(record: Record) -> str:
    """What ended the game, in one clause: where somebody won by a goal, which one."""
    facts = record.facts
    if facts.termination == "rules" and facts.winners:
        if goal := _goal(record):
            return goal
        if all(facts.eliminated_at[seat] >= 0 for seat in _losers(record)):
            return "all others were eliminated"
    if facts.termination == "forfeit" and not _is_alone(record):
        return _leavers(record)
    return "too few bots had come to it" if _is_unplayed(record) else ENDINGS[facts.termination]


def winners(record: Record) -> str:
    """The names of all winners."""
    names = seat_names(record)
    return listed([names[seat] for seat in record.facts.winners])


def seat_names(record: Record) -> list[str]:
    """What to call each seat: by its player, or by its number where the record names none."""
    unnamed = [f"seat {seat}" for seat in range(record.game().seats)]
    return [*record.players, *unnamed[len(record.players) :]]


def listed(words: Sequence[str]) -> str:
    """Some words as a list in a sentence: A, B and C."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, one: str, more: str = "") -> str:
    """A number with what it counts: 1 territory, 2 territories."""
    return f"{number} {one if number == 1 else more or one + 's'}"


def _goal(record: Record, who: str = "") -> str:
    """By which goal the game was won, told to the losers when it says who won; "" when by none."""
    module = _family_module(record)
    return str(module.goal(record, who)) if module and record.facts.winners else ""


def _eliminates(record: Record) -> bool:
    """Whether seats are eliminated in this family; in others a side that lost has places, and no fall."""
    return any(kind.name == "eliminated" for kind in record.game().description.events)


def _is_unplayed(record: Record) -> bool:
    """Whether it was over before its first decision: nobody had come, or not all of any side."""
    return record.facts.termination == "game_limit" and not record.facts.decisions


def _is_alone(record: Record) -> bool:
    """Whether every loser left or fell: a side may also lose because one of its seats left."""
    facts = record.facts
    return all(facts.retired[seat] or facts.eliminated_at[seat] >= 0 for seat in _losers(record))


def _leavers(record: Record) -> str:
    """Who left, where that lost the game for a whole side."""
    names = seat_names(record)
    gone = listed([names[seat] for seat in _losers(record) if record.facts.retired[seat]])
    return f"{gone} was taken out of the game for its faults, and so its side lost"


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
