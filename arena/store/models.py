"""The tables, as typed SQLAlchemy models; private to this package. Times are UTC, durations milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time; kept without zone, since SQLite has none."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Drop the zone after converting to UTC."""
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Put the zone back."""
        return value and value.replace(tzinfo=UTC)


class IntTuple(TypeDecorator[tuple[int, ...]]):
    """A short tuple of integers as text such as `0,1,0,1`: comparable, so that it can be part of a key."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[int, ...] | None, _dialect: Dialect) -> str | None:
        """Join with commas."""
        return None if value is None else ",".join(map(str, value))

    def process_result_value(self, value: str | None, _dialect: Dialect) -> tuple[int, ...] | None:
        """Split at commas."""
        if value is None:
            return None
        return tuple(map(int, value.split(","))) if value else ()


class Base(DeclarativeBase):
    """Common metadata; constraints are named so that migrations can address them on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        float: Double,
        str: Text,
        bytes: LargeBinary,
        datetime: UtcTime,
        tuple[int, ...]: IntTuple,
    }


class PlayerModel(Base):
    """A rated identity; the label is the one it was last entered with."""

    __tablename__ = "players"
    id: Mapped[int] = mapped_column(primary_key=True)
    identity: Mapped[str] = mapped_column(unique=True)
    label: Mapped[str]
    bot: Mapped[str]
    version: Mapped[str]
    options: Mapped[str]


class PoolModel(Base):
    """What one rating is about; the label is only for display.

    `teams` has the team of each seat, complemented (-1, -2, ...) where one player commands a whole team.
    """

    __tablename__ = "pools"
    __table_args__ = (UniqueConstraint("ruleset_hash", "seats", "teams", "turn_cap", "point_rule"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str]
    ruleset_hash: Mapped[str]
    seats: Mapped[int]
    teams: Mapped[tuple[int, ...]]
    turn_cap: Mapped[int]
    point_rule: Mapped[str]


class TournamentModel(Base):
    """A tournament; `seed` is secret until `state` is finished.

    `settled`: the committed matches below it are searched for players to quarantine.
    """

    __tablename__ = "tournaments"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(index=True)
    state: Mapped[str]
    created: Mapped[datetime]
    finished: Mapped[datetime | None]
    spec: Mapped[str]
    commitment: Mapped[str]
    seed: Mapped[bytes]
    total: Mapped[int]
    quarantine_after: Mapped[int] = mapped_column(server_default="0")
    settled: Mapped[int] = mapped_column(server_default="0")


class SetupModel(Base):
    """The pool of a tournament's setup, by setup index, and how many rotations make a complete match."""

    __tablename__ = "setups"
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"))
    variant: Mapped[str]
    rotations: Mapped[int]


class EntryModel(Base):
    """A player's entry in a tournament, by entry index, with its label and how its bot is started there.

    `streak` counts its last settled games, in scheduled order, that each ended with it retired by a fault.
    """

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("tournament_id", "player_id"),)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    label: Mapped[str]
    command: Mapped[str] = mapped_column(server_default="")
    streak: Mapped[int] = mapped_column(server_default="0")


class QuarantineModel(Base):
    """A player that lost `games` games in a row to faults, the last in match `sequence` by the fault.

    Later matches with it count for nobody.
    """

    __tablename__ = "quarantines"
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    sequence: Mapped[int]
    games: Mapped[int]
    fault_id: Mapped[int] = mapped_column(ForeignKey("faults.id"))


class AttemptModel(Base):
    """One try at a match; an empty error means that it is the one that counts.

    The attempt of a match that is not played, for a quarantine, says so in its error.
    """

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("tournament_id", "sequence", "number"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"))
    sequence: Mapped[int]
    number: Mapped[int]
    worker: Mapped[str]
    error: Mapped[str]
    wall_ms: Mapped[float]
    cpu_ms: Mapped[float]
    stored: Mapped[datetime]


class MatchModel(Base):
    """A committed match: it exists only complete, and once per sequence. `players` are entry indices.

    A match that a quarantine keeps from being played has no games.
    """

    __tablename__ = "matches"
    __table_args__ = (
        UniqueConstraint("tournament_id", "sequence"),
        Index(None, "pool_id", "tournament_id", "sequence"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"))
    sequence: Mapped[int]
    round: Mapped[int]
    setup: Mapped[int]
    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"))
    key: Mapped[bytes]
    players: Mapped[tuple[int, ...]]
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id"), unique=True)
    attempt: Mapped[AttemptModel] = relationship()
    games: Mapped[list[GameModel]] = relationship()
    idle_cpu: Mapped[list[IdleCpuModel]] = relationship()


class IdleCpuModel(Base):
    """The CPU time a player's process burned in a match while it owed no answer, where that is measured."""

    __tablename__ = "idle_cpu"
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    cpu_ms: Mapped[float]


class GameModel(Base):
    """One game of a committed match; `voided` by the point rule, its scores are all 0 and count nowhere."""

    __tablename__ = "games"
    __table_args__ = (UniqueConstraint("match_id", "rotation"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    rotation: Mapped[int]
    termination: Mapped[str]
    laps: Mapped[int]
    decisions: Mapped[int]
    digest: Mapped[str]
    voided: Mapped[bool]
    wall_ms: Mapped[float]
    placements: Mapped[list[PlacementModel]] = relationship(order_by="PlacementModel.seat")
    # For reading: SQLite finds rows by a list of games with the index, by a list of (game, seat) without.
    faults: Mapped[list[FaultModel]] = relationship(
        primaryjoin="GameModel.id == foreign(FaultModel.game_id)", viewonly=True, order_by="FaultModel.id"
    )
    record: Mapped[RecordModel] = relationship()


class PlacementModel(Base):
    """How a game ended for one seat; the placement is an interval, so that open ties stay open.

    `guard` says how far the seat's bot was kept apart; empty in games from before that was kept.
    """

    __tablename__ = "placements"
    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    score: Mapped[float]
    placement_lo: Mapped[int]
    placement_hi: Mapped[int]
    eliminated_at: Mapped[int]
    won: Mapped[bool]
    guard: Mapped[str] = mapped_column(server_default="")
    faults: Mapped[list[FaultModel]] = relationship()


class FaultModel(Base):
    """A fault of a seat; it stands beside the result and never removes the game."""

    __tablename__ = "faults"
    __table_args__ = (
        ForeignKeyConstraint(["game_id", "seat"], ["placements.game_id", "placements.seat"]),
        Index(None, "game_id", "seat"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int]
    seat: Mapped[int]
    kind: Mapped[str]
    decision: Mapped[int]
    limit_ms: Mapped[float]
    used_ms: Mapped[float]
    action: Mapped[str]
    message: Mapped[str]
    queue_ms: Mapped[float] = mapped_column(server_default="0")
    transport_ms: Mapped[float] = mapped_column(server_default="0")
    output: Mapped[str] = mapped_column(server_default="")
    last_message: Mapped[str] = mapped_column(server_default="")


class RecordModel(Base):
    """A game's compressed record, apart from the game so that tables never read it."""

    __tablename__ = "records"
    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    content: Mapped[bytes]


class RatingModel(Base):
    """A player's current rating in one pool of one tournament, by one system."""

    __tablename__ = "ratings"
    system: Mapped[str] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    pool_id: Mapped[int] = mapped_column(ForeignKey("pools.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    value: Mapped[float]
    games: Mapped[int]


class RatingChangeModel(Base):
    """What one match did to one rating, with the points expected and made."""

    __tablename__ = "rating_changes"
    system: Mapped[str] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    before: Mapped[float]
    after: Mapped[float]
    expected: Mapped[float]
    actual: Mapped[float]
    games: Mapped[int]


class RatingMarkModel(Base):
    """Up to which sequence number (exclusive) a system has rated a tournament."""

    __tablename__ = "rating_marks"
    system: Mapped[str] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    next_sequence: Mapped[int]
    settings: Mapped[str]


class TokenModel(Base):
    """What lets a remote bot in: the hash of a token, for one player; it opens nothing once revoked."""

    __tablename__ = "tokens"
    id: Mapped[int] = mapped_column(primary_key=True)
    player: Mapped[str] = mapped_column(index=True)
    version: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    note: Mapped[str]
    created: Mapped[datetime]
    last_seen: Mapped[datetime | None]
    revoked: Mapped[datetime | None]
