"""Which options of the conquest family go together, and what they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

# Options about a part of the game that another option brings: that option, and its values without the part.
PART_OF: Mapping[str, tuple[str, tuple[OptionValue, ...]]] = {
    "reinforce_start": ("setup", ("deal", "piles")),
    "mission_deck": ("missions", (0,)),
    "own_colour_mission": ("missions", (0,)),
    "mission_kill_credit": ("missions", (0,)),
    "mission_check": ("missions", (0,)),
    "capital_short": ("headquarters", ("none",)),
    "objectives_to_win": ("objectives", ("none",)),
    "territories_objective": ("objectives", ("none",)),
    "elimination_win": ("objectives_to_win", (0,)),
    "reward_placement": ("rewards", (0,)),
    "reward_visibility": ("rewards", (0,)),
    "airfield_scope": ("rewards", (0,)),
    "airfield_cap": ("rewards", (0,)),
    "guaranteed_card_beats_objective": ("rewards", (0,)),
    "star_trades_per_turn": ("trade_values", EDITION_OPTIONS["trade_values"]),
    "territory_bonus": ("trade_values", ("stars",)),
    "bonus_declinable": ("territory_bonus", ("none",)),
    "three_player_card": ("extra_cards", ("none",)),
}


def uses_edition(options: Mapping[str, OptionValue]) -> bool:
    """Whether an option needs the tables of the 2008 edition."""
    return any(options[name] not in without for name, without in EDITION_OPTIONS.items())


def check_together(draft: Draft) -> None:
    """OptionError for all options whose values do not go with the others."""
    if clashes := tuple(_clashes(draft)):
        raise OptionError.together(clashes)


def idle(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """The options that change nothing, whatever they are; each with the option that makes them idle."""
    return {name: part for name in PART_OF if (part := _without_part(name, options))}


def _without_part(name: str, options: Mapping[str, OptionValue]) -> str:
    """The option that takes away what this one is about, itself or through those between; or nothing."""
    if name not in PART_OF:
        return ""
    part, without = PART_OF[name]
    return part if options[part] in without else _without_part(part, options)


def _clashes(draft: Draft) -> Iterator[OptionError]:
    options, tables = draft["options"], draft["tables"]
    if 0 < int(options["troop_cap"]) < LEAST_CAP:
        yield OptionError("troop_cap", options["troop_cap"], f"0 (no limit) or {LEAST_CAP}..1000")
    if options["missions"]:
        yield from _need(options, "missions", draft["seats"] > 2, "false with 2 seats")
        yield from _need(
            options, "missions", "missions" in tables, "false: this variant has no table of missions"
        )
    for name, without in EDITION_OPTIONS.items():
        fine = "edition" in tables or options[name] in without
        yield from _need(options, name, fine, "its default: this variant has no table `edition`")
    yield from _cards(draft)
    yield from _capitals(draft)
    yield from _objectives(options)


def _need(options: Mapping[str, OptionValue], name: str, fine: bool, instead: str) -> Iterator[OptionError]:
    if not fine:
        yield OptionError(name, options[name], instead)


def _cards(draft: Draft) -> Iterator[OptionError]:
    """Stars need cards with stars, sets need symbols; turning in stars is never compulsory."""
    options = draft["options"]
    has_stars = any(card.symbol in STARS for card in draft["deck"].cards)
    if options["trade_values"] != "stars":
        yield from _need(
            options, "card_deck", not has_stars, "A, B, C (stars goes with trade_values = stars)"
        )
        return
    fine = has_stars and options["must_trade_at"] == 0 and options["elimination_trade"] == "next_turn"
    needed = "card_deck = stars, must_trade_at = 0 and elimination_trade = next_turn"
    yield from _need(options, "trade_values", fine, f"stars only together with {needed}; else another value")


def _capitals(draft: Draft) -> Iterator[OptionError]:
    """Where a capital goes depends on the set-up; headquarters are something else."""
    options = draft["options"]
    fitting = {"claim": "claim", "deal": "own"}.get(str(options["setup"]), "none")
    yield from _need(
        options,
        "capitals",
        options["capitals"] in ("none", fitting),
        f"{fitting} with setup = {options['setup']}, or none without objectives",
    )
    if options["headquarters"] != "none":
        yield from _need(
            options, "headquarters", options["capitals"] == "none", "none where there are capitals"
        )


def _objectives(options: Mapping[str, OptionValue]) -> Iterator[OptionError]:
    if options["objectives"] != "none":
        yield from _need(options, "objectives", options["capitals"] != "none", "none without capitals")
        yield from _need(
            options,
            "card_draw_time",
            options["card_draw_time"] == "end_turn",
            "end_turn: a claimed objective costs the card",
        )
    if options["rewards"]:
        yield from _need(options, "rewards", options["objectives"] != "none", "false without objectives")
        for name in ("expert_card_reroll", "expert_commander"):
            yield from _need(options, name, not options[name], "false with rewards")
