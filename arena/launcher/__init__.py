"""Starts bots' processes from a process of its own, so that no process that runs gRPC ever forks.

`Launcher` is the near end; `python -m arena.launcher RUN PARENT` the far one. They speak JSON lines:

    -> {"op": "start", "bot": 1, "argv": [...], "cwd": "...", "address": "...", "token": "...",
        "isolation": {"level": "limits", ...}, "jsonlines": null, "build": false}
    <- {"event": "started", "bot": 1, "pid": 4711}   or   {"event": "failed", "bot": 1, "message": "..."}
    -> {"op": "census", "bot": 1}
    <- {"event": "census", "bot": 1, "children": 0, "cpu_s": 0.4, "memory_mib": 31.5}
    -> {"op": "stop", "bot": 1}
    <- {"event": "exited", "bot": 1, "code": 3, "signal": null, "output": "...", "stopped": false,
        "resource": "", "left": []}

Above each bot stands a keeper (keeper.py), forked by the launcher, which adopts what the bot leaves behind.
The launcher's first line is {"event": "ready"}; at the end of its input it kills every bot and exits.
"""

from arena.launcher.client import BotProcess, Launcher
from arena.launcher.exits import Census, Exit
from arena.launcher.isolation import UNGUARDED, check_isolation

__all__ = ["UNGUARDED", "BotProcess", "Census", "Exit", "Launcher", "check_isolation"]
