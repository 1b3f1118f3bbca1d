"""What the store hands out: frozen values, never a database object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from arena.types import FaultKind, MatchResult, Pairing, PointRule, Termination

TournamentState = Literal["running", "stopped", "finished"]
ExportName = Literal["standings", "games", "pairwise", "faults", "conduct", "attempts"]


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """One attempt to be committed: its place in the schedule, its 16-byte match key, and how it went.

    `result` is None for a match that is not played because one of its players is quarantined.
    """

    pairing: Pairing
    key: bytes
    result: MatchResult | None


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
    counts faults, `fault_rate` is the share of games with one; `rating` is None while no match of the player
    is rated.
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
    fault_rate: float
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
    """A fault of a player: in which game, at which decision; times are in milliseconds.

    `used_ms` counts against `limit_ms`; queue and transport are the rest of the time to the answer.
    """

    id: int
    game: int
    sequence: int
    rotation: int
    seat: int
    player: str
    kind: FaultKind
    decision: int
    limit_ms: float
    used_ms: float
    queue_ms: float
    transport_ms: float
    action: str
    message: str


@dataclass(frozen=True, slots=True)
class FaultDetail:
    """All that is kept of one fault; `command` is how the bot was started, `guard` how it was kept apart.

    `output` is the head and tail of its stderr, `last_message` the last it sent; `quarantine` tells whether
    this fault is the one that put its player into quarantine.
    """

    fault: FaultRow
    output: str
    last_message: str
    tournament_id: int
    tournament: str
    variant: str
    seats: int
    player: PlayerRow
    command: str
    guard: str
    quarantine: bool


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """A player (by label and entry index) that no match after `sequence` counts for.

    Its last `games` games up to there each ended with it retired; the last of those faults is `fault`, an id.
    """

    player: str
    entry: int
    sequence: int
    games: int
    kind: FaultKind
    fault: int


@dataclass(frozen=True, slots=True)
class ConductRow:
    """How a player behaved over its own games; rates are shares of them, in [0, 1], None without games.

    `fault_rate`: games with a fault of it; `retired_rate`: games that a fault took it out of; `kinds`: number
    of faults by kind. `guards` are the isolation levels reached. `idle_cpu_ms` is the mean CPU time a match
    that its process burned while it owed no answer, None where none was measured. `unplayed` counts the
    player's matches that a quarantine, its own or another's, kept from counting.
    """

    player: PlayerRow
    games: int
    faults: int
    fault_rate: float | None
    retired_rate: float | None
    kinds: Mapping[FaultKind, int]
    guards: tuple[str, ...]
    idle_cpu_ms: float | None
    quarantine: QuarantineRow | None
    unplayed: int


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How a game ended for one seat; `reason` says it in words, `guard` how far its bot was kept apart."""

    seat: int
    player: str
    score: float
    placement: tuple[int, int]
    eliminated_at: int
    won: bool
    guard: str
    reason: str


@dataclass(frozen=True, slots=True)
class SeatedRow:
    """Who sat on a seat of a game, how its bot was started there and how far it was kept apart."""

    player: PlayerRow
    command: str
    guard: str


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
