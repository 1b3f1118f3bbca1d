"""`arena leaderboard`: who is best, per pool."""

from __future__ import annotations

import click

from arena.commands import _standings
from arena.commands._common import (
    chosen_tournament,
    console,
    database_option,
    example,
    json_option,
    open_store,
    print_json,
)


@click.command(
    "leaderboard",
    short_help="Show who is best, per pool.",
    epilog=_standings.COLUMNS_HELP
    + "\n"
    + example("arena leaderboard", "arena leaderboard demo --db results/demo/arena.db --json"),
)
@click.argument("tournament", required=False)
@click.option("--all", "everything", is_flag=True, help="Every game of the database, not of one tournament.")
@click.option(
    "--system",
    metavar="NAME",
    default="live_elo",
    show_default=True,
    help="The rating system of the last column; `arena plugins` lists them.",
)
@database_option
@json_option
def command(tournament: str | None, everything: bool, system: str, database: str, as_json: bool) -> None:
    """Show the standings of a TOURNAMENT (its name or number; the newest when not given), per pool.

    A pool is what one rating is about: a variant with its options, number of seats and point rule.
    """
    from arena.plugins import installed
    from arena.tables import one_of

    systems = installed().ratings
    if system not in systems:
        raise click.UsageError(f"--system: {one_of('rating system', system, systems)}")
    if everything and tournament is not None:
        raise click.UsageError("--all and a TOURNAMENT exclude each other")
    rating = systems[system]()
    with open_store(database) as store:
        identity = None if everything else chosen_tournament(store, tournament).id
        found = _standings.standings(store, identity, rating)
    if as_json:
        print_json(found)
    else:
        _standings.show(console(), found, rating.title)
