"""`arena variants`: the variants that can be played, and the options of one."""

from __future__ import annotations

import click

import engine_core
from arena.commands._common import console, example, json_option, print_json, table


@click.command(
    "variants",
    short_help="List or describe the variants.",
    epilog=example("arena variants", "arena variants classic"),
)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the variants, or describe the one called NAME: its seats, its options and their values."""
    from arena.plugins import installed

    variants = installed().variants
    if name is None:
        _list(variants, as_json)
    elif name not in variants:
        raise engine_core.UnknownName("variant", name, variants)
    else:
        _describe(variants[name], as_json)


def _list(variants: dict[str, engine_core.Variant], as_json: bool) -> None:
    if as_json:
        print_json(list(variants.values()))
        return
    rows = [(v.name, v.family, _seats(v), len(v.options), v.summary) for v in variants.values()]
    console().print(table(["variant", "family", "seats", ">options", "summary"], rows))


def _describe(variant: engine_core.Variant, as_json: bool) -> None:
    if as_json:
        print_json(variant)
        return
    out = console()
    click.echo(f"{variant.name}: {variant.summary}")
    click.echo(f"family {variant.family}, {_seats(variant)} seats, from {variant.path}")
    rows = [(o.name, o.default, o.allowed, o.doc, o.source) for o in variant.options]
    out.print(table(["option", "default", "allowed", "what it changes", "source"], rows))


def _seats(variant: engine_core.Variant) -> str:
    low, high = variant.seats
    return str(low) if low == high else f"{low}-{high}"
