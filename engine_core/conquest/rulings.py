"""What the rulebooks leave open and how it is ruled here, what had to be reconstructed, who leaves early."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine_core.conquest.turn_facts import Rules
from engine_core.facts import Rows, Section

_FILE = Path(__file__).parent.parent / "data" / "facts" / "conquest.toml"
_CONDITION = re.compile(r"(\w+)(?: (=|!=) (\S+))?")


@lru_cache(maxsize=1)
def known() -> dict[str, Any]:
    """All that the file of facts says, by the names of its tables."""
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def sources() -> dict[str, str]:
    """Every source that an option may name, and what it is."""
    return dict(known()["sources"])


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


def leaving(rules: Rules) -> Section:
    """What becomes of a colour whose seat leaves before the game is over."""
    text = (
        "A seat that leaves early stays as passive or turns neutral, as the limits of the game say. A "
        "passive one still deploys, but neither attacks nor moves, and wins nothing any more. What becomes "
        "of a colour that turns neutral:"
    )
    heads = ("what", "becomes of it")
    return Section("leaving", "Leaving the game", text, heads, _rows("leaving", ("what", "becomes"), rules))


def conditions(when: str) -> list[tuple[str, str, list[str]]]:
    """The parts of a `when`: option, comparison (empty: the option is on), values.

    Raises ValueError for a part of another form.
    """
    parts = []
    for part in when.split(" and ") if when else ():
        found = _CONDITION.fullmatch(part)
        if not found:
            wanted = "an option, option = value or option != value"
            raise ValueError(f"{_FILE.name}: {part!r} in when = {when!r} must be {wanted}")
        option, comparison, values = found.groups(default="")
        parts.append((option, comparison, values.split("|") if values else []))
    return parts


def _rows(name: str, keys: tuple[str, ...], rules: Rules) -> Rows:
    entries = [entry for entry in known()[name] if _holds(entry.get("when", ""), rules)]
    return tuple(tuple(str(entry.get(key, "")).format(**rules.options) for key in keys) for entry in entries)


def _holds(when: str, rules: Rules) -> bool:
    return all(
        (rules.text(option) in values) == (comparison == "=") if comparison else rules.has(option)
        for option, comparison, values in conditions(when)
    )
