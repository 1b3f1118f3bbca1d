"""Create the tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables, referenced ones first."""
    _create_players_and_pools()
    _create_tournaments()
    _create_matches()
    _create_games()
    _create_ratings()


def downgrade() -> None:
    """Drop all tables, referencing ones first."""
    for table in (
        *("rating_marks", "rating_changes", "ratings", "records", "faults", "placements", "games"),
        *("matches", "attempts", "entries", "setups", "tournaments", "pools", "players"),
    ):
        op.drop_table(table)


def _create_players_and_pools() -> None:
    op.create_table(
        "players",
        _id(),
        *_texts("identity", "label", "bot", "version", "options"),
        sa.UniqueConstraint("identity", name="uq_players_identity"),
    )
    op.create_table(
        "pools",
        _id(),
        *_texts("label", "ruleset_hash", "teams", "point_rule"),
        *_integers("seats", "turn_cap"),
        sa.UniqueConstraint(
            *("ruleset_hash", "seats", "teams", "turn_cap", "point_rule"),
            name="uq_pools_ruleset_hash_seats_teams_turn_cap_point_rule",
        ),
    )


def _create_tournaments() -> None:
    op.create_table(
        "tournaments",
        _id(),
        *_texts("name", "state", "spec", "commitment"),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("finished", sa.DateTime(), nullable=True),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        *_integers("total"),
    )
    op.create_index("ix_tournaments_name", "tournaments", ["name"])
    op.create_table(
        "setups",
        *_integers("tournament_id", "position", "pool_id", "rotations"),
        *_texts("variant"),
        sa.PrimaryKeyConstraint("tournament_id", "position", name="pk_setups"),
        _reference("setups", "tournament_id", "tournaments"),
        _reference("setups", "pool_id", "pools"),
    )
    op.create_table(
        "entries",
        *_integers("tournament_id", "position", "player_id"),
        *_texts("label"),
        sa.PrimaryKeyConstraint("tournament_id", "position", name="pk_entries"),
        sa.UniqueConstraint("tournament_id", "player_id", name="uq_entries_tournament_id_player_id"),
        _reference("entries", "tournament_id", "tournaments"),
        _reference("entries", "player_id", "players"),
    )


def _create_matches() -> None:
    op.create_table(
        "attempts",
        _id(),
        *_integers("tournament_id", "sequence", "number"),
        *_texts("worker", "error"),
        *_reals("wall_ms", "cpu_ms"),
        sa.Column("stored", sa.DateTime(), nullable=False),
        sa.UniqueConstraint(
            *("tournament_id", "sequence", "number"), name="uq_attempts_tournament_id_sequence_number"
        ),
        _reference("attempts", "tournament_id", "tournaments"),
    )
    op.create_table(
        "matches",
        _id(),
        *_integers("tournament_id", "sequence", "round", "setup", "pool_id", "attempt_id"),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        *_texts("players"),
        sa.UniqueConstraint("tournament_id", "sequence", name="uq_matches_tournament_id_sequence"),
        sa.UniqueConstraint("attempt_id", name="uq_matches_attempt_id"),
        _reference("matches", "tournament_id", "tournaments"),
        _reference("matches", "pool_id", "pools"),
        _reference("matches", "attempt_id", "attempts"),
    )
    op.create_index(
        "ix_matches_pool_id_tournament_id_sequence", "matches", ["pool_id", "tournament_id", "sequence"]
    )


def _create_games() -> None:
    op.create_table(
        "games",
        _id(),
        *_integers("match_id", "rotation", "laps", "decisions"),
        *_texts("termination", "digest"),
        sa.Column("voided", sa.Boolean(), nullable=False),
        *_reals("wall_ms"),
        sa.UniqueConstraint("match_id", "rotation", name="uq_games_match_id_rotation"),
        _reference("games", "match_id", "matches"),
    )
    op.create_table(
        "placements",
        *_integers("game_id", "seat", "player_id", "placement_lo", "placement_hi", "eliminated_at"),
        *_reals("score"),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_placements"),
        _reference("placements", "game_id", "games"),
        _reference("placements", "player_id", "players"),
    )
    _create_details_of_games()


def _create_details_of_games() -> None:
    op.create_table(
        "faults",
        _id(),
        *_integers("game_id", "seat", "decision"),
        *_texts("kind", "action", "message"),
        *_reals("limit_ms", "used_ms"),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"], ["placements.game_id", "placements.seat"], name="fk_faults_game_id_seat"
        ),
    )
    op.create_index("ix_faults_game_id_seat", "faults", ["game_id", "seat"])
    op.create_table(
        "records",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_records"),
        _reference("records", "game_id", "games"),
    )


def _create_ratings() -> None:
    op.create_table(
        "ratings",
        *_texts("system"),
        *_integers("tournament_id", "pool_id", "player_id", "games"),
        *_reals("value"),
        sa.PrimaryKeyConstraint("system", "tournament_id", "pool_id", "player_id", name="pk_ratings"),
        _reference("ratings", "tournament_id", "tournaments"),
        _reference("ratings", "pool_id", "pools"),
        _reference("ratings", "player_id", "players"),
    )
    op.create_table(
        "rating_changes",
        *_texts("system"),
        *_integers("match_id", "player_id", "games"),
        *_reals("before", "after", "expected", "actual"),
        sa.PrimaryKeyConstraint("system", "match_id", "player_id", name="pk_rating_changes"),
        _reference("rating_changes", "match_id", "matches"),
        _reference("rating_changes", "player_id", "players"),
    )
    op.create_table(
        "rating_marks",
        *_texts("system", "settings"),
        *_integers("tournament_id", "next_sequence"),
        sa.PrimaryKeyConstraint("system", "tournament_id", name="pk_rating_marks"),
        _reference("rating_marks", "tournament_id", "tournaments"),
    )


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), primary_key=True, nullable=False)


def _integers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names]


def _reals(*names: str) -> list[sa.Column[float]]:
    return [sa.Column(name, sa.Double(), nullable=False) for name in names]


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}")
