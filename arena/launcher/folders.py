"""Fresh work folders: each is named after the process that made it, so that a later one can clear it away."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from arena.launcher.processes import look_at

PREFIX = "arena-bot-"
_LONGEST = 50
_NAME = re.compile(rf"{PREFIX}(\d+)-(\d+)-\w+")


def work_folder(place: str | None = None) -> str:
    """A new, private, empty folder of this process, in `place` or else where temporary files are."""
    me = look_at(os.getpid())
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{me.started if me else 0}-", dir=place)


def socket_folder() -> str:
    """A work folder with a path so short that a Unix socket fits into it (108 bytes with its name)."""
    usual = tempfile.gettempdir()
    return work_folder(usual if len(os.fsencode(usual)) <= _LONGEST else "/tmp")


def sweep_folders() -> list[Path]:
    """Remove work folders whose process was killed before it could do so; returns them.

    A run has a temporary folder of its own, so the usual one is looked at, too.
    """
    stale = []
    places = {Path(tempfile.gettempdir()), Path("/tmp")}
    for path in [path for place in places for path in place.glob(f"{PREFIX}*")]:
        if found := _NAME.fullmatch(path.name):
            owner = look_at(int(found[1]))
            if owner is None or owner.started != found[2]:
                shutil.rmtree(path, ignore_errors=True)
                stale.append(path)
    return stale
