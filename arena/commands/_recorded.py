"""Who plays a recorded game on: the bots of the record, found again, or others in their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.commands._common import open_store
from arena.commands.fault import bot_path
from arena.commands.replay import read_record

if TYPE_CHECKING:
    from arena.record import Record
    from arena.store.rows import SeatedRow
    from arena.types import BotSpec, Player, PointRule

NAME_IT = "say with --with who plays it"


class Recorded(NamedTuple):
    """A recorded game, its rotation and point rule; `seated` is by seat, empty for a record from a file."""

    record: Record
    rotation: int = 0
    rule: PointRule = "split"
    seated: tuple[SeatedRow, ...] = ()

    def label(self, seat: int) -> str:
        """The label of the player that sat there, empty if the record does not tell."""
        return self.record.players[seat] if seat < len(self.record.players) else ""

    def name(self, seat: int) -> str:
        """The name of the bot that sat there, empty if the record does not tell."""
        return self.seated[seat].player.bot if self.seated else self.label(seat).partition(" ")[0]

    def player(self, seat: int, spec: BotSpec) -> Player:
        """A bot on a seat; where it is the one that sat there, under the same label and settings."""
        from arena.types import Player

        if spec.name != self.name(seat):
            return Player(f"{spec.name} (seat {seat})", spec)
        options = json.loads(self.seated[seat].player.options) if self.seated else {}
        return Player(self.label(seat) or f"{spec.name} (seat {seat})", spec, tuple(options.items()))


def recorded_game(reference: str, database: str, rotation: int | None) -> Recorded:
    """A game in a file or of the database; `rotation` is what is known of one in a file."""
    record = read_record(reference, database)
    rotations = len(record.game().ruleset.rotations)
    if rotation is not None and not 0 <= rotation < rotations:
        raise click.UsageError(f"--rotation {rotation}: the game has rotations 0 to {rotations - 1}")
    if Path(reference).is_file():
        return Recorded(record, rotation or 0)
    with open_store(database) as store:
        row = store.game(int(reference))
        place = row.rotation if rotation is None else rotation
        return Recorded(record, place, row.pool.point_rule, store.seated(row.id))


def others_of(game: Recorded, seat: int, named: tuple[str, ...]) -> dict[int, Player]:
    """Who plays the other seats, by seat: the named ones, or else the bots of the record."""
    seats = [other for other in range(game.record.game().seats) if other != seat]
    if len(named) not in (0, 1, len(seats)):
        raise click.UsageError(f"--with: name one bot, or one for each of the {len(seats)} other seats")
    references = named if len(named) == len(seats) else named * len(seats)
    found = zip(seats, references, strict=True) if references else ((other, "") for other in seats)
    return {other: game.player(other, _bot(game, other, reference)) for other, reference in found}


def _bot(game: Recorded, seat: int, reference: str) -> BotSpec:
    """The bot of a reference, or without one the bot that sat there; wrong use says what to do."""
    from arena.errors import PluginError
    from arena.plugins import installed

    try:
        return installed().find_bot(reference or _reference(game, seat))
    except PluginError as error:
        raise click.UsageError(f"seat {seat}: {error}; {NAME_IT}") from error


def _reference(game: Recorded, seat: int) -> str:
    """Where the bot that sat there is to be found: at the path that the database keeps, or by its name."""
    from arena.plugins import installed

    name = game.name(seat)
    if not name:
        raise click.UsageError("the record does not name its players; say with --with who plays")
    if not game.seated:
        return name
    row = game.seated[seat]
    if row.guard == "remote":
        raise click.UsageError(f"seat {seat}: {row.player.label} dials in by itself; {NAME_IT}")
    path = bot_path(row.command)
    if path.startswith("/") and (Path(path).exists() or name not in installed().bots):
        return path
    return name
