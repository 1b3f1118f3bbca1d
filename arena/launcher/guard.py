"""A keeper as a program, for who starts a bot without a launcher: `python -m arena.launcher.guard`.

Its arguments are a descriptor for its report (see keeper.py), the process id of its parent, the bot's folder
and its command. The bot has its environment, standard input, output and error. SIGTERM, or its parent's end,
ends all that the bot has started; the kernel takes for the parent the thread that started it.
"""

from __future__ import annotations

import os
import sys

from arena.launcher.isolation import UNGUARDED
from arena.launcher.keeper import Order, keep

if __name__ == "__main__":
    report, parent, folder, *argv = sys.argv[1:]
    keep(Order(argv, folder, os.environ, UNGUARDED, stdin=0, stdout=1, stderr=2), int(report), int(parent))
