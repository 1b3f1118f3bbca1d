"""The options of the conquest family, one entry each, and what follows from them for seats and colours.

Sources: 001, 002 and 004 are the rulebooks the game was built from, US 1993 the printed US rules.
"""

from __future__ import annotations

from engine_core.errors import OptionError
from engine_core.options import Option
from engine_core.ruleset import NEUTRAL, Draft
from engine_core.tables import TableError

STARTING_TROOPS = {2: 40, 3: 35, 4: 30, 5: 25, 6: 20}
SYMBOLS = ("infantry", "cavalry", "artillery", "wild")
TRADE_VALUES = ("progressive", "plus_one", "fixed_2003", "fixed_yura", "italian")

# fmt: off
OPTIONS = (
    Option("setup", "choice", ("claim", "deal", "piles"), "claim",
           "territories are claimed one by one, or dealt; `piles`, dealt with the neutral colour, "
           "is what two_player = neutral implies and cannot be chosen without it", "002"),
    Option("two_player", "choice", ("neutral", "plain"), "neutral",
           "2 seats play with a neutral third colour or without; more seats always play plain", "002"),
    Option("starting_troops", "int", (0, 1000), 0,
           "troops of each colour at the start; 0 = by seats: 2: 40, 3: 35, 4: 30, 5: 25, 6: 20", "002, 004"),
    Option("first_player", "choice", ("roll", "first"), "roll",
           "the highest roll begins (ties roll again), or seat 0", "002"),
    Option("reinforce_start", "choice", ("next", "first"), "next",
           "placing goes on behind the last claimer, or starts with the first player", "002"),
    Option("trade_values", "choice", TRADE_VALUES, "progressive",
           "what a set brings: 4 6 8 10 12 15 20 25 ..., n + 3, or a value by its symbols", "US 1993"),
    Option("territory_bonus", "choice", ("per_turn", "per_trade", "none"), "per_turn",
           "2 extra troops on an owned territory of a traded card: once a turn, once a set, never", "002"),
    Option("must_trade_at", "choice", (5, 6), 5,
           "the hand at which a set must be traded at the start of a turn", "002 (6: 004)"),
    Option("elimination_trade", "choice", ("immediate_to_4", "next_turn"), "immediate_to_4",
           "a hand of 6 or more from an elimination is traded at once down to 4 or fewer, or next turn",
           "US 1993 (next_turn: 004)"),
    Option("deck_exhausted", "choice", ("reshuffle_discards", "no_more_cards"), "reshuffle_discards",
           "when a card is due and the deck is empty, the discards are shuffled, or there is none", "001"),
    Option("card_draw_time", "choice", ("end_turn", "end_attack"), "end_turn",
           "the card for a capture is drawn after the fortify phase or before it",
           "002 (end_attack: US 1993)"),
    Option("fortify", "choice", ("adjacent", "path"), "adjacent",
           "the one move at the end of a turn goes to a neighbour, or along own territories",
           "004, US 1993 (path: 001)"),
    Option("defender_dice", "choice", ("choose", "max"), "choose",
           "the defender chooses 1 or 2 dice, or rolls as many as allowed", "002 (max: 004)"),
    Option("min_move", "choice", ("dice_rolled", "one"), "dice_rolled",
           "the fewest troops that move into a captured territory", "004, US 1993"),
    Option("last_capture", "choice", ("occupy", "end"), "occupy",
           "the last opponent's fall ends the game after the troops moved in, or at once", "002"),
    Option("card_deck", "choice", ("A", "B", "C"), "A",
           "which symbols the territories' cards bear (the variant names each letter's deck)", "US 1993"),
    Option("turn_cap", "int", (1, 10000), 100,
           "the game ends after this many laps; the platform's point rule says who scores", "platform"),
)
# fmt: on


def complete(draft: Draft) -> Draft:
    """Colours and their seats, and the options that follow from others; completing twice changes nothing.

    OptionError when options do not go together, TableError when the deck has a symbol that no set knows.
    """
    seats, options = draft["seats"], draft["options"]
    for index, card in enumerate(draft["deck"].cards):
        if card.symbol not in SYMBOLS:
            raise TableError(f"deck.cards[{index}].symbol", f"must be one of {', '.join(SYMBOLS)}")
    if seats != 2:
        options["two_player"] = "plain"
    neutral = options["two_player"] == "neutral"
    if neutral:
        options["setup"] = "piles"
    elif options["setup"] == "piles":
        raise OptionError("setup", "piles", "claim, deal (piles only with 2 seats and two_player = neutral)")
    draft["colours"] = (*_seat_colours(draft), *((NEUTRAL,) if neutral else ()))
    draft["colour_seat"] = (*range(seats), *((-1,) if neutral else ()))
    options["starting_troops"] = _starting_troops(draft, neutral)
    return draft


def _seat_colours(draft: Draft) -> tuple[str, ...]:
    colours = tuple(colour for colour in draft["colours"] if colour != NEUTRAL)
    if len(colours) < draft["seats"]:
        raise TableError("colours", f"must name one colour for each of {draft['seats']} seats")
    return colours[: draft["seats"]]


def _starting_troops(draft: Draft, neutral: bool) -> int:
    """The table's number, or the chosen one when it is enough for a first troop on every territory.

    With the neutral colour each go places 2 own troops and 1 neutral one, so the rest must be even.
    """
    seats, colours, territories = draft["seats"], len(draft["colours"]), len(draft["board"].territories)
    if territories < colours:
        raise TableError("board.territories", f"must be at least {colours}, one for each colour")
    chosen = int(draft["options"]["starting_troops"]) or STARTING_TROOPS.get(seats, STARTING_TROOPS[6])
    least = -(-territories // colours)
    if chosen < least or (neutral and (chosen - least) % 2):
        allowed = f"{least}, {least + 2}, {least + 4}, ..." if neutral else f"at least {least}"
        raise OptionError("starting_troops", chosen, f"{allowed} for {territories} territories (0: by seats)")
    return chosen
