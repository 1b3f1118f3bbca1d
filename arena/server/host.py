"""Runs bots that are commands: builds them, starts their processes, and gives each its door."""

from __future__ import annotations

import fcntl
import os
import shlex
from contextlib import nullcontext
from pathlib import Path

from arena.botfiles import build_command
from arena.errors import PlatformFault, PluginError
from arena.launcher import UNGUARDED, BotProcess, Launcher
from arena.launcher.sandbox import READABLE
from arena.seats import Inbox
from arena.server.door import RemoteDoor
from arena.server.server import PlayServer
from arena.types import BotSpec, Isolation

BUILD_S = 600.0
STAMP = ".built"
# Folders that tools fill and nobody edits: what changes there calls for no other build.
MADE = frozenset({".git", "__pycache__", "build", "dist", "node_modules", "target"})
OFFLINE = (
    " (in the sandbox a build step has no network and sees only the bot's folder, the system and the folders"
    f" in {READABLE}: keep what it needs in the bot's folder, name its toolchain's folders there, or build"
    " the bot once with isolation `limits`, which may fetch packages)"
)


def launch_bot(
    server: PlayServer,
    launcher: Launcher,
    bot: BotSpec,
    inbox: Inbox,
    *,
    start_s: float,
    name: str = "",
    max_open: int | None = 1,
    isolation: Isolation = UNGUARDED,
) -> RemoteDoor:
    """Start a command bot and return its door, which ends the process when it is closed.

    It has `start_s` seconds to join at the server's first address. A command that cannot be started is the
    door's fault at once, with the command and the reason. `name` labels the door (default: the bot's name).
    PlatformFault: the launcher is gone.
    """
    started: list[BotProcess] = []

    def stop() -> None:
        for process in started:
            process.stop()

    door = server.door(
        name or bot.name,
        inbox,
        start_s=start_s,
        max_open=max_open,
        guard=isolation.level,
        protocol=bot.protocol,
        on_close=stop,
    )
    door.expect(launched=True)
    try:
        process = launcher.start(
            bot.argv,
            cwd=Path(bot.target),
            address=_address(server, isolation),
            token=door.token,
            on_exit=door.process_exited,
            isolation=isolation,
            jsonlines=server.jsonlines_address if bot.protocol == "jsonlines" else None,
        )
    except PluginError as error:
        door.not_started(str(error))
    except PlatformFault:
        door.close()
        raise
    else:
        started.append(process)
        door.pid, door.process = process.pid, process
    return door


def _address(server: PlayServer, isolation: Isolation) -> str:
    """Where the bot joins: the first address, in the sandbox the first Unix socket; PluginError if none."""
    if isolation.level != "sandbox":
        return server.addresses[0]
    for address in server.addresses:
        if address.startswith("unix:/"):
            return address
    raise PluginError(
        f"in the sandbox there is no network: the server must have a Unix socket, not {server.addresses}"
    )


def build_bot(spec: BotSpec, isolation: Isolation = UNGUARDED, launcher: Launcher | None = None) -> bool:
    """Run the build step of a bot's bot.toml unless it has run since the folder's files last changed.

    It runs in the same isolation as the bot, but may write to the bot's folder. `launcher` starts it, or
    a new one. Whether it ran. PluginError has the command and the end of its output. Only one process builds
    at a time.
    """
    if not needed_build(spec):
        return False
    folder = Path(spec.target)
    with (folder / "bot.toml").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = needed_build(spec)  # another process may have done it meanwhile
        if not command:
            return False
        with nullcontext(launcher) if launcher else Launcher() as starter:
            _run(command, folder, isolation, starter)
        (folder / STAMP).touch()
    return True


def needed_build(spec: BotSpec) -> tuple[str, ...]:
    """The build step of a bot if it has to run before the bot can; () if not."""
    command, folder = build_command(spec), Path(spec.target)
    if not command:
        return ()
    stamp = folder / STAMP
    return () if stamp.exists() and stamp.stat().st_mtime >= _last_change(folder) else command


def _last_change(folder: Path) -> float:
    """When a source file of a bot last changed, those in subfolders included."""
    newest = 0.0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in MADE]
        changes = [Path(place, name).lstat().st_mtime for name in names if name != STAMP]
        newest = max([newest, *changes])
    return newest


def _run(command: tuple[str, ...], folder: Path, isolation: Isolation, launcher: Launcher) -> None:
    where = f"the build step `{shlex.join(command)}` in {folder}"  # whoever reports it names the bot
    try:
        process = launcher.start(command, cwd=folder, address="", token="", isolation=isolation, build=True)
    except PluginError as error:
        raise PluginError(f"{where} cannot be run: {error}") from None
    how = process.wait(BUILD_S)
    if how is None:
        process.stop()
        raise PluginError(f"{where} took more than {BUILD_S:g} s")
    if how.code != 0:
        ended = how.resource or (
            f"was killed by {how.signal}" if how.signal else f"exited with code {how.code}"
        )
        hint = OFFLINE if isolation.level == "sandbox" else ""
        raise PluginError(f"{where} {ended}{hint}:\n{how.output.strip()[-2000:]}")
