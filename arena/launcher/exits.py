"""How a bot's process ended, what it wrote, and what it holds while it runs."""

from __future__ import annotations

from dataclasses import dataclass

OUTPUT_BYTES = 32 * 1024
_HEAD_BYTES = 8 * 1024
_TAIL_BYTES = OUTPUT_BYTES - _HEAD_BYTES - 64  # room for the line between them
# How much of the last line of output is part of the sentence about an end.
LAST_LINE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Exit:
    """Exit code or signal name of a bot's process, head and tail of its output, whether it was told to end.

    `resource` says in words which limit ended it, "" if none did. `left` names the processes of the bot that
    outlived it and were killed.
    """

    code: int | None
    signal: str | None
    output: str = ""
    stopped: bool = False
    resource: str = ""
    left: tuple[str, ...] = ()

    def describe(self) -> str:
        """One sentence, with the last line of output: the part an author looks for first."""
        if self.resource:
            return f"the bot {self.resource}"
        how = f"was killed by {self.signal}" if self.signal else f"exited with code {self.code}"
        lines = self.output.strip().splitlines()
        last = lines[-1].strip()[:LAST_LINE_CHARS] if lines else ""
        return f"the bot's process {how}" + (f"; its last line: {last}" if last else "")


@dataclass(frozen=True, slots=True)
class Census:
    """What a bot holds: child processes besides its own, CPU seconds of all so far, memory of all in MiB."""

    children: int
    cpu_s: float
    memory_mib: float


class Output:
    """Keeps the first 8 KiB and about the last 24 KiB of what a bot writes, together at most 32 KiB."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Take in what came."""
        room = _HEAD_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = max(0, len(self._tail) - _TAIL_BYTES)
        del self._tail[:excess]
        self._left_out += excess

    def text(self) -> str:
        """Head and tail, and between them how many bytes were left out."""
        between = f"\n[... {self._left_out} bytes left out ...]\n".encode() if self._left_out else b""
        return bytes(self._head + between + self._tail).decode("utf-8", errors="replace")
