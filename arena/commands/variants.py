"""`arena variants`: the variants that can be played, and all that is known about one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import engine_core
from arena.commands._common import (
    chosen_options,
    console,
    example,
    json_option,
    print_json,
    table,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine_core.facts import Section

TEXT_COLUMNS = 100
ENDLESS = 10_000
INDENT = " " * 5
FEW_COLUMNS = 3  # a table with more than these cannot be read when its cells are squeezed
BOARD_SEED = 1


@click.command(
    "variants",
    short_help="List or describe the variants.",
    epilog=example(
        "arena variants",
        "arena variants classic",
        "arena variants expert --option troop_cap=20",
        "arena variants command_room --board board.svg",
    ),
)
@click.argument("name", required=False)
@click.option("--option", "pairs", multiple=True, metavar="KEY=VALUE", help="Describe it with this option.")
@click.option(
    "--board",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a drawing (SVG) of its board after a set-up at random, and nothing else.",
)
@json_option
def command(name: str | None, pairs: tuple[str, ...], board: Path | None, as_json: bool) -> None:
    """List the variants, or describe the one called NAME.

    A description has the seats, the set-up and the turn as tables, how the game is won, its cards, missions,
    objectives and rewards, what is reconstructed, the rulings on open questions, and every option.
    """
    from arena.plugins import installed

    variants = installed().variants
    if name is None:
        if board is not None or pairs:
            raise click.UsageError("--board and --option need the NAME of a variant")
        _list(variants, as_json)
        return
    if name not in variants:
        raise engine_core.UnknownName("variant", name, variants)
    options = chosen_options(variants[name], pairs)
    if board is not None:
        _draw(name, options, board)
    else:
        _describe(variants[name], options, as_json)


def _list(variants: Mapping[str, engine_core.Variant], as_json: bool) -> None:
    if as_json:
        print_json(list(variants.values()))
        return
    rows = [(v.name, v.family, _seats(v), v.summary) for v in variants.values()]
    console().print(table(["variant", "family", "seats", "summary"], rows))


def _draw(name: str, options: Mapping[str, engine_core.OptionValue], path: Path) -> None:
    from arena.drawing.registry import drawing_of

    game = engine_core.Game(engine_core.load_ruleset(name, seats=None, **options))
    drawing = drawing_of(game)
    path.write_text(drawing.svg(drawing.example(game, BOARD_SEED)), encoding="utf-8")


def _describe(
    variant: engine_core.Variant, options: Mapping[str, engine_core.OptionValue], as_json: bool
) -> None:
    from engine_core.facts import facts

    sections = facts(variant.name, **options)
    if as_json:
        print_json({"variant": variant, "sections": sections})
        return
    out = console()
    click.echo(f"{variant.name}: {variant.summary}")
    click.echo(f"family {variant.family}, {_seats(variant)} seats, from {variant.path}")
    for section in sections:
        _print(section, out)


def _print(section: Section, out: Console) -> None:
    """A section with its title, its text and its table; a table too wide for the terminal becomes a list."""
    click.echo(f"\n{section.title.upper()}")
    width = min(out.width, TEXT_COLUMNS)
    for line in textwrap.wrap(section.text.replace("`", ""), width):
        click.echo(line)
    rows = [[cell.replace("`", "") for cell in row] for row in section.rows]
    shown = table(section.heads, rows)
    if len(section.heads) > FEW_COLUMNS and _natural_width(out, shown) > out.width:
        _print_list(section.heads, rows, width)
    elif rows:
        out.print(shown)


def _natural_width(out: Console, shown: Table) -> int:
    """The columns a table takes when no cell is broken."""
    return out.measure(shown, options=out.options.update(width=ENDLESS)).maximum


def _print_list(heads: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> None:
    """Each row as `name: what it is` and one more paragraph with its other cells, where they say anything."""
    for name, what, *others in rows:
        more = [f"{head}: {cell}" for head, cell in zip(heads[2:], others, strict=True) if cell]
        for indent, text in ((" ", f"{name}: {what}"), (INDENT, "; ".join(more))):
            for line in textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=INDENT):
                click.echo(line)


def _seats(variant: engine_core.Variant) -> str:
    low, high = variant.seats
    return str(low) if low == high else f"{low}-{high}"
