"""`arena serve`: a server that bots dial in to, for tournaments and rated games, and that knows the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.commands import _serving
from arena.commands._clocks import Seconds
from arena.commands._common import created_database_option, database_url, example, failed

if TYPE_CHECKING:
    from arena.hub.certificates import Credentials
    from arena.hub.hub import Hub
    from arena.hub.news import News
    from arena.spec import TournamentSpec
    from arena.store import Store
    from arena.types import Limits, VariantSetup


@click.command(
    "serve",
    short_help="Let bots dial in and play.",
    epilog=example(
        "arena serve",
        "arena serve --db cup.db --lobby classic:2 --lobby-clocks decision=5,game=300",
        "arena serve --db cup.db --listen 0.0.0.0:50051 --tls tls",
        "arena serve --db cup.db --tournament results/demo.toml --no-lobby --listen unix:/tmp/arena.sock",
    ),
)
@click.option(
    "--listen",
    multiple=True,
    default=("127.0.0.1:50051",),
    show_default=True,
    metavar="ADDRESS",
    callback=_serving.checked_addresses,
    help="An address, host:port or unix:/path; may be given several times.",
)
@created_database_option
@click.option(
    "--tournament",
    "tournaments",
    multiple=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Play this tournament, from where it was left; may be given several times.",
)
@click.option(
    "--lobby",
    multiple=True,
    metavar="VARIANT:SEATS",
    help="Rated games of idle bots; `classic:2,turn_cap=40` sets options. May be given several times. "
    f"[default: {_serving.DEFAULT_LOBBY}]",
)
@click.option("--no-lobby", is_flag=True, help="No games beyond those of --tournament.")
@click.option(
    "--lobby-clocks",
    metavar="KEY=VALUE,...",
    callback=_serving.lobby_limits,
    help="Clocks of the lobby's games, as in a tournament's file: `decision=5,game=300,increment=1`. "
    "[default: decision=2,game=120,increment=0]",
)
@click.option(
    "--wait",
    "wait_s",
    type=Seconds(),
    metavar="SECONDS",
    help="How long a match of a tournament waits for its bots that are not here, from when another of the "
    "tournament's is; instead of the file's `clocks.connect`.",
)
@click.option(
    "--tls",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Encrypt TCP with the certificate in FOLDER (see `arena certificate`).",
)
@click.option("--insecure", is_flag=True, help="Allow TCP beyond this host without --tls.")
@click.option(
    "--resume",
    "resume_s",
    type=click.FloatRange(0, 3600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot may be cut off in a match, in all, before that is a disconnect.",
)
@click.option(
    "--network",
    "network_s",
    type=click.FloatRange(0, 60),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="What a bot's network may take without being billed as thinking, at most, for each decision; it is "
    "measured for each bot.",
)
@click.option(
    "--tables",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    help="Play this many matches at once.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines instead of text.")
def command(
    listen: tuple[str, ...],
    database: str,
    tournaments: tuple[Path, ...],
    lobby: tuple[str, ...],
    no_lobby: bool,
    lobby_clocks: Limits,
    wait_s: float | None,
    tls: Path | None,
    insecure: bool,
    resume_s: float,
    network_s: float,
    tables: int,
    as_json: bool,
) -> None:
    """Serve until Ctrl-C: bots dial in with a token of `arena player add` and play; what they play is rated.

    A bot that is connected plays the tournaments that list it (`{ remote = "NAME" }`), and when it is idle,
    in the lobby. On a terminal a table shows who is here. EngineService answers questions about the rules,
    SpectatorService shows games; both need no token, and with --no-lobby and no --tournament they are all
    there is.
    """
    if no_lobby and lobby:
        raise click.UsageError("--lobby and --no-lobby contradict each other")
    if tls is None and not insecure:
        _serving.refuse_open(listen)
    _serving.quiet_grpc()
    _serving.check_listening(listen)
    credentials = _serving.credentials(tls)
    if no_lobby and not tournaments:
        _serve_rules(listen, credentials, as_json)
        return
    url = database_url(database)
    setups = [] if no_lobby else _serving.read_lobby(lobby or (_serving.DEFAULT_LOBBY,))
    played = _serving.read_tournaments(tournaments, url, wait_s)
    with _serving.created_store(database) as store, store.serving() as check_lease:
        plan = Plan(played, setups, lobby_clocks)
        hub_options = listen, credentials, resume_s, network_s, tables
        failure = _serve(store, plan, *hub_options, check_lease=check_lease, as_json=as_json)
    if failure is not None:
        failed(str(failure))


class Plan(NamedTuple):
    """What is to be played."""

    tournaments: Sequence[TournamentSpec]
    lobby: Sequence[VariantSetup]
    lobby_limits: Limits


def _serve_rules(listen: Sequence[str], credentials: Credentials | None, as_json: bool) -> None:
    """Serve without a database: nobody can join, but the rules are there."""
    from arena.hub.news import News

    news = News(_serving.print_json if as_json else _serving.print_text)

    def tell(addresses: Sequence[str]) -> None:
        text = f"serving on {', '.join(addresses)} (rules only: bots cannot join; Ctrl-C stops)"
        news.tell("serving", text, addresses=list(addresses), database=None)

    _serving.serve_rules(listen, credentials, tell)
    news.close()


def _serve(
    store: Store,
    plan: Plan,
    listen: Sequence[str],
    credentials: Credentials | None,
    resume_s: float,
    network_s: float,
    tables: int,
    *,
    check_lease: Callable[[], None],
    as_json: bool,
) -> Exception | None:
    """Open the hub and serve; what ended it, unless a signal did."""
    from arena.commands._livetable import shown
    from arena.hub.hub import Hub
    from arena.hub.news import News

    with shown(as_json=as_json) as screen:
        news = News(screen.show, _serving.tell_plugins)
        try:
            hub = Hub(
                store,
                news,
                listen,
                credentials=credentials,
                resume_s=resume_s,
                tables=tables,
                network_s=network_s,
                check_lease=check_lease,
            )
            with _serving.stopped_by_signals(hub.stopping.set):
                _serving.fill(hub, *plan)
                _tell_serving(news, hub, store, plan)
                screen.follow(hub)
                hub.serve()
            again = _serving.command_line()
            news.tell("stopped", f"stopped; go on with:\n  {again}", command=again)
        finally:
            news.close()
    return hub.failure


def _tell_serving(news: News, hub: Hub, store: Store, plan: Plan) -> None:
    """Say where and what is served, and how the first bot gets in."""
    parts = [f"tournament {spec.name}" for spec in plan.tournaments]
    if plan.lobby:
        setups = ", ".join(f"{setup.variant} with {setup.seats} seats" for setup in plan.lobby)
        parts.append(f"a lobby of {setups}")
    addresses, database = hub.server.addresses, store.url
    text = f"serving on {', '.join(addresses)} (database {database}): {' and '.join(parts)}; Ctrl-C stops"
    news.tell("serving", text, addresses=list(addresses), database=database)
    if not store.tokens.listing():
        text = (
            "no bot can dial in yet: `arena player add NAME` with this database makes a player and its token"
        )
        news.tell("hint", text)
