"""Whether this machine can give an isolation level."""

from __future__ import annotations

import sys

from arena.types import Isolation

UNGUARDED = Isolation()


def check_isolation(isolation: Isolation) -> str:
    """Empty, or what this machine lacks for the level and what to do about it."""
    if isolation.level == "limits" and sys.platform != "linux":
        return "the isolation level `limits` needs Linux; use `none` here"
    return ""
