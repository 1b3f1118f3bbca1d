"""What an action, a battle and the luck of a step are called here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine_core import Event, Game, State

# (kind, a, b, c) -> (lowest, highest amount)
Ranges = dict[tuple[str, int, int, int], tuple[int, int]]
END = ("end", 0, 0, 0)

IN_DECK, IN_DISCARDS, ASIDE = 100, 101, 102
IN_BOX, ON_BOARD = -1, 100


class Move(NamedTuple):
    """An action, its kind by name."""

    kind: str
    a: int
    b: int
    c: int
    n: int


class Battle(NamedTuple):
    """An attack under way."""

    source: int
    target: int
    dice: int


@dataclass
class Start:
    """All that luck decided before the first decision: who begins, what was dealt and laid out.

    `dealt` are (territory, colour) in the order of the deal, empty when claiming. By colour go `mission` and
    `refused` (1 = gave back the one against itself). `lying` are the objectives on the board, `tokens` the
    reward on each objective, `piles` those of the minor and of the major pile, the top one first.
    """

    first: int
    dealt: list[tuple[int, int]] = field(default_factory=list)
    mission: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    cities: set[int] = field(default_factory=set)
    lying: set[int] = field(default_factory=set)
    tokens: dict[int, int] = field(default_factory=dict)
    piles: tuple[list[int], list[int]] = ([], [])


class Luck:
    """The dice and cards of one step, in the order in which the engine told of them."""

    def __init__(self, game: Game, state: State, events: list[Event]) -> None:
        names = [kind.name for kind in game.description.events]
        told = [(names[event.kind], event) for event in events]
        self.battles = iter([event.dice for name, event in told if name == "battle"])
        self.again = iter([event.dice[-1] for name, event in told if name == "rerolled"])
        self.cards = iter([event.a for name, event in told if name == "drew" and event.a != 255])
        self.rolled = ()
        if game.description.phases[state.phase] == "reroll":
            self.rolled = state.rolled

    def spent(self) -> bool:
        """Whether nothing is left over that the engine told and the rules have not used."""
        return next(self.battles, None) is None and next(self.cards, None) is next(self.again, None) is None
