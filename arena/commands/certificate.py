"""`arena certificate`: what `arena serve --tls` needs, made in one step."""

from __future__ import annotations

from pathlib import Path

import click

from arena.commands._common import example, json_option, print_json


def checked_hosts(
    _context: click.Context, _option: click.Parameter, hosts: tuple[str, ...]
) -> tuple[str, ...]:
    """Names and addresses as certificates have them."""
    from arena.hub.certificates import is_host

    for host in hosts:
        if not is_host(host):
            raise click.BadParameter(
                f"{host!r} is neither an address nor a DNS name, such as 192.0.2.7 or arena.example.org"
            )
    return hosts


@click.command(
    "certificate",
    short_help="Make a certificate for `arena serve --tls`.",
    epilog=example(
        "arena certificate tls", "arena certificate tls --host arena.example.org --host 192.0.2.7"
    ),
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="HOST",
    callback=checked_hosts,
    help="A name or address under which bots dial in; may be given several times. localhost always is one.",
)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="How long it holds."
)
@click.option(
    "--force", is_flag=True, help="Replace the certificate that is there; bots need the new ca.pem."
)
@json_option
def command(folder: Path, hosts: tuple[str, ...], days: int, force: bool, as_json: bool) -> None:
    """Make a certificate in FOLDER for `arena serve --tls FOLDER`.

    It is signed by an authority of its own, whose key is thrown away. FOLDER/ca.pem is for the bots' authors:
    they set ARENA_CA to it. server.key stays secret.
    """
    from arena.hub.certificates import make_certificate

    made = make_certificate(folder, hosts, days=days, replace=force)
    if as_json:
        print_json(made)
        return
    click.echo(f"{folder}: certificate for {', '.join(made.hosts)}, until {made.until:%Y-%m-%d}")
    click.echo(f"serve with:  arena serve --tls {folder} --listen ...")
    click.echo(f"give bots:   {made.authority} (they set ARENA_CA to its path)")
