"""What `arena serve` checks and opens: addresses, certificates, the database, tournaments and the lobby."""

from __future__ import annotations

import ipaddress
import json
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands._common import DEFAULT_DATABASE, chosen_options, database_url

if TYPE_CHECKING:
    from arena.hub.hub import Hub
    from arena.hub.news import Event
    from arena.spec import TournamentSpec
    from arena.types import GameResult, MatchPlan, VariantSetup

MAX_PORT = 65535


def checked_addresses(
    _context: click.Context, _option: click.Parameter, addresses: tuple[str, ...]
) -> tuple[str, ...]:
    """Addresses as gRPC takes them; it would take a port above 65535 for another one."""
    for address in addresses:
        port = address.rpartition(":")[2]
        fits = port.isdecimal() and int(port) <= MAX_PORT and len(address) > len(port) + 1
        if not fits and not address.startswith("unix:/"):
            raise click.BadParameter(
                f"{address!r}: must be host:port with a port up to {MAX_PORT}, or unix:/path"
            )
    return addresses


def refuse_open(addresses: Sequence[str]) -> None:
    """Wrong use when an address reaches beyond this host: tokens would travel in the clear."""
    for address in addresses:
        if not address.startswith("unix:") and not _loopback(address.rpartition(":")[0].strip("[]")):
            raise click.UsageError(
                f"--listen {address} reaches beyond this host, where tokens must be encrypted: make a "
                "certificate with `arena certificate tls` and add --tls tls, or add --insecure"
            )


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def database_for(given: str | None, *, wanted: bool) -> str | None:
    """The database's URL; None when none was named, none is needed and none is there: rules only."""
    if given is None and not wanted and not Path(DEFAULT_DATABASE.removeprefix("sqlite:///")).is_file():
        return None
    return database_url(given or DEFAULT_DATABASE)


def read_tournaments(files: Sequence[Path], url: str) -> list[TournamentSpec]:
    """Tournament files, to be played on the server's database."""
    from arena import spec
    from arena.plugins import installed

    return [spec.load(file, installed(), database=url) for file in files]


def read_lobby(texts: Sequence[str]) -> list[VariantSetup]:
    """What --lobby names; wrong use says what is not playable."""
    return [_setup(text) for text in texts]


def fill(hub: Hub, tournaments: Sequence[TournamentSpec], lobby: Sequence[VariantSetup]) -> None:
    """Give a hub what it is to play."""
    from arena.types import Limits

    for tournament in tournaments:
        hub.add_tournament(tournament)
    if lobby:
        hub.add_lobby(lobby, Limits())


def _setup(text: str) -> VariantSetup:
    """One --lobby: `VARIANT:SEATS`, and options behind commas."""
    import engine_core
    from arena.setups import setup_for
    from arena.tables import one_of

    head, *pairs = text.split(",")
    name, _, seats = head.partition(":")
    variants = engine_core.variants()
    if name not in variants:
        raise click.UsageError(f"--lobby {text}: {one_of('variant', name, variants)}")
    low, high = variants[name].seats
    if not seats.isdecimal() or not low <= int(seats) <= high:
        raise click.UsageError(f"--lobby {text}: {name} has {low} to {high} seats; write {name}:{low}")
    return setup_for(name, int(seats), chosen_options(variants[name], pairs), "split")


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on Ctrl-C and SIGTERM."""
    before = {number: signal.signal(number, lambda *_: stop()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve_rules(addresses: Sequence[str], tls: Path | None, tell: Callable[[Sequence[str]], None]) -> None:
    """Serve without a database: nobody can join, but the rules are there."""
    from arena.hub.certificates import server_credentials
    from arena.server import PlayServer

    stop, secured = threading.Event(), server_credentials(tls)
    with stopped_by_signals(stop.set), PlayServer(addresses, credentials=secured) as server:
        tell(server.addresses)
        stop.wait()


def tell_plugins(tournament: str, plan: MatchPlan, game: GameResult) -> None:
    """A game of a committed match, for the plugins' hook."""
    from arena.plugins import installed

    installed().game_finished(tournament, plan, game)


def print_text(event: Event) -> None:
    """One line for people."""
    click.echo(f"{event.time.astimezone():%H:%M:%S} {event.text}")


def print_json(event: Event) -> None:
    """One line for programs."""
    click.echo(json.dumps({"event": event.kind, "time": event.time.isoformat(), **event.facts}))


def command_line() -> str:
    """The command that is running, to be run again."""
    return shlex.join(["arena", *sys.argv[1:]])
