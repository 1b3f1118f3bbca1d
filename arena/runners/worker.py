"""The match worker: one driver, one door a player, and what external bots need, kept over many matches.

The inline runner has one, and so has every Ray actor of the cluster runner. The launcher and the gRPC server
on a private Unix socket exist only where a command bot plays.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from arena.bot import load_bot
from arena.driver import Driver, WatchGame
from arena.errors import PlatformFault, PluginError
from arena.launcher import Launcher
from arena.seats import Door, Inbox, InProcessDoor
from arena.types import Limits, MatchPlan, MatchResult, Player

if TYPE_CHECKING:
    from arena.server import PlayServer, RemoteDoor

READY_POLL_S = 0.01


class BotHost:
    """Starts command bots: a launcher process, and a gRPC server on a socket in a short private folder."""

    def __init__(self, inbox: Inbox, folder: Path) -> None:
        self._inbox = inbox
        self._launcher = Launcher()  # before gRPC is imported: the launcher must not inherit its threads
        from arena.server import PlayServer

        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self._server: PlayServer = PlayServer([f"unix:{self._folder}/bots"]).start()

    def door(self, player: Player, start_s: float) -> RemoteDoor:
        """A door to a new process of the player's bot, which has `start_s` seconds to join."""
        from arena.server import launch_bot

        return launch_bot(
            self._server, self._launcher, player.bot, self._inbox, name=player.name, start_s=start_s
        )

    def close(self) -> None:
        """End all bots, the server and the launcher."""
        self._server.stop()
        self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class MatchWorker:
    """Plays matches; `name` signs the results. A bot that is lost is started anew for the next match."""

    def __init__(self, name: str, folder: Path | None = None, watch: WatchGame | None = None) -> None:
        """`folder` is where the socket goes: private, with a short path; needed for command bots only."""
        self.name = name
        self._folder = folder
        self._watch = watch
        self.inbox: Inbox = SimpleQueue()
        self._doors: dict[Player, Door] = {}
        self._driver: Driver | None = None
        self._host: BotHost | None = None

    def check(self, players: Iterable[Player], limits: Limits) -> list[tuple[str, str]]:
        """Build and start every player's bot and wait until it is ready; (player, what is wrong) if not."""
        problems, doors = [], []
        for player in players:
            try:
                self._prepare(player)
                doors.append((player, self.door(player, limits)))
            except PluginError as error:
                problems.append((player.name, str(error)))
        for player, door in doors:
            while door.ready_at is None:  # the door itself gives up after the start limit
                time.sleep(READY_POLL_S)
            if fault := getattr(door, "fault", None):
                problems.append((player.name, f"{fault[0]}: {fault[1]}"))
        return problems

    def play(self, plans: Sequence[MatchPlan]) -> list[MatchResult]:
        """Play matches at once; results in the order of the plans."""
        try:
            for plan in plans:
                for player in plan.players:
                    self.door(player, plan.limits)
            if self._driver is None:
                self._driver = Driver(self._doors, self.inbox, worker=self.name, watch=self._watch)
            return self._driver.play_many(plans)
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return [MatchResult(plan.sequence, (), self.name, 0.0, 0.0, message) for plan in plans]

    def close(self) -> None:
        """End all bots and helpers."""
        for door in self._doors.values():
            door.close()
        self._doors.clear()
        self._driver = None
        if self._host is not None:
            self._host.close()
            self._host = None

    def _prepare(self, player: Player) -> None:
        """What is done once, before the first match; PluginError says what is wrong with the bot."""
        if player.bot.kind == "python":
            load_bot(player.bot).check_options(dict(player.options))
            return
        self._started_host(player)
        from arena.server import build_bot

        build_bot(player.bot)

    def _started_host(self, player: Player) -> BotHost:
        if self._host is None:
            if self._folder is None:
                raise PlatformFault(f"{player.name} is a command bot; this worker has no folder for it")
            self._host = BotHost(self.inbox, self._folder)
        return self._host

    def door(self, player: Player, limits: Limits) -> Door:
        """The player's door; a new one when there is none yet or its bot is lost."""
        door = self._doors.get(player)
        if door is not None and getattr(door, "fault", None) is None:
            return door
        if door is not None:
            door.close()
        if player.bot.kind == "python":
            door = InProcessDoor(player.bot, self.inbox)
        else:
            door = self._started_host(player).door(player, limits.start)
        self._doors[player] = door
        self._driver = None  # made anew with the new door; the inbox holds nothing that is still wanted
        while not self.inbox.empty():
            self.inbox.get()
        return door
