"""The set-up and the turn of a conquest ruleset as tables, derived from its options."""

from __future__ import annotations

from collections.abc import Iterator

from engine_core.conquest.options import OPTIONS
from engine_core.facts import Section
from engine_core.ruleset import Ruleset

Row = tuple[str, ...]
TURNS_SEAT, NOBODY = "the turn's seat", ""
COUNTS = {1: "once", 2: "twice"}
FORTIFY = {
    "adjacent": "one move from one own territory to an adjacent own one",
    "path": "one move from one own territory to another along a chain of own ones",
    "path_one_to_many": "moves from one own territory to any others along chains of own ones, one by one",
    "path_many": "any moves along chains of own territories, one by one; what gave takes no more in this "
    "turn, and what took gives no more",
}


class Rules:
    """The options of a ruleset by name; those that it leaves out have the family's default.

    `edition_start` stands beside them: 1 when the troops at the start are those of the 2008 edition's table.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.options = {option.name: option.default for option in OPTIONS} | dict(ruleset.options)
        printed = ruleset.tables.get("edition", {}).get("starting_troops", {})
        self.options["edition_start"] = int(
            printed.get(str(ruleset.seats)) == self.options["starting_troops"]
        )

    def has(self, name: str) -> bool:
        """Whether an option is on: neither false, nor 0, nor none."""
        return self.options[name] not in (0, "none", "")

    def text(self, name: str) -> str:
        """An option's value as text."""
        return str(self.options[name])

    def number(self, name: str) -> int:
        """The value of an option that is a number."""
        return int(self.options[name])

    @property
    def single_moves(self) -> bool:
        """Whether the fortify phase allows one move, not several."""
        return self.text("fortify") in ("adjacent", "path")

    @property
    def starting_maneuver(self) -> str:
        """The move of Starting Maneuver, which goes as far as a fortifying one."""
        adjacent = self.text("fortify") == "adjacent"
        where = "to an adjacent own territory" if adjacent else "along own territories"
        return f"one move {where} before the first attack"

    @property
    def stars(self) -> bool:
        """Whether cards are worth stars instead of making sets."""
        return self.text("trade_values") == "stars"


def setup_section(ruleset: Ruleset) -> Section:
    """What happens before the first turn, step by step."""
    rules = Rules(ruleset)
    steps = [*_before_territories(rules), *_territories(ruleset, rules), *_after_placing(rules)]
    return Section("setup", "Set-up", "", ("step", "what happens", "decisions"), tuple(steps))


def turn_section(ruleset: Ruleset) -> Section:
    """What happens in a turn, phase by phase."""
    rules = Rules(ruleset)
    rows = [*_build_up(rules), *_fighting(rules), *_closing(rules)]
    text = (
        "Battles compare the highest dice of both sides, then the second highest; each pair costs the loser "
        "one troop, and the defender wins ties. A decision with one possible answer is not asked."
    )
    return Section("turn", "A turn", text, ("phase", "what happens", "decisions", "who decides"), tuple(rows))


# ---- set-up


def _before_territories(rules: Rules) -> Iterator[Row]:
    if rules.text("first_player") == "roll":
        yield (
            "who begins",
            "each seat rolls a die; the highest begins, ties roll again among themselves",
            "",
        )
    else:
        yield ("who begins", "seat 0 begins", "")
    if rules.has("missions"):
        text = "missions against colours that do not play are removed; each seat gets one that only it sees"
        yield ("missions", text, "")
    if rules.has("cities"):
        how = (
            "on fixed territories"
            if rules.text("cities") == "preset"
            else "on territories drawn from the deck"
        )
        yield ("cities", f"15 cities are laid {how}; they never move", "")
    if rules.has("objectives"):
        how = (
            "8 fixed objectives"
            if rules.text("objectives") == "preset"
            else "4 of 6 minor and 4 of 6 major ones"
        )
        yield ("objectives", f"{how} lie on the board for all to see; the others stay in the box", "")
    if rules.has("rewards"):
        yield ("rewards", _reward_setup(rules), "")


def _reward_setup(rules: Rules) -> str:
    if rules.text("reward_placement") == "pile":
        return "the minor and the major rewards are shuffled into a pile each, face down"
    side = "face up" if rules.text("reward_visibility") == "up" else "face down"
    return f"on each objective on the board lies a reward of its rank, drawn at random, {side}"


def _territories(ruleset: Ruleset, rules: Rules) -> Iterator[Row]:
    setup, capitals = rules.text("setup"), rules.text("capitals")
    if capitals == "claim":
        yield ("capitals", "in turn, each colour puts its capital and a troop on a free territory", "capital")
    if setup == "claim":
        count = len(ruleset.board.territories)
        text = f"in turn, each colour puts one troop on a free territory, until all {count} are taken"
        yield ("claim", text, "claim")
    elif setup == "deal":
        text = "the territories are dealt one by one, clockwise from the first player; each gets one troop"
        yield ("deal", text, "")
    else:
        text = "the territories are dealt into three piles, the third for the neutral colour; one troop each"
        yield ("deal", text, "")
    if capitals == "own":
        yield ("capitals", "in turn, each colour makes one of its territories its capital", "capital")
    if setup == "piles":
        text = "in turn, each seat puts 2 own troops on own territories and 1 neutral troop on a neutral one"
    else:
        text = "in turn, each colour puts one more troop on an own territory, until its troops are used up"
    yield ("place", text + _cap(rules), "place")


def _cap(rules: Rules) -> str:
    cap = rules.number("troop_cap")
    return f"; no territory ever holds more than {cap}" if cap else ""


def _after_placing(rules: Rules) -> Iterator[Row]:
    if rules.has("headquarters"):
        shown = {"revealed": "all are shown when the last has chosen"}.get(
            rules.text("headquarters"), "each is shown only once it is captured"
        )
        text = f"each seat chooses one own territory in secret; {shown}; their cards leave the deck"
        yield ("headquarters", text, "headquarters")
    if rules.has("extra_cards"):
        text = "who plays later gets cards: the third and the fourth one each, the fifth two"
        if not rules.has("three_player_card"):
            text += "; none with 3 seats"
        yield ("extra cards", text, "")


# ---- turn


def _build_up(rules: Rules) -> Iterator[Row]:
    yield ("reinforcements", _reinforcements(rules), "", NOBODY)
    if rules.stars:
        times = COUNTS.get(
            rules.number("star_trades_per_turn"), f"{rules.number('star_trades_per_turn')} times"
        )
        text = f"{times} a turn, cards worth 2 to 10 stars together may be turned in for troops"
        yield ("stars", text, "stars, or end", TURNS_SEAT)
    else:
        yield ("trade", _trade(rules), "trade, or end to stop", TURNS_SEAT)
        yield from _bonus(rules)
    yield ("deploy", "all reinforcements go onto own territories" + _lost(rules), "deploy", TURNS_SEAT)
    if rules.has("rewards"):
        text = f"who has Starting Maneuver may make {rules.starting_maneuver}"
        yield ("maneuver", text, "fortify, or end", TURNS_SEAT)


def _reinforcements(rules: Rules) -> str:
    what = "territories and cities together" if rules.has("cities") else "territories"
    text = f"one troop for every 3 {what}, at least 3, plus the bonus of every region held whole"
    if rules.has("capitals"):
        text += ", plus 1 for every capital held, own or not"
    if rules.has("rewards"):
        text += ", plus 2 with the reward 2 Troops"
    return text + "; counted once, at the start of the turn"


def _lost(rules: Rules) -> str:
    return "; those for which the cap leaves no room are lost" if rules.number("troop_cap") else ""


def _trade(rules: Rules) -> str:
    limit = rules.number("must_trade_at")
    return "a set of 3 cards may be traded" + (
        f", and must be with {limit} or more in the hand" if limit else ""
    )


def _bonus(rules: Rules) -> Iterator[Row]:
    often = {"per_turn": "once a turn", "per_trade": "with every set"}.get(rules.text("territory_bonus"))
    if often:
        decline = ", or end" if rules.has("bonus_declinable") else ""
        text = f"one owned territory pictured on the traded cards gets 2 extra troops, {often}"
        yield ("bonus", text, f"bonus{decline} (asked when there is a choice)", TURNS_SEAT)


def _fighting(rules: Rules) -> Iterator[Row]:
    text = (
        "from a territory with 2 or more troops to an adjacent one of another colour, with 1 to 3 dice and "
        "more troops than dice; any number of times"
    )
    yield ("attack", text, "attack, or end to go on", TURNS_SEAT)
    if rules.text("defender_dice") == "choose":
        yield (
            "defend",
            "the defender, who has seen the attacker's dice count, chooses 1 or 2",
            "defend",
            "the defender",
        )
    else:
        yield ("defend", "the defender rolls 2 dice, or 1 with a single troop", "", NOBODY)
    yield from _reroll(rules)
    all_dice = rules.text("min_move") == "dice_rolled"
    least = "as many troops as dice were rolled move" if all_dice else "1 troop moves"
    text = f"after a capture at least {least} in; one stays behind" + _cap(rules)
    if rules.text("last_capture") == "end":
        text += "; not asked when the last opponent fell"
    yield ("occupy", text, "occupy", TURNS_SEAT)
    yield (
        "elimination",
        _elimination(rules),
        "trade" if _at_once(rules) else "",
        TURNS_SEAT if _at_once(rules) else NOBODY,
    )


def _reroll(rules: Rules) -> Iterator[Row]:
    if rules.has("expert_card_reroll"):
        text = "with the card of either territory, the attacker may roll one own die again, once a roll"
        yield ("reroll", text, "reroll, or end", TURNS_SEAT)
    if rules.has("expert_commander"):
        yield ("reroll", "once a turn, the attacker may turn one own die to 6", "command, or end", TURNS_SEAT)


def _at_once(rules: Rules) -> bool:
    return not rules.stars and rules.text("elimination_trade") == "immediate_to_4"


def _elimination(rules: Rules) -> str:
    what = "cards and objectives, but not its rewards" if rules.has("objectives") else "cards"
    text = f"who takes a colour's last territory takes its {what}"
    if _at_once(rules):
        text += "; a hand of 6 or more is traded at once down to 4 or fewer, and the troops are placed"
    elif not rules.stars and rules.number("must_trade_at"):
        text += "; a hand that grew too large is traded in the next turn"
    return text


def _closing(rules: Rules) -> Iterator[Row]:
    if rules.has("objectives"):
        reward = " and the reward on it" if rules.has("rewards") else ""
        text = f"one objective of the board whose condition is met may be claimed{reward}; one a turn"
        yield ("objective", text, "objective, or end", TURNS_SEAT)
    if rules.has("rewards"):
        yield (
            "airfield",
            "who has just claimed an Airfield puts it on an own territory",
            "airfield",
            TURNS_SEAT,
        )
    card = ("card", _card(rules), "", NOBODY)
    early = rules.text("card_draw_time") == "end_attack"
    if early:
        yield card
    again = "; twice with Additional Maneuver" if rules.has("rewards") and rules.single_moves else ""
    text = f"{FORTIFY[rules.text('fortify')]}; one troop stays behind{again}" + _cap(rules)
    yield ("fortify", text, "fortify, or end", TURNS_SEAT)
    if rules.has("objectives") and rules.number("objectives_to_win"):
        yield ("end", "whoever holds enough objectives and the own capital wins", "", NOBODY)
    if not early:
        yield card


def _card(rules: Rules) -> str:
    text = "who captured at least one territory in this turn draws one card"
    if rules.has("objectives"):
        text += ", unless an objective was claimed"
    if rules.has("rewards"):
        text += "; Guaranteed Card stands for the capture"
        text += ", even with a claim" if rules.has("guaranteed_card_beats_objective") else ""
    return text
