"""The gRPC server: bots play through PlayService, ask about rules through EngineService."""

from arena.server.door import RemoteDoor
from arena.server.host import build_bot, launch_bot, needed_build
from arena.server.server import PlayServer

__all__ = ["PlayServer", "RemoteDoor", "build_bot", "launch_bot", "needed_build"]
