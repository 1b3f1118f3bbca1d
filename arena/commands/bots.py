"""`arena bots`: the bots that can be named, and what one of them takes."""

from __future__ import annotations

import click

from arena.commands._common import console, example, json_option, print_json, table


@click.command(
    "bots",
    short_help="List or describe the bots.",
    epilog=example("arena bots", "arena bots random", "arena bots ./mybot.py --json"),
)
@click.argument("bot", required=False)
@json_option
def command(bot: str | None, as_json: bool) -> None:
    """List the bots that can be named, or describe one BOT (a name or a path).

    Wherever a command takes a BOT, this is what it may be. A path is a Python file, or a folder with a
    bot.toml.
    """
    if bot is None:
        _list(as_json)
    else:
        _describe(bot, as_json)


def _list(as_json: bool) -> None:
    from arena.botfiles import summary
    from arena.plugins import installed

    bots = [(spec, summary(spec)) for _, spec in sorted(installed().bots.items())]
    if as_json:
        print_json([{"bot": spec, "summary": text} for spec, text in bots])
        return
    rows = [
        (spec.name, spec.version, spec.kind, ", ".join(spec.variants) or "all", spec.origin, text)
        for spec, text in bots
    ]
    console().print(table(["bot", "version", "kind", "variants", "from", "summary"], rows))


def _describe(reference: str, as_json: bool) -> None:
    from arena import botfiles
    from arena.bot import load_bot
    from arena.plugins import installed

    spec = installed().find_bot(reference)
    facts: dict[str, object] = {
        "name": spec.name,
        "version": spec.version,
        "kind": spec.kind,
        "target": spec.target,
        "variants": list(spec.variants),
        "summary": botfiles.summary(spec),
    }
    if spec.kind == "python":
        factory = load_bot(spec)
        facts |= {"options": list(factory.options), "required_options": list(factory.required)}
    else:
        facts |= {"command": list(spec.argv), "build": list(botfiles.build_command(spec))}
    if as_json:
        print_json(facts)
        return
    for key, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        click.echo(f"{key.replace('_', ' '):>16}  {shown or '-'}")
