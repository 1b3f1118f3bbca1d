"""The leaderboard of a tournament or a pool: standings and pairwise table, for the terminal or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.commands._common import table

if TYPE_CHECKING:
    from rich.console import Console

    from arena.ratings import RatingSystem
    from arena.store import Store
    from arena.store.rows import LeaderboardRow, PairwiseRow, PoolRow, SeatShareRow

COLUMNS_HELP = """\
\b
Columns of the standings:
  player    the player's label; (quarantined): its later matches are not played, for its faults
  games     games played in this pool
  score     mean share of the point per game, in percent (a win is 100, a draw at the turn
            cap is split among the survivors), with the standard error, whose unit is the match;
            a team of several players splits the point, so with two a side each winner gets 50
  wins      share of the player's games won outright, in percent
  capped    share of the player's games that ended at the turn cap, in percent
  faults    number of faults (time-outs, illegal actions, crashes, ...) in all games, and the
            share of the player's games with one, in percent
  live elo  online rating, updated per match in scheduled order; 1500 is the start
Pairwise: the share of the games with both at the table in which the row's player scored
more than the column's, ties counted half, in percent; 50 means equal.
Below it the mean score of each seat, in percent: what it is worth to sit there.
"""


@dataclass(frozen=True, slots=True)
class Standings:
    """One pool's standings, pairwise rows and seats; `pool` is None for all pools together.

    `quarantined` are the players of a tournament whose later matches count for nobody.
    """

    pool: PoolRow | None
    rows: tuple[LeaderboardRow, ...]
    pairs: tuple[PairwiseRow, ...]
    seats: tuple[SeatShareRow, ...]
    quarantined: tuple[str, ...] = ()


def standings(store: Store, tournament_id: int | None, system: RatingSystem) -> list[Standings]:
    """The standings of every pool of a tournament, or of all; those over all pools come first."""
    pools: list[PoolRow | None] = [*store.pools(tournament_id)]
    if len(pools) > 1 and tournament_id is not None:
        pools.insert(0, None)
    shares = store.seat_shares(tournament_id) if tournament_id is not None else ()
    quarantines = store.quarantines(tournament_id) if tournament_id is not None else ()
    quarantined = tuple(row.player for row in quarantines)
    found = []
    for pool in pools:
        pool_id = pool.id if pool else None
        rows = store.leaderboard(tournament_id=tournament_id, pool_id=pool_id, system=system)
        pairs = store.pairwise(tournament_id=tournament_id, pool_id=pool_id)
        seats = tuple(share for share in shares if share.pool == pool)
        found.append(Standings(pool, rows, pairs, seats, quarantined))
    return found


def title(pool: PoolRow | None) -> str:
    """A pool in words."""
    if pool is None:
        return "All pools"
    seats = f"{pool.seats} seats"
    if pool.entrants != pool.seats:
        seats = f"{pool.entrants} players with {seats}"
    return f"{pool.label}, {seats}, cap {pool.turn_cap}, points: {pool.point_rule}"


def show(out: Console, found: Sequence[Standings], rating_title: str = "Live Elo") -> None:
    """Print the tables."""
    columns = ["#", "player", ">games", ">score %", ">wins %", ">capped %", ">faults (%)", f">{rating_title}"]
    for part in found:
        rows = [_row(rank, row, part.quarantined) for rank, row in enumerate(part.rows, 1)]
        out.print(table(columns, rows, title=title(part.pool)))
        if part.pairs:
            out.print(_pairwise(part))
        if part.seats:
            worth = ", ".join(f"{share.seat}: {100 * share.score:.1f}" for share in part.seats)
            out.print(f"  mean score % of seats, whoever sat there: {worth}\n")


def _row(rank: int, row: LeaderboardRow, quarantined: Sequence[str]) -> tuple[object, ...]:
    error = f" ± {100 * row.score_se:4.1f}" if row.score_se is not None else ""
    return (
        rank,
        row.player.label + " (quarantined)" * (row.player.label in quarantined),
        row.games,
        f"{100 * row.score:.1f}{error}",
        f"{100 * row.wins / row.games:.1f}" if row.games else "-",
        f"{100 * row.capped:.1f}",
        f"{row.faults} ({100 * row.fault_rate:.1f})" if row.faults else 0,
        f"{row.rating:.0f}" if row.rating is not None else None,
    )


def _pairwise(part: Standings) -> object:
    order = [row.player for row in part.rows]
    shares = {
        (pair.player.id, pair.opponent.id): 100 * (pair.outscored + pair.tied / 2) for pair in part.pairs
    }
    rows = [
        [player.label, *(_share(shares.get((player.id, other.id))) for other in order)] for player in order
    ]
    return table(["row against column", *(f">{player.label}" for player in order)], rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
