"""What the rulebooks leave open: how it is ruled here, and what had to be reconstructed."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine_core.conquest.turn_facts import Rules
from engine_core.facts import Rows, Section

_FILE = Path(__file__).parent.parent / "data" / "facts" / "conquest.toml"
_WHEN = re.compile(r"(\w+)(?: (=|!=) (\S+))?")


@lru_cache(maxsize=1)
def _known() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def sources() -> dict[str, str]:
    """Every source that an option may name, and what it is."""
    return dict(_known()["sources"])


def rulings(rules: Rules) -> Section:
    """The open questions that matter under these rules, and their rulings."""
    text = "What the printed rules leave open or contradict each other on, and what holds here."
    heads = ("open question", "ruling", "option")
    return Section(
        "rulings", "Open questions", text, heads, _rows("rulings", ("open", "ruling", "option"), rules)
    )


def reconstructed(rules: Rules) -> Section:
    """What is not printed in any source at hand, how it was settled, and how sure that is."""
    text = "What no rulebook at hand prints, how it was settled, and how sure that is."
    heads = ("what", "from", "sure")
    return Section("reconstructed", "Reconstructed", text, heads, _rows("reconstructed", heads, rules))


def _rows(name: str, keys: tuple[str, ...], rules: Rules) -> Rows:
    entries = [entry for entry in _known()[name] if _matters(entry.get("when", ""), rules)]
    return tuple(tuple(str(entry.get(key, "")) for key in keys) for entry in entries)


def _matters(when: str, rules: Rules) -> bool:
    if not when:
        return True
    found = _WHEN.fullmatch(when)
    if not found:
        raise ValueError(
            f"{_FILE.name}: when = {when!r} must be an option, option = value or option != value"
        )
    option, comparison, value = found.groups()
    return rules.has(option) if not comparison else (rules.text(option) == value) == (comparison == "=")
