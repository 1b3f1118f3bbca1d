"""The gRPC server: bots play through PlayService, ask about rules through EngineService."""

from arena.server.door import RemoteDoor
from arena.server.host import BotHost, build_bot
from arena.server.server import PlayServer

__all__ = ["BotHost", "PlayServer", "RemoteDoor", "build_bot"]
