"""The languages of bots/sdk as the harness sees them: found by scanning, built and run by their own tools."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.launcher.processes import descendants
from arena.store import Store
from arena.store.rows import FaultRow, GameRow

ROOT = Path(__file__).resolve().parents[2]
SDKS = ROOT / "bots" / "sdk"
PROTO = ROOT / "proto"
ARENA = Path(sys.executable).parent / "arena"
# A first build fetches packages; what is slow is the network, not the bot.
BUILD_S = 3600.0
RUN_S = 900.0
END_S = 60.0


@dataclass(frozen=True, slots=True)
class Language:
    """One folder of bots/sdk; `missing` are the tools it needs that this machine lacks.

    `cache` is where its compiler keeps what it made of other people's packages, "" for nowhere.
    """

    name: str
    folder: Path
    test: tuple[str, ...]
    missing: tuple[str, ...]
    cache: str

    def bot(self, kind: str) -> Path:
        """The folder of an example bot."""
        return self.folder / "examples" / kind

    @property
    def has_package(self) -> bool:
        """Whether it has bots and a package of its own, and not only a skeleton for another language's."""
        return (self.folder / "examples").is_dir()


def languages() -> list[Language]:
    """Every folder of bots/sdk that says how it is used, in an sdk.toml."""
    return [_language(path) for path in sorted(SDKS.glob("*/sdk.toml"))]


def _language(path: Path) -> Language:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    missing = tuple(tool for tool in data["tools"] if shutil.which(tool) is None)
    return Language(
        path.parent.name, path.parent, tuple(data.get("test", ())), missing, data.get("cache", "")
    )


def run(command: Sequence[str | Path], folder: Path, seconds: float = RUN_S) -> str:
    """Run a command in a folder and return what it prints; `python` is this interpreter, as in bot.toml."""
    program = sys.executable if command[0] == "python" else command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    said = f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    assert done.returncode == 0, f"{command} in {folder}: exit code {done.returncode}\n{said}"
    return done.stdout


@dataclass(frozen=True, slots=True)
class Played:
    """A tournament that was played: its games, and the processes with a bot's token seen meanwhile.

    `bots` is token -> (process, command line); the no-op bot that calibrates the clocks is among them.
    """

    games: tuple[GameRow, ...]
    faults: tuple[FaultRow, ...]
    bots: dict[str, tuple[int, tuple[str, ...]]]

    def processes(self, bot: Path) -> set[int]:
        """The processes that ran a bot's command."""
        command = tomllib.loads((bot / "bot.toml").read_text(encoding="utf-8"))["command"]
        return {pid for pid, line in self.bots.values() if _runs(line, command)}


def _runs(line: Sequence[str], command: Sequence[str]) -> bool:
    """Whether a command line is this command, however its program was found and whatever started it."""
    own = line[-len(command) :]
    return (
        len(own) == len(command)
        and Path(own[0]).name.startswith(Path(command[0]).name)
        and own[1:] == tuple(command[1:])
    )


def tournament(folder: Path, players: Sequence[Path | str], variants: str, rounds: int) -> Played:
    """Play a tournament with the program itself, on the inline runner, and watch its processes."""
    file = folder / "sdk.toml"
    names = ", ".join(f'"{player}"' for player in players)
    file.write_text(
        f'name = "sdk"\nplayers = [{names}]\nrounds = {rounds}\nseed = 5\ndatabase = "sqlite:///sdk.db"\n'
        f'{variants}\n[clocks]\nstart = 300\ndecision = 60\ngame = 3600\n[runner]\nkind = "inline"\n'
    )
    output = folder / "output"
    with output.open("wb") as stream:
        process = subprocess.Popen([ARENA, "tournament", "run", file], stdout=stream, stderr=stream)
    try:
        bots = _watch(process)
    finally:
        process.kill()
    assert process.wait() == 0, output.read_text()[-4000:]
    with Store(f"sqlite:///{folder / 'sdk.db'}") as store:
        (row,) = store.tournaments()
        assert row.committed == row.total
        return Played(tuple(store.games(row.id)), store.faults(row.id), bots)


def _watch(process: subprocess.Popen[bytes]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Wait for the end; returns token -> (process, command line) of every bot seen below it."""
    bots: dict[str, tuple[int, tuple[str, ...]]] = {}
    deadline = time.monotonic() + BUILD_S
    while process.poll() is None:
        assert time.monotonic() < deadline, f"the tournament is still running after {BUILD_S:g} s"
        for pid in descendants(process.pid):
            token, line = _token(pid), _command_line(pid)
            if token and line:  # it may have ended between the two looks, but was seen before then
                bots[token] = pid, line
        time.sleep(0.05)
    return bots


def _token(pid: int) -> str:
    """The token in a process's environment, "" when it has none or is gone."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next((v[12:].decode() for v in variables if v.startswith(b"ARENA_TOKEN=")), "")


def _command_line(pid: int) -> tuple[str, ...]:
    """A process's program and arguments, () when it is gone or on its way out."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().decode().rstrip("\0")
    except OSError:
        return ()
    return tuple(line.split("\0")) if line else ()


def alive(pids: Iterable[int]) -> list[int]:
    """Those of some processes that still are bots, once each had the time to end."""
    left, deadline = list(pids), time.monotonic() + END_S
    while (left := [pid for pid in left if _token(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def forget_builds(language: Language) -> None:
    """Let the example bots be built again if the package has changed, of which their stamps know nothing."""
    listed = run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", ".", PROTO], language.folder
    )
    files = [path for name in listed.splitlines() if (path := language.folder / name).is_file()]
    changed = max(path.stat().st_mtime for path in files)
    for kind in ("random", "greedy"):
        stamp = language.bot(kind) / ".built"
        if stamp.exists() and stamp.stat().st_mtime < changed:
            stamp.unlink(missing_ok=True)


def lend_cache(language: Language, fresh: Path) -> None:
    """Give a new bot what is compiled of other people's packages already; its own is compiled anew."""
    made = language.folder / language.cache
    if language.cache and made.is_dir():
        shutil.copytree(made, fresh / language.cache, symlinks=True)


def code_lines(folder: Path) -> dict[str, int]:
    """Lines of code of each source file of a bot: neither empty, nor only a comment or documentation."""
    suffixes = {".py", ".ts", ".js", ".go", ".rs", ".java", ".cpp"}
    tracked = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "."], folder).splitlines()
    return {
        name: sum(_is_code(line.strip()) for line in (folder / name).read_text(encoding="utf-8").splitlines())
        for name in tracked
        if Path(name).suffix in suffixes
    }


def _is_code(line: str) -> bool:
    return bool(line) and not line.startswith(("//", "#!", "/*", "*", "# ", '"""'))
