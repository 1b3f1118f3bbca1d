"""How a bot's process ended."""

from __future__ import annotations

from dataclasses import dataclass

TAIL_BYTES = 32 * 1024


@dataclass(frozen=True, slots=True)
class Exit:
    """Exit code or signal name of a bot's process, the last 32 KiB it wrote, whether it was told to stop."""

    code: int | None
    signal: str | None
    output: str = ""
    stopped: bool = False

    def describe(self) -> str:
        """One sentence, with the last line of output: the part an author looks for first."""
        how = f"was killed by {self.signal}" if self.signal else f"exited with code {self.code}"
        lines = self.output.strip().splitlines()
        return f"the bot's process {how}" + (f"; its last line: {lines[-1].strip()}" if lines else "")
