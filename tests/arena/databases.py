"""Databases for tests: SQLite files, and PostgreSQL servers of their own (.ci/ensure-tools installs it)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS = ("sqlite", "postgresql")
UNPRIVILEGED = "postgres"  # PostgreSQL refuses to run as root


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database; a PostgreSQL server lives as long as the context."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/arena.db"
        return
    with _server() as url:
        yield url


@contextmanager
def _server() -> Iterator[str]:
    """A server on a socket in a folder of its own, whose path must be short; it listens nowhere else."""
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        if user:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        _run(user, _tool("initdb"), "--pgdata", data, "--username=arena", "--auth=trust", "--no-sync")
        settings = f"-k {folder} -c listen_addresses= -c fsync=off"
        start = ("start", "--wait", "--timeout=300", "-l", f"{folder}/log", "-o", settings)
        _run(user, _tool("pg_ctl"), *start, "-D", data)
        try:
            yield f"postgresql+psycopg://arena@/postgres?host={folder}"
        finally:
            _run(user, _tool("pg_ctl"), "stop", "--mode=immediate", "-D", data)


def _tool(name: str) -> str:
    """A program of the server; Debian keeps them off the PATH."""
    kept = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = shutil.which(name) or (str(kept[-1]) if kept else "")
    assert found, f"{name} is not there; install PostgreSQL's server (Debian: postgresql)"
    return found


def _run(user: str | None, *command: str) -> None:
    subprocess.run(command, check=True, user=user, cwd="/", timeout=600, stdout=subprocess.DEVNULL)
