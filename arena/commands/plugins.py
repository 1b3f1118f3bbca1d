"""`arena plugins`: what came from where, and what was skipped."""

from __future__ import annotations

import click

from arena.commands._common import console, example, json_option, print_json, table


@click.command(
    "plugins",
    short_help="Show what came from where, and what was skipped.",
    epilog=example("arena plugins", "arena plugins --json"),
)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show every plugin and all that it brought; what could not be used is shown with the reason.

    Python bots are loaded to see whether they can be. A broken part is skipped and stops nothing else.
    """
    from arena.cli import ArenaGroup
    from arena.plugins import Part, installed

    plugins = installed()
    plugins.check_bots()
    parts = plugins.parts()
    root = ctx.find_root().command
    if isinstance(root, ArenaGroup):
        parts += [Part("command", name, plugins.origins[owner]) for name, owner in root.load().items()]
    if as_json:
        print_json(parts)
        return
    out = console()
    used = [(part.kind, part.name, part.origin) for part in parts if not part.error]
    out.print(table(["kind", "name", "from"], used))
    broken = [(part.kind, part.name, part.origin, part.error) for part in parts if part.error]
    if broken:
        out.print(table(["kind", "name", "from", "why it is skipped"], broken, title="Skipped"))
