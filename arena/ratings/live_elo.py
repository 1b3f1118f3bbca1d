"""The online number `live_elo`: softmax of the ratings at a table of any size, classic Elo for two.

A match moves the players of its games by K (points made - points expected), all games judged by the ratings
before the match. Sums are exact before rounding (math.fsum), so neither the order of the games in a match nor
that of the seats can change a bit. The changes of a game sum to zero up to rounding.

It says who wins, never who is second, and it is not a ranking method: the result depends on the schedule's
order.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.ratings import Change, RatedGame, Rating

POINTS_PER_E = 400 / math.log(10)


def expected_scores(ratings: Sequence[float]) -> tuple[float, ...]:
    """Return each seat's expected score, the softmax of the seats' ratings (Elo points)."""
    best = max(ratings)
    weights = [math.exp((rating - best) / POINTS_PER_E) for rating in ratings]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


@dataclass(frozen=True, slots=True)
class LiveElo:
    """Online softmax Elo; `k` is K for two players (32, 16 or 8 are usual), scaled as 2 / players for more.

    A match of n players has n games, so its largest possible change, K times its games, is the same at every
    table. Games whose scores sum to 0 were voided by the point rule and are skipped; games with faults count
    as they ended.
    """

    k: float = 16.0
    start: float = 1500.0

    id = "live_elo"
    title = "Live Elo"

    @property
    def settings(self) -> str:
        """Return the options as text."""
        return f"k={self.k!r} start={self.start!r}"

    def k_factor(self, players: int) -> float:
        """Return K for a table of that many players: 16, 8 and 5.33 for 2, 4 and 6 by default."""
        return self.k * 2 / players

    def rate(self, games: Iterable[RatedGame]) -> dict[int, Rating]:
        """Rate the games of one pool; raises ValueError unless they come in scheduled order."""
        values: dict[int, float] = {}
        counts: dict[int, int] = defaultdict(int)
        for match in _matches(games):
            for change in self.update(values, match):
                values[change.player] = change.after
                counts[change.player] += change.games
        return {player: Rating(values[player], counts[player]) for player in sorted(values)}

    def update(self, ratings: Mapping[int, float], match: Sequence[RatedGame]) -> tuple[Change, ...]:
        """Return the changes by one match, by player; players not in `ratings` start at `start`."""
        expected: dict[int, list[float]] = defaultdict(list)
        actual: dict[int, list[float]] = defaultdict(list)
        moves: dict[int, list[float]] = defaultdict(list)
        for game in match:
            if not any(game.scores):
                continue
            k = self.k_factor(len(set(game.players)))
            for player, (wanted, made) in self._points(ratings, game).items():
                expected[player].append(wanted)
                actual[player].append(made)
                moves[player].append(k * (made - wanted))
        return tuple(
            Change(
                player=player,
                before=(before := ratings.get(player, self.start)),
                after=math.fsum([before, *moves[player]]),
                expected=math.fsum(expected[player]),
                actual=math.fsum(actual[player]),
                games=len(moves[player]),
            )
            for player in sorted(moves)
        )

    def _points(self, ratings: Mapping[int, float], game: RatedGame) -> dict[int, tuple[float, float]]:
        """Return (expected, actual) by player; one that holds several seats counts once, with their sums."""
        wanted = expected_scores([ratings.get(player, self.start) for player in game.players])
        seats: dict[int, list[int]] = defaultdict(list)
        for seat, player in enumerate(game.players):
            seats[player].append(seat)
        return {
            player: (math.fsum(wanted[seat] for seat in own), math.fsum(game.scores[seat] for seat in own))
            for player, own in seats.items()
        }


def _matches(games: Iterable[RatedGame]) -> Iterable[list[RatedGame]]:
    last = (-1, -1)
    for place, match in groupby(games, key=lambda game: (game.tournament, game.sequence)):
        if place < last:
            raise ValueError(
                f"games must come in scheduled order, but match {place[1]} of tournament {place[0]} follows "
                f"match {last[1]} of tournament {last[0]}"
            )
        last = place
        yield list(match)


SYSTEM = LiveElo
