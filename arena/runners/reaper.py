"""Leaves nothing behind: a run's processes carry a mark, its files one folder, and both go with its owner.

`Run` sets the mark and starts a reaper process (this module as a program) that waits for the owner to end,
in whatever way, and then kills what is marked. Some programs overwrite their environment, where the mark is
(Ray's do), so whole sessions can be included, too. `sweep_stale` clears runs whose reaper was killed as well.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.launcher.processes import MARKER, descendants, kill, marked, processes

PREFIX = "arena-"
SESSIONS = "sessions"
CLOSE_S = 5.0
CLEAR_S = 3.0
_MARK = re.compile(r"\d+-\d+-[0-9a-f]{8}")
SOURCES = Path(__file__).resolve().parents[2]


def status(pid: int) -> tuple[str, int, str]:
    """(state, session, start in clock ticks since boot) of a process; the state is `X` when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "X", 0, ""
    fields = text.rpartition(")")[2].split()
    return fields[0], int(fields[3]), fields[19]


def start_time(pid: int) -> str:
    """When a process started, which with the pid names it for good; "" if gone."""
    return status(pid)[2]


def new_mark() -> str:
    """A mark for a run that this process owns: its pid, its start, and a name of the run's own."""
    return f"{os.getpid()}-{start_time(os.getpid())}-{secrets.token_hex(4)}"


def owner_lives(mark: str) -> bool:
    """Tell whether the process that owns a run still exists."""
    pid, started, _name = mark.split("-")
    return start_time(int(pid)) == started


def short_folder() -> Path:
    """A folder for runs, with a path so short that Unix sockets fit below it (108 bytes, Ray takes 62)."""
    usual = tempfile.gettempdir()
    return Path(usual if len(usual) <= 4 else "/tmp")


class Run:
    """One run's mark, folder and reaper; `folder` is gone when it is closed or the owner ends."""

    def __init__(self) -> None:
        """Mark the processes that will be started from here, and start the reaper."""
        self.mark = new_mark()
        self.folder = short_folder() / f"{PREFIX}{self.mark}"
        self.folder.mkdir(mode=0o700)
        self._before = {name: os.environ.get(name) for name in (MARKER, "TMPDIR")}
        self.reaper = subprocess.Popen(
            [sys.executable, "-m", "arena.runners.reaper", self.mark, str(self.folder)],
            cwd=SOURCES,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        os.environ.update({MARKER: self.mark, "TMPDIR": str(self.folder)})

    def include(self, session: int) -> None:
        """Count every process of a session in; `session` is the pid of its leader, which we started."""
        with (self.folder / SESSIONS).open("a", encoding="utf-8") as stream:
            stream.write(f"{session} {start_time(session)}\n")

    def close(self) -> None:
        """Let the reaper clear what is left, and wait for it."""
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self.reaper.stdin:
            self.reaper.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.reaper.wait(CLOSE_S)


def sweep_stale() -> list[str]:
    """Clear what runs whose owner is gone left behind; returns their marks."""
    folders = {path.name.removeprefix(PREFIX): path for path in short_folder().glob(f"{PREFIX}*")}
    stale = sorted(mark for mark in {*_marks(), *folders} if _MARK.fullmatch(mark) and not owner_lives(mark))
    for mark in stale:
        clear(mark, short_folder() / f"{PREFIX}{mark}")
    return stale


def clear(mark: str, folder: Path) -> None:
    """Kill what belongs to a run, again and again, since it may fork meanwhile; then remove its folder.

    Launchers and keepers go last: what has dropped its mark is found below them, for as long as they live.
    """
    sessions = _sessions(folder)
    deadline = time.monotonic() + CLEAR_S
    while left := {*marked(mark), *_members(sessions)}:
        last = time.monotonic() > deadline  # be it the first, should this host have stalled all the while
        tree = left.union(*map(descendants, left))
        for pid in tree if last else {pid for pid in tree if not _adopts(pid)} or tree:
            kill(pid)
        if last:
            break
        time.sleep(0.005)
    shutil.rmtree(folder, ignore_errors=True)


def _adopts(pid: int) -> bool:
    """Whether a process is a launcher or a keeper: orphans become its children."""
    try:
        return b"arena.launcher" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _sessions(folder: Path) -> set[int]:
    """The sessions counted in, but those whose number another process has meanwhile."""
    try:
        lines = (folder / SESSIONS).read_text(encoding="utf-8").split("\n")
    except OSError:
        return set()
    leaders = [line.split(" ") for line in lines if line]
    return {int(pid) for pid, started in leaders if start_time(int(pid)) in ("", started)}


def _members(sessions: set[int]) -> list[int]:
    found = []
    for pid in processes() if sessions else ():
        state, session, _ = status(pid)
        if session in sessions and state not in "ZX":
            found.append(pid)
    return found


def _marks() -> Iterator[str]:
    """What processes carry as their mark, up to the first dot."""
    prefix = f"{MARKER}=".encode()
    for pid in processes():
        with contextlib.suppress(OSError):
            for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                if entry.startswith(prefix):
                    yield entry.removeprefix(prefix).decode(errors="replace").partition(".")[0]


def main(mark: str, folder: str) -> None:
    """Wait for the end of the owner, which holds the other end of our input; then clear its run."""
    sys.stdin.buffer.read()
    clear(mark, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
