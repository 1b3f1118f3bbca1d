"""`arena faults`: list a tournament's faults with their ids."""

from __future__ import annotations

from typing import get_args

import click

from arena.commands._common import (
    chosen_player,
    chosen_tournament,
    console,
    database_option,
    example,
    fault_command,
    harmless,
    json_option,
    open_store,
    print_json,
    table,
)
from arena.types import FaultKind

KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
LIMIT = 100


@click.command(
    "faults",
    short_help="List faults.",
    epilog=example("arena faults", "arena faults demo --player slow_bot --kind timeout"),
)
@click.argument("tournament", required=False)
@click.option("--player", metavar="LABEL", help="Only faults of this player of the tournament.")
@click.option("--kind", type=click.Choice(KINDS), help="Only faults of this kind.")
@click.option("--all", "every", is_flag=True, help=f"List all, not the first {LIMIT} only.")
@database_option
@json_option
def command(
    tournament: str | None, player: str | None, kind: str | None, every: bool, database: str, as_json: bool
) -> None:
    """List the faults in a TOURNAMENT (the newest when not given) in scheduled order, with their ids.

    A fault is what a bot did wrong, such as an illegal action or a late answer. `arena fault ID` shows
    everything about one.
    """
    wanted = next((known for known in KINDS if known == kind), None)
    with open_store(database) as store:
        row = chosen_tournament(store, tournament)
        player_id = None if player is None else chosen_player(store, row.id, player)
        found = store.faults(row.id, player_id=player_id, kind=wanted)
    shown = found if every else found[:LIMIT]
    if as_json:
        print_json(shown)
        return
    if not found:
        click.echo(f"{row.name}: no such faults" if player or kind else f"{row.name}: no faults")
        return
    columns = [">fault", ">game", ">match", ">seat", "player", "kind", ">decision", "action", "message"]
    lines = [
        (f.id, f.game, f.sequence, f.seat, f.player, f.kind, f.decision, f.action, _first_line(f.message))
        for f in shown
    ]
    console().print(table(columns, lines))
    if len(shown) < len(found):
        click.echo(f"{len(shown)} of {len(found)}; --all lists all")
    click.echo(f"everything about the first: {fault_command(shown[0].id, database)}")


def _first_line(message: str) -> str:
    return harmless(message.partition("\n")[0])
