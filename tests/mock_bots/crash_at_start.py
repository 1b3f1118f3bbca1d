"""Ends with an error before it joins."""

import sys

print("no licence file", file=sys.stderr)
sys.exit(3)
