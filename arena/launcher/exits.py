"""How a bot's process ended, and what it holds while it runs."""

from __future__ import annotations

from dataclasses import dataclass

OUTPUT_BYTES = 32 * 1024


@dataclass(frozen=True, slots=True)
class Exit:
    """How a bot's process ended: exit code or signal name, head and tail of what it wrote, whether on request.

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
            return f"the bot's process was ended: {self.resource}"
        how = f"was killed by {self.signal}" if self.signal else f"exited with code {self.code}"
        lines = self.output.strip().splitlines()
        return f"the bot's process {how}" + (f"; its last line: {lines[-1].strip()}" if lines else "")


@dataclass(frozen=True, slots=True)
class Census:
    """What a bot holds: child processes besides its own, CPU seconds of all so far, memory of all in MiB."""

    children: int
    cpu_s: float
    memory_mib: float
