"""`arena dial`: lets a bot that speaks JSON lines dial in to `arena serve`."""

from __future__ import annotations

import os
import signal
from types import FrameType

import click

from arena.commands._clocks import Seconds
from arena.commands._common import example, failed, json_option, print_json


@click.command(
    "dial",
    short_help="Let a bot that speaks JSON lines dial in to a server.",
    epilog=example(
        "arena dial 127.0.0.1:50051 -- sh bot.sh",
        "arena dial arena.example.org:50051 --retry 600 -- ./bot",
    ),
)
@click.argument("address")
@click.argument("command", nargs=-1, required=True)
@click.option("--bot-version", default="1", show_default=True, help="Its version, if its join has none.")
@click.option(
    "--retry",
    "again_s",
    type=Seconds(zero=True),
    metavar="SECONDS",
    help="Dial again for so long after it was last connected.  [default: ARENA_RETRY, else 0]",
)
@json_option
def command(
    address: str, command: tuple[str, ...], bot_version: str, again_s: float | None, as_json: bool
) -> None:
    """Run COMMAND, a bot that speaks JSON lines, and let it play on the server at ADDRESS.

    ADDRESS is host:port or unix:/path, the token is in ARENA_TOKEN, and ARENA_CA names the ca.pem of a server
    that uses TLS. A line that breaks is resumed, and the bot does not notice. What it prints beside its
    messages goes to stderr. Exit code 1: the bot ended by itself, or the server refuses it.
    """
    token = os.environ.get("ARENA_TOKEN", "")
    if not token:
        raise click.UsageError("set ARENA_TOKEN to the token that `arena player add` printed")
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from arena.bridge import Bridge
    from arena.dialling import Line
    from arena.errors import ArenaError
    from arena.session import retry_s

    try:
        line = Line(address, os.environ.get("ARENA_CA", ""))
        bridge = Bridge(command, token, bot_version, retry_s() if again_s is None else again_s)
    except ArenaError as error:
        raise click.UsageError(_told(error)) from None
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        bridge.play(line)
    except ArenaError as error:
        failed(_told(error))
    if as_json:
        print_json({"games": bridge.games, "decisions": bridge.decisions})
    else:
        click.echo(f"played {bridge.games} games, {bridge.decisions} decisions")


def _told(error: Exception) -> str:
    """What is wrong, with the address as it is called here."""
    return str(error).replace("ARENA_ADDRESS", "ADDRESS")


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM ends the bot as Ctrl-C does."""
    raise KeyboardInterrupt
