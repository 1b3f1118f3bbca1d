"""Leaves a daemon behind, in its own session. argv: a file for its pid, `hide` to drop its environment."""

import os
import sys
from pathlib import Path

if os.fork() == 0:
    os.setsid()
    if (daemon := os.fork()) == 0:
        os.execve("/bin/sleep", ["sleep", "3600"], {} if "hide" in sys.argv else dict(os.environ))
    Path(sys.argv[1]).write_text(str(daemon))
    os._exit(0)
os.wait()

from first_legal import decide  # noqa: E402  the daemon must not hold a copy of a started gRPC

from arena.client import serve  # noqa: E402

serve(decide)
