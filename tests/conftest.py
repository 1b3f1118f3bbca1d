"""What holds for all tests."""

from __future__ import annotations

import os
import signal

# A background job of a shell ignores Ctrl-C, and so would every program that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Whoever runs the tests side by side tells them a width; programs that write to no terminal have their own.
os.environ.pop("COLUMNS", None)
