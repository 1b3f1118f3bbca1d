"""The store: players, tournaments, matches, games and ratings in a database; the only truth of the platform.

Only plain frozen values go in and out. A committed match is complete or absent: all its games enter in one
transaction, exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from arena.ratings import OnlineRatingSystem, RatedGame, RatingSystem
from arena.ratings.live_elo import LiveElo
from arena.store import (
    commits,
    conduct,
    content,
    faults,
    games,
    growth,
    quarantine,
    rating_log,
    recompute,
    released,
    standings,
    tournaments,
)
from arena.store import seats as seat_facts
from arena.store.database import Database
from arena.store.lease import Check
from arena.store.rows import (
    AttemptRow,
    ConductRow,
    DoneSequences,
    ExportName,
    FaultDetail,
    FaultRow,
    FinishedMatch,
    GameRow,
    LeaderboardRow,
    PairwiseRow,
    PlayerRow,
    PoolRow,
    QuarantineRow,
    RatingChangeRow,
    RecomputeReport,
    SeatedRow,
    SeatShareRow,
    Table,
    TournamentRow,
    TournamentState,
)
from arena.store.tokens import Tokens
from arena.types import FaultKind, MatchResult, Pairing, Player, VariantSetup

LIVE_ELO = LiveElo()


class Store:
    """A database of results, by SQLAlchemy URL (`sqlite:///arena.db`, `postgresql+psycopg://...`).

    Opening does not touch the database; call `migrate()` once before use. Every method raises StoreError with
    a plain message when the database cannot be used or an id is unknown. One process writes; any number may
    read.
    """

    def __init__(self, url: str) -> None:
        """Remember the database; create the folder of an SQLite file."""
        self._database = Database(url)
        self.tokens = Tokens(self._database)

    @property
    def url(self) -> str:
        """Return the database's URL without its password."""
        return self._database.name

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def migrate(self) -> None:
        """Create the tables or bring them to this version's schema; harmless when they already are."""
        self._database.migrate()

    def serving(self) -> AbstractContextManager[Check]:
        """Be the one server of this database; StoreRefusal names the process that is.

        Call what is given from time to time: StoreError when another may serve by now.
        """
        return self._database.lease("serve", f"{self.url} is served")

    def playing(self, tournament_id: int) -> AbstractContextManager[Check]:
        """Be the one process that plays a tournament; StoreRefusal names the process that does."""
        what = f"tournament {tournament_id} of {self.url} is played"
        return self._database.lease(f"tournament-{tournament_id}", what)

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
        quarantine_after: int = 0,
    ) -> int:
        """Store a new tournament in state `running` and return its id.

        `spec` is the specification's text, `seed` the secret, `commitment` its published hash, `total` the
        number of matches planned. A player is quarantined when its last `quarantine_after` games (0: never)
        in scheduled order each ended with it retired by a fault. Indices into `setups` and `players` are
        those that pairings use. Two players with the same bot, version and settings are one identity and
        raise StoreError.
        """
        with self._database.writing() as session:
            return tournaments.create(
                session,
                name=name,
                spec=spec,
                seed=seed,
                commitment=commitment,
                setups=setups,
                players=players,
                total=total,
                quarantine_after=quarantine_after,
            )

    def tournament(self, reference: int | str) -> TournamentRow:
        """Return a tournament by id (also as text), or the newest one of that name."""
        with self._database.reading() as session:
            return tournaments.find(session, reference)

    def tournaments(self, *, resumable: bool = False) -> tuple[TournamentRow, ...]:
        """Return all tournaments, or those not finished, newest first."""
        with self._database.reading() as session:
            return tournaments.listing(session, resumable=resumable)

    def seed(self, tournament_id: int) -> bytes:
        """Return the secret seed, for the tournament process only."""
        with self._database.reading() as session:
            return tournaments.require(session, tournament_id).seed

    def add_setup(self, tournament_id: int, setup: VariantSetup) -> int:
        """Return the index of a setup of a tournament that grows; it is added when it is not there yet."""
        with self._database.writing() as session:
            return growth.add_setup(session, tournament_id, setup)

    def add_entry(self, tournament_id: int, player: Player) -> int:
        """Return the entry index of a player in a tournament that grows, entered when not there yet."""
        with self._database.writing() as session:
            return growth.add_entry(session, tournament_id, player)

    def plan_matches(self, tournament_id: int, total: int) -> None:
        """Raise the number of a tournament's planned matches to `total`."""
        with self._database.writing() as session:
            growth.plan_matches(session, tournament_id, total)

    def set_state(self, tournament_id: int, state: TournamentState) -> None:
        """Record that a tournament runs (again), was stopped, or is finished (which publishes its seed)."""
        with self._database.writing() as session:
            tournaments.set_state(session, tournament_id, state)

    def setups(self, tournament_id: int) -> tuple[PoolRow, ...]:
        """Return the pool of each setup, by setup index."""
        with self._database.reading() as session:
            return tournaments.setups(session, tournament_id)

    def entries(self, tournament_id: int) -> tuple[PlayerRow, ...]:
        """Return the players of a tournament, by entry index, with their labels there."""
        with self._database.reading() as session:
            return tournaments.entries(session, tournament_id)

    def check_resume(
        self, tournament_id: int, setups: Sequence[VariantSetup], players: Sequence[Player]
    ) -> None:
        """Raise StoreError, naming the first difference, unless it began with these setups and players."""
        with self._database.reading() as session:
            tournaments.check_resume(session, tournament_id, setups, players)

    # Commits

    def commit_match(self, tournament_id: int, pairing: Pairing, key: bytes, result: MatchResult) -> bool:
        """Commit one finished match in a transaction of its own; see `commit_matches`."""
        return self.commit_matches(tournament_id, [FinishedMatch(pairing, key, result)])[0]

    def commit_matches(self, tournament_id: int, matches: Sequence[FinishedMatch]) -> tuple[bool, ...]:
        """Commit attempts in one transaction and tell for each whether it now counts.

        False: the sequence was committed before (nothing is stored); or the result carries an error (a voided
        attempt is stored with the reason, and the match stays open); or a player of it is quarantined (the
        match is settled without games). A verdict that this commit brings about also takes back matches that
        were committed behind it. A result that contradicts its pairing raises StoreError and stores nothing.
        """
        with self._database.writing() as session:
            return commits.commit(session, tournament_id, matches)

    def done_sequences(self, tournament_id: int) -> DoneSequences:
        """Return which sequence numbers are committed; supports `in`, `len` and iteration."""
        with self._database.reading() as session:
            return released.done_sequences(session, tournament_id)

    def attempts(self, tournament_id: int, *, voided_only: bool = False) -> tuple[AttemptRow, ...]:
        """Return the attempts in the order of sequence and number, to tell why a match was replayed."""
        with self._database.reading() as session:
            return commits.attempts(session, tournament_id, voided_only=voided_only)

    def quarantines(self, tournament_id: int) -> tuple[QuarantineRow, ...]:
        """Return the quarantined players of a tournament in the order in which it happened."""
        with self._database.reading() as session:
            return quarantine.quarantines(session, tournament_id)

    def quarantine_differences(self, tournament_id: int) -> tuple[str, ...]:
        """Judge the committed matches anew; return in words where stored quarantines are not what follows."""
        with self._database.reading() as session:
            return tuple(quarantine.differences(session, tournament_id))

    def unplayed(self, tournament_id: int) -> int:
        """Count the committed matches that count for nobody, for a quarantine."""
        with self._database.reading() as session:
            return quarantine.unplayed(session, tournament_id)

    # Results

    def pools(self, tournament_id: int | None = None) -> tuple[PoolRow, ...]:
        """Return the pools of a tournament, or all."""
        with self._database.reading() as session:
            return tournaments.pools(session, tournament_id)

    def leaderboard(
        self,
        *,
        tournament_id: int | None = None,
        pool_id: int | None = None,
        system: RatingSystem = LIVE_ELO,
    ) -> tuple[LeaderboardRow, ...]:
        """Return the standings over a tournament, a pool, or a pool in a tournament, best mean score first.

        `rating` is the number of `system` (default `live_elo`): within a tournament the stored one, the mean
        over pools when several are covered; for a pool over all tournaments it is computed from the games.
        """
        with self._database.reading() as session:
            return standings.leaderboard(session, standings.Scope(tournament_id, pool_id), system)

    def bot_ratings(
        self, tournament_id: int, system: RatingSystem = LIVE_ELO
    ) -> dict[tuple[str, str], float]:
        """Return the stored ratings of a tournament by bot and version; cheap, however much was played."""
        with self._database.reading() as session:
            return standings.bot_ratings(session, tournament_id, system)

    def pairwise(
        self, *, tournament_id: int | None = None, pool_id: int | None = None
    ) -> tuple[PairwiseRow, ...]:
        """Return, for each ordered pair that met, what they scored when both sat at one table."""
        with self._database.reading() as session:
            return standings.pairwise(session, standings.Scope(tournament_id, pool_id))

    def seat_shares(self, tournament_id: int) -> tuple[SeatShareRow, ...]:
        """Return the mean score of each seat of each pool of a tournament."""
        with self._database.reading() as session:
            return seat_facts.shares(session, tournament_id)

    def distinct_games(self, tournament_id: int) -> tuple[int, int]:
        """Return how many games a tournament has, and how many different ends among them."""
        with self._database.reading() as session:
            return seat_facts.distinct_games(session, tournament_id)

    def games(self, tournament_id: int, *, sequence: int | None = None) -> Iterator[GameRow]:
        """Yield the committed games (of one match) in scheduled order, each seat with its reason in words."""
        with self._database.reading() as session:
            yield from games.games(session, tournament_id, sequence)

    def game(self, game_id: int) -> GameRow:
        """Return one game."""
        with self._database.reading() as session:
            return games.game(session, game_id)

    def seated(self, game_id: int) -> tuple[SeatedRow, ...]:
        """Return who sat in a game and how their bots were started, by seat."""
        with self._database.reading() as session:
            return games.seated(session, game_id)

    def record(self, game_id: int) -> bytes:
        """Return one game's record as the runner delivered it (compressed)."""
        with self._database.reading() as session:
            return games.record(session, game_id)

    def faults(
        self, tournament_id: int, *, player_id: int | None = None, kind: FaultKind | None = None
    ) -> tuple[FaultRow, ...]:
        """Return the faults in committed games (of one player, of one kind), in scheduled order."""
        with self._database.reading() as session:
            return tuple(faults.faults(session, tournament_id, player_id, kind))

    def fault(self, fault_id: int) -> FaultDetail:
        """Return all that is kept of one fault; StoreError for an unknown id says which exist."""
        with self._database.reading() as session:
            return faults.fault(session, fault_id)

    def conduct(self, tournament_id: int) -> tuple[ConductRow, ...]:
        """Return how each entry behaved: faults and rates, isolation reached, idle CPU, quarantine."""
        with self._database.reading() as session:
            return conduct.conduct(session, tournament_id)

    def export(self, tournament_id: int, name: ExportName, *, system: RatingSystem = LIVE_ELO) -> Table:
        """Return a table of plain values for CSV or JSON; committed matches only, read as it is consumed.

        Equal runs give equal tables, except for ids, times and texts of `faults`, and for `attempts`; in
        `conduct`, idle CPU is a time.
        """
        columns = content.columns(name)
        self.tournament(tournament_id)
        return Table(columns, self._rows(tournament_id, name, system))

    def _rows(
        self, tournament_id: int, name: ExportName, system: RatingSystem
    ) -> Iterator[tuple[str | int | float | None, ...]]:
        with self._database.reading() as session:
            yield from content.rows(session, tournament_id, name, system)

    def content_hash(self, tournament_id: int) -> str:
        """Return a hex hash over all committed results in scheduled order, blind to times and workers.

        Two runs of one spec and seed with deterministic bots have equal hashes, interrupted or not.
        """
        with self._database.reading() as session:
            return content.content_hash(session, tournament_id)

    # Ratings

    def games_in_order(self, pool_id: int, *, tournament_id: int | None = None) -> Iterator[RatedGame]:
        """Yield a pool's released games by tournament, sequence and rotation.

        Released: every earlier match of that tournament is committed too; what merely finished first is
        biased.
        """
        with self._database.reading() as session:
            yield from rating_log.games_in_order(session, pool_id, tournament_id)

    def update_ratings(self, tournament_id: int, system: OnlineRatingSystem = LIVE_ELO) -> int:
        """Rate the matches released since the last call and return how many; cost is per new match."""
        with self._database.writing() as session:
            return rating_log.update(session, tournament_id, system)

    def recompute_ratings(
        self,
        system: OnlineRatingSystem = LIVE_ELO,
        *,
        tournament_id: int | None = None,
        repair: bool = True,
    ) -> RecomputeReport:
        """Rewrite ratings and history from the committed games; report whether they were equal to the bit.

        Without `repair` the database stays as it is.
        """
        wanted = [t.id for t in self.tournaments()] if tournament_id is None else [tournament_id]
        reports = []
        for tournament in sorted(wanted):
            with self._database.writing() as session:
                reports.append(recompute.recompute(session, tournament, system))
                if not repair:
                    session.rollback()
        return RecomputeReport(
            tournaments=len(reports),
            matches=sum(matches for matches, _ in reports),
            differences=tuple(line for _, lines in reports for line in lines),
        )

    def rating_changes(
        self, tournament_id: int, *, player_id: int | None = None, system: RatingSystem = LIVE_ELO
    ) -> tuple[RatingChangeRow, ...]:
        """Return the rating changes in scheduled order, each with expected and actual points."""
        with self._database.reading() as session:
            return tuple(rating_log.changes(session, tournament_id, system.id, player_id))
