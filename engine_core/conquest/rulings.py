"""What the rulebooks leave open and how it is ruled here, what had to be reconstructed, who leaves early."""

from __future__ import annotations

from typing import Any

from engine_core import rulings as common
from engine_core.conquest.turn_facts import Rules
from engine_core.facts import Section

FAMILY = "conquest"


def known() -> dict[str, Any]:
    """All that the file of facts says, by the names of its tables."""
    return common.known(FAMILY)


def sources() -> dict[str, str]:
    """Every source that an option may name, and what it is."""
    return common.sources(FAMILY)


def rulings(rules: Rules) -> Section:
    """The open questions that matter under these rules, and their rulings."""
    return common.rulings(FAMILY, rules.options)


def reconstructed(rules: Rules) -> Section:
    """What is not printed in any source at hand, how it was settled, and how sure that is."""
    return common.reconstructed(FAMILY, rules.options)


def leaving(rules: Rules) -> Section:
    """What becomes of a colour whose seat leaves before the game is over."""
    text = (
        "A seat that leaves early stays as passive or turns neutral, as the limits of the game say. A "
        "passive one still deploys, but neither attacks nor moves, and wins nothing any more. What becomes "
        "of a colour that turns neutral:"
    )
    found = common.rows(FAMILY, "leaving", ("what", "becomes"), rules.options)
    return Section("leaving", "Leaving the game", text, ("what", "becomes of it"), found)
