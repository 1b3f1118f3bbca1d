"""`arena tournament`: run a tournament file, resume one that stopped, show what there is."""

from __future__ import annotations

import dataclasses
import os
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from arena.commands import _standings
from arena.commands._common import (
    FAILED,
    absolute_bot,
    chosen_tournament,
    console,
    database_option,
    database_url,
    example,
    json_option,
    open_store,
    print_json,
    printed,
    table,
)
from arena.commands._conduct import quarantine_notice, show_conduct, show_voided

if TYPE_CHECKING:
    from arena.runners import Runner, RunnerKind
    from arena.spec import TournamentSpec
    from arena.store import Store
    from arena.store.rows import TournamentRow
    from arena.tournament import Tournament
    from arena.types import VariantSetup

RUNNERS = ("auto", "inline", "cluster")


@click.group(
    "tournament",
    short_help="Run, resume and show tournaments.",
    epilog=example("arena tournament run results/demo.toml", "arena tournament resume"),
)
def command() -> None:
    """Run, resume and show tournaments. Those whose bots dial in are played by `arena serve`."""


@command.command(
    "run",
    epilog=example(
        "arena tournament run results/demo.toml",
        "arena tournament run results/demo.toml --runner inline --db /tmp/a.db",
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--bot", "bots", multiple=True, metavar="BOT", help="A further player: a name or a path.")
@click.option("--db", "database", metavar="URL", help="Use this database instead of the file's.")
@click.option("--runner", type=click.Choice(RUNNERS), help="Use this runner instead of the file's.")
@click.option("--workers", type=click.IntRange(min=1), help="Play this many matches at once (cluster).")
@click.option("--new", is_flag=True, help="Begin anew, also if one of the same file is unfinished.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    bots: tuple[str, ...],
    database: str | None,
    runner: RunnerKind | None,
    workers: int | None,
    new: bool,
    as_json: bool,
) -> None:
    """Run the tournament that FILE describes: its players, variants, rounds, clocks and more, in TOML.

    results/demo.toml is one; docs/operating.md explains every key. The whole file is checked and every bot
    started before the first game. Ctrl-C stops it; what was played is kept, and the command that resumes it
    is printed, also when the same FILE is run again: it begins anew only with --new. Exit code 1: it did not
    come to its end.
    """
    from arena import spec, tournament
    from arena.plugins import installed
    from arena.store import Store

    loaded = spec.load(
        file,
        installed(),
        database=database_url(database) if database else "",
        extra_bots=[absolute_bot(bot) for bot in bots],
    )
    if remote := [player.name for player in loaded.players if player.bot.kind == "remote"]:
        served = printed(["arena", "serve", "--tournament", file], loaded.database)
        raise click.UsageError(f"these players dial in by themselves: {', '.join(remote)}; use:\n  {served}")
    loaded = dataclasses.replace(loaded, runner=runner or loaded.runner, workers=workers or loaded.workers)
    with Store(loaded.database) as store:
        if not _to_be_made(loaded.database):
            store.migrate()
            if not new:
                _refuse_unfinished(store, loaded)

        def create() -> Tournament:
            store.migrate()
            return tournament.create(store, loaded)

        words = ["arena", "tournament", "run", str(file), *(f"--bot={bot}" for bot in bots)]
        shown = shlex.join([*words, "--db", database] if database else words)
        _play(ctx, create, store, loaded, shown, as_json)


def _to_be_made(url: str) -> bool:
    """Whether a database is an SQLite file that is not there yet: a refused tournament makes none."""
    from arena.store.urls import sqlite_file

    file = sqlite_file(url)
    return file is not None and not file.exists() and os.access(file.parent, os.W_OK)


def _refuse_unfinished(store: Store, loaded: TournamentSpec) -> None:
    """Wrong use where a tournament of the same file, text and players is not finished."""
    text = loaded.stored()
    for row in store.tournaments(resumable=True):
        if row.spec == text:
            raise click.UsageError(
                f"{row.name} ({row.id}) of the same file is unfinished, {row.committed} of {row.total} "
                f"matches are played; go on with it:\n  {resume_command(store, row, loaded.database)}\n"
                "or begin a new one beside it: add --new"
            )


@command.command(
    "resume",
    short_help="Go on with a tournament that was stopped.",
    epilog=example("arena tournament resume", "arena tournament resume demo --db demo.db"),
)
@click.argument("tournament", required=False)
@click.option("--runner", type=click.Choice(RUNNERS), help="Use this runner instead of the file's.")
@click.option("--workers", type=click.IntRange(min=1), help="Play this many matches at once (cluster).")
@database_option
@json_option
@click.pass_context
def resume(
    ctx: click.Context,
    tournament: str | None,
    runner: RunnerKind | None,
    workers: int | None,
    database: str,
    as_json: bool,
) -> None:
    """Go on with a TOURNAMENT (its name or number) that was stopped; without one, list what can be resumed.

    It continues where it was, with the same seeds, and ends with the table of an undisturbed run. Of several
    of one name it is the newest that is not finished.
    """
    from arena import spec
    from arena import tournament as tournaments
    from arena.plugins import installed

    with open_store(database) as store:
        if tournament is None:
            rows = store.tournaments(resumable=True)
            _list(rows, as_json, "nothing to resume")
            if rows and not as_json:
                click.echo("Go on with one by:")
                for row in rows:
                    click.echo(f"  {resume_command(store, row, database)}")
            return
        row = chosen_tournament(store, tournament, unfinished_first=True)
        if row.state == "finished":
            shown = printed(["arena", "leaderboard", row.id], database)
            raise click.UsageError(f"{row.name} ({row.id}) is finished; see `{shown}`")
        shown = resume_command(store, row, database)
        if spec.is_served(row.spec):
            raise click.UsageError(f"{row.name} is played with bots that dial in; go on with:\n  {shown}")
        kept = spec.from_stored(row.spec, installed(), source=row.name, database=database_url(database))
        kept = dataclasses.replace(kept, runner=runner or kept.runner, workers=workers or kept.workers)
        _play(ctx, lambda: tournaments.reopen(store, kept, row.id), store, kept, shown, as_json)


@command.command(
    "show",
    short_help="Show tournaments.",
    epilog=example("arena tournament show", "arena tournament show demo --json"),
)
@click.argument("tournament", required=False)
@database_option
@json_option
def show(tournament: str | None, database: str, as_json: bool) -> None:
    """Show a TOURNAMENT: its state, its players and how they behaved, who is quarantined and why, and the
    attempts that did not count; without one, list all.
    """
    with open_store(database) as store:
        if tournament is None:
            _list(store.tournaments(), as_json, "no tournament yet")
            return
        row = chosen_tournament(store, tournament)
        voided = store.attempts(row.id, voided_only=True)
        entries, conduct = store.entries(row.id), store.conduct(row.id)
        content, unplayed = store.content_hash(row.id), store.unplayed(row.id)
    if as_json:
        facts = {"tournament": row, "players": entries, "conduct": conduct, "unplayed": unplayed}
        print_json({**facts, "voided": voided, "content_hash": content})
        return
    quarantine = f", {unplayed} of them not played (quarantine)" if unplayed else ""
    click.echo(f"{row.name} ({row.id}): {row.state}, {row.committed} of {row.total} matches{quarantine}")
    click.echo(f"created {row.created:%Y-%m-%d %H:%M:%S} UTC, content hash {content}")
    click.echo(f"seed's hash {row.commitment}, seed {row.seed or '(published at the end)'}")
    players = [(player.label, player.bot, player.version, player.options) for player in entries]
    console().print(table(["player", "bot", "version", "options"], players))
    show_conduct(console(), conduct, database)
    if voided:
        show_voided(console(), voided, row.id, database)


def _list(rows: tuple[TournamentRow, ...], as_json: bool, nothing: str) -> None:
    if as_json:
        print_json([{**dataclasses.asdict(row), "spec": None} for row in rows])
        return
    if not rows:
        click.echo(nothing)
        return
    shown = [(r.id, r.name, r.state, f"{r.committed}/{r.total}", f"{r.created:%Y-%m-%d %H:%M}") for r in rows]
    console().print(table([">id", "tournament", "state", ">matches", "created (UTC)"], shown))


def resume_command(store: Store, row: TournamentRow, database: str) -> str:
    """The command that goes on with a tournament, from any folder; one with bots that dial in is served."""
    from arena import spec

    words, remark = ["arena", "serve"], ""
    if not spec.is_served(row.spec):
        words = ["arena", "tournament", "resume", str(row.id)]
    elif row.spec == spec.LOBBY:
        words += [f"--lobby={p.label}:{p.seats},turn_cap={p.turn_cap}" for p in store.pools(row.id)]
    else:
        folder, file = spec.stored_file(row.spec)
        words += ["--tournament", str(file or folder / "FILE")]
        remark = "" if file else "  # put its FILE back first: none in that folder has its text"
    return shlex.join([*words, "--db", database_url(database)]) + remark


def _play(
    ctx: click.Context,
    open_tournament: Callable[[], Tournament],
    store: Store,
    spec: TournamentSpec,
    shown: str,
    as_json: bool,
) -> None:
    """Play a tournament to its end or interruption, and say how it went; exit code 1 before the end."""
    from arena.commands._building import building
    from arena.commands._progress import ProgressDisplay
    from arena.errors import PlatformFault
    from arena.plugins import installed
    from arena.tournament import check_conditions, start_runner

    check_conditions(spec)
    with building(player.bot for player in spec.players):
        started = start_runner(spec, installed)
    with closing(started) as runner:
        tournament = open_tournament()
        row = store.tournament(tournament.identity)
        _announce(tournament, row, runner)
        problem = "interrupted"
        try:
            with (
                _terminable() as interrupted,
                ProgressDisplay(row.name, installed(), spec.database) as display,
            ):
                finished = tournament.play(runner, display, interrupted.is_set)
        except PlatformFault as error:
            finished, problem = False, str(error)
    if not finished:
        click.echo(f"Stopped ({problem}). What was played is kept; go on with:", err=True)
        click.echo(f"  {resume_command(store, row, spec.database)}", err=True)
        ctx.exit(FAILED)
    _conclude(store, store.tournament(row.id), spec, shown, as_json)


def _announce(tournament: Tournament, row: TournamentRow, runner: Runner) -> None:
    """What will be played, by whom, how, and the hash that commits to the seed; on stderr."""
    spec = tournament.spec
    setups = ", ".join(_setup_words(setup) for setup in spec.setups)
    workers = f", {runner.workers} workers" if runner.kind == "cluster" else ""
    for line in (
        f"{row.name} ({row.id}): {spec.format.name}, {spec.rounds} rounds, {row.total} matches of {setups}",
        f"players: {', '.join(player.name for player in spec.players)}",
        f"runner: {runner.kind}{workers}; database: {tournament.store.url}",
        f"seed's hash: {row.commitment} (the seed follows at the end)",
        "luck: every match has a key of its own, which all seat rotations of the match share",
    ):
        click.echo(line, err=True)


def _setup_words(setup: VariantSetup) -> str:
    """A variant with its seats, and with its players where these are fewer."""
    players = f" ({setup.entrants} players)" if setup.entrants != setup.seats else ""
    return f"{setup.variant} {setup.seats}{players}"


def _conclude(store: Store, row: TournamentRow, spec: TournamentSpec, shown: str, as_json: bool) -> None:
    """The table, the seed, the content hash, and the files."""
    from arena.commands._results import summary, write_results
    from arena.ratings.live_elo import LiveElo

    paths = write_results(spec.output, store, row, shown) if spec.output else []
    found = _standings.standings(store, row.id, LiveElo())
    facts = summary(store, row, shown)
    if as_json:
        print_json({**facts, "standings": found, "files": paths})
        return
    _standings.show(console(), found)
    for quarantined in store.quarantines(row.id):
        click.echo(quarantine_notice(quarantined, spec.database))
    games, different = store.distinct_games(row.id)
    click.echo(f"{games} games, {different} of them different; seed: {row.seed}")
    click.echo(f"content hash: {facts['content_hash']}")
    for path in paths:
        click.echo(f"wrote {os.path.relpath(path)}")


@contextmanager
def _terminable() -> Iterator[threading.Event]:
    """SIGTERM stops a tournament as Ctrl-C does; the event tells of either."""
    interrupted = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as in a shell's background jobs
        numbers.append(signal.SIGINT)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
