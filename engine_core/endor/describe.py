"""The endor family's vocabulary: actions, events, fields of a position, and the sentences of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine_core.description import Description, Field, Kind
from engine_core.endor.tables import FIGHTERS, ORDERS, SHIPS, SIDES

if TYPE_CHECKING:
    from engine_core.ruleset import Ruleset

LAYOUT_VERSION = 1
DEATH_STAR = "DS"
DIE_SIDES = 6
HEROES = ("luke", "vader", "emperor")

PHASES = ("plan", "next", "order", "move", "attack", "assign", "fire", "over")

ACTIONS = (
    Kind("pass", summary="no order of this card, no move, no attack, or this die hits nothing"),
    Kind("pick", ("card", "", ""), summary="put a card of the hand under the orders chosen so far"),
    Kind("order", ("order", "", ""), summary="give this order of the open card"),
    Kind("deploy", summary="a squadron of TIE fighters leaves the Executor"),
    Kind("move", ("territory", "territory", "ship"), "ships", "move ships of the ordered kind"),
    Kind("attack", ("territory", "target", "ship"), summary="attack from a place with the ordered kind"),
    Kind("hit", ("ship", "number", ""), summary="give the lowest die on the table to a ship of this kind"),
    Kind("fire", ("territory", "", ""), summary="aim the Death Star"),
)

EVENTS = (
    Kind("round", amount="game round", summary="all choose their orders"),
    Kind("drew", ("card", "", ""), luck=True),
    Kind("picked", ("card", "", ""), "place", "the own choice"),
    Kind("flipped", ("card", "", ""), luck=True),
    Kind("useless", ("card", "", ""), summary="the card has no order that can be given"),
    Kind("passed", ("card", "", "")),
    Kind("ordered", ("order", "", "")),
    Kind("deployed", ("territory", "", ""), "ships"),
    Kind("moved", ("territory", "territory", "ship"), "ships"),
    Kind("attacked", ("territory", "target", "ship"), summary="the dice of the attack", luck=True),
    Kind("hit", ("ship", "territory", ""), "die"),
    Kind("wasted", amount="die"),
    Kind("fired", ("territory", "", ""), "1 = hit", "the dice of the Death Star", luck=True),
    Kind("destroyed", ("ship", "territory", ""), "ships"),
    Kind("cleared", ("territory", "", ""), summary="no ship is left in the sector"),
    Kind("ambushed", amount="storm troopers"),
    Kind("assaulted", amount="spaces", summary="the dice of the assault", luck=True),
    Kind("shield_down", summary="the Death Star can be attacked"),
    Kind("duelled", ("order", "", ""), "hits", "the dice of the duel, if it was fought with dice", luck=True),
    Kind("fell", ("hero", "", "")),
    Kind("bonus", amount="cards", summary="drawn and put under the pile, seen by nobody", luck=True),
    Kind("reshuffled", ("side", "", ""), "cards", luck=True),
    Kind("retired", amount="mode"),
    Kind("won", ("side", "", "")),
    Kind("over", amount="termination"),
)

# In the order of the Rule enum of state.pxd.
RULES = (
    "fine",
    "this seat owes no decision now",
    "this kind of action is not what the phase asks for",
    "an operand or amount that this action does not use must be 0",
    "orders are chosen from the own hand, each card once",
    "of the same cards name the one with the lowest number",
    "this decision cannot be declined",
    "the order must be on the open card",
    "the order can do nothing now",
    "the ship must be of the kind that was ordered",
    "there is no such ship at that place",
    "ships go to a sector without enemies, fighters one step, special ships up to two",
    "move at least 1 ship and no more than are there",
    "TIE fighters are deployed by their own order, from those aboard the Executor",
    "attack from where the ships went, or from any place of that kind if none has moved",
    "an attack goes to an adjacent sector, marker or, without its shield, the Death Star, with enemies there",
    "the lowest die on the table is given first",
    "the die must be high enough for a ship that is there",
    "the Death Star fires at a face-up marker, and when there is none at a sector with Rebel ships",
    "the seat is already out of the game",
    "a seat is retired as passive or neutral",
    "every ship is on the board, aboard or in the box; special ships fly while they have hits left",
    "no two sides share a sector, and only Rebel fighters are on markers, face-up ones",
    "every card is in exactly one place and the counts agree",
    "storm troopers stand on the next spaces; redeemed, Vader is out and Luke, if it takes him, is not",
    "while the game goes on Rebels are left, and the open card and its order are of the seat that plays it",
    "the phase waits for an answer that can be given, with dice on the table only while they are assigned",
    "`origin` and `moved` are of ships that went there and stand there, `target` touches it while dice are "
    "assigned",
    "`falcon_fell` is 1 only while dice of the attack that destroyed the Falcon are assigned",
    "a game that goes on has no result; one that is over has the one it says: the Empire wins when no Rebels "
    "are left, the Rebels with the shield down, nobody at the turn cap, a side when a seat of the other left",
)


def places(game: Mapping[str, Any]) -> tuple[str, ...]:
    """Sectors, then fleet markers."""
    return tuple(place["id"] for place in (*game["sectors"], *game["markers"]))


def cards(game: Mapping[str, Any]) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """Every card as (id, number among its copies, orders): the Rebels', then the Empire's."""
    return tuple(
        (_card_id(row, copy), copy, tuple(row["orders"]))
        for side in SIDES
        for row in game["decks"][side]
        for copy in range(row["copies"])
    )


def _card_id(row: Mapping[str, Any], copy: int) -> str:
    name = "_".join(row["orders"])
    return f"{name}_{copy + 1}" if row["copies"] > 1 else name


def deck_sizes(game: Mapping[str, Any]) -> tuple[int, int]:
    """How many cards the Rebels and the Empire have."""
    rebels, empire = (sum(row["copies"] for row in game["decks"][side]) for side in SIDES)
    return rebels, empire


def luke_vader(ruleset: Ruleset) -> Sequence[int]:
    """The hits that destroy Luke and Vader."""
    hits: Sequence[int] = ruleset.tables["game"]["duel"]["luke_vader"][ruleset.options["luke_vader"]]
    return hits


def _scalars(ruleset: Ruleset) -> Iterator[Field]:
    luke, vader = luke_vader(ruleset)
    yield Field("lap", 1, summary="the game round, 1 for the first")
    yield Field("phase", 1, "phase")
    yield Field("turn", 1, "seat", summary="whose card lies open; -1 while orders are chosen", default=-1)
    yield Field("flipped", 1, "card", summary="the open card", default=-1)
    yield Field("order", 1, "order", summary="the order that is carried out", default=-1)
    yield Field("origin", 1, "territory", summary="where the ships of the order are now", default=-1)
    yield Field("moved", 1, summary="ships that moved or were deployed by the order")
    yield Field("target", 1, "target", summary="what is attacked", default=-1)
    yield Field("falcon_fell", 1, summary="1 when this attack destroyed the Falcon")
    yield Field("shield", 1, summary="spaces gone on the shield track")
    yield Field("troopers", 1, summary="storm troopers on the next spaces")
    yield Field("luke", 1, summary="hits left", default=luke)
    yield Field("vader", 1, summary="hits left", default=vader)
    yield Field("redeemed", 1, summary="1 when Vader was redeemed")
    yield Field("aboard", 1, summary="TIE fighters in the Executor")
    yield Field("termination", 1, summary="0 running, 1 rules, 2 turn cap, 3 forfeit")
    yield Field("winner", 1, "side", default=-1)
    yield Field("decisions", 1, summary="decisions answered so far")


def _fields(ruleset: Ruleset) -> Iterator[Field]:
    game, seats = ruleset.tables["game"], ruleset.seats
    number_of_places, sizes = len(places(game)), deck_sizes(game)
    yield from _scalars(ruleset)
    for ship in SHIPS[len(FIGHTERS) :]:
        yield Field(ship, 1, "territory", summary="its sector; -1 destroyed", default=-1)
        yield Field(f"{ship}_hits", 1, summary="hits left")
    for ship in FIGHTERS:
        yield Field(ship, number_of_places, per="territory", summary="how many are there")
    yield Field("box", len(FIGHTERS), per="fighter", summary="destroyed or never in play")
    yield Field("marker", len(game["markers"]), per="marker", summary="1 = face up", default=1)
    yield Field("dice", DIE_SIDES, summary="dice of each value, 1 to 6, still to assign")
    yield Field("rolls", len(ORDERS), per="order", summary="rolls for each order so far")
    yield Field("deck_count", len(SIDES), per="side", summary="cards left to draw")
    yield Field("reshuffles", len(SIDES), per="side")
    yield Field("held", seats, per="seat", summary="cards in hand; while orders are chosen those, too")
    yield Field(
        "pile_count", seats, per="seat", summary="orders to come; until all have chosen the own alone"
    )
    yield Field("chosen", seats, per="seat", summary="how many of them the seat chose; below are bonus cards")
    yield Field("retired", seats, per="seat", summary="0, 1 passive, 2 neutral")
    yield Field(
        "cards",
        sum(sizes),
        "holder",
        "card",
        "seat with it in hand, 100 deck, 101 discards, 102 pile or open, -1 hidden",
        100,
    )
    yield Field("pile", seats * max(sizes), "card", summary="each seat's orders, next one first", default=-1)
    yield Field(
        "deck", sum(sizes), "card", summary="the Rebels', then the Empire's; next card first", default=-1
    )


def labels(game: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The names of orders, ships, targets and the like."""
    return {
        "order": ORDERS,
        "ship": (*SHIPS, "marker"),
        "fighter": FIGHTERS,
        "target": (*places(game), DEATH_STAR),
        "marker": tuple(marker["id"] for marker in game["markers"]),
        "side": SIDES,
        "hero": HEROES,
    }


def describe(ruleset: Ruleset) -> Description:
    """The description of a ruleset of this family; its territories are the sectors and fleet markers."""
    game = ruleset.tables["game"]
    return Description(
        family="endor",
        layout_version=LAYOUT_VERSION,
        seats=ruleset.seats,
        colours=ruleset.colours,
        colour_seat=ruleset.colour_seat,
        teams=ruleset.teams,
        rotations=ruleset.rotations,
        territories=places(game),
        territory_names=places(game),
        cards=tuple(name for name, _, _ in cards(game)),
        phases=PHASES,
        actions=ACTIONS,
        events=EVENTS,
        fields=tuple(_fields(ruleset)),
        rules=RULES,
        labels=labels(game),
    )
