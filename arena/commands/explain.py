"""`arena explain`: why each seat of a game won or lost, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.commands._common import (
    database_option,
    example,
    failed,
    harmless,
    json_option,
    open_store,
    print_json,
)
from arena.commands.replay import read_record

if TYPE_CHECKING:
    from arena.store.rows import GameRow

FAULTS_NOT_KEPT = (
    "which faults is not in a record's file: the command that wrote it told them, and for a game in a "
    "database `arena explain NUMBER --db URL` tells them"
)


@click.command(
    "explain",
    short_help="Say why each seat won or lost.",
    epilog=example("arena explain 17 --db arena.db", "arena explain game.json"),
)
@click.argument("game")
@database_option
@json_option
def command(game: str, database: str, as_json: bool) -> None:
    """Say in sentences why each seat of GAME won, and by which goal, or lost.

    GAME is a file of `arena play --record` or a game's number in the database, which also knows the faults.
    """
    from arena.errors import RecordError
    from arena.stories import stories

    record = read_record(game, database)
    row = _row(game, database)
    try:
        told = stories(record)
    except RecordError as error:
        failed(f"{game}: {error}")
    reasons = {seat.seat: seat.reason for seat in row.seats} if row else {}
    if as_json:
        print_json([{"story": story, "reason": reasons.get(story.seat, "")} for story in told])
        return
    colours = record.game().description.colour_seat
    names = record.game().description.colours
    for story in told:
        own = ", ".join(name for name, seat in zip(names, colours, strict=True) if seat == story.seat)
        click.echo(harmless(f"Seat {story.seat}, {story.player or 'unnamed'} ({own}) {story.outcome}."))
        for sentence in story.sentences:
            click.echo(harmless(f"  {sentence[:1].upper()}{sentence[1:]}."))
        retired = record.facts.retired[story.seat]
        reason = reasons.get(story.seat, FAULTS_NOT_KEPT if retired and not row else "")
        if "fault" in reason or "retired" in reason:
            click.echo(harmless(f"  {reason[:1].upper()}{reason[1:]}."))


def _row(reference: str, database: str) -> GameRow | None:
    """What the database says of a game; nothing of one in a file."""
    from pathlib import Path

    if Path(reference).is_file():
        return None
    with open_store(database) as store:
        return store.game(int(reference))
