"""What there is to know about a conquest variant beside its options, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine_core.conquest.rulings import leaving, reconstructed, rulings
from engine_core.conquest.rulings import sources as sources
from engine_core.conquest.turn_facts import Rules, setup_section, turn_section
from engine_core.facts import Section
from engine_core.ruleset import NEUTRAL, Ruleset

SET_VALUES = {
    "progressive": (
        ("the 1st to the 8th set", "4, 6, 8, 10, 12, 15, 20, 25"),
        ("each further set", "5 more"),
    ),
    "plus_one": (("the 1st set", "4"), ("each further set", "1 more")),
    "fixed_2003": (("3 artillery", "4"), ("3 infantry", "6"), ("3 cavalry", "8"), ("one of each", "10")),
    "fixed_yura": (("3 infantry", "4"), ("3 cavalry", "6"), ("3 artillery", "8"), ("one of each", "10")),
    "italian": (
        ("3 artillery", "4"),
        ("3 infantry", "6"),
        ("3 cavalry", "8"),
        ("one of each", "10"),
        ("a pair and a wild", "12"),
    ),
}
REWARDS = {
    "airfield_minor": ("Airfield", "its holder's highest die counts 1 more in battles near it"),
    "starting_maneuver": ("Starting Maneuver", "a fortifying move before the first attack"),
    "additional_maneuver": ("Additional Maneuver", "a second move in the fortify phase"),
    "guaranteed_card": ("Guaranteed Card", "a card at the end of a turn without a capture, too"),
    "airfield_major": ("Airfield", "its holder's highest die counts 1 more in battles near it"),
    "attack_die": (
        "Attack Die",
        "one more die in attack; the lowest is taken away, the troops at risk stay the same",
    ),
    "defense_die": ("Defense Die", "one more die in defence; the lowest is taken away"),
    "two_troops": ("2 Troops", "2 more reinforcements, from the next turn on"),
}
MEANT = {
    "new_cities": " (not held at the start of the turn)",
    "new_territories": " (not held at the start of the turn)",
    "new_region": " (nothing of it held at the start of the turn)",
}
NEAR = {
    "own_territory": "the own territory in the battle is the airfield's or adjacent to it",
    "battle_location": "the defending territory is the airfield's or adjacent to it",
    "either": "one of the two territories is the airfield's or adjacent to it",
}


def sections(rulesets: Sequence[Ruleset], usual: Ruleset) -> tuple[Section, ...]:
    """Everything about a variant, in the order in which a player wants to know it."""
    rules = Rules(usual)
    parts = [_seats(rulesets), _board(usual), setup_section(usual), turn_section(usual)]
    parts += [*_two_seats(rulesets, usual), _victory(rules), _cards(usual, rules)]
    parts += [*_missions(usual), *_edition(usual, rules)]
    return (*parts, leaving(rules), reconstructed(rules), rulings(rules))


def words(ruleset: Ruleset) -> Mapping[str, Mapping[str, str]]:
    """Missions, objectives and rewards in a few words, by their names.

    `changed_mission` tells a mission that became the fallback, and which one it was.
    """
    missions = _plain(ruleset, "missions").get("missions", ())
    objectives = _plain(ruleset, "edition").get("objectives", ())
    return {
        "mission": {each["id"]: mission_text(ruleset, each) for each in missions},
        "changed_mission": {each["id"]: _changed_mission(ruleset, each) for each in missions},
        "objective": {each["id"]: objective_name(ruleset, each) for each in objectives},
        "reward": {reward: name for reward, (name, _) in REWARDS.items()},
    }


# ---- seats and board


def _seats(rulesets: Sequence[Ruleset]) -> Section:
    rows = tuple(
        (str(each.seats), ", ".join(each.colours), str(each.options["starting_troops"])) for each in rulesets
    )
    return Section("seats", "Seats", "", ("seats", "colours", "troops of each at the start"), rows)


def _board(ruleset: Ruleset) -> Section:
    board = ruleset.board
    text = (
        f"{len(board.territories)} territories in {len(board.regions)} regions, joined by "
        f"{len(board.borders)} borders. A region held whole brings its bonus every turn."
    )
    rows = tuple(
        (each.id, each.name, str(len(board.members(index))), str(each.bonus))
        for index, each in enumerate(board.regions)
    )
    return Section("board", "Board", text, ("region", "name", "territories", "bonus"), rows)


def _two_seats(rulesets: Sequence[Ruleset], usual: Ruleset) -> Iterator[Section]:
    """How a game of two differs, where the variant is usually played by more or has a neutral colour."""
    two = rulesets[0]
    if two.seats != 2 or NEUTRAL not in two.colours:
        return
    chosen = two.options["defender_dice"] == "choose"
    dice = "the opponent chooses its dice" if chosen else "it rolls as many dice as it may"
    text = (
        "Two seats play with a neutral third colour. It never attacks, takes no turn and holds no cards; "
        f"{dice} when it is attacked. The game ends when a seat has no territory left, whatever the neutral "
        "colour still holds."
    )
    setup = setup_section(two)
    differs = two.seats != usual.seats
    yield Section("two_seats", "Two seats", text, *((setup.heads, setup.rows) if differs else ()))


# ---- victory


def _victory(rules: Rules) -> Section:
    rows = [("last one standing", "all other colours that take turns hold no territory")]
    if rules.has("missions"):
        any_time = rules.text("mission_check") == "immediate"
        when = "at once, even in another's turn" if any_time else "in the own turn"
        rows.append(("mission", f"the secret mission is fulfilled: {when}"))
    if rules.has("headquarters"):
        rows.append(("headquarters", _headquarters(rules)))
    if rules.has("objectives") and rules.number("objectives_to_win"):
        text = f"{rules.text('objectives_to_win')} objectives and the own capital at the end of the own turn"
        if rules.text("elimination_win") == "immediate":
            text += ", or at once when an elimination brings the objectives"
        rows.append(("objectives", text))
    text = f"after {rules.text('turn_cap')} laps the game ends undecided; the point rule says who scores"
    rows.append(("turn cap", text))
    text = (
        "What ends the game. The point rules are `split` (the survivors share the point), `adjudicate` (most "
    )
    text += "territories, then troops) and `void` (the game does not count)."
    return Section("victory", "Victory", text, ("by", "when"), tuple(rows))


def _headquarters(rules: Rules) -> str:
    text = "all other headquarters are held together with the own one"
    if rules.has("capital_short"):
        text += "; with 4 seats any 2 others are enough, with 5 or 6 any 3"
    return text + "; losing the own one eliminates nobody"


# ---- cards


def _cards(ruleset: Ruleset, rules: Rules) -> Section:
    symbols = Counter(card.symbol for card in ruleset.deck.cards)
    kinds = ", ".join(f"{count} {symbol.replace('_', '-')}" for symbol, count in symbols.items())
    text = f"A deck of {len(ruleset.deck.cards)} cards: {kinds}."
    if rules.stars:
        values = _plain(ruleset, "edition").get("star_values", ())
        rows = tuple((str(stars), str(troops)) for stars, troops in enumerate(values) if troops)
        return Section("cards", "Cards", text, ("stars", "troops"), rows)
    text += " A set is three alike, one of each symbol, or any two with a wild."
    if rules.text("trade_values") == "italian":
        text = text.replace("any two with a wild", "a pair with a wild")
    return Section("cards", "Cards", text, ("set", "troops"), SET_VALUES[rules.text("trade_values")])


# ---- missions, objectives, rewards


def _plain(ruleset: Ruleset, name: str) -> Mapping[str, Any]:
    """A printed table that the ruleset brings, empty when it has none."""
    found: Mapping[str, Any] = ruleset.tables.get(name, {})
    return found


def _missions(ruleset: Ruleset) -> Iterator[Section]:
    table = _plain(ruleset, "missions")
    if not table:
        return
    rows = tuple((str(each["id"]), mission_text(ruleset, each)) for each in table["missions"])
    text = f"A mission that can no longer be fulfilled becomes: {_fallback(ruleset)}."
    yield Section("missions", "Missions", text, ("mission", "what it asks for"), rows)


def _fallback(ruleset: Ruleset) -> str:
    """What a mission becomes that can no longer be fulfilled."""
    return mission_text(ruleset, {"kind": "territories", **_plain(ruleset, "missions")["fallback"]})


def _changed_mission(ruleset: Ruleset, mission: Mapping[str, Any]) -> str:
    return f"{_fallback(ruleset)}, in place of: {mission_text(ruleset, mission)}"


def mission_text(ruleset: Ruleset, mission: Mapping[str, Any]) -> str:
    """A mission of the table in words."""
    if mission["kind"] == "eliminate":
        return f"eliminate {mission['colour']}"
    if mission["kind"] == "territories":
        least = f" with at least {mission['least']} troops each" if mission["least"] > 1 else ""
        return f"hold {mission['count']} territories{least}"
    names = {region.id: region.name for region in ruleset.board.regions}
    held = [names[region] for region in mission["regions"]]
    more = ["any third region"] if mission["kind"] == "regions_and_one" else []
    return f"hold {', '.join(held[:-1] if not more else held)} and {(more or held)[-1]}"


def _edition(ruleset: Ruleset, rules: Rules) -> Iterator[Section]:
    table = _plain(ruleset, "edition")
    if not table or not rules.has("objectives"):
        return
    preset = set(table["preset_objectives"]) if rules.text("objectives") == "preset" else set()
    rows = tuple(
        (each["id"], each["rank"], objective_text(ruleset, each))
        for each in table["objectives"]
        if not preset or each["id"] in preset
    )
    drawn = "All" if preset else "{} minor and {} major ones are drawn and".format(*table["drawn"])
    text = f"{drawn} lie face up; an objective once claimed is kept, whatever happens to what it asked for."
    yield Section("objectives", "Objectives", text, ("objective", "rank", "what it asks for"), rows)
    if rules.has("rewards"):
        near = NEAR[rules.text("airfield_scope")]
        ranks = [(each, "minor") for each in table["minor_rewards"]] + [
            (each, "major") for each in table["major_rewards"]
        ]
        text = f"Near an airfield means: {near}. Two do not add up, and one is lost with its territory."
        shown = tuple((each, rank, REWARDS[each][0], _reward(each, rules)) for each, rank in ranks)
        yield Section("rewards", "Rewards", text, ("reward", "rank", "name", "what it does"), shown)
    if rules.text("cities") == "preset":
        names = dict(zip(ruleset.board.ids, (each.name for each in ruleset.board.territories), strict=True))
        text = ", ".join(names.get(each, each) for each in table["preset_cities"]) + "."
        yield Section("cities", "Cities", text)


def _reward(reward: str, rules: Rules) -> str:
    """What a reward does under these rules."""
    text = REWARDS[reward][1]
    if reward == "starting_maneuver":
        return rules.starting_maneuver
    if reward == "additional_maneuver" and not rules.single_moves:
        return "nothing: the fortify phase has several moves for everybody"
    if reward.startswith("airfield") and rules.has("airfield_cap"):
        return f"{text}, but a 6 stays a 6"
    if reward == "guaranteed_card" and rules.has("guaranteed_card_beats_objective"):
        return f"{text}, and in spite of a claim"
    return text


def objective_text(ruleset: Ruleset, objective: Mapping[str, Any]) -> str:
    """An objective of the table in words."""
    return f"hold {objective_name(ruleset, objective)}{MEANT.get(objective['kind'], '')}"


def objective_name(ruleset: Ruleset, objective: Mapping[str, Any]) -> str:
    """What an objective asks to hold, for where there is little room: `10 new territories`, `Asia`."""
    names = {region.id: region.name for region in ruleset.board.regions}
    count = objective.get("count", 1)
    if objective["kind"] == "territories":
        count = Rules(ruleset).number("territories_objective")
    return {
        "region": names.get(objective.get("region", ""), ""),
        "regions": f"{count} regions",
        "cities": f"{count} cities",
        "new_cities": f"{count} new cities",
        "enemy_capitals": f"{count} enemy capital{'s' if count != 1 else ''}",
        "territories": f"{count} territories",
        "new_territories": f"{count} new territories",
        "new_region": "a new region",
    }[objective["kind"]]
