"""`arena serve`: the gRPC services, for as long as it runs."""

from __future__ import annotations

import signal
import threading

import click

from arena.commands._common import example, json_option, print_json

MAX_PORT = 65535


def _checked(
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


@click.command(
    "serve",
    short_help="Serve the gRPC services.",
    epilog=example("arena serve", "arena serve --listen 127.0.0.1:50051 --listen unix:/tmp/arena.sock"),
)
@click.option(
    "--listen",
    multiple=True,
    default=("127.0.0.1:50051",),
    show_default=True,
    metavar="ADDRESS",
    callback=_checked,
    help="An address, host:port or unix:/path; may be given several times.",
)
@json_option
def command(listen: tuple[str, ...], as_json: bool) -> None:
    """Serve PlayService, EngineService, health checks and reflection until Ctrl-C.

    EngineService answers questions about the rules at once: variants, positions, legal actions, results.
    PlayService accepts only bots with a token of a game that waits for them; games for bots that dial in by
    themselves come later, so here it turns everybody away.
    """
    from arena.server import PlayServer

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with PlayServer(listen) as server:
        if as_json:
            print_json({"addresses": server.addresses})
        else:
            click.echo(f"serving on {', '.join(server.addresses)}; Ctrl-C stops")
        stop.wait()
