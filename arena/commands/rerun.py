"""`arena rerun`: feed a recorded game to another version of a bot, and play on where it decides otherwise."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.commands._clocks import Seconds
from arena.commands._common import (
    console,
    database_option,
    example,
    failed,
    harmless,
    json_option,
    print_json,
    table,
)
from arena.commands._isolation import isolation_of, isolation_option
from arena.commands._recorded import Recorded, others_of, recorded_game
from arena.types import Isolation, IsolationLevel, Limits

if TYPE_CHECKING:
    from arena.record import Record
    from arena.rerun import Decision
    from arena.types import GameResult, Player


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
    "--with",
    "others",
    multiple=True,
    metavar="BOT",
    help="Who plays the other seats then: one for all, or one each in seat order.",
)
@click.option(
    "--record",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the branched game's record here, for `arena replay`, `explain` and `rerun`.",
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
    file: Path | None,
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
    All are first asked what they were asked up to there, whatever they answer, so that they remember and draw
    as they did; bots that are not deterministic may still play otherwise.

    The database knows where a tournament's bots are. A file holds only their names: if one of them was given
    by its path, or dialled in, --with is needed.

    A bot that ends or keeps faulting is asked no further.

    Exit code 1: the bot faulted where the recorded one did not.
    """
    from arena.plugins import installed
    from arena.record import unpack
    from arena.rerun import owed

    if file is not None and branch is None:
        raise click.UsageError("--record writes the branched game; say with --branch where it branches")
    played = recorded_game(game, database, rotation)
    record = played.record
    if not 0 <= seat < record.game().seats:
        raise click.UsageError(f"--seat {seat}: the game has seats 0 to {record.game().seats - 1}")
    total = owed(record, seat)
    if branch is not None and not 1 <= branch <= total:
        has = f"decisions 1 to {total}" if total else "no decision in this game"
        raise click.UsageError(f"--branch {branch}: the seat has {has}")
    spec = installed().find_bot(reference)
    asked = _Asked(played, played.player(seat, spec), Limits(decision=decision_s), isolation_of(isolation))
    seated = others_of(played, seat, others) if branch is not None else {}
    found = _decisions(asked, seat)
    changed = [decision for decision in found if decision.changed]
    faults = [decision for decision in changed if decision.fault]
    result = _branch(asked, found, branch, seated | {seat: asked.player}) if branch is not None else None
    if file is not None and result is not None:
        file.write_text(unpack(result.record).text() + "\n", encoding="utf-8")
    if as_json:
        print_json(_facts(record, found, total, result))
    else:
        _print(record, found, total, result)
    if faults:
        seen = f"{len(faults)} of {len(found)} decisions"
        failed(f"{spec.name} faulted at {seen}; first: {faults[0].fault}")


class _Asked(NamedTuple):
    """Who is asked about what, and how."""

    game: Recorded
    player: Player
    limits: Limits
    isolation: Isolation


def _decisions(asked: _Asked, seat: int) -> list[Decision]:
    from arena.commands._building import building
    from arena.rerun import decisions
    from arena.runners.interview import Interview
    from arena.seeds import bot_seed

    with ExitStack() as started:
        with building([asked.player.bot]):
            bot = started.enter_context(Interview(asked.player, asked.limits, asked.isolation))
        record, rotation = asked.game.record, asked.game.rotation
        return list(decisions(record, seat, bot, bot_seed(record.key, rotation, seat)))


def _branch(asked: _Asked, found: list[Decision], number: int, seated: dict[int, Player]) -> GameResult:
    from arena.commands._building import building
    from arena.errors import ArenaError
    from arena.rerun import branch

    if number > len(found):
        failed(f"--branch {number}: {asked.player.name} broke at decision {len(found)}: {found[-1].fault}")
    players = tuple(seated[seat] for seat in sorted(seated))
    record, rotation, rule, _ = asked.game
    try:
        with building(player.bot for player in players):
            decision = found[number - 1]
            return branch(record, decision, players, asked.limits, rule, asked.isolation, rotation)
    except ArenaError as error:
        failed(str(error))


def _facts(record: Record, found: list[Decision], total: int, result: GameResult | None) -> dict[str, object]:
    changed = [_row(record, decision) for decision in found if decision.changed]
    facts: dict[str, object] = {"decisions": total, "asked": len(found), "changed": changed}
    if result is not None:
        names = ("winners", "scores", "placements", "termination", "laps", "faults", "final_digest")
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
    changed = f"{len(rows)} of {len(found)} decisions changed"
    click.echo(changed if total else "the seat was asked nothing in this game")
    if len(found) < total:
        click.echo(f"the bot is broken: the other {total - len(found)} were not asked")
    if result is None:
        return
    click.echo(f"recorded: won by {_seats(record.facts.winners)}, {record.facts.termination}")
    laps = f"after {result.laps} lap" + "s" * (result.laps != 1)
    click.echo(f"branched: won by {_seats(result.winners)}, {result.termination} {laps}")
    for fault in result.faults:
        where = f"fault of seat {fault.seat} at decision {fault.decision}"
        click.echo(harmless(f"{where}: {fault.kind}: {fault.message}"))


def _seats(winners: tuple[int, ...]) -> str:
    return ", ".join(f"seat {seat}" for seat in winners) or "nobody"


def _text(record: Record, action: int | None) -> str:
    return "" if action is None else record.game().action_text(action)
