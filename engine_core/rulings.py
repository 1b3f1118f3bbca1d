"""What is known about a family's rules beyond them: sources, open questions, what had to be reconstructed.

It is data: data/facts/FAMILY.toml has `[sources]`, `[[rulings]]` and `[[reconstructed]]`. An entry's `when`
says for which options it matters: one that is on, `option = value` or `option != value`.
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
_WHEN = re.compile(r"(\w+)(?: (=|!=) (\S+))?")
_OFF = (0, "none", "")


@cache
def _known(family: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{family}.toml").read_text(encoding="utf-8"))


def sources(family: str) -> dict[str, str]:
    """Every source that an option of the family may name, and what it is."""
    return dict(_known(family)["sources"])


def rulings(family: str, options: Mapping[str, OptionValue]) -> Section:
    """The open questions that matter under these options, and their rulings."""
    text = "What the printed rules leave open or contradict each other on, and what holds here."
    rows = _rows(family, "rulings", ("open", "ruling", "option"), options)
    return Section("rulings", "Open questions", text, ("open question", "ruling", "option"), rows)


def reconstructed(family: str, options: Mapping[str, OptionValue]) -> Section:
    """What is not printed in any source at hand, how it was settled, and how sure that is."""
    text = "What no rulebook at hand prints, how it was settled, and how sure that is."
    heads = ("what", "from", "sure")
    return Section(
        "reconstructed", "Reconstructed", text, heads, _rows(family, "reconstructed", heads, options)
    )


def _rows(family: str, name: str, keys: tuple[str, ...], options: Mapping[str, OptionValue]) -> Rows:
    entries = [entry for entry in _known(family)[name] if _matters(family, entry.get("when", ""), options)]
    return tuple(tuple(str(entry.get(key, "")) for key in keys) for entry in entries)


def _matters(family: str, when: str, options: Mapping[str, OptionValue]) -> bool:
    if not when:
        return True
    found = _WHEN.fullmatch(when)
    if not found:
        raise ValueError(
            f"{family}.toml: when = {when!r} must be an option, option = value or option != value"
        )
    option, comparison, value = found.groups()
    if not comparison:
        return options[option] not in _OFF
    return (str(options[option]) == value) == (comparison == "=")
