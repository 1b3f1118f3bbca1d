"""The golden bytes of ../../testdata, which every SDK's decoding is tested against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conquest_arena_bot.v1 import play_pb2

SDK = Path(__file__).resolve().parents[1]
TESTDATA = SDK.parent / "testdata"
VARIANTS = ("classic", "command_room", "endor")


def golden(variant: str) -> tuple[play_pb2.GameStart, play_pb2.DecideBatch, dict[str, Any]]:
    """A game's start, a batch of its questions, and what must be read from them."""
    start, batch = play_pb2.GameStart(), play_pb2.DecideBatch()
    start.ParseFromString((TESTDATA / f"{variant}.game_start.bin").read_bytes())
    batch.ParseFromString((TESTDATA / f"{variant}.decides.bin").read_bytes())
    return start, batch, json.loads((TESTDATA / f"{variant}.json").read_text())


def welcome(connection_id: str) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(welcome=play_pb2.Welcome(connection_id=connection_id, resume_ms=5000))


def opened(start: play_pb2.GameStart) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(game_start=start)


def asked(*questions: play_pb2.Decide) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(decides=play_pb2.DecideBatch(decides=questions))
