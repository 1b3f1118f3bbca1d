"""What the rulebooks leave open: how it is ruled here, and what had to be reconstructed."""

from __future__ import annotations

from engine_core import rulings as known
from engine_core.conquest.turn_facts import Rules
from engine_core.facts import Section

FAMILY = "conquest"


def sources() -> dict[str, str]:
    """Every source that an option may name, and what it is."""
    return known.sources(FAMILY)


def rulings(rules: Rules) -> Section:
    """The open questions that matter under these rules, and their rulings."""
    return known.rulings(FAMILY, rules.options)


def reconstructed(rules: Rules) -> Section:
    """What is not printed in any source at hand, how it was settled, and how sure that is."""
    return known.reconstructed(FAMILY, rules.options)
