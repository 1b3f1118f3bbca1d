"""What there is to know about a variant, as sections: its page and `arena variants NAME` show the same.

A family adds its own sections by a module facts.py beside its kernel (or an attribute `facts` of the module
given to `register_family`) that is a FactsModule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, util
from typing import Protocol, cast

from engine_core import registry
from engine_core.errors import OptionError
from engine_core.options import Option, OptionValue
from engine_core.ruleset import Ruleset

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A titled paragraph and table; either may be empty. `name` is its key in JSON and in the pages."""

    name: str
    title: str
    text: str = ""
    heads: tuple[str, ...] = ()
    rows: Rows = ()


class FactsModule(Protocol):
    """What a family knows to say about its variants."""

    def sources(self) -> Mapping[str, str]:
        """The sources that its options name, and what they are."""

    def sections(self, rulesets: Sequence[Ruleset], usual: Ruleset) -> tuple[Section, ...]:
        """The family's sections of a variant: its rulesets by number of seats, and the usual one."""

    def words(self, ruleset: Ruleset) -> Mapping[str, Mapping[str, str]]:
        """For each kind of label (`objective`, ...) what its names mean, in a few words."""


def words(ruleset: Ruleset) -> Mapping[str, Mapping[str, str]]:
    """What the labels of a ruleset's description mean, by kind and name; empty when nobody says."""
    module = _module(ruleset.family)
    return module.words(ruleset) if module else {}


def facts(variant: str, **options: OptionValue) -> tuple[Section, ...]:
    """All sections of a variant, under these options instead of its defaults.

    Raises UnknownName for a variant or option that is not there, OptionError for a value that is not allowed.
    """
    chosen = registry.variant(variant)
    rulesets = _rulesets(chosen, options)
    usual = min(rulesets, key=lambda each: abs(each.seats - chosen.usual_seats))
    module = _module(chosen.family)
    own = module.sections(rulesets, usual) if module else ()
    table = {option.name: option for option in registry.family(chosen.family).options}
    used = [replace(each, default=options.get(each.name, each.default)) for each in chosen.options]
    return (*own, _options(used, table), *(_sources(module.sources()) if module else ()))


def _rulesets(chosen: registry.Variant, options: Mapping[str, OptionValue]) -> list[Ruleset]:
    """The variant for every number of seats that these options allow; OptionError when they allow none."""
    found, refused = [], None
    low, high = chosen.seats
    for seats in range(low, high + 1):
        try:
            found.append(registry.load_ruleset(chosen.name, seats=seats, **options))
        except OptionError as error:
            refused = error
    if refused and not found:
        raise refused
    return found


def _module(family: str) -> FactsModule | None:
    name = f"engine_core.{family}.facts"
    if util.find_spec(f"engine_core.{family}") and util.find_spec(name):
        return cast(FactsModule, import_module(name))
    return cast(FactsModule | None, getattr(registry.kernel(family), "facts", None))


def _options(options: Sequence[Option], family: Mapping[str, Option]) -> Section:
    rows = tuple(
        (each.name, each.doc, _default(each, family[each.name]), each.allowed, each.source)
        for each in options
    )
    return Section(
        "options",
        "Options",
        "Each can be set for one game, as in `--option turn_cap=50`, or in a tournament file. A default in "
        "brackets is the family's, where this variant differs from it.",
        ("option", "what it changes", "default", "allowed", "source"),
        rows,
    )


def _default(option: Option, family: Option) -> str:
    shown = _value(option, option.default)
    return shown if option.default == family.default else f"{shown} ({_value(family, family.default)})"


def _value(option: Option, value: OptionValue) -> str:
    if option.kind == "bool":
        return "true" if value else "false"
    return str(value) if value != "" else "-"


def _sources(sources: Mapping[str, str]) -> tuple[Section, ...]:
    return (
        Section(
            "sources",
            "Sources",
            "What the source of an option means. `002 (max: 004)` says that the family's default is of "
            "rulebook 002, and the value `max` of rulebook 004.",
            ("source", "what it is"),
            tuple(sources.items()),
        ),
    )
