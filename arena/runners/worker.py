"""The match worker: one driver, one door a player, and what external bots need, kept over many matches.

The inline runner has one, and so has every Ray actor of the cluster runner. The launcher and the gRPC server
on a private Unix socket exist only where a command bot plays.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from arena.bot import load_bot
from arena.clocks import NO_WAY, RoundTrip
from arena.driver import Driver, WatchGame
from arena.errors import PlatformFault, PluginError
from arena.hostwatch import BEAT_S, SLOW_BEAT_S, HostWatch
from arena.launcher import BotProcess, Launcher, check_isolation
from arena.runners import UNGUARDED, Problem, cores
from arena.runners.aftermath import add_fault, add_idle_cpu, add_outputs, undeclared
from arena.runners.idle import IdleMeter
from arena.seats import Door, Inbox, InProcessDoor
from arena.types import Isolation, Limits, MatchPlan, MatchResult, Player

if TYPE_CHECKING:
    from arena.server import PlayServer, RemoteDoor

READY_POLL_S = 0.01
# A start that takes more than this share of its limit is worth a warning.
SLOW_START = 0.8
UNBOXED = (
    "runs inside the arena's own process, which isolation `sandbox` does not allow; take a bot with a "
    "process of its own, such as shell_random, c_first or outrider, or give it a folder with a bot.toml, "
    "whose command plays it through arena.client (bots/outrider shows how)"
)


class BotHost:
    """Starts command bots: a launcher process, and a gRPC server on a socket in a short private folder."""

    def __init__(self, inbox: Inbox, folder: Path) -> None:
        self._inbox = inbox
        self._launcher = Launcher()  # before gRPC is imported: the launcher must not inherit its threads
        from arena.server import PlayServer

        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self._server: PlayServer = PlayServer([f"unix:{self._folder}/bots"]).start()
        self.round_trips: dict[str, RoundTrip] = {}

    def door(self, player: Player, start_s: float, isolation: Isolation) -> RemoteDoor:
        """A door to a new process of the player's bot, which has `start_s` seconds to join.

        Before the first bot of a protocol is started, the protocol's round trip is measured.
        """
        from arena.runners.calibration import calibrate
        from arena.server import launch_bot

        bot = player.bot
        if bot.protocol not in self.round_trips:
            self.round_trips[bot.protocol] = calibrate(self._server, self._launcher, bot.protocol)
        return launch_bot(
            self._server,
            self._launcher,
            bot,
            self._inbox,
            name=player.name,
            start_s=start_s,
            isolation=isolation,
        )

    @property
    def alive(self) -> bool:
        """Whether the launcher runs, without which no bot does."""
        return self._launcher.alive

    def close(self) -> None:
        """End all bots, the server and the launcher."""
        self._server.stop()
        self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class MatchWorker:
    """Plays matches; `name` signs the results. A bot that is lost is started anew for the next match.

    `slow_starts` tells of bots that needed almost all of their time to start. `isolation` is the one in
    which `door` starts bots.
    """

    def __init__(self, name: str, folder: Path | None = None, watch: WatchGame | None = None) -> None:
        """`folder` is where the socket goes: private, with a short path; needed for command bots only."""
        self.name = name
        self.slow_starts: list[str] = []
        self.isolation = UNGUARDED
        self._folder = folder
        self._watch = watch
        self.inbox: Inbox = SimpleQueue()
        self._doors: dict[Player, Door] = {}
        self._isolations: dict[Player, Isolation] = {}
        self._driver: Driver | None = None
        self._host: BotHost | None = None
        self._idle = IdleMeter()
        self._host_watch: HostWatch | None = None

    def check(
        self, players: Iterable[Player], limits: Limits, isolation: Isolation = UNGUARDED
    ) -> list[Problem]:
        """Build and start every player's bot and wait until it is ready; (player, what is wrong) if not."""
        players = list(players)
        self.isolation = isolation
        if problems := isolation_problems(players, isolation):
            return problems
        sound = []
        for player in players:
            try:
                self._prepare(player)
                sound.append(player)
            except PluginError as error:
                problems.append((player.name, str(error)))
        for player, door in self._start(sound, limits).items():
            if fault := getattr(door, "fault", None):
                problems.append((player.name, f"{fault[0]}: {fault[1]}"))
        return problems

    def play(self, plans: Sequence[MatchPlan]) -> list[MatchResult]:
        """Play matches at once; results in the order of the plans."""
        try:
            for plan in plans:
                self.isolation = plan.isolation
                self._start(plan.players, plan.limits)
            results = self._ready_driver().play_many(plans)
            if self._host is not None and not self._host.alive:
                self.close()  # the next attempt starts all anew
                raise PlatformFault("the launcher process is gone, and the bots with it")
            return self._after(plans, results)
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return [MatchResult(plan.sequence, (), self.name, 0.0, 0.0, message) for plan in plans]

    def close(self) -> None:
        """End all bots and helpers."""
        if self._host_watch is not None:
            self._host_watch.close()
            self._host_watch = None
        for door in self._doors.values():
            door.close()
        self._doors.clear()
        self._driver = None
        if self._host is not None:
            self._host.close()
            self._host = None

    def door(self, player: Player, limits: Limits) -> Door:
        """The player's door; a new one when there is none yet, its bot is lost, or the isolation another."""
        door = self._doors.get(player)
        fits = self._isolations.get(player) == self.isolation
        if door is not None and fits and getattr(door, "fault", None) is None:
            return door
        if door is not None:
            door.close()
        self._doors[player] = door = self._new_door(player, limits)
        self._isolations[player] = self.isolation
        self._driver = None  # made anew with the new door; the inbox holds nothing that is still wanted
        while not self.inbox.empty():
            self.inbox.get()
        return door

    def _new_door(self, player: Player, limits: Limits) -> Door:
        if player.bot.kind == "python":
            if self.isolation.level == "sandbox":
                raise PlatformFault(f"{player.name} {UNBOXED}")
            return InProcessDoor(player.bot, self.inbox)
        return self._started_host(player).door(player, limits.start, self.isolation)

    def _start(self, players: Sequence[Player], limits: Limits) -> dict[Player, Door]:
        """The players' doors, each ready or failed; as many start at once as there are cores.

        Each bot's time to start counts from its own launch.
        """
        found: dict[Player, Door] = {}
        for group in batched(players, cores()):
            launched = {player: (time.monotonic(), self.door(player, limits)) for player in group}
            for player, (since, door) in launched.items():
                while door.ready_at is None:  # the door itself gives up after the start limit
                    time.sleep(READY_POLL_S)
                if getattr(door, "fault", None) is None:
                    self._note_start(player, door.ready_at - since, limits.start)
                found[player] = door
        return found

    def _note_start(self, player: Player, used_s: float, limit_s: float) -> None:
        if used_s > SLOW_START * limit_s:
            self.slow_starts.append(
                f"{player.name} needed {used_s:.2f} s of {limit_s:g} s to start; raise `clocks.start`"
            )

    def _ready_driver(self) -> Driver:
        """The driver over the doors there are now."""
        if self._driver is None:
            self._watch_host()
            ways = dict(self._host.round_trips) if self._host is not None else {}
            ways.setdefault("remote", ways.get("grpc", NO_WAY))  # at least what the way takes on this host
            self._driver = Driver(
                self._doors,
                self.inbox,
                worker=self.name,
                watch=self._watch,
                round_trips=ways,
                host=self._host_watch,
            )
            self._idle.follow([(player.name, line) for player, line in self._driver.lines.items()])
        return self._driver

    def _watch_host(self) -> None:
        """Watch the host, as closely as bots in processes of their own need it."""
        beat_s = BEAT_S if self._host is not None else SLOW_BEAT_S
        if self._host_watch is None or self._host_watch.beat_s != beat_s:
            if self._host_watch is not None:
                self._host_watch.close()
            self._host_watch = HostWatch(self._idle.look, beat_s).start()

    def _after(self, plans: Sequence[MatchPlan], results: list[MatchResult]) -> list[MatchResult]:
        """The results with what shows between matches: processes left running, and CPU time burnt idly."""
        if self._host is None:
            return results
        written: dict[Player, str] = {}
        for player in dict.fromkeys(player for plan in plans for player in plan.players):
            door = self._doors.get(player)
            process: BotProcess | None = getattr(door, "process", None)
            if process is None or getattr(door, "fault", None) is not None:
                continue
            census = process.census()
            if census is not None and (message := undeclared(player, census.children)):
                last_message: Callable[[], str] = getattr(door, "last_message", str)
                if not getattr(door, "owes", False):  # else it may still be thinking, and has paid for that
                    add_fault(plans, results, player, message, last_message())
                written[player] = self.written(player)
                self.drop(player)
        results = add_outputs(plans, results, lambda player: written.get(player) or self.written(player))
        return add_idle_cpu(plans, results, self._idle.take_ms())

    def written(self, player: Player) -> str:
        """What the player's process has written; a bot that plays inside writes nothing of its own."""
        words: Callable[[], str] = getattr(self._doors.get(player), "written", str)
        return words()

    def drop(self, player: Player) -> None:
        """End a player's bot; the next match starts it anew."""
        if door := self._doors.pop(player, None):
            door.close()
            self._driver = None

    def _prepare(self, player: Player) -> None:
        """What is done once, before the first match; PluginError says what is wrong with the bot."""
        if player.bot.kind == "python":
            load_bot(player.bot).check_options(dict(player.options))
            return
        self._started_host(player)
        from arena.server import build_bot

        build_bot(player.bot, self.isolation)

    def _started_host(self, player: Player) -> BotHost:
        if self._host is None:
            if self._folder is None:
                raise PlatformFault(f"{player.name} is a command bot; this worker has no folder for it")
            self._host = BotHost(self.inbox, self._folder)
        return self._host


def isolation_problems(players: Iterable[Player], isolation: Isolation) -> list[Problem]:
    """What stands against playing in this isolation: the machine, or bots that run in the arena's process."""
    if missing := check_isolation(isolation):
        return [("isolation", missing)]
    if isolation.level != "sandbox":
        return []
    return [(player.name, UNBOXED) for player in players if player.bot.kind == "python"]


def batched(players: Iterable[Player], size: int) -> Iterator[tuple[Player, ...]]:
    """Players in groups of `size`, each player once."""
    waiting = iter(dict.fromkeys(players))
    while group := tuple(islice(waiting, size)):
        yield group
