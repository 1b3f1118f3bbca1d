"""`arena verify`: recompute everything a tournament claims from what it committed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.commands._common import (
    FAILED,
    chosen_tournament,
    database_option,
    example,
    json_option,
    open_store,
    print_json,
)

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.rows import GameRow, TournamentRow


@click.command(
    "verify",
    short_help="Recompute what a tournament claims.",
    epilog=example("arena verify demo --db results/demo/arena.db", "arena verify --all"),
)
@click.argument("tournament", required=False)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar="N",
    default=100,
    show_default=True,
    help="Replay this many games, spread over all.",
)
@click.option("--all", "every", is_flag=True, help="Replay every game.")
@click.option("--expect", metavar="HASH", help="The content hash that the results must have.")
@database_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    tournament: str | None,
    games: int,
    every: bool,
    expect: str | None,
    database: str,
    as_json: bool,
) -> None:
    """Check a TOURNAMENT (the newest when not given) against itself.

    Ratings and quarantines are recomputed from the games, game records are replayed and their ends, scores
    and digests compared, and the published hash of the seed is compared with the seed. Exit code 1: something
    differs.
    """
    with open_store(database) as store:
        row = chosen_tournament(store, tournament)
        content = store.content_hash(row.id)
        problems = [*_identity(store, row, content, expect), *_quarantines(store, row), *_ratings(store, row)]
        replayed, differing = _records(store, row, None if every else games)
    problems += differing
    _report(row, content, replayed, problems, as_json)
    if problems:
        ctx.exit(FAILED)


def _report(row: TournamentRow, content: str, replayed: int, problems: list[str], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "tournament": row.name,
                "matches": row.committed,
                "games_replayed": replayed,
                "content_hash": content,
                "problems": problems,
            }
        )
        return
    click.echo(f"{row.name}: {row.committed} matches, {replayed} games replayed, content hash {content}")
    click.echo("everything is equal" if not problems else "\n".join(problems))


def _identity(store: Store, row: TournamentRow, content: str, expect: str | None) -> Iterator[str]:
    from arena.seeds import seed_commitment

    if expect and expect != content:
        yield f"content hash: expected {expect}, but the results have {content}"
    if seed_commitment(store.seed(row.id)) != row.commitment:
        yield "seed: its hash is not the one that was published at the start"
    if len(store.done_sequences(row.id)) != row.committed:
        yield f"matches: {row.committed} are counted, {len(store.done_sequences(row.id))} are committed"


def _quarantines(store: Store, row: TournamentRow) -> Iterator[str]:
    for line in store.quarantine_differences(row.id):
        yield f"quarantine: {line}"


def _ratings(store: Store, row: TournamentRow) -> Iterator[str]:
    for line in store.recompute_ratings(tournament_id=row.id, repair=False).differences:
        yield f"rating: {line}"


def _records(store: Store, row: TournamentRow, limit: int | None) -> tuple[int, list[str]]:
    """Replay the games (at most `limit`, spread evenly); how many, and what differs."""
    games = [game.id for game in store.games(row.id)] if limit is not None else []
    step = max(1, -(-len(games) // limit)) if limit else 1
    wanted = set(games[::step])
    replayed, problems = 0, []
    for game in store.games(row.id):
        if limit is None or game.id in wanted:
            replayed += 1
            problems += [f"game {game.id}: {problem}" for problem in _replay(store, game)]
    return replayed, problems


def _replay(store: Store, game: GameRow) -> Iterator[str]:
    from arena import record as records
    from arena.errors import RecordError
    from arena.scores import scores

    try:
        record = records.unpack(store.record(game.id))
        final = records.verify(record)
    except RecordError as error:
        yield str(error)
        return
    if record.final_digest != game.digest:
        yield f"its record ends in {record.final_digest}, the game in {game.digest}"
    if record.ruleset_hash != game.pool.ruleset_hash:
        yield "its record is of another ruleset than its pool"
    points = scores(final.result(), game.pool.point_rule, game.pool.teams)
    if tuple(seat.score for seat in game.seats) != points:
        yield f"its scores are {[seat.score for seat in game.seats]}, the replay's {list(points)}"
