"""Variants made ready to play: from a name, seats and options to the setup that is scheduled and rated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import engine_core
from arena.tables import Table, one_of
from arena.types import PointRule, VariantSetup
from engine_core import Variant
from engine_core.errors import EngineError, OptionError
from engine_core.registry import without_effect
from engine_core.ruleset import Ruleset

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
    options: Mapping[str, Any] = table.scalars("options")
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
        loaded = [engine_core.load_ruleset(name, seats=count, **options) for count in counts]
        _report(table, _idle_in_all(loaded, options))
        setups = [_setup(ruleset, rule, command) for ruleset in loaded]
        if command == "team" and any(setup.entrants == setup.seats for setup in setups):
            table.problem("player_commands", f"'team' is not allowed: {name} has no teams of several seats")
        return setups
    except OptionError as error:  # options that are fine one by one, but not together
        _report(table, (error, *error.also))
    except EngineError as error:
        table.problem("", str(error))
    return []


def _report(table: Table, errors: Iterable[OptionError]) -> None:
    for error in errors:
        table.problem(f"options.{error.key}", f"{error.value!r} is not allowed; allowed: {error.allowed}")


def _idle_in_all(loaded: Sequence[Ruleset], options: Mapping[str, Any]) -> list[OptionError]:
    """The options that change nothing for any number of seats."""
    found = [without_effect(ruleset, options) for ruleset in loaded]
    names = set.intersection(*({error.key for error in errors} for errors in found))
    return [error for error in found[0] if error.key in names]


def _check_options(table: Table, variant: Variant, options: Mapping[str, object]) -> None:
    known = {option.name: option for option in variant.options}
    for name, value in options.items():
        if name not in known:
            table.problem(f"options.{name}", one_of("option", name, known))
            continue
        try:
            known[name].check(value)
        except OptionError as error:
            _report(table, [error])


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
    """The setup of a variant for a number of seats; the engine checks the options and raises its errors.

    OptionError also for options that would change nothing: two names for one game.
    """
    ruleset = engine_core.load_ruleset(variant, seats=seats, **options)
    if idle := without_effect(ruleset, options):
        raise OptionError.together(idle)
    return _setup(ruleset, rule, command)


def _setup(ruleset: Ruleset, rule: PointRule, command: Command) -> VariantSetup:
    return VariantSetup(
        variant=ruleset.name,
        ruleset=ruleset.text,
        ruleset_hash=ruleset.hash,
        seats=ruleset.seats,
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
