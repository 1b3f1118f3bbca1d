"""What `arena serve` checks and opens: addresses, certificates, the database, tournaments and the lobby."""

from __future__ import annotations

import ipaddress
import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands._common import chosen_options, database_url

if TYPE_CHECKING:
    from arena.hub.certificates import Credentials
    from arena.hub.hub import Hub
    from arena.hub.news import Event
    from arena.spec import TournamentSpec
    from arena.store import Store
    from arena.types import GameResult, Limits, MatchPlan, VariantSetup

MAX_PORT = 65535
DEFAULT_LOBBY = "classic:2"
# Of a tournament's clocks; who plays in a lobby is there and has started.
LOBBY_CLOCKS = ("decision", "game", "increment", "clocked")


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


def quiet_grpc() -> None:
    """Keep gRPC's own log to itself, unless somebody asked for it: what matters is said in our words."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def check_listening(addresses: Sequence[str]) -> None:
    """Wrong use when an address cannot be served on."""
    from arena.hub.addresses import refusal

    for address in addresses:
        if why := refusal(address):
            raise click.UsageError(f"--listen {address}: {why}")


def credentials(folder: Path | None) -> Credentials | None:
    """What --tls names; wrong use when it is no usable certificate."""
    from arena.errors import ArenaError
    from arena.hub.certificates import server_credentials

    try:
        return server_credentials(folder)
    except ArenaError as error:
        raise click.UsageError(f"--tls {folder}: {error}") from None


def created_store(database: str) -> Store:
    """A database, created with a word about it when there is none; wrong use when its folder is missing."""
    from arena.store import Store
    from arena.store.urls import sqlite_file

    url = database_url(database)
    if file := sqlite_file(url):
        if not file.parent.is_dir():
            raise click.UsageError(f"--db: there is no folder {file.parent} for the database {file.name}")
        if not file.exists():
            click.echo(f"creates the database {file}", err=True)
    store = Store(url)
    store.migrate()
    return store


def read_tournaments(files: Sequence[Path], url: str, wait_s: float | None = None) -> list[TournamentSpec]:
    """Tournament files, to be played on the server's database, with `wait_s` as their limit to connect."""
    from arena import spec
    from arena.plugins import installed

    read = [spec.load(file, installed(), database=url) for file in files]
    names = [each.name for each in read]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(f"--tournament: two files are named {twice[0]!r}; give each its own `name`")
    if wait_s is None:
        return read
    return [replace(each, limits=replace(each.limits, connect=wait_s)) for each in read]


def read_lobby(texts: Sequence[str]) -> list[VariantSetup]:
    """What --lobby names; wrong use says what is not playable."""
    return [_setup(text) for text in texts]


def lobby_limits(_context: click.Context, _option: click.Parameter, text: str | None) -> Limits:
    """What --lobby-clocks says, in the words of a tournament's file."""
    import tomllib

    from arena.conditions import read_limits
    from arena.tables import Table, one_of

    problems: list[tuple[str, str]] = []
    try:
        data = tomllib.loads(f"clocks = {{ {text or ''} }}")["clocks"]
    except tomllib.TOMLDecodeError:
        raise click.BadParameter(f"{text!r}: must be like decision=5,game=300,increment=1") from None
    for key in data.keys() - set(LOBBY_CLOCKS):
        problems.append((key, one_of("key", key, LOBBY_CLOCKS)))
        del data[key]
    limits = read_limits(Table(data, "", problems))
    if problems:
        raise click.BadParameter("; ".join(f"{key}: {message}" for key, message in problems))
    return limits


def fill(
    hub: Hub,
    tournaments: Sequence[TournamentSpec],
    lobby: Sequence[VariantSetup],
    limits: Limits | None = None,
) -> None:
    """Give a hub what it is to play; `limits` are the lobby's."""
    from arena.types import Limits

    for tournament in tournaments:
        hub.add_tournament(tournament)
    if lobby:
        hub.add_lobby(lobby, limits or Limits())


def _setup(text: str) -> VariantSetup:
    """One --lobby: `VARIANT:SEATS`, and options behind commas."""
    import engine_core
    from arena.setups import setup_for
    from arena.tables import one_of
    from engine_core.errors import EngineError

    head, *pairs = text.split(",")
    name, _, seats = head.partition(":")
    variants = engine_core.variants()
    if name not in variants:
        raise click.UsageError(f"--lobby {text}: {one_of('variant', name, variants)}")
    low, high = variants[name].seats
    if not seats.isdecimal() or not low <= int(seats) <= high:
        raise click.UsageError(
            f"--lobby {text}: {name} has {low} to {high} seats; write one, such as {name}:{low}"
        )
    try:
        return setup_for(name, int(seats), chosen_options(variants[name], pairs), "split")
    except click.UsageError:
        raise click.UsageError(f"--lobby {text}: write options as `,turn_cap=40`, each once") from None
    except EngineError as error:
        raise click.UsageError(f"--lobby {text}: {error}") from None


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on Ctrl-C and SIGTERM."""
    before = {number: signal.signal(number, lambda *_: stop()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve_rules(
    addresses: Sequence[str],
    credentials: Credentials | None,
    tell: Callable[[Sequence[str]], None],
) -> None:
    """Serve without a database: nobody can join, but the rules are there."""
    from arena.server import PlayServer

    stop = threading.Event()
    with stopped_by_signals(stop.set), PlayServer(addresses, credentials=credentials) as server:
        tell(server.addresses)
        stop.wait()


def tell_plugins(tournament: str, plan: MatchPlan, game: GameResult) -> None:
    """A game of a committed match, for the plugins' hook."""
    from arena.plugins import installed

    installed().game_finished(tournament, plan, game)


def print_text(event: Event) -> None:
    """One line for people."""
    click.echo(line_of(event))


def line_of(event: Event) -> str:
    """An event in one line for people, with the time here."""
    return f"{event.time.astimezone():%H:%M:%S} {event.text}"


def print_json(event: Event) -> None:
    """One line for programs."""
    click.echo(json.dumps({"event": event.kind, "time": event.time.isoformat(), **event.facts}))


def command_line() -> str:
    """The command that is running, to be run again."""
    return shlex.join(["arena", *sys.argv[1:]])
