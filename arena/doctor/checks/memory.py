"""What does it hold: memory, its growth, and processes left between games?"""

from __future__ import annotations

from arena.doctor import WARN_SHARE, Patient, count
from arena.doctor.checks import Found
from arena.doctor.positions import positions
from arena.server import RemoteDoor
from arena.types import Isolation

ORDER = 50
NAME = "memory"
GAMES, QUICK_GAMES = 300, 60
GROWTH_MIB = 32


def examine(patient: Patient) -> Found:
    """Open, ask and close many games, and look at its processes before and after."""
    if not patient.remote:
        return
    asked = [position for variant in patient.variants for position in positions(variant)]
    games = QUICK_GAMES if patient.quick else GAMES
    with patient.interview() as bot:
        door = bot.door
        assert isinstance(door, RemoteDoor)
        held = []
        for index in range(games):
            position = asked[index % len(asked)]
            number = bot.open(position.game, position.seat, bytes(16))
            answer, _ = bot.ask(number, position.seat, position.state)
            bot.close(number, position.seat)
            if answer.fault is not None and answer.fault != "malformed":
                return  # the check `answers` tells
            if index in (games // 3, games - 1) and door.process is not None:
                held.append(door.process.census())
    before, after = held
    if before is None or after is None:
        return
    limit = Isolation().memory_mib
    growth = after.memory_mib - before.memory_mib
    text = f"{after.memory_mib:.0f} MiB after {count(games, 'game')}, {growth:+.0f} in the last two thirds"
    if after.memory_mib > WARN_SHARE * limit:
        yield "warn", text, f"hold less: the default limit is {limit} MiB"
    elif growth > GROWTH_MIB:
        yield "warn", text, "forget games when they end (GameEnd): a tournament has thousands"
    else:
        yield "ok", text, ""
    if after.children > patient.player.bot.children:
        children = count(after.children, "child process", "child processes")
        told = f"{children} between games, {patient.player.bot.children} declared"
        yield "fix", told, "end them, or declare them: `children = N` in bot.toml"
