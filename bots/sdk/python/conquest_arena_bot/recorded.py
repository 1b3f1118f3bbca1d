"""Questions of a recorded game, to test a bot on: a GameStart and a DecideBatch as they travelled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conquest_arena_bot.actions import Legal
from conquest_arena_bot.game import Game, View
from conquest_arena_bot.v1 import play_pb2


def questions(folder: Path | str, name: str) -> Iterator[tuple[View, Legal]]:
    """What NAME.game_start.bin and NAME.decides.bin in a folder ask, in order."""
    start, batch = play_pb2.GameStart(), play_pb2.DecideBatch()
    start.ParseFromString(Path(folder, f"{name}.game_start.bin").read_bytes())
    batch.ParseFromString(Path(folder, f"{name}.decides.bin").read_bytes())
    game = Game.of(start)
    for asked in batch.decides:
        yield game.view(asked.view, asked.events, asked.game_left_ms), Legal.from_packed(asked.legal)
