"""`arena rerun`: feed a recorded game to another version of a bot, and play on where it decides otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.commands._common import (
    console,
    database_option,
    example,
    failed,
    json_option,
    open_store,
    print_json,
    table,
)
from arena.commands.replay import read_record
from arena.types import Limits

if TYPE_CHECKING:
    from arena.record import Record
    from arena.rerun import Decision
    from arena.types import GameResult, Player, PointRule


@click.command(
    "rerun",
    short_help="Feed a recorded game to another version of a bot.",
    epilog=example(
        "arena rerun 17 --db arena.db --seat 1 --bot ./mybot",
        "arena rerun game.json --seat 0 --bot ./mybot --branch 12 --with greedy",
    ),
)
@click.argument("game")
@click.option("--seat", type=int, required=True, help="Whose decisions the bot is asked for.")
@click.option("--bot", "reference", required=True, metavar="BOT", help="A bot's name or path.")
@click.option("--branch", type=int, metavar="N", help="Play on from decision N with its new answer.")
@click.option(
    "--with", "others", multiple=True, metavar="BOT", help="Who plays the other seats then: one, or one each."
)
@click.option(
    "--rotation",
    type=click.IntRange(min=0),
    help="Rotation of a game from a file: it decides the bot's own seed.",
)
@click.option("--decision", "decision_s", type=float, default=Limits().decision, help="Seconds a decision.")
@database_option
@json_option
def command(
    game: str,
    seat: int,
    reference: str,
    branch: int | None,
    others: tuple[str, ...],
    rotation: int | None,
    decision_s: float,
    database: str,
    as_json: bool,
) -> None:
    """Ask BOT for every decision of a seat of GAME, and list those it makes otherwise.

    GAME is a file of `arena play --record` or a game's number in the database. The bot sees the game as it
    was recorded, whatever it answers. With --branch its answer to one decision is played, and the game goes
    on from there with the same dice; the bots of the record play the other seats, or those given.

    Exit code 1: the bot faulted where the recorded one did not.
    """
    from arena.plugins import installed
    from arena.rerun import decisions
    from arena.runners.interview import Interview
    from arena.seeds import bot_seed
    from arena.types import Player

    record, place, rule = _game(game, database, rotation)
    if not 0 <= seat < record.game().seats:
        raise click.UsageError(f"--seat {seat}: the game has seats 0 to {record.game().seats - 1}")
    spec = installed().find_bot(reference)
    player, limits = Player(spec.name, spec), Limits(decision=decision_s)
    with Interview(player, limits) as bot:
        found = list(decisions(record, seat, bot, bot_seed(record.key, place, seat)))
    changed = [decision for decision in found if decision.changed]
    result = None
    if branch is not None:
        result = _branch(record, found, branch, _seated(record, player, seat, others), limits, rule)
    if as_json:
        print_json(_facts(record, found, changed, result))
    else:
        _print(record, found, changed, result)
    if faults := [decision for decision in changed if decision.fault]:
        failed(f"{player.name} faulted at {len(faults)} of {len(found)} decisions; first: {faults[0].fault}")


def _game(reference: str, database: str, rotation: int | None) -> tuple[Record, int, PointRule]:
    """The record, its rotation and its point rule."""
    record = read_record(reference, database)
    if rotation is None and reference.isdecimal():
        with open_store(database) as store:
            row = store.game(int(reference))
        return record, row.rotation, row.pool.point_rule
    return record, rotation or 0, "split"


def _branch(
    record: Record,
    found: list[Decision],
    number: int,
    players: tuple[Player, ...],
    limits: Limits,
    rule: PointRule,
) -> GameResult:
    from arena.errors import ArenaError
    from arena.rerun import branch

    if not 1 <= number <= len(found):
        raise click.UsageError(f"--branch {number}: the seat has decisions 1 to {len(found)}")
    try:
        return branch(record, found[number - 1], players, limits, rule)
    except ArenaError as error:
        failed(str(error))


def _seated(record: Record, player: Player, seat: int, others: tuple[str, ...]) -> tuple[Player, ...]:
    """A player a seat; those of the record are looked up by their labels where no others are given."""
    from arena.errors import PluginError
    from arena.plugins import installed
    from arena.types import Player

    seats = record.game().seats
    if len(others) not in (0, 1, seats - 1):
        raise click.UsageError(f"--with: name one bot, or one for each of the {seats - 1} other seats")
    names = list(others) * (seats - 1) if len(others) == 1 else list(others)
    names = names or [label.partition(" ")[0] for index, label in enumerate(record.players) if index != seat]
    if len(names) != seats - 1:
        raise click.UsageError("the record does not name its players; say with --with who plays")
    players = []
    for index, name in enumerate([*names[:seat], "", *names[seat:]]):
        if index == seat:
            players.append(Player(f"{player.name} (seat {seat})", player.bot, player.options))
            continue
        try:
            players.append(Player(f"{name} (seat {index})", installed().find_bot(name)))
        except PluginError as error:
            raise click.UsageError(f"seat {index}: {error}; say with --with who plays it") from error
    return tuple(players)


def _facts(
    record: Record, found: list[Decision], changed: list[Decision], result: GameResult | None
) -> dict[str, object]:
    facts: dict[str, object] = {"decisions": len(found), "changed": [_row(record, each) for each in changed]}
    if result is not None:
        names = ("winners", "scores", "placements", "termination", "laps", "final_digest")
        facts["recorded_winners"] = record.facts.winners
        facts["branch"] = {name: getattr(result, name) for name in names}
    return facts


def _row(record: Record, decision: Decision) -> dict[str, object]:
    return {
        "decision": decision.number,
        "step": decision.step,
        "lap": decision.lap,
        "recorded": _text(record, decision.recorded),
        "answer": _text(record, decision.answer),
        "fault": decision.fault,
        "used_ms": 1000.0 * decision.used_s,
    }


def _print(record: Record, found: list[Decision], changed: list[Decision], result: GameResult | None) -> None:
    if changed:
        rows = [
            (d.number, d.lap, _text(record, d.recorded), d.fault or _text(record, d.answer)) for d in changed
        ]
        console().print(table([">decision", ">lap", "recorded", "now"], rows))
    click.echo(f"{len(changed)} of {len(found)} decisions changed")
    if result is None:
        return
    click.echo(f"recorded: won by {_seats(record.facts.winners)}, {record.facts.termination}")
    laps = f"after {result.laps} laps"
    click.echo(f"branched: won by {_seats(result.winners)}, {result.termination} {laps}")


def _seats(winners: tuple[int, ...]) -> str:
    return ", ".join(f"seat {seat}" for seat in winners) or "nobody"


def _text(record: Record, action: int | None) -> str:
    return "" if action is None else record.game().action_text(action)
