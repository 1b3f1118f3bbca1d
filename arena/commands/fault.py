"""`arena fault`: everything about one fault, in one look."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from arena.commands._common import (
    database_option,
    example,
    harmless,
    json_option,
    open_store,
    print_json,
    printed,
)

if TYPE_CHECKING:
    from arena.store.rows import FaultDetail

WORDS = {
    "no_show": "it never connected",
    "start_timeout": "it did not start in time",
    "timeout": "it thought too long",
    "illegal": "its action was not legal",
    "malformed": "its message could not be read",
    "flood": "it sent too much",
    "crash": "it ended or failed",
    "disconnect": "it cut the connection",
    "resource": "it used more than it may",
}
NOT_KEPT = "(not kept: the game was played by an older version)"
PRICES = {
    "retire": "the seat was retired",
    "default": "the seat plays on; where it owed an answer, the first legal action was played",
}


@click.command(
    "fault",
    short_help="Show everything about one fault.",
    epilog=example("arena fault 12", "arena fault 12 --db results/demo/arena.db --json"),
)
@click.argument("fault_id", metavar="ID", type=int)
@database_option
@json_option
def command(fault_id: int, database: str, as_json: bool) -> None:
    """Show the fault with this ID: where it happened, what the bot did, what it wrote, what to do next.

    `arena faults` lists the ids. Unknown ids are wrong use (exit code 2).
    """
    with open_store(database) as store:
        found = store.fault(fault_id)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(lines(found, database)))


def lines(found: FaultDetail, database: str) -> list[str]:
    """The fault as text; `database` is how the user named it."""
    fault, player = found.fault, found.player
    version = f"{player.bot} {player.version}" + f", settings {player.options}" * (player.options != "{}")
    facts = {
        "tournament": f"{found.tournament} ({found.tournament_id}): {found.variant}, {found.seats} seats",
        "game": f"{fault.game}: match {fault.sequence}, rotation {fault.rotation}, seat {fault.seat}",
        "player": f"{fault.player} ({version})",
        "decision": f"number {fault.decision} of the game",
        "time": _time(found),
        "price": PRICES.get(fault.action, fault.action),
        "command": found.command or ("(dials in by itself)" if found.guard == "remote" else NOT_KEPT),
        "isolation": found.guard or NOT_KEPT,
    }
    return [
        f"fault {fault.id}: {fault.kind}: {WORDS[fault.kind]}",
        *(f"  {name:<11} {value}" for name, value in facts.items()),
        *(["  quarantine  this fault put the player into quarantine"] if found.quarantine else []),
        *_block("message", fault.message),
        *_block("last message it sent", found.last_message),
        *_block("what it wrote", found.output),
        *_block("next", "\n".join(advice(found, database))),
    ]


def advice(found: FaultDetail, database: str) -> list[str]:
    """The commands that help most from here; a bot that dials in is not here to be examined."""
    fault = found.fault
    lines = [f"{printed(['arena', 'replay', fault.game], database)}  # the game as it was played"]
    if path := bot_path(found.command):
        rerun = ["arena", "rerun", fault.game, "--seat", fault.seat, "--bot", path]
        lines += [
            f"{shlex.join(['arena', 'doctor', path])}  # what is wrong with the bot, and how to fix it",
            f"{printed(rerun, database)}  # what the bot, as it is now, decides in this game",
        ]
    elif found.guard == "remote":
        lines.append(f"{printed(['arena', 'player', 'list'], database)}  # when its bot last dialled in")
    others = ["arena", "faults", found.tournament_id, "--player", fault.player]
    return [*lines, f"{printed(others, database)}  # its other faults"]


def bot_path(command: str) -> str:
    """The bot's file or folder, out of the command that the store keeps; "" where it keeps none."""
    words = shlex.split(command) or [""]
    return words[1] if words[0] == "cd" else words[0]


def _time(found: FaultDetail) -> str:
    fault = found.fault
    used = f"{fault.used_ms:.0f} ms thinking"
    if fault.limit_ms:
        used += f" of {fault.limit_ms:.0f} ms"
    return f"{used}; besides {fault.queue_ms:.1f} ms queueing, {fault.transport_ms:.1f} ms transport"


def _block(title: str, text: str) -> list[str]:
    """A text under its title, every line indented; nothing when there is none."""
    lines = [f"  {harmless(line)}" for line in text.splitlines()]
    return [f"{title}:", *lines] if text.strip() else []
