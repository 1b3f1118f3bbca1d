"""Variants made ready to play: from a name, seats and options to the setup that is scheduled and rated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import engine_core
from arena.tables import Table, one_of
from arena.types import PointRule, VariantSetup
from engine_core.errors import EngineError, OptionError, UnknownName


def read_variant(table: Table) -> list[VariantSetup]:
    """The setups of one entry of `variants`: one for each seat count."""
    name = table.text("name")
    seats = _seat_counts(table)
    options = table.scalars("options")
    rules: tuple[PointRule, ...] = get_args(PointRule)
    rule = table.choice("point_rule", rules, "split")
    table.done()
    setups = []
    for count in seats if name else ():
        try:
            setups.append(setup_for(name, count, options, rule))
        except UnknownName as error:
            key = "name" if error.what == "variant" else f"options.{error.name}"
            table.problem(key, one_of(error.what, error.name, error.valid))
        except OptionError as error:
            place = error.key if error.key in ("seats", "name") else f"options.{error.key}"
            table.problem(place, f"{error.value!r} is not allowed; allowed: {error.allowed}")
        except EngineError as error:
            table.problem("", str(error))
        else:
            continue
        break
    return setups


def _seat_counts(table: Table) -> list[int]:
    """`seats` is a whole number or a list of them."""
    value = table.data.get("seats")
    table.known.add("seats")
    given = value if isinstance(value, list) else [value]
    counts = [count for count in given if type(count) is int]
    if not given or len(counts) != len(given):
        table.problem("seats", "must be a number of seats or a list of them, such as [2, 3, 4]")
        return []
    if len(set(counts)) != len(counts):
        table.problem("seats", f"must not name a number twice: {counts}")
    return counts


def setup_for(variant: str, seats: int, options: Mapping[str, Any], rule: PointRule) -> VariantSetup:
    """The setup of a variant for a number of seats; the engine checks the options and raises its errors."""
    ruleset = engine_core.load_ruleset(variant, seats=seats, **options)
    return VariantSetup(
        variant=variant,
        ruleset=ruleset.text,
        ruleset_hash=ruleset.hash,
        seats=seats,
        turn_cap=int(ruleset.options.get("turn_cap", 0)),
        teams=tuple(ruleset.teams),
        rotations=tuple(tuple(rotation) for rotation in ruleset.rotations),
        point_rule=rule,
    )
