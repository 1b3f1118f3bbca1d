"""Which options of the conquest family go together, and what they need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine_core.errors import OptionError
from engine_core.options import OptionValue

if TYPE_CHECKING:
    from engine_core.ruleset import Draft

STARS = frozenset({"one_star", "two_star"})
LEAST_CAP = 3
# What the tables of the 2008 edition are for: option -> the values that do without them.
EDITION_OPTIONS: Mapping[str, tuple[OptionValue, ...]] = {
    "objectives": ("none",),
    "cities": ("none",),
    "capitals": ("none",),
    "extra_cards": ("none",),
    "rewards": (0,),
    "trade_values": ("progressive", "plus_one", "fixed_2003", "fixed_yura", "italian"),
}


def uses_edition(options: Mapping[str, OptionValue]) -> bool:
    """Whether an option needs the tables of the 2008 edition."""
    return any(options[name] not in without for name, without in EDITION_OPTIONS.items())


def check_together(draft: Draft) -> None:
    """OptionError for the first option whose value does not go with the others."""
    options, tables = draft["options"], draft["tables"]
    if 0 < int(options["troop_cap"]) < LEAST_CAP:
        raise OptionError("troop_cap", options["troop_cap"], f"0 (no limit) or {LEAST_CAP}..1000")
    if options["missions"]:
        _need(options, "missions", draft["seats"] > 2, "false with 2 seats")
        _need(options, "missions", "missions" in tables, "false: this variant has no table of missions")
    for name, without in EDITION_OPTIONS.items():
        fine = "edition" in tables or options[name] in without
        _need(options, name, fine, "its default: this variant has no table `edition`")
    _check_cards(draft)
    _check_capitals(draft)
    _check_objectives(options)


def _need(options: Mapping[str, OptionValue], name: str, fine: bool, instead: str) -> None:
    if not fine:
        raise OptionError(name, options[name], instead)


def _check_cards(draft: Draft) -> None:
    """Stars need cards with stars, sets need symbols; turning in stars is never compulsory."""
    options = draft["options"]
    has_stars = any(card.symbol in STARS for card in draft["deck"].cards)
    if options["trade_values"] != "stars":
        _need(options, "card_deck", not has_stars, "A, B, C (stars goes with trade_values = stars)")
        return
    fine = has_stars and options["must_trade_at"] == 0 and options["elimination_trade"] == "next_turn"
    needed = "card_deck = stars, must_trade_at = 0 and elimination_trade = next_turn"
    _need(options, "trade_values", fine, f"stars only together with {needed}; else another value")


def _check_capitals(draft: Draft) -> None:
    """Where a capital goes depends on the set-up; headquarters are something else."""
    options = draft["options"]
    fitting = {"claim": "claim", "deal": "own"}.get(str(options["setup"]), "none")
    _need(
        options,
        "capitals",
        options["capitals"] in ("none", fitting),
        f"{fitting} with setup = {options['setup']}, or none without objectives",
    )
    if options["headquarters"] != "none":
        _need(options, "headquarters", options["capitals"] == "none", "none where there are capitals")


def _check_objectives(options: Mapping[str, OptionValue]) -> None:
    if options["objectives"] != "none":
        _need(options, "objectives", options["capitals"] != "none", "none without capitals")
        _need(
            options,
            "card_draw_time",
            options["card_draw_time"] == "end_turn",
            "end_turn: a claimed objective costs the card",
        )
    if options["rewards"]:
        _need(options, "rewards", options["objectives"] != "none", "false without objectives")
        for name in ("expert_card_reroll", "expert_commander"):
            _need(options, name, not options[name], "false with rewards")
