"""Alembic, for databases that an older version made."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from arena.errors import StoreError

_MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, revision: str | None, name: str) -> None:
    """Run the migrations that database `name` lacks; StoreError when a newer version made it."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision is not None and revision not in known:
        raise StoreError(
            f"{name}: its schema {revision!r} is unknown here; use the newer version that wrote it"
        )
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(f"{name}: {error}") from error
