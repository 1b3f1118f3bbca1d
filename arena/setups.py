"""Variants made ready to play: from a name, seats and options to the setup that is scheduled and rated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import engine_core
from arena.tables import Table, one_of
from arena.types import PointRule, VariantSetup
from engine_core import Variant
from engine_core.errors import EngineError, OptionError

# What one player of a match decides for.
Command = Literal["seat", "team"]


def read_variant(table: Table) -> list[VariantSetup]:
    """The setups of one entry of `variants`: one for each seat count; reports all that is wrong with it."""
    found = len(table.problems)
    name = table.text("name")
    variant = engine_core.variants().get(name)
    if name and variant is None:
        table.problem("name", one_of("variant", name, engine_core.variants()))
    counts = _seat_counts(table, variant)
    options = table.scalars("options")
    if variant is not None:
        _check_options(table, variant, options)
    rules: tuple[PointRule, ...] = get_args(PointRule)
    rule = table.choice("point_rule", rules, "split")
    commands: tuple[Command, ...] = get_args(Command)
    command = table.choice("player_commands", commands, "seat")
    table.done()
    if len(table.problems) > found:
        return []
    try:
        setups = [setup_for(name, count, options, rule, command) for count in counts]
        if command == "team" and any(setup.entrants == setup.seats for setup in setups):
            table.problem("player_commands", f"'team' is not allowed: {name} has no teams of several seats")
        return setups
    except OptionError as error:  # options that are fine one by one, but not together
        table.problem(f"options.{error.key}", f"{error.value!r} is not allowed; allowed: {error.allowed}")
    except EngineError as error:
        table.problem("", str(error))
    return []


def _check_options(table: Table, variant: Variant, options: Mapping[str, object]) -> None:
    known = {option.name: option for option in variant.options}
    for name, value in options.items():
        if name not in known:
            table.problem(f"options.{name}", one_of("option", name, known))
            continue
        try:
            known[name].check(value)
        except OptionError as error:
            table.problem(f"options.{name}", f"{error.value!r} is not allowed; allowed: {error.allowed}")


def _seat_counts(table: Table, variant: Variant | None) -> list[int]:
    """`seats` is a whole number or a list of them."""
    value = table.data.get("seats")
    table.known.add("seats")
    given = value if isinstance(value, list) else [value]
    counts = [count for count in given if type(count) is int]
    if not given or len(counts) != len(given):
        table.problem("seats", "must be a number of seats or a list of them, such as [2, 3, 4]")
    if len(set(counts)) != len(counts):
        table.problem("seats", f"must not name a number twice: {counts}")
    low, high = variant.seats if variant else (0, max(counts, default=0))
    for count in counts:
        if not low <= count <= high:
            table.problem(
                "seats", f"{count} is not allowed; allowed: {low}..{high} in variant {table.data['name']}"
            )
    return counts


def setup_for(
    variant: str, seats: int, options: Mapping[str, Any], rule: PointRule, command: Command = "seat"
) -> VariantSetup:
    """The setup of a variant for a number of seats; the engine checks the options and raises its errors."""
    ruleset = engine_core.load_ruleset(variant, seats=seats, **options)
    return VariantSetup(
        variant=variant,
        ruleset=ruleset.text,
        ruleset_hash=ruleset.hash,
        seats=seats,
        turn_cap=int(ruleset.options.get("turn_cap", 0)),
        teams=tuple(ruleset.teams),
        rotations=whole_teams(ruleset.teams) if command == "team" else seatings_of(ruleset.rotations),
        point_rule=rule,
    )


def seatings_of(rotations: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Who sits where: a ruleset lists the seat of each position, a setup the position on each seat."""
    return tuple(tuple(rotation.index(seat) for seat in range(len(rotation))) for rotation in rotations)


def whole_teams(teams: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """One player a team: everybody commands every team once."""
    sides = len(set(teams))
    return tuple(tuple((team + shift) % sides for team in teams) for shift in range(sides))
