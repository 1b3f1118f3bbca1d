"""What there is to know about an endor variant beside its options, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine_core import rulings as known
from engine_core.endor.describe import DEATH_STAR, luke_vader, places
from engine_core.endor.options import OPTIONS
from engine_core.endor.tables import FIGHTERS, ORDERS, SHIPS, SIDES
from engine_core.facts import Section
from engine_core.options import OptionValue
from engine_core.ruleset import Ruleset

FAMILY = "endor"
SHIP_WORDS = {
    "xwing": "X-wing",
    "ywing": "Y-wing",
    "bwing": "B-wing",
    "tie": "TIE fighter",
    "falcon": "Millennium Falcon",
    "executor": "Executor",
    "marker": "fleet marker",
}
ORDER_WORDS = {
    **{ship: words for ship, words in SHIP_WORDS.items() if ship != "marker"},
    "death_star": "Death Star",
    "assault": "shield assault",
    "ambush": "shield ambush",
    "luke": "Luke Skywalker",
    "redeem": "Vader redeemed",
    "vader": "Darth Vader",
    "emperor": "the Emperor",
}
HERO_WORDS = {"luke": "Luke Skywalker", "vader": "Darth Vader", "emperor": "the Emperor"}
SIDE_WORDS = {"rebels": "the Rebels", "empire": "the Empire"}


def sources() -> dict[str, str]:
    """Every source that an option may name, and what it is."""
    return known.sources(FAMILY)


def words(ruleset: Ruleset) -> Mapping[str, Mapping[str, str]]:
    """Orders, ships, targets, sides and heroes in words, by their names."""
    game = ruleset.tables["game"]
    return {
        "order": ORDER_WORDS,
        "ship": SHIP_WORDS,
        "fighter": {ship: SHIP_WORDS[ship] for ship in FIGHTERS},
        "target": {**{place: place for place in places(game)}, DEATH_STAR: "the Death Star"},
        "marker": {marker["id"]: marker["id"] for marker in game["markers"]},
        "side": SIDE_WORDS,
        "hero": HERO_WORDS,
    }


def sections(_rulesets: Sequence[Ruleset], usual: Ruleset) -> tuple[Section, ...]:
    """Everything about a variant, in the order in which a player wants to know it."""
    game: Mapping[str, Any] = usual.tables["game"]
    options = {option.name: option.default for option in OPTIONS} | dict(usual.options)
    return (
        _seats(usual, game),
        _board(game),
        _ships(usual, game, options),
        _setup(usual, game),
        _round(usual, game, options),
        _orders(game, options),
        _bonus(game, options),
        _decks(game),
        _victory(options),
        _leaving(options),
        known.reconstructed(FAMILY, options),
        known.rulings(FAMILY, options),
    )


def _seats(ruleset: Ruleset, game: Mapping[str, Any]) -> Section:
    rounds = game["rounds"][str(ruleset.seats)]
    text = (
        f"Each seat has {rounds['hand']} cards and chooses {rounds['orders']} of them a game round. "
        "The seats of a side share its deck, and win and lose together."
    )
    rows = tuple(
        (str(seat), ruleset.colours[seat], SIDE_WORDS[SIDES[team]]) for seat, team in enumerate(ruleset.teams)
    )
    return Section("seats", "Seats", text, ("seat", "colour", "side"), rows)


def _board(game: Mapping[str, Any]) -> Section:
    near: dict[str, list[str]] = {place: [] for place in places(game)}
    for one, other in (*game["borders"], *((marker["id"], marker["sector"]) for marker in game["markers"])):
        near[one].append(other)
        near[other].append(one)
    for sector in game["death_star"]:
        near[sector].append(DEATH_STAR)
    text = (
        f"{len(game['sectors'])} sectors in three rings round the Death Star ({DEATH_STAR}), and "
        f"{len(game['markers'])} fleet markers on the Rebel edge, which are no sectors."
    )
    rows = tuple((place, ", ".join(sorted(others))) for place, others in near.items())
    return Section("board", "Board", text, ("place", "touches"), rows)


def _ships(ruleset: Ruleset, game: Mapping[str, Any], options: Mapping[str, OptionValue]) -> Section:
    squadrons = [dict(row) for row in game["setup"]]
    if options["bwing_on_o1"]:
        squadrons.append({"ship": "bwing", **game["bwing_squadron"]})
    if options["tie_reserve"] == min(_values("tie_reserve")):
        squadrons.append({"ship": "tie", **game["tie_squadron"]})
    each = "one each, at most 5"
    if not options["attack_uses_all_fighters_of_type_in_origin"]:
        each = "one each, after a move that moved, at most 5"
    rows = []
    for ship in SHIPS:
        table = game["ships"][ship]
        start = ", ".join(f"{row['at']} {row['count']}" for row in squadrons if row["ship"] == ship)
        if ship == "tie":
            start += f", {options['tie_reserve']} aboard the Executor"
        most = str(table["pieces"] if ship in FIGHTERS else 1)
        dice = each if ship in FIGHTERS else str(table["dice"])
        rows.append((SHIP_WORDS[ship], most, dice, str(table["needs"]), str(table.get("hits", 1)), start))
    rows.append(
        (SHIP_WORDS["marker"], str(len(game["markers"])), "", str(game["ships"]["marker"]["needs"]), "1", "")
    )
    luke, vader = luke_vader(ruleset)
    final = game["space"]["final_needs"]
    text = f"Luke takes {luke} hits, Vader {vader}. The Death Star is destroyed by a {final}."
    heads = ("ship", "pieces", "attack dice", "hit by", "hits", "start")
    return Section("ships", "Ships", text, heads, tuple(rows))


def _values(name: str) -> tuple[int, ...]:
    """The numbers that an option offers."""
    return tuple(int(value) for option in OPTIONS if option.name == name for value in option.values)


def _setup(ruleset: Ruleset, game: Mapping[str, Any]) -> Section:
    hand = game["rounds"][str(ruleset.seats)]["hand"]
    rows = (
        ("ships", "all ships, markers and tracks as printed", ""),
        ("cards", f"each side shuffles its deck; each seat draws {hand} cards, seat by seat", ""),
    )
    return Section("setup", "Set-up", "", ("step", "what happens", "decisions"), rows)


def _round(ruleset: Ruleset, game: Mapping[str, Any], options: Mapping[str, OptionValue]) -> Section:
    deployed = "" if options["tie_attack_after_deploy"] else ", which ends the order"
    anywhere = "place" if options["attack_from_marker"] else "sector"
    orders = game["rounds"][str(ruleset.seats)]["orders"]
    rows = (
        ("plan", f"all choose {orders} cards in order, face down and at once", "pick", "every seat"),
        (
            "order",
            "in seat order the next seat with a pile turns its top card over and gives one of its orders",
            "order, or pass",
            "the card's seat",
        ),
        (
            "move",
            f"ships of the kind move, or TIE fighters are deployed{deployed}",
            "move, or deploy, or pass",
            "the card's seat",
        ),
        (
            "attack",
            f"one attack from where ships went, or without a move from any {anywhere} with the kind",
            "attack, or pass",
            "the card's seat",
        ),
        (
            "assign",
            "each die is given to a ship that it can hit, the lowest first",
            "hit, or pass" if options["may_waste_hits"] else "hit",
            "the card's seat",
        ),
        ("fire", "the Death Star's target is chosen", "fire", "the card's seat"),
        ("draw", f"when all piles are out each seat draws {orders} cards, seat by seat", "", ""),
    )
    text = (
        "A game round; its phases move to fire depend on the order. "
        "A decision with one possible answer is not asked."
    )
    return Section("turn", "A game round", text, ("phase", "what happens", "decisions", "who decides"), rows)


def _orders(game: Mapping[str, Any], options: Mapping[str, OptionValue]) -> Section:
    space, ground, duel = game["space"], game["ground"], game["duel"]
    fighters = "any number moves from one place to one adjacent sector"
    special = "moves up to two sectors, then one attack"
    deployed = f"{space['squadron']} are deployed to the Executor's sector"
    ties = f"{deployed} without an attack, or {fighters}, then one attack"
    if options["tie_attack_after_deploy"]:
        ties = f"{deployed}, or {fighters}; in both cases then one attack"
    redeemed = f"Vader with at most {duel['redemption']} hits left and the Emperor are out"
    strikes = (
        "also when Vader was killed" if options["emperor_order_after_vader_killed"] else "while Vader lives"
    )
    where = "the next spaces without any"
    if options["ambush"] == "three_ahead":
        where = f"those of the next {ground['ambush']} spaces that have none"
    what = {
        **dict.fromkeys(("xwing", "ywing", "bwing"), f"{fighters}, then one attack"),
        "tie": ties,
        "falcon": special,
        "executor": special,
        "death_star": f"{space['death_star_dice']} dice at a face-up marker, without any at a sector with "
        f"Rebel ships; a {space['death_star_needs']} or more destroys all there",
        "assault": f"{ground['assault_dice']} dice, as far on the {len(ground['shield'])} spaces as they go",
        "ambush": f"{ground['ambush']} of {ground['troopers']} storm troopers on {where}, each 1 harder",
        "luke": f"{duel['dice']} dice, a hit on Vader for each {duel['needs']} or more",
        "redeem": redeemed + (", while Luke lives" if options["redeem_requires_luke_alive"] else ""),
        "vader": f"{duel['dice']} dice, a hit on Luke for each {duel['needs']} or more",
        "emperor": f"{duel['emperor_hits']} hits on Luke, {strikes}",
    }
    rows = tuple((order, ORDER_WORDS[order], what[order]) for order in ORDERS)
    shield = ", ".join(str(space) for space in ground["shield"])
    return Section(
        "orders", "Orders", f"The shield track: {shield}.", ("order", "name", "what it does"), rows
    )


def _bonus(game: Mapping[str, Any], options: Mapping[str, OptionValue]) -> Section:
    bonus = game["bonus"]
    cleared, struck = (
        "ships or the Death Star" if options[name] else "ships"
        for name in ("death_star_sector_shot_gives_clear_bonus", "death_star_falcon_kill_gives_2")
    )
    rows = [
        (f"a sector is cleared by {cleared}", str(bonus["clear"])),
        (f"the Falcon is destroyed by {struck}", str(bonus["falcon"])),
        ("Luke is destroyed", str(bonus["luke"])),
        ("Vader is destroyed", str(bonus["vader"])),
        ("Vader is redeemed", str(bonus["redemption"])),
    ]
    if options["bonus_for_clearing_marker"] != "never":
        rows.append(
            (f"a fleet marker is destroyed ({options['bonus_for_clearing_marker']})", str(bonus["clear"]))
        )
    text = (
        "Bonus cards go unseen under the pile of the seat whose order earned them, "
        "and are played in the same game round."
    )
    return Section("bonus", "Bonus cards", text, ("when", "cards"), tuple(rows))


def _decks(game: Mapping[str, Any]) -> Section:
    rows = tuple(
        (SIDE_WORDS[side], ", ".join(row["orders"]), str(row["copies"]))
        for side in SIDES
        for row in game["decks"][side]
    )
    return Section("decks", "Decks", "", ("side", "orders", "copies"), rows)


def _victory(options: Mapping[str, OptionValue]) -> Section:
    rows = (
        ("the Rebels", "the Death Star is destroyed"),
        ("the Empire", "all fighters, the Falcon and all fleet markers are gone"),
        ("nobody", f"after {options['turn_cap']} game rounds the game is a draw"),
    )
    return Section("victory", "Victory", "A side that loses a seat has lost.", ("who wins", "when"), rows)


def _leaving(options: Mapping[str, OptionValue]) -> Section:
    rows = known.rows(FAMILY, "leaving", ("what", "becomes"), options)
    text = "A seat may be taken out of the game for its faults."
    return Section("leaving", "Leaving", text, ("what", "becomes"), rows)
