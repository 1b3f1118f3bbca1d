"""`arena serve`: a server that bots dial in to, for tournaments and rated games, and that knows the rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands import _serving
from arena.commands._common import DATABASE_VARIABLE, example, failed

if TYPE_CHECKING:
    from arena.hub.news import News
    from arena.spec import TournamentSpec
    from arena.types import VariantSetup


@click.command(
    "serve",
    short_help="Let bots dial in and play.",
    epilog=example(
        "arena serve",
        "arena serve --db cup.db --lobby classic:2 --listen 0.0.0.0:50051 --tls tls",
        "arena serve --db cup.db --tournament results/demo.toml --listen unix:/tmp/arena.sock",
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
@click.option(
    "--db",
    "database",
    envvar=DATABASE_VARIABLE,
    metavar="URL",
    show_envvar=True,
    help="The database: a URL or the path of an SQLite file; arena.db if there is one.",
)
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
    help="Rated games of idle bots; `classic:2,turn_cap=40` sets options. May be given several times.",
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
    "--tables",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    help="Play this many matches at once.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines instead of text.")
def command(
    listen: tuple[str, ...],
    database: str | None,
    tournaments: tuple[Path, ...],
    lobby: tuple[str, ...],
    tls: Path | None,
    insecure: bool,
    resume_s: float,
    tables: int,
    as_json: bool,
) -> None:
    """Serve until Ctrl-C: bots dial in with a token of `arena player add` and play; what they play is rated.

    A bot that is connected plays the tournaments that list it (`{ remote = "NAME" }`), and when it is idle,
    in the lobby. EngineService answers questions about the rules, SpectatorService shows games; both need no
    token.
    """
    from arena.hub.news import News

    if tls is None and not insecure:
        _serving.refuse_open(listen)
    show = _serving.print_json if as_json else _serving.print_text
    news = News(show, _serving.tell_plugins)
    url = _serving.database_for(database, wanted=bool(tournaments or lobby))
    if url is None:
        _serving.serve_rules(listen, tls, lambda addresses: _tell_serving(news, addresses, None))
        news.close()
        return
    played = _serving.read_tournaments(tournaments, url), _serving.read_lobby(lobby)
    failure = _serve(news, url, listen, tls, *played, resume_s, tables)
    again = _serving.command_line()
    news.tell("stopped", f"stopped; go on with:\n  {again}", command=again)
    news.close()
    if failure is not None:
        failed(str(failure))


def _serve(
    news: News,
    url: str,
    listen: tuple[str, ...],
    tls: Path | None,
    tournaments: Sequence[TournamentSpec],
    lobby: Sequence[VariantSetup],
    resume_s: float,
    tables: int,
) -> Exception | None:
    """Open the hub and serve; what ended it, unless a signal did."""
    from arena.hub.certificates import server_credentials
    from arena.hub.hub import Hub
    from arena.store import Store

    with Store(url) as store:
        store.migrate()
        secured = server_credentials(tls)
        hub = Hub(store, news, listen, credentials=secured, resume_s=resume_s, tables=tables)
        with _serving.stopped_by_signals(hub.stopping.set):
            _serving.fill(hub, tournaments, lobby)
            _tell_serving(news, hub.server.addresses, store.url)
            hub.serve()
    return hub.failure


def _tell_serving(news: News, addresses: Sequence[str], database: str | None) -> None:
    what = f"database {database}" if database else "rules only, no database; see --db"
    text = f"serving on {', '.join(addresses)} ({what}); Ctrl-C stops"
    news.tell("serving", text, addresses=list(addresses), database=database)
