"""`arena rerun`: feed a recorded game to another version of a bot, and play on where it decides otherwise."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.commands._clocks import Seconds
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
from arena.commands._isolation import isolation_of, isolation_option
from arena.commands.replay import read_record
from arena.types import Isolation, IsolationLevel, Limits

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
    type=int,
    metavar="N",
    help="Rotation of a game from a file, 0 the first: it decides the bot's own seed.",
)
@click.option(
    "--decision",
    "decision_s",
    type=Seconds(),
    default=Limits().decision,
    show_default=True,
    help="Seconds a decision.",
)
@isolation_option
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
    isolation: IsolationLevel,
    database: str,
    as_json: bool,
) -> None:
    """Ask BOT for every decision of a seat of GAME, and list those it makes otherwise.

    GAME is a file of `arena play --record` or a game's number in the database. The bot sees the game as it
    was recorded, whatever it answers. With --branch its answer to one decision is played, and the game goes
    on from there with the same dice; the bots of the record play the other seats, or those given.

    A bot that ends or keeps faulting is asked no further.

    Exit code 1: the bot faulted where the recorded one did not.
    """
    from arena.plugins import installed
    from arena.rerun import owed
    from arena.types import Player

    record, place, rule = _game(game, database, rotation)
    if not 0 <= seat < record.game().seats:
        raise click.UsageError(f"--seat {seat}: the game has seats 0 to {record.game().seats - 1}")
    total = owed(record, seat)
    if branch is not None and not 1 <= branch <= total:
        raise click.UsageError(f"--branch {branch}: the seat has decisions 1 to {total}")
    spec = installed().find_bot(reference)
    player = Player(spec.name, spec)
    asked = _Asked(record, place, player, Limits(decision=decision_s), isolation_of(isolation), rule)
    players = _seated(record, asked.player, seat, others) if branch is not None else ()
    found = _decisions(asked, seat)
    changed = [decision for decision in found if decision.changed]
    faults = [decision for decision in changed if decision.fault]
    result = _branch(asked, found, branch, players) if branch is not None else None
    if as_json:
        print_json(_facts(record, found, total, result))
    else:
        _print(record, found, total, result)
    if faults:
        seen = f"{len(faults)} of {len(found)} decisions"
        failed(f"{spec.name} faulted at {seen}; first: {faults[0].fault}")


class _Asked(NamedTuple):
    """Who is asked about what, and how."""

    record: Record
    rotation: int
    player: Player
    limits: Limits
    isolation: Isolation
    rule: PointRule


def _decisions(asked: _Asked, seat: int) -> list[Decision]:
    from arena.commands._building import building
    from arena.rerun import decisions
    from arena.runners.interview import Interview
    from arena.seeds import bot_seed

    with ExitStack() as started:
        with building([asked.player.bot]):
            bot = started.enter_context(Interview(asked.player, asked.limits, asked.isolation))
        return list(decisions(asked.record, seat, bot, bot_seed(asked.record.key, asked.rotation, seat)))


def _game(reference: str, database: str, rotation: int | None) -> tuple[Record, int, PointRule]:
    """The record, its rotation and its point rule."""
    record = read_record(reference, database)
    rotations = len(record.game().ruleset.rotations)
    if rotation is not None and not 0 <= rotation < rotations:
        raise click.UsageError(f"--rotation {rotation}: the game has rotations 0 to {rotations - 1}")
    if rotation is None and reference.isdecimal():
        with open_store(database) as store:
            row = store.game(int(reference))
        return record, row.rotation, row.pool.point_rule
    return record, rotation or 0, "split"


def _branch(asked: _Asked, found: list[Decision], number: int, players: tuple[Player, ...]) -> GameResult:
    from arena.commands._building import building
    from arena.errors import ArenaError
    from arena.rerun import branch

    if number > len(found):
        failed(f"--branch {number}: {asked.player.name} broke at decision {len(found)}: {found[-1].fault}")
    try:
        with building(player.bot for player in players):
            return branch(
                asked.record,
                found[number - 1],
                players,
                asked.limits,
                asked.rule,
                asked.isolation,
                asked.rotation,
            )
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


def _facts(record: Record, found: list[Decision], total: int, result: GameResult | None) -> dict[str, object]:
    changed = [_row(record, decision) for decision in found if decision.changed]
    facts: dict[str, object] = {"decisions": total, "asked": len(found), "changed": changed}
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


def _print(record: Record, found: list[Decision], total: int, result: GameResult | None) -> None:
    rows = [
        (d.number, d.lap, _text(record, d.recorded), d.fault or _text(record, d.answer))
        for d in found
        if d.changed
    ]
    if rows:
        console().print(table([">decision", ">lap", "recorded", "now"], rows))
    click.echo(f"{len(rows)} of {len(found)} decisions changed")
    if len(found) < total:
        click.echo(f"the bot is broken: the other {total - len(found)} were not asked")
    if result is None:
        return
    click.echo(f"recorded: won by {_seats(record.facts.winners)}, {record.facts.termination}")
    laps = f"after {result.laps} lap" + "s" * (result.laps != 1)
    click.echo(f"branched: won by {_seats(result.winners)}, {result.termination} {laps}")


def _seats(winners: tuple[int, ...]) -> str:
    return ", ".join(f"seat {seat}" for seat in winners) or "nobody"


def _text(record: Record, action: int | None) -> str:
    return "" if action is None else record.game().action_text(action)
