"""Whether this machine can give an isolation level: by trying, not by guessing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from arena.launcher import sandbox
from arena.launcher.keyrings import key_filter
from arena.launcher.pipes import Descriptors
from arena.types import Isolation

UNGUARDED = Isolation()
TRY_S = 10.0
_REMEDY = (
    "let this user make user namespaces (sysctl user.max_user_namespaces above 0; on Debian also"
    " kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0;"
    " in a container, run it privileged), or use `limits`"
)


def check_isolation(isolation: Isolation) -> str:
    """Empty, or what this machine lacks for the level and what to do about it."""
    if isolation.level == "none":
        return ""
    if sys.platform != "linux" or not Path("/proc/self/stat").exists():
        return f"the isolation level `{isolation.level}` needs Linux with /proc; use `none` here"
    if isolation.level == "limits":
        return ""
    if sandbox.program() is None:
        return (
            "the isolation level `sandbox` needs bubblewrap, and there is no `bwrap` on the PATH; install the"
            " package bubblewrap (0.8 or newer), or use `limits`"
        )
    problem = _try_sandbox(isolation)
    return f"the isolation level `sandbox` does not work here: {problem}; {_REMEDY}" if problem else ""


def _try_sandbox(isolation: Isolation) -> str:
    """Run `true` just as a bot is run; empty, or what bubblewrap said."""
    path = os.environ.get("PATH", os.defpath)
    with tempfile.TemporaryDirectory(prefix="arena-") as folder, Descriptors() as opened:
        keys = opened.holding(key_filter())
        try:
            line = sandbox.command(["true"], cwd=folder, path=path, isolation=isolation, keys=keys)
            done = subprocess.run(
                line,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=TRY_S,
                check=False,
                pass_fds=(keys,),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return said[0] if said else f"`bwrap ... true` exited with code {done.returncode}"
