"""What is known about a family's rules beyond them: sources, open questions, what had to be reconstructed.

It is data: data/facts/FAMILY.toml has `[sources]`, `[[rulings]]`, `[[reconstructed]]` and the like. An entry
may say by `when` for which options it matters: parts joined by `and`, each an option that is on,
`option = value` or `option != value`, where `a|b` stands for either; its texts may name an option's value as
`{option}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine_core.facts import Rows, Section
from engine_core.options import OptionValue

_FOLDER = Path(__file__).parent / "data" / "facts"
_CONDITION = re.compile(r"(\w+)(?: (=|!=) (\S+))?")
_OFF = (0, "none", "")


@cache
def known(family: str) -> dict[str, Any]:
    """All that the family's file of facts says, by the names of its tables."""
    return tomllib.loads((_FOLDER / f"{family}.toml").read_text(encoding="utf-8"))


def sources(family: str) -> dict[str, str]:
    """Every source that an option of the family may name, and what it is."""
    return dict(known(family)["sources"])


def rulings(family: str, options: Mapping[str, OptionValue]) -> Section:
    """The open questions that matter under these options, and their rulings."""
    text = "What the printed rules leave open or contradict each other on, and what holds here."
    found = rows(family, "rulings", ("open", "ruling", "option"), options)
    return Section("rulings", "Open questions", text, ("open question", "ruling", "option"), found)


def reconstructed(family: str, options: Mapping[str, OptionValue]) -> Section:
    """What is not printed in any source at hand, how it was settled, and how sure that is."""
    text = "What no rulebook at hand prints, how it was settled, and how sure that is."
    heads = ("what", "from", "sure")
    found = rows(family, "reconstructed", heads, options)
    return Section("reconstructed", "Reconstructed", text, heads, found)


def conditions(when: str) -> list[tuple[str, str, list[str]]]:
    """The parts of a `when`: option, comparison (empty: the option is on), values.

    Raises ValueError for a part of another form.
    """
    parts = []
    for part in when.split(" and ") if when else ():
        found = _CONDITION.fullmatch(part)
        if not found:
            wanted = "an option, option = value or option != value"
            raise ValueError(f"{part!r} in when = {when!r} must be {wanted}")
        option, comparison, values = found.groups(default="")
        parts.append((option, comparison, values.split("|") if values else []))
    return parts


def rows(family: str, name: str, keys: tuple[str, ...], options: Mapping[str, OptionValue]) -> Rows:
    """The entries of a table of the family's facts that matter under these options, cut to some keys."""
    entries = [entry for entry in known(family)[name] if _holds(entry.get("when", ""), options)]
    return tuple(tuple(str(entry.get(key, "")).format(**options) for key in keys) for entry in entries)


def _holds(when: str, options: Mapping[str, OptionValue]) -> bool:
    return all(
        (str(options[option]) in values) == (comparison == "=") if comparison else options[option] not in _OFF
        for option, comparison, values in conditions(when)
    )
