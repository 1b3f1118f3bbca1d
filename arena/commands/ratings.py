"""`arena ratings`: the ratings as a function of the games."""

from __future__ import annotations

import click

from arena.commands._common import (
    FAILED,
    chosen_player,
    chosen_tournament,
    console,
    database_option,
    example,
    json_option,
    open_store,
    print_json,
    table,
)


@click.group("ratings", epilog=example("arena ratings recompute", "arena ratings changes demo"))
def command() -> None:
    """Recompute the ratings, or explain them match by match."""


@command.command(
    "recompute",
    short_help="Compute the ratings again from the games.",
    epilog=example("arena ratings recompute --db results/demo/arena.db"),
)
@click.argument("tournament", required=False)
@database_option
@json_option
@click.pass_context
def recompute(ctx: click.Context, tournament: str | None, database: str, as_json: bool) -> None:
    """Rewrite the ratings of a TOURNAMENT (all when not given) from its games.

    Exit code 1: a stored number differed from the recomputed one (it is corrected, and named).
    """
    with open_store(database) as store:
        identity = chosen_tournament(store, tournament).id if tournament else None
        report = store.recompute_ratings(tournament_id=identity)
    if as_json:
        print_json({"equal": report.equal, "report": report})
    else:
        verdict = "all equal" if report.equal else f"{len(report.differences)} numbers differed"
        click.echo(f"{report.matches} matches of {report.tournaments} tournaments rated again: {verdict}")
        for line in report.differences:
            click.echo(f"  {line}")
    if not report.equal:
        ctx.exit(FAILED)


@command.command(
    "changes",
    short_help="Explain the ratings match by match.",
    epilog=example("arena ratings changes demo --player greedy"),
)
@click.argument("tournament", required=False)
@click.option("--player", metavar="LABEL", help="Only changes of this player.")
@database_option
@json_option
def changes(tournament: str | None, player: str | None, database: str, as_json: bool) -> None:
    """Show why each match of a TOURNAMENT (the newest when not given) changed each rating."""
    with open_store(database) as store:
        identity = chosen_tournament(store, tournament).id
        player_id = None if player is None else chosen_player(store, identity, player)
        found = store.rating_changes(identity, player_id=player_id)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            change.sequence,
            f"{change.pool.label} {change.pool.seats}",
            change.player,
            change.games,
            f"{change.expected:.2f}",
            f"{change.actual:.2f}",
            f"{change.before:.1f}",
            f"{change.after - change.before:+.1f}",
            f"{change.after:.1f}",
        )
        for change in found
    ]
    columns = [">match", "pool", "player", ">games", ">expected", ">made", ">before", ">change", ">after"]
    console().print(table(columns, rows))
