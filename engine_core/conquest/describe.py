"""The conquest family's vocabulary: actions, events, fields of a position, and the sentences of its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine_core.conquest.optional_fields import labels, optional_fields
from engine_core.description import Description, Field, Kind

if TYPE_CHECKING:
    from engine_core.ruleset import Ruleset

LAYOUT_VERSION = 1

PHASES = (
    "claim",
    "place",
    "begin",
    "trade",
    "bonus",
    "deploy",
    "attack",
    "defend",
    "occupy",
    "fortify",
    "end",
    "over",
    "capital",
    "headquarters",
    "stars",
    "maneuver",
    "objective",
    "airfield",
    "reroll",
)

ACTIONS = (
    Kind("end", summary="stop or decline what the phase offers"),
    Kind("claim", ("territory", "", ""), summary="put a troop on a free territory"),
    Kind("place", ("territory", "", "colour"), summary="put a first troop of a colour on its territory"),
    Kind("trade", ("card", "card", "card"), summary="trade a set of cards for troops"),
    Kind("bonus", ("territory", "", ""), summary="choose the pictured territory that gets the bonus troops"),
    Kind("deploy", ("territory", "", ""), "troops", "place reinforcements"),
    Kind("attack", ("territory", "territory", ""), "dice", "attack a neighbour with that many dice"),
    Kind("defend", ("territory", "territory", ""), "dice", "defend with that many dice"),
    Kind("occupy", ("territory", "territory", ""), "troops", "move into the captured territory"),
    Kind("fortify", ("territory", "territory", ""), "troops", "the free move at the end of the turn"),
    Kind("capital", ("territory", "", ""), summary="found the capital"),
    Kind("headquarters", ("territory", "", ""), summary="pick the headquarters in secret"),
    Kind("stars", ("number", "number", ""), summary="turn in so many one-star and two-star cards"),
    Kind("objective", ("objective", "", ""), summary="claim an objective that is achieved"),
    Kind("airfield", ("territory", "", ""), summary="put the new airfield on an own territory"),
    Kind("reroll", ("card", "number", ""), summary="roll an own die (0 to 2) again, showing the card"),
    Kind("command", ("number", "", ""), summary="set an own die (0 to 2) to 6"),
)

EVENTS = (
    Kind("rolled_first", amount="attempt", summary="a die for who begins", luck=True),
    Kind("dealt", ("territory", "colour", ""), luck=True),
    Kind("claimed", ("territory", "colour", "")),
    Kind("placed", ("territory", "colour", "")),
    Kind("turn", amount="lap"),
    Kind("reinforced", amount="troops"),
    Kind("traded", ("card", "card", "card"), "troops"),
    Kind("bonus", ("territory", "", ""), "troops"),
    Kind("deployed", ("territory", "", ""), "troops"),
    Kind("attacked", ("territory", "territory", ""), "dice"),
    Kind(
        "battle",
        ("territory", "territory", "number"),
        "defender losses",
        "dice: attack, then defence",
        luck=True,
    ),
    Kind("captured", ("territory", "territory", "colour")),
    Kind("occupied", ("territory", "territory", ""), "troops"),
    Kind("eliminated", ("", "colour", ""), "order"),
    Kind("cards_taken", ("", "colour", ""), "cards"),
    Kind("card_taken", ("card", "", "")),
    Kind("drew", ("card", "", ""), luck=True),
    Kind("reshuffled", amount="cards", luck=True),
    Kind("fortified", ("territory", "territory", ""), "troops"),
    Kind("retired", amount="mode"),
    Kind("over", amount="termination"),
    Kind("mission", ("mission", "", ""), summary="the own mission", luck=True),
    Kind("mission_changed", summary="the own mission has become the fallback"),
    Kind("fulfilled", ("mission", "", ""), summary="the seat wins by its mission"),
    Kind("city", ("territory", "", ""), luck=True),
    Kind("objective_drawn", ("objective", "reward", ""), summary="it lies on the board", luck=True),
    Kind("capital", ("territory", "colour", "")),
    Kind("headquarters_picked", ("territory", "", ""), summary="the own pick"),
    Kind("headquarters", ("territory", "colour", ""), summary="everybody knows it now"),
    Kind("stars", ("number", "number", ""), "troops", "one-star and two-star cards turned in"),
    Kind("objective", ("objective", "", ""), summary="claimed"),
    Kind("objective_taken", ("objective", "colour", ""), summary="from the fallen colour"),
    Kind("reward", ("reward", "", "")),
    Kind("reward_lost", ("reward", "", "")),
    Kind("airfield", ("territory", "", "")),
    Kind("airfield_lost", ("territory", "", "")),
    Kind("rolled", ("territory", "territory", "number"), summary="dice: attack, then defence", luck=True),
    Kind("rerolled", ("card", "number", ""), summary="the die rolled again", luck=True),
    Kind("commanded", ("number", "", ""), summary="the die set to 6"),
    Kind("lost_troops", amount="troops", summary="no territory had room for them"),
    Kind("conquered", summary="the seat wins by its objectives or the headquarters"),
)

# In the order of the Rule enum of state.pxd.
RULES = (
    "fine",
    "this seat owes no decision now",
    "this kind of action is not what the phase asks for",
    "an operand or amount that this action does not use must be 0",
    "there is no such territory",
    "only a free territory can be claimed",
    "the territory must be the acting colour's own",
    "the troop to place now is of another colour",
    "the cards traded must be in the own hand",
    "a set is three alike, one of each, or any two with a wild, named in ascending order",
    "a hand this large must be traded",
    "this was not offered",
    "deploy at least 1 troop and no more than the reinforcements left",
    "an attack goes against a territory of another colour",
    "an attack goes to an adjacent territory",
    "attack with 1 to 3 dice and at least one troop more than dice",
    "defend with 1 or 2 dice and no more dice than troops",
    "move in at least as many troops as dice were rolled, and leave one behind",
    "fortify goes to an own territory within reach",
    "move at least 1 troop and leave at least 1 behind",
    "this decision cannot be declined",
    "a territory holds no more troops than the limit",
    "in one fortify phase a territory gives or takes, and all moves leave one where that is the rule",
    "turn in cards with 2 to 10 stars",
    "name one of the own dice, and a lower one than 6 to set it to 6",
    "once a roll, and with the card of one of the two territories in the own hand",
    "the seat is already out of the game",
    "a seat is retired as passive or neutral",
    "every territory belongs to exactly the colour that lists it",
    "a territory holds troops exactly while it is owned",
    "every card is in exactly one place and the counts agree",
    "the turn belongs to a colour that takes turns, and the game goes on while two teams decide",
    "a colour that takes turns has a seat and, once the territories are claimed, one of them",
    "a battle is between neighbours of two colours, with allowed dice, and only while it is fought",
    "the phase waits for an answer that a seat in the game can give",
    "every colour in the game has its own mission, capital or headquarters where there are some",
    "an airfield stands on a territory of who has it, and only colours in the game have rewards",
)

_SCALARS = (
    Field("lap", 1, summary="once round the seats, 1 for the first"),
    Field("turn_colour", 1, "colour", summary="whose turn, claim or placing it is"),
    Field("first_colour", 1, "colour", summary="who won the first roll"),
    Field("phase", 1, "phase"),
    Field("placed", 1, summary="troops placed in this go of the set-up"),
    Field("reinforcements", 1, summary="troops still to deploy"),
    Field("captured", 1, summary="1 when this turn has earned a card"),
    Field("bonuses_used", 1, summary="territory bonuses taken in this turn"),
    Field("trades_this_turn", 1),
    Field("during_attack", 1, summary="1 from a trade forced by an elimination on"),
    Field("sets_traded", 1, summary="sets traded by all, which sets the next one's value"),
    Field("reshuffles", 1),
    Field("attack_from", 1, "territory", default=-1),
    Field("attack_to", 1, "territory", default=-1),
    Field("attack_dice", 1),
    Field("victim", 1, "colour", summary="colour that held the captured territory", default=-1),
    Field("eliminations", 1),
    Field("decisions", 1, summary="decisions answered so far"),
    Field("termination", 1, summary="0 running, 1 rules, 2 turn cap, 3 forfeit"),
    Field("deck_count", 1, summary="cards left to draw"),
)


def _fields(ruleset: Ruleset) -> tuple[Field, ...]:
    colours, territories = len(ruleset.colours), len(ruleset.board.territories)
    cards = len(ruleset.deck.cards)
    return (
        *_SCALARS,
        Field("pool", colours, per="colour", summary="troops still to place in set-up"),
        Field("cards_held", colours, per="colour"),
        Field("living", colours, per="colour", summary="1 while the colour takes turns"),
        Field(
            "eliminated_at", colours, per="colour", summary="order of the fall, -1 = not fallen", default=-1
        ),
        Field("retired", ruleset.seats, per="seat", summary="0, 1 passive, 2 neutral"),
        Field("owner", territories, "colour", "territory", default=-1),
        Field("troops", territories, per="territory"),
        Field("bonus_choice", territories, per="territory", summary="1 where the bonus may be taken now"),
        Field(
            "cards",
            cards,
            "holder",
            "card",
            "colour that holds it, 100 deck, 101 discards, 102 aside, -1 hidden",
            100,
        ),
        Field("deck", cards, "card", summary="next card to draw first; -1 hidden or none", default=-1),
        Field("rolls", 2 * len(ruleset.board.borders), summary="battles on each directed border this lap"),
        *optional_fields(ruleset),
    )


def describe(ruleset: Ruleset) -> Description:
    """The description of a ruleset of this family."""
    return Description(
        family="conquest",
        layout_version=LAYOUT_VERSION,
        seats=ruleset.seats,
        colours=ruleset.colours,
        colour_seat=ruleset.colour_seat,
        teams=ruleset.teams,
        rotations=ruleset.rotations,
        territories=tuple(territory.id for territory in ruleset.board.territories),
        territory_names=tuple(territory.name for territory in ruleset.board.territories),
        cards=tuple(card.id for card in ruleset.deck.cards),
        phases=PHASES,
        actions=ACTIONS,
        events=EVENTS,
        fields=_fields(ruleset),
        rules=RULES,
        labels=labels(ruleset),
    )
