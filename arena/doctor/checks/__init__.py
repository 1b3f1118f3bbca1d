"""The checks of `arena doctor`, a file each."""

from __future__ import annotations

from collections.abc import Iterator

# (grade, what was found, what to do about it)
Found = Iterator[tuple[str, str, str]]
