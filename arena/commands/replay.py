"""`arena replay`: play a game record again, to look at it or to prove it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands._common import (
    console,
    database_option,
    delay_option,
    example,
    failed,
    json_option,
    open_store,
    print_json,
    show_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.record import Record
    from engine_core import Event


@click.command(
    "replay",
    short_help="Play a game record again.",
    epilog=example("arena replay game.json --verify", "arena replay 17 --db results/demo/arena.db --show"),
)
@click.argument("record")
@click.option("--verify", is_flag=True, help="Compare the end with the record's, and print only the verdict.")
@show_option
@delay_option
@database_option
@json_option
def command(record: str, verify: bool, show: bool, delay: float, database: str, as_json: bool) -> None:
    """Play a RECORD again: a file written by `arena play --record`, or a game's number in the database.

    Without flags the game is printed move by move, in the words of docs/variants; --show tells it for people,
    and `arena explain` says why it ended as it did. Exit code 1: the replay differs from the record.
    """
    from arena import record as records
    from arena.errors import RecordError
    from arena.referee import PUBLIC

    game_record = read_record(record, database)
    if verify:
        try:
            records.verify(game_record)
        except RecordError as error:
            failed(f"{record}: {error}")
        steps, digest = len(game_record.steps), game_record.final_digest
        if as_json:
            print_json({"record": record, "steps": steps, "final_digest": digest, "equal": True})
        else:
            click.echo(f"{record}: {steps} steps, the end is equal: {digest}")
    elif as_json:
        click.echo(game_record.text())
    elif show:
        from arena.commands._watch import Watcher

        with Watcher(game_record.game(), game_record.players, console(), delay) as watcher:
            for state, events in records.walk(game_record):
                watcher.step([each for each in events if each.visible_to(PUBLIC)], state.public_view())
    else:
        _print_steps(game_record)
        click.echo(_ended(game_record))


def read_record(reference: str, database: str) -> Record:
    """The record in a file, or of a game in the database; wrong use when it is neither."""
    from arena import record as records
    from arena.errors import RecordError

    path = Path(reference)
    if path.is_file():
        data = path.read_bytes()
        try:
            return records.parse(data.decode(errors="replace")) if data[:1] == b"{" else records.unpack(data)
        except RecordError as error:
            raise click.UsageError(f"{reference}: not a usable game record: {error}") from error
    if not reference.isdecimal():
        raise click.UsageError(f"{reference}: no such file, and not a game's number")
    with open_store(database) as store:
        return records.unpack(store.record(int(reference)))


def _ended(game_record: Record) -> str:
    """Who won, and how."""
    from arena.stories import ending

    players = dict(enumerate(game_record.players))
    winners = [f"seat {seat} {players.get(seat, '')}".strip() for seat in game_record.facts.winners]
    return f"won by {', '.join(winners) or 'nobody'}: {ending(game_record)}"


def _print_steps(game_record: Record) -> None:
    from arena import record as records

    game = game_record.game()
    steps = iter(game_record.steps)
    for _, events in records.walk(game_record):
        for event in _told_once(events):
            click.echo(f"    {game.event_text(event)}")
        if step := next(steps, None):
            click.echo(records.step_text(game, step))


def _told_once(events: Iterable[Event]) -> Iterator[Event]:
    """The events, without the blank of a secret that follows for those who may not know it."""
    before: Event | None = None
    for event in events:
        blank = (
            before is not None
            and (event.kind, event.seat) == (before.kind, before.seat)
            and not event.mask & before.mask
        )
        if not blank:
            yield event
        before = None if blank else event
