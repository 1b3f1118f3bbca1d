"""The store: players, tournaments, matches, games and ratings in a database; the only truth of the platform.

Only plain frozen values go in and out. A committed match is complete or absent: all its games enter in one
transaction, exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from arena.ratings import OnlineRatingSystem, RatedGame, RatingSystem
from arena.store.rows import (
    AttemptRow,
    DoneSequences,
    ExportName,
    FaultRow,
    FinishedMatch,
    GameRow,
    LeaderboardRow,
    PairwiseRow,
    PlayerRow,
    PoolRow,
    RatingChangeRow,
    RecomputeReport,
    Table,
    TournamentRow,
    TournamentState,
)
from arena.types import MatchResult, Pairing, Player, VariantSetup


class Store:
    """A database of results, by SQLAlchemy URL (`sqlite:///arena.db`, `postgresql+psycopg://...`).

    Opening does not touch the database; call `migrate()` once before use. Every method raises StoreError with a
    plain message when the database cannot be used or an id is unknown. One process writes; any number may read.
    """

    def __init__(self, url: str) -> None:
        """Remember the database; create the folder of an SQLite file."""

    def __enter__(self) -> Self:
        """Return the store itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""

    def close(self) -> None:
        """Close all connections."""

    def migrate(self) -> None:
        """Create the tables or bring them to this version's schema; harmless when they already are."""

    # Tournaments

    def create_tournament(
        self,
        *,
        name: str,
        spec: str,
        seed: bytes,
        commitment: str,
        setups: Sequence[VariantSetup],
        players: Sequence[Player],
        total: int,
    ) -> int:
        """Store a new tournament in state `running` and return its id.

        `spec` is the specification's text, `seed` the secret, `commitment` its published hash, `total` the number
        of matches planned. Indices into `setups` and `players` are those that pairings use. Two players with the
        same bot, version and settings are one identity and raise StoreError.
        """

    def tournament(self, reference: int | str) -> TournamentRow:
        """Return a tournament by id (also as text), or the newest one of that name."""

    def tournaments(self, *, resumable: bool = False) -> tuple[TournamentRow, ...]:
        """Return all tournaments, or those not finished, newest first."""

    def seed(self, tournament_id: int) -> bytes:
        """Return the secret seed, for the tournament process only."""

    def set_state(self, tournament_id: int, state: TournamentState) -> None:
        """Record that a tournament runs (again), was stopped, or is finished (which publishes its seed)."""

    def setups(self, tournament_id: int) -> tuple[PoolRow, ...]:
        """Return the pool of each setup, by setup index."""

    def entries(self, tournament_id: int) -> tuple[PlayerRow, ...]:
        """Return the players of a tournament, by entry index, with their labels there."""

    def check_resume(
        self, tournament_id: int, setups: Sequence[VariantSetup], players: Sequence[Player]
    ) -> None:
        """Raise StoreError, naming the first difference, unless these are the setups and players it began with."""

    # Commits

    def commit_match(self, tournament_id: int, pairing: Pairing, key: bytes, result: MatchResult) -> bool:
        """Commit one finished match in a transaction of its own; see `commit_matches`."""

    def commit_matches(self, tournament_id: int, matches: Sequence[FinishedMatch]) -> tuple[bool, ...]:
        """Commit attempts in one transaction and tell for each whether it now counts.

        False: the sequence was committed before (nothing is stored), or the result carries an error (a voided
        attempt is stored with the reason, and the match stays open). A result that contradicts its pairing raises
        StoreError and stores nothing.
        """

    def done_sequences(self, tournament_id: int) -> DoneSequences:
        """Return which sequence numbers are committed; supports `in`, `len` and iteration."""

    def attempts(self, tournament_id: int, *, voided_only: bool = False) -> tuple[AttemptRow, ...]:
        """Return the attempts in the order of sequence and number, to tell why a match was replayed."""

    # Results

    def pools(self, tournament_id: int | None = None) -> tuple[PoolRow, ...]:
        """Return the pools of a tournament, or all."""

    def leaderboard(
        self,
        *,
        tournament_id: int | None = None,
        pool_id: int | None = None,
        system: RatingSystem | None = None,
    ) -> tuple[LeaderboardRow, ...]:
        """Return the standings over a tournament, a pool, or a pool within a tournament, best mean score first.

        `rating` is the number of `system` (default `live_elo`): within a tournament the stored one, the mean over
        pools when several are covered; for a pool over all tournaments it is computed from the games.
        """

    def pairwise(
        self, *, tournament_id: int | None = None, pool_id: int | None = None
    ) -> tuple[PairwiseRow, ...]:
        """Return, for each ordered pair that met, what they scored when both sat at one table."""

    def games(self, tournament_id: int, *, sequence: int | None = None) -> Iterator[GameRow]:
        """Yield the committed games (of one match) in scheduled order, each seat with its reason in words."""

    def game(self, game_id: int) -> GameRow:
        """Return one game."""

    def record(self, game_id: int) -> bytes:
        """Return one game's record as the runner delivered it (compressed)."""

    def faults(self, tournament_id: int, *, player_id: int | None = None) -> tuple[FaultRow, ...]:
        """Return the faults in committed games (of one player), in scheduled order."""

    def export(self, tournament_id: int, name: ExportName) -> Table:
        """Return a table of plain values for CSV or JSON; committed matches only."""

    def content_hash(self, tournament_id: int) -> str:
        """Return a hex hash over all committed results in scheduled order, blind to times, workers and attempts.

        Two runs of one spec and seed with deterministic bots have equal hashes, interrupted or not.
        """

    # Ratings

    def games_in_order(self, pool_id: int, *, tournament_id: int | None = None) -> Iterator[RatedGame]:
        """Yield a pool's released games by tournament, sequence and rotation.

        Released: every earlier match of that tournament is committed too; what merely finished first is biased.
        """

    def update_ratings(self, tournament_id: int, system: OnlineRatingSystem | None = None) -> int:
        """Rate the matches released since the last call and return how many; cost is per new match."""

    def recompute_ratings(
        self, system: OnlineRatingSystem | None = None, *, tournament_id: int | None = None
    ) -> RecomputeReport:
        """Rewrite ratings and history from the committed games and report whether they were equal (exactly)."""

    def rating_changes(
        self, tournament_id: int, *, player_id: int | None = None
    ) -> tuple[RatingChangeRow, ...]:
        """Return the rating changes in scheduled order, each with expected and actual points."""
