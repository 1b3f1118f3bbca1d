"""Keep what faults leave behind, how far bots were kept apart, idle CPU, quarantines, and tokens.

Columns are only added, so that SQLite need not copy tables which others refer to.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_INTEGERS = (
    *(("tournaments", name) for name in ("quarantine_after", "settled")),
    ("entries", "streak"),
)
_REALS = (("faults", "queue_ms"), ("faults", "transport_ms"))
_TEXTS = (
    ("entries", "command"),
    ("placements", "guard"),
    *(("faults", name) for name in ("output", "last_message")),
)


def upgrade() -> None:
    """Add the columns, then the tables."""
    for table, name in _INTEGERS:
        op.add_column(table, sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    for table, name in _REALS:
        op.add_column(table, sa.Column(name, sa.Double(), nullable=False, server_default="0"))
    for table, name in _TEXTS:
        op.add_column(table, sa.Column(name, sa.Text(), nullable=False, server_default=""))
    _create_quarantines()
    _create_idle_cpu()
    _create_tokens()


def downgrade() -> None:
    """Drop the tables, then the columns."""
    for table in ("tokens", "idle_cpu", "quarantines"):
        op.drop_table(table)
    for table, name in (*_INTEGERS, *_REALS, *_TEXTS):
        op.drop_column(table, name)


def _create_quarantines() -> None:
    op.create_table(
        "quarantines",
        *(_integer(name) for name in ("tournament_id", "player_id", "sequence", "games", "fault_id")),
        sa.PrimaryKeyConstraint("tournament_id", "player_id", name="pk_quarantines"),
        _reference("quarantines", "tournament_id", "tournaments"),
        _reference("quarantines", "player_id", "players"),
        _reference("quarantines", "fault_id", "faults"),
    )


def _create_idle_cpu() -> None:
    op.create_table(
        "idle_cpu",
        _integer("match_id"),
        _integer("player_id"),
        sa.Column("cpu_ms", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "player_id", name="pk_idle_cpu"),
        _reference("idle_cpu", "match_id", "matches"),
        _reference("idle_cpu", "player_id", "players"),
    )


def _create_tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("player", "version", "token_hash", "note")),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_seen", sa.DateTime(), nullable=True),
        sa.Column("revoked", sa.DateTime(), nullable=True),
        sa.UniqueConstraint("token_hash", name="uq_tokens_token_hash"),
    )
    op.create_index("ix_tokens_player", "tokens", ["player"])


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_{table}_{column}")
