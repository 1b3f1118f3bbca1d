"""Ends with an error at its first question, each time it is started."""

import sys

from raw import Stream

stream = Stream()
for _ in stream.questions():
    print("no book for this opening", file=sys.stderr)
    sys.exit(4)
