"""What the store hands out: frozen values, never a database object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from arena.types import FaultKind, MatchResult, Pairing, PointRule, Termination

TournamentState = Literal["running", "stopped", "finished"]
ExportName = Literal["standings", "games", "pairwise", "faults"]


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """One attempt to be committed: its place in the schedule, its 16-byte match key, and how it went."""

    pairing: Pairing
    key: bytes
    result: MatchResult


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament; `seed` stays empty until it is finished and is then the published seed in hex.

    `total` counts the matches planned, `committed` those that count so far; times are UTC.
    """

    id: int
    name: str
    state: TournamentState
    created: datetime
    finished: datetime | None
    spec: str
    commitment: str
    seed: str
    total: int
    committed: int


@dataclass(frozen=True, slots=True)
class PoolRow:
    """What one rating is about; `label` is the variant name under which the pool was first played.

    `entrants` is how many players a match has: the number of teams where one player commands a whole team.
    """

    id: int
    label: str
    ruleset_hash: str
    seats: int
    teams: tuple[int, ...]
    entrants: int
    turn_cap: int
    point_rule: PointRule


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A rated identity; `identity` is the hash of bot, version and settings, `options` their JSON text."""

    id: int
    identity: str
    label: str
    bot: str
    version: str
    options: str


@dataclass(frozen=True, slots=True)
class DoneSequences:
    """The committed matches of a tournament: all below `prefix`, and those in `beyond`."""

    prefix: int
    beyond: frozenset[int]

    def __contains__(self, sequence: int) -> bool:
        """Tell whether the match with this sequence number is committed."""
        return 0 <= sequence < self.prefix or sequence in self.beyond

    def __len__(self) -> int:
        """Count the committed matches."""
        return self.prefix + len(self.beyond)

    def __iter__(self) -> Iterator[int]:
        """Yield the committed sequence numbers in order."""
        yield from range(self.prefix)
        yield from sorted(self.beyond)


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One try at a match; `error` says why a voided attempt does not count and was played again."""

    sequence: int
    number: int
    worker: str
    error: str
    wall_ms: float
    cpu_ms: float
    stored: datetime


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A player's standing; every share is of this player's own games.

    `score` is the mean score a game in [0, 1] over the games that the point rule did not void (`void` counts
    those), `score_se` its standard error with the match as the unit (None below two matches); `wins` counts
    games won, alone or with others; `capped` is the share of games that ended at the turn cap; `faults`
    counts faults; `rating` is None while no match of the player is rated.
    """

    player: PlayerRow
    games: int
    matches: int
    void: int
    score: float
    score_se: float | None
    wins: int
    capped: float
    faults: int
    rating: float | None


@dataclass(frozen=True, slots=True)
class PairwiseRow:
    """Player against opponent over the games in which both sat, voided ones left out: their mean scores.

    `outscored` is the share of games in which the player's score was higher, `tied` in which both were equal.
    """

    player: PlayerRow
    opponent: PlayerRow
    games: int
    score: float
    opponent_score: float
    outscored: float
    tied: float


@dataclass(frozen=True, slots=True)
class SeatShareRow:
    """What a seat was worth in a pool: its mean score over games that were not voided, whoever sat there."""

    pool: PoolRow
    seat: int
    games: int
    score: float


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault of a player: in which game, at which decision, with limit and time used in milliseconds."""

    game: int
    sequence: int
    rotation: int
    seat: int
    player: str
    kind: FaultKind
    decision: int
    limit_ms: float
    used_ms: float
    action: str
    message: str


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How a game ended for one seat; `reason` says it in words."""

    seat: int
    player: str
    score: float
    placement: tuple[int, int]
    eliminated_at: int
    won: bool
    reason: str


@dataclass(frozen=True, slots=True)
class GameRow:
    """A committed game with its seats in seat order."""

    id: int
    sequence: int
    round: int
    pool: PoolRow
    rotation: int
    termination: Termination
    laps: int
    decisions: int
    digest: str
    wall_ms: float
    seats: tuple[SeatRow, ...]


@dataclass(frozen=True, slots=True)
class RatingChangeRow:
    """Why a match changed a rating: points expected and made over its games, rating before and after."""

    pool: PoolRow
    sequence: int
    player: str
    before: float
    after: float
    expected: float
    actual: float
    games: int


@dataclass(frozen=True, slots=True)
class RecomputeReport:
    """What a recomputation found: matches rated, and a line for each stored number that differed."""

    tournaments: int
    matches: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Tell whether the stored ratings and history were exactly those recomputed."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class Table:
    """A table for CSV or JSON: fixed column names, and rows of plain values in that order."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[str | int | float | None, ...]]
