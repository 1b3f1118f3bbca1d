"""`arena player`: accounts of bots that dial in to `arena serve`, and their tokens."""

from __future__ import annotations

from datetime import datetime

import click

from arena.commands import _serving
from arena.commands._common import (
    console,
    database_option,
    example,
    json_option,
    open_store,
    print_json,
    table,
)


@click.group(
    "player",
    short_help="Manage players that dial in, and their tokens.",
    epilog=example("arena player add anna", "arena player list", "arena player revoke anna"),
)
def command() -> None:
    """Manage the players whose bots dial in to `arena serve`, and their tokens."""


def note_option(function: click.decorators.FC) -> click.decorators.FC:
    """The --note option: a word about a token."""
    return click.option(
        "--note", default="", metavar="TEXT", help="A word for yourself, such as who has it."
    )(function)


@command.command(
    "add",
    short_help="Create a player and print its token.",
    epilog=example("arena player add anna", "arena player add anna --note 'anna@example.org' --db cup.db"),
)
@click.argument("name")
@note_option
@database_option
@json_option
def add(name: str, note: str, database: str, as_json: bool) -> None:
    """Create the player NAME and print its token: only now, since the database keeps no more than a hash.

    A database that is not there yet is created, in a folder that is.
    """
    with _serving.created_store(database) as store:
        secret = store.tokens.add_player(name, note)
    _print_secret(name, secret, as_json)


@command.command(
    "token",
    short_help="Make another token for a player.",
    epilog=example("arena player token anna"),
)
@click.argument("name")
@note_option
@database_option
@json_option
def token(name: str, note: str, database: str, as_json: bool) -> None:
    """Make another token for the player NAME and print it, for a second process or instead of an old one."""
    with open_store(database) as store:
        secret = store.tokens.add_token(name, note)
    _print_secret(name, secret, as_json)


@command.command("list", epilog=example("arena player list", "arena player list --db cup.db --json"))
@database_option
@json_option
def listing(database: str, as_json: bool) -> None:
    """List the players with their tokens' ids, when they last joined, and what is revoked."""
    with open_store(database) as store:
        rows = store.tokens.listing()
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("no player yet; see `arena player add --help`")
        return
    shown = [
        (r.player, r.id, _time(r.created), r.version or None, _time(r.last_seen), _time(r.revoked), r.note)
        for r in rows
    ]
    columns = ["player", ">token", "created (UTC)", "version", "last joined", "revoked", "note"]
    console().print(table(columns, shown))


@command.command(
    "revoke",
    short_help="Make tokens worthless.",
    epilog=example("arena player revoke anna", "arena player revoke --token-id 3"),
)
@click.argument("name", required=False)
@click.option("--token-id", type=click.IntRange(min=1), help="Only this token (see `arena player list`).")
@database_option
@json_option
def revoke(name: str | None, token_id: int | None, database: str, as_json: bool) -> None:
    """Revoke all tokens of the player NAME, or one by its id; a bot that plays with it is sent away."""
    if (name is None) == (token_id is None):
        raise click.UsageError("give either a player's NAME or --token-id")
    with open_store(database) as store:
        if token_id is not None:
            count = store.tokens.revoke_token(token_id)
        else:
            count = store.tokens.revoke_player(name or "")
    if as_json:
        print_json({"revoked": count})
    else:
        click.echo(f"revoked {count} token{'' if count == 1 else 's'}")


def _print_secret(name: str, secret: str, as_json: bool) -> None:
    if as_json:
        print_json({"player": name, "token": secret})
        return
    click.echo(f"token of {name}, shown only now: give it to the bot as ARENA_TOKEN", err=True)
    click.echo(secret)


def _time(when: datetime | None) -> str | None:
    return f"{when:%Y-%m-%d %H:%M}" if when else None
