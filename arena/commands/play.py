"""`arena play`: one game between bots, here and now."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from arena.commands._clocks import clock_options
from arena.commands._common import (
    chosen_options,
    console,
    delay_option,
    example,
    harmless,
    json_option,
    print_json,
    show_option,
    table,
)
from arena.commands._isolation import isolation_option
from arena.types import Isolation, IsolationLevel, Limits, MatchPlan, PointRule

if TYPE_CHECKING:
    from arena.commands._watch import Watcher
    from arena.referee import Watch
    from arena.runners.inline import InlineRunner
    from arena.setups import Command
    from arena.types import GameResult, MatchResult, Player, VariantSetup

SHOWN_LINES = 20  # of what a bot wrote that broke
POINT_RULES: tuple[PointRule, ...] = get_args(PointRule)


@click.command(
    "play",
    short_help="Play one game.",
    epilog=example(
        "arena play random greedy --show",
        "arena play ./mybot.py random random --option turn_cap=50 --seed 7 --record game.json",
        "arena play ./mybot random --no-clock",
    ),
)
@click.argument("bots", nargs=-1, metavar="BOT BOT...")
@click.option(
    "--bot", "more", multiple=True, metavar="BOT", help="A further bot, as if it were named behind."
)
@click.option("--variant", default="classic", show_default=True, help="The variant; see `arena variants`.")
@click.option("--seats", type=int, help="How many seats (as many as bots are named, unless given).")
@click.option("--teams", is_flag=True, help="Each bot commands a whole team.")
@click.option(
    "--option",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the variant, such as turn_cap=50; `arena variants NAME` lists them.",
)
@click.option(
    "--point-rule",
    type=click.Choice(POINT_RULES),
    default="split",
    show_default=True,
    help="Who scores at the turn cap: the survivors alike, who has most, or nobody.",
)
@click.option("--seed", metavar="N", help="The game's seed: a whole number or 32 hex digits (else drawn).")
@clock_options
@isolation_option
@show_option
@delay_option
@click.option("--logs", is_flag=True, help="Print what bots that are programs wrote, on stderr, at the end.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the game's record here, for `arena replay`, `explain` and `rerun`.",
)
@json_option
def command(
    bots: tuple[str, ...],
    more: tuple[str, ...],
    variant: str,
    seats: int | None,
    teams: bool,
    pairs: tuple[str, ...],
    point_rule: PointRule,
    seed: str | None,
    limits: Limits,
    isolation: IsolationLevel,
    show: bool,
    delay: float,
    logs: bool,
    record: Path | None,
    as_json: bool,
) -> None:
    """Play one game; the bots (names or paths) take the seats in the order given.

    One bot alone takes all seats. The same bots, options and seed give the same game. Exit code 1: the
    platform failed; a bot that loses or breaks is a result.
    """
    named = (*bots, *more)
    if not named:
        raise click.UsageError("name a bot for each seat, or one for all; see `arena bots`")
    setup = _setup(variant, seats, len(named), pairs, point_rule, "team" if teams else "seat")
    players = _players(named, setup)
    key = _key(seed)
    watcher = _watcher(setup, players, delay) if show and not as_json else None
    plan = MatchPlan(0, key, setup, players, limits, isolation=Isolation(level=isolation))
    result = _play(plan, watcher, logs)
    if record is not None:
        _write_record(record, result)
    if as_json:
        facts = {k: v for k, v in dataclasses.asdict(result).items() if k not in ("record", "rotation")}
        print_json({**facts, "players": [player.name for player in players], "seed": key.hex()})
    else:
        _print(result, players, key)
        if not logs:
            _print_outputs(result, players)


def _write_record(path: Path, result: GameResult) -> None:
    from arena import record as records

    path.write_text(records.unpack(result.record).text() + "\n", encoding="utf-8")


def _setup(
    variant: str, seats: int | None, bots: int, pairs: Sequence[str], point_rule: PointRule, command: Command
) -> VariantSetup:
    """The setup with one rotation: the players sit as they are named."""
    import engine_core
    from arena.plugins import installed
    from arena.setups import setup_for

    variants = installed().variants
    if variant not in variants:
        raise engine_core.UnknownName("variant", variant, variants)
    chosen = chosen_options(variants[variant], pairs)
    if seats is None:
        seats = variants[variant].usual_seats if command == "team" else max(bots, variants[variant].seats[0])
    setup = setup_for(variant, seats, chosen, point_rule, command)
    if command == "team" and setup.entrants == seats:
        raise click.UsageError(f"{variant} has no teams; leave --teams out")
    seating = setup.rotations[0] if command == "team" else tuple(range(seats))
    return dataclasses.replace(setup, rotations=(seating,))


def _players(bots: Sequence[str], setup: VariantSetup) -> tuple[Player, ...]:
    from arena.plugins import installed
    from arena.spec import no_claim
    from arena.types import Player

    named = list(bots) * setup.entrants if len(bots) == 1 else bots
    if len(named) != setup.entrants:
        places = f"{setup.seats} seats" if setup.entrants == setup.seats else f"{setup.entrants} teams"
        raise click.UsageError(f"{len(bots)} bots for {places}; name one for each, or one for all")
    specs = [installed().find_bot(reference) for reference in named]
    variants = installed().variants
    for spec in specs:
        if problem := no_claim(spec, variants[setup.variant], variants):
            raise click.UsageError(problem)
    counts: dict[str, int] = {}
    players = []
    for spec in specs:
        counts[spec.name] = counts.get(spec.name, 0) + 1
        suffix = f" {counts[spec.name]}" if [other.name for other in specs].count(spec.name) > 1 else ""
        players.append(Player(spec.name + suffix, spec))
    return tuple(players)


def _key(seed: str | None) -> bytes:
    from arena.seeds import new_seed
    from arena.spec import parse_seed

    if seed is None:
        return new_seed()
    try:
        return parse_seed(int(seed) if seed.isdecimal() and len(seed) != 32 else seed)
    except ValueError as error:
        raise click.UsageError(f"--seed: {error}") from error


def _play(plan: MatchPlan, watcher: Watcher | None, logs: bool) -> GameResult:
    from arena.commands._building import building
    from arena.errors import SpecError
    from arena.runners.inline import InlineRunner
    from arena.runners.worker import isolation_problems

    if refused := isolation_problems(plan.players, plan.isolation):
        raise SpecError(refused)
    results: list[MatchResult] = []

    def watch(_plan: MatchPlan, _rotation: int) -> Watch | None:
        return watcher.step if watcher else None

    with closing(InlineRunner(plan.players, watch)) as runner:
        try:
            with building(player.bot for player in plan.players):
                problems = runner.check(plan.limits, plan.isolation)
            if problems:
                raise SpecError(problems)
            with watcher or nullcontext():
                runner.run([plan], lambda _plan, result: results.append(result))
        finally:
            if logs:
                _print_logs(runner, plan.players, results)
    for voided in results[:-1]:
        click.echo(f"played again, since an attempt does not count: {harmless(voided.error)}", err=True)
    return results[-1].games[0]


def _watcher(setup: VariantSetup, players: tuple[Player, ...], delay: float) -> Watcher:
    from arena.commands._watch import Watcher
    from arena.record import game_of

    labels = [players[position].name for position in setup.rotations[0]]
    return Watcher(game_of(setup.ruleset), labels, console(), delay)


def _print(result: GameResult, players: tuple[Player, ...], key: bytes) -> None:
    from arena import record as records
    from arena.stories import ending

    rows = [
        (
            seat,
            players[index].name,
            f"{result.scores[seat]:.3g}",
            "-".join(str(place) for place in sorted(set(result.placements[seat]))),
            sum(fault.seat == seat for fault in result.faults),
        )
        for seat, index in enumerate(result.players)
    ]
    console().print(table([">seat", "player", ">score", ">place", ">faults"], rows))
    winners = dict.fromkeys(players[result.players[seat]].name for seat in result.winners)
    laps = f"{result.laps} lap" + "s" * (result.laps != 1)
    decisions = f"{result.decisions} decision" + "s" * (result.decisions != 1)
    told = result.termination == "rules" or not result.decisions
    how = f": {ending(records.unpack(result.record))}" if told else ""
    click.echo(f"won by {', '.join(winners) or 'nobody'}{how}; ended by {result.termination} after {laps}")
    click.echo(f"{decisions} in {result.wall_ms / 1000:.2f} s; seed {key.hex()}")
    for fault in result.faults:
        name = players[result.players[fault.seat]].name
        click.echo(harmless(f"fault of {name} at decision {fault.decision}: {fault.kind}: {fault.message}"))


def _print_outputs(result: GameResult, players: tuple[Player, ...]) -> None:
    """Below the faults, the end of what each faulting player wrote: there stands the traceback."""
    for name, text in _outputs(result, players).items():
        lines = text.rstrip().splitlines()
        click.echo(f"what {name} wrote:")
        if len(lines) > SHOWN_LINES:
            click.echo(f"  ({len(lines) - SHOWN_LINES} lines before; `--logs` shows all that is kept)")
        for line in lines[-SHOWN_LINES:]:
            click.echo(f"  {harmless(line)}")


def _outputs(result: GameResult, players: tuple[Player, ...]) -> dict[str, str]:
    """By player's name, the output that is kept with its last fault."""
    return {players[result.players[fault.seat]].name: fault.output for fault in result.faults if fault.output}


def _print_logs(runner: InlineRunner, players: tuple[Player, ...], results: Sequence[MatchResult]) -> None:
    """What each bot wrote, its name before every line; of one that plays inside, what its faults left."""
    left = _outputs(results[-1].games[0], players) if results and results[-1].games else {}
    for player in players:
        for line in (runner.written(player) or left.get(player.name, "")).splitlines():
            click.echo(harmless(f"{player.name}| {line}"), err=True)
