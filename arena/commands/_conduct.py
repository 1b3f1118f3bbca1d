"""How players behaved, as text: rates of faults, isolation reached, idle CPU, and who is quarantined why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.commands._common import fault_command, printed, table

if TYPE_CHECKING:
    from rich.console import Console

    from arena.store.rows import AttemptRow, ConductRow, QuarantineRow

MAX_ATTEMPTS_SHOWN = 50
NOT_MEASURED = (
    "idle CPU `-`: nothing was measured: the bot has no process here, used none, or was never without a "
    "question for long enough; `arena doctor` looks at a bot while it rests"
)


def show_conduct(out: Console, rows: Sequence[ConductRow], database: str) -> None:
    """Print a line a player, and a sentence for each that is quarantined."""
    columns = ["player", ">games", ">faults", ">games with a fault", ">games retired", "kinds", "isolation"]
    lines = [
        (
            *(row.player.label, row.games, row.faults, _rate(row.fault_rate), _rate(row.retired_rate)),
            ", ".join(f"{count} {kind}" for kind, count in row.kinds.items()),
            *(", ".join(row.guards), _milliseconds(row.idle_cpu_ms), row.unplayed or ""),
        )
        for row in rows
    ]
    title = "Conduct (rates are shares of the player's own games)"
    out.print(table([*columns, ">idle CPU ms a match", ">matches not played"], lines, title=title))
    if any(row.idle_cpu_ms is None for row in rows):
        out.print(NOT_MEASURED, markup=False, soft_wrap=True)
    for row in rows:
        if row.quarantine:
            out.print(quarantine_notice(row.quarantine, database), markup=False, soft_wrap=True)


def quarantine_notice(row: QuarantineRow, database: str) -> str:
    """Why a player is quarantined, what that means, how it ends, and the command that shows more."""
    return (
        f"{row.player} is quarantined since match {row.sequence}: a fault retired it from each of its last "
        f"{row.games} games (the last: {row.kind}); its later matches are not played and count for nobody; "
        f"a new version of it starts clean; see `{fault_command(row.fault, database)}`"
    )


def show_voided(out: Console, rows: Sequence[AttemptRow], tournament: int, database: str) -> None:
    """Print the attempts after which a match was played again, and why."""
    attempts = [(row.sequence, row.number, row.worker, row.error) for row in rows[:MAX_ATTEMPTS_SHOWN]]
    title = f"Attempts that do not count: faults of the platform, billed to no bot ({len(rows)})"
    out.print(table([">match", ">attempt", "worker", "why it was played again"], attempts, title=title))
    if len(rows) > MAX_ATTEMPTS_SHOWN:
        command = printed(["arena", "export", "attempts", tournament], database)
        out.print(f"and {len(rows) - MAX_ATTEMPTS_SHOWN} more; see `{command}`", markup=False, soft_wrap=True)


def _rate(share: float | None) -> str | None:
    return None if share is None else f"{share:.3f}"


def _milliseconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.0f}"
