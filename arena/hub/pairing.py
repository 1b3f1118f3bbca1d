"""Who plays whom in the open lobby: fewest games first, then whom one has met least. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)


@dataclass(slots=True)
class Meetings(Generic[Name]):
    """How many games each player had, and each two players together."""

    games: Counter[Name] = field(default_factory=Counter)
    _met: Counter[frozenset[Name]] = field(default_factory=Counter)

    def add(self, players: Iterable[Name], games: int = 1) -> None:
        """Count games at one table."""
        seated = list(players)
        for player in seated:
            self.games[player] += games
        for pair in combinations(seated, 2):
            self._met[frozenset(pair)] += games

    def add_pair(self, one: Name, other: Name, games: int) -> None:
        """Count games of two players with each other, but not as games of theirs."""
        self._met[frozenset((one, other))] += games

    def met(self, one: Name, other: Name) -> int:
        """How many games two players had together."""
        return self._met[frozenset((one, other))]


def line_up(
    free: Sequence[Name], seats: int, meetings: Meetings[Name], *, awaited: Collection[Name] = ()
) -> tuple[Name, ...] | None:
    """Choose `seats` players of those who are free; None when it is better to wait, or there are too few.

    The one with the fewest games comes first; next to it sits whom those at the table have met least, of
    equals the one with fewer games, then the one who came earlier. `awaited` play elsewhere: while one of
    them has met the first less than somebody chosen has, the first waits, so that two that always finish
    together do not play each other for ever.
    """
    if len(free) < seats:
        return None
    order = {player: place for place, player in enumerate(free)}
    first = min(free, key=lambda player: (meetings.games[player], order[player]))
    table = [first]
    while len(table) < seats:
        rest = [player for player in free if player not in table]
        table.append(
            min(
                rest,
                key=lambda player: (
                    sum(meetings.met(player, other) for other in table),
                    meetings.games[player],
                    order[player],
                ),
            )
        )
    worst = max((meetings.met(first, other) for other in table[1:]), default=0)
    if any(meetings.met(first, other) < worst for other in awaited):
        return None
    return tuple(table)
