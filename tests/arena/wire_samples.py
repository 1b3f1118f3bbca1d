"""What the tests of server, client and launcher share: plans, mock bots as processes, and games over gRPC."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import grpc

from arena.botfiles import load_bot
from arena.driver import Driver
from arena.launcher import Launcher
from arena.seats import Answer, Door, InProcessDoor
from arena.server import PlayServer, RemoteDoor, build_bot, launch_bot
from arena.setups import setup_for
from arena.types import BotSpec, FaultPolicy, GameResult, Limits, MatchPlan, MatchResult, Player

ROOT = Path(__file__).resolve().parents[2]
MOCK_BOTS = ROOT / "tests" / "mock_bots"
# A good bot is never late, however busy the machine is; a test of lateness has limits of its own.
LIMITS = Limits(start=60.0, decision=60.0, game=600.0)


def status_of(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    """The status and the words of a refusal."""
    words = error.details()
    assert words is not None
    return error.code(), words


def mock(name: str, *arguments: str) -> BotSpec:
    """A mock bot as a command."""
    return BotSpec(name, "command", str(MOCK_BOTS), ("python", f"{name}.py", *arguments))


def bundled(name: str) -> BotSpec:
    """A bot of bots/."""
    return load_bot(ROOT / "bots" / name)


RANDOM = bundled("random.py")


def plan(
    *bots: BotSpec, limits: Limits = LIMITS, policy: FaultPolicy | None = None, cap: int = 8
) -> MatchPlan:
    """A short match of the classic game, its rotations cut to one."""
    setup = setup_for("classic", len(bots), {"turn_cap": cap}, "split")
    players = tuple(Player(f"{number}-{bot.name}", bot) for number, bot in enumerate(bots))
    return MatchPlan(1, bytes(range(16)), setup, players, limits, policy or FaultPolicy())


class Table:
    """A launcher and a server, on a private socket and loopback; `play` is the real way through all parts."""

    def __init__(self, folder: Path) -> None:
        self.launcher = Launcher()
        self.server = PlayServer([f"unix:{folder}/play", "127.0.0.1:0"]).start()
        self.inbox: SimpleQueue[Answer] = SimpleQueue()
        self.doors: dict[Player, Door] = {}

    def door(self, bot: BotSpec, limits: Limits = LIMITS, *, max_open: int | None = 1) -> RemoteDoor:
        build_bot(bot, launcher=self.launcher)
        return launch_bot(
            self.server, self.launcher, bot, self.inbox, start_s=limits.start, max_open=max_open
        )

    def seat(self, match: MatchPlan, *, max_open: int | None = 1) -> None:
        """Open a door for every player."""
        for player in match.players:
            if player.bot.kind == "python":
                self.doors[player] = InProcessDoor(player.bot, self.inbox)
            else:
                self.doors[player] = self.door(player.bot, match.limits, max_open=max_open)

    def play(self, match: MatchPlan, *, max_open: int | None = 1) -> MatchResult:
        self.seat(match, max_open=max_open)
        result = Driver(self.doors, self.inbox).play(match)
        assert result.error == ""
        return result

    def leave(self) -> None:
        """End all bots of this table."""
        for door in self.doors.values():
            door.close()
        self.doors.clear()

    def close(self) -> None:
        self.server.stop()
        self.launcher.close()


@contextmanager
def table() -> Iterator[Table]:
    """A table that is cleared away afterwards."""
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        made = Table(Path(folder))
        try:
            yield made
        finally:
            made.close()


def faults_of(result: MatchResult, player: int) -> list[tuple[str, str, str]]:
    """(kind, what it cost, message) of a player's faults, over all games."""
    return [
        (fault.kind, fault.action, fault.message)
        for game in result.games
        for fault in game.faults
        if game.players[fault.seat] == player
    ]


def score_of(game: GameResult, player: int) -> float:
    return sum(score for score, who in zip(game.scores, game.players, strict=True) if who == player)


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_until(condition: Callable[[], object], seconds: float = 90.0) -> bool:
    """Wait for a condition; whether it came true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


OWN_PID = os.getpid()
