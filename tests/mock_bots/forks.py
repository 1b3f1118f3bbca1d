"""Has a child process that ignores signals and would outlive it. argv: a file for the child's pid."""

import signal
import subprocess
import sys
from pathlib import Path

from first_legal import decide

from arena.client import serve

child = subprocess.Popen(
    [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(3600)"]
)
Path(sys.argv[1]).write_text(str(child.pid))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
serve(decide)
