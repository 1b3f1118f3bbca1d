"""Fresh work folders for bots: each is named after its launcher, so that a later one can clear it away."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from arena.launcher.processes import look_at

PREFIX = "arena-bot-"
_NAME = re.compile(rf"{PREFIX}(\d+)-(\d+)-\w+")


def work_folder() -> str:
    """A new, private, empty folder of this launcher."""
    me = look_at(os.getpid())
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{me.started if me else 0}-")


def sweep_folders() -> list[Path]:
    """Remove work folders whose launcher was killed before it could do so; returns them.

    A run has a temporary folder of its own, so the usual one is looked at, too.
    """
    stale = []
    places = {Path(tempfile.gettempdir()), Path("/tmp")}
    for path in [path for place in places for path in place.glob(f"{PREFIX}*")]:
        if found := _NAME.fullmatch(path.name):
            launcher = look_at(int(found[1]))
            if launcher is None or launcher.started != found[2]:
                shutil.rmtree(path, ignore_errors=True)
                stale.append(path)
    return stale
