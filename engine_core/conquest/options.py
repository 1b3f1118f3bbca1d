"""The options of the conquest family, one entry each, and what follows from them for seats and colours.

Sources: 001, 002 and 004 are the rulebooks the game was built from, US 1993 the printed US rules.
"""

from __future__ import annotations

from engine_core.conquest.combinations import check_together, uses_edition
from engine_core.conquest.combinations import idle as idle
from engine_core.errors import OptionError
from engine_core.options import Option
from engine_core.ruleset import NEUTRAL, Draft
from engine_core.tables import TableError

STARTING_TROOPS = {2: 40, 3: 35, 4: 30, 5: 25, 6: 20}
SYMBOLS = ("infantry", "cavalry", "artillery", "wild", "one_star", "two_star")
TRADE_VALUES = ("progressive", "plus_one", "fixed_2003", "fixed_yura", "italian", "stars")
FORTIFY = ("adjacent", "path", "path_one_to_many", "path_many")
SHORT_HEADQUARTERS = {4: 2, 5: 3, 6: 3}

# fmt: off
OPTIONS = (
    Option("setup", "choice", ("claim", "deal", "piles"), "claim",
           "territories are claimed one by one, or dealt; `piles`, dealt with the neutral colour, "
           "is what two_player = neutral implies and cannot be chosen without it", "002"),
    Option("two_player", "choice", ("neutral", "plain"), "neutral",
           "2 seats play with a neutral third colour or without; more seats always play plain", "002"),
    Option("starting_troops", "int", (0, 1000), 0,
           "troops of each colour at the start; 0 = by seats: 2: 40, 3: 35, 4: 30, 5: 25, 6: 20, "
           "but with capitals 3: 30, 4: 25, 5: 20", "002, 004 (with capitals: Spanish summary)"),
    Option("first_player", "choice", ("roll", "first"), "roll",
           "the highest roll begins (ties roll again), or seat 0", "002"),
    Option("reinforce_start", "choice", ("next", "first"), "next",
           "placing goes on behind the last claimer, or starts with the first player", "002"),
    Option("trade_values", "choice", TRADE_VALUES, "progressive",
           "what a set brings: 4 6 8 10 12 15 20 25 ..., n + 3, a value by its symbols, or stars", "US 1993"),
    Option("territory_bonus", "choice", ("per_turn", "per_trade", "none"), "per_turn",
           "2 extra troops on an owned territory of a traded card: once a turn, once a set, never", "002"),
    Option("must_trade_at", "choice", (5, 6, 0), 5,
           "the hand at which a set must be traded at the start of a turn; 0 = never", "002 (6: 004)"),
    Option("elimination_trade", "choice", ("immediate_to_4", "next_turn"), "immediate_to_4",
           "a hand of 6 or more from an elimination is traded at once down to 4 or fewer, or next turn",
           "US 1993 (next_turn: 004)"),
    Option("deck_exhausted", "choice", ("reshuffle_discards", "no_more_cards"), "reshuffle_discards",
           "when a card is due and the deck is empty, the discards are shuffled, or there is none", "001"),
    Option("card_draw_time", "choice", ("end_turn", "end_attack"), "end_turn",
           "the card for a capture is drawn after the fortify phase or before it",
           "002 (end_attack: US 1993)"),
    Option("fortify", "choice", FORTIFY, "adjacent",
           "the move at the end of a turn goes to a neighbour, or along own territories; then one move, "
           "several from one territory, or several from several",
           "004, US 1993 (path: 001, path_one_to_many: 002)"),
    Option("defender_dice", "choice", ("choose", "max"), "choose",
           "the defender chooses 1 or 2 dice, or rolls as many as allowed", "002 (max: 004)"),
    Option("min_move", "choice", ("dice_rolled", "one"), "dice_rolled",
           "the fewest troops that move into a captured territory", "004, US 1993"),
    Option("last_capture", "choice", ("occupy", "end"), "occupy",
           "the last opponent's fall ends the game after the troops moved in, or at once", "002"),
    Option("card_deck", "choice", ("A", "B", "C", "stars"), "A",
           "which symbols the territories' cards bear (the variant names each letter's deck)", "US 1993"),
    Option("turn_cap", "int", (1, 10000), 100,
           "the game ends after this many laps; the platform's point rule says who scores", "platform"),
    Option("colours", "text", (), "",
           "the seats' colours in order, such as red,blue,green; empty = the variant's order",
           "002", added=True),
    Option("map_edges_override", "choice", ("standard", "anniversary_40", "german_2008"), "standard",
           "an edition's board: without East Africa - Middle East, or North Africa - Southern Europe",
           "edition notes", added=True),
    Option("dice_declaration", "choice", ("sequential",), "sequential",
           "the attacker names the dice first, and the defender sees it", "001", added=True),
    Option("bonus_declinable", "bool", (), 0,
           "the extra troops of a traded card may be declined", "ruling", added=True),
    Option("troop_cap", "int", (0, 1000), 0,
           "the most troops a territory may hold; what finds no room is lost; 0 = no limit, else at least 3",
           "002 (12)", added=True),
    Option("expert_card_reroll", "bool", (), 0,
           "the attacker rolls a die again, once a roll, with the card of either territory in hand",
           "US 1993", added=True),
    Option("expert_commander", "bool", (), 0,
           "the attacker sets one own die to 6, once a turn", "US 1993", added=True),
    Option("missions", "bool", (), 0,
           "each seat has a secret mission and wins when it is fulfilled", "002", added=True),
    Option("mission_deck", "choice", ("eu14", "us12_guess"), "eu14",
           "the 14 missions, or 12 of them (which two are missing is a guess)", "002", added=True),
    Option("own_colour_mission", "choice", ("fallback24", "redraw"), "fallback24",
           "who draws the mission against the own colour needs 24 territories, or draws again",
           "European card text", added=True),
    Option("mission_kill_credit", "choice", ("anyone", "self_else_24"), "anyone",
           "a mission against a colour is fulfilled whoever eliminates it, or becomes 24 territories",
           "002 (self_else_24: European card text)", added=True),
    Option("mission_check", "choice", ("immediate", "own_turn"), "immediate",
           "missions are checked at once, also in another's turn, or in the own turn alone",
           "002", added=True),
    Option("headquarters", "choice", ("none", "revealed", "hidden"), "none",
           "all pick a headquarters in secret, shown together, or when it falls; holding all wins",
           "US 1993", added=True),
    Option("capital_short", "bool", (), 0,
           "the short game: 2 other headquarters win with 4 seats, 3 with 5 or 6", "US 1993", added=True),
    Option("cities", "choice", ("none", "preset", "random"), "none",
           "15 cities, which count like territories: fixed ones, or drawn", "001", added=True),
    Option("capitals", "choice", ("none", "claim", "own"), "none",
           "each colour has a capital, worth a troop a turn: its first claim, or chosen after the deal",
           "001", added=True),
    Option("objectives", "choice", ("none", "preset", "random"), "none",
           "public objectives, one claimed a turn: fixed ones, or 4 minor and 4 major drawn",
           "001", added=True),
    Option("objectives_to_win", "int", (0, 8), 3,
           "so many objectives and the own capital win at the end of the turn; 0 = they never do",
           "001", added=True),
    Option("territories_objective", "choice", (18, 20), 18,
           "how many territories that objective asks for", "001 (20: a German edition)", added=True),
    Option("elimination_win", "choice", ("end_of_turn", "immediate"), "end_of_turn",
           "objectives taken from the fallen win at the end of the turn, or at once",
           "001 (immediate: maker's answers)", added=True),
    Option("rewards", "bool", (), 0,
           "each objective brings a reward; a second maneuver is none where there are several anyway",
           "001", added=True),
    Option("reward_placement", "choice", ("on_objective", "pile"), "on_objective",
           "a reward lies on each objective, or they come from two piles, face down",
           "ruling (pile: 001)", added=True),
    Option("reward_visibility", "choice", ("up", "down"), "up",
           "the rewards on the objectives are seen, or only when they are claimed", "ruling", added=True),
    Option("airfield_scope", "choice", ("own_territory", "battle_location", "either"), "own_territory",
           "an airfield helps when it is on or next to the own territory in the battle, the attacked one, "
           "or either", "001", added=True),
    Option("airfield_cap", "bool", (), 0,
           "an airfield does not raise a 6", "ruling", added=True),
    Option("guaranteed_card_beats_objective", "bool", (), 0,
           "the guaranteed card is drawn even when an objective was claimed", "ruling", added=True),
    Option("star_trades_per_turn", "int", (1, 10), 1,
           "how often a turn stars are turned in", "001", added=True),
    Option("extra_cards", "choice", ("none", "by_seats"), "none",
           "who goes later starts with cards", "001", added=True),
    Option("three_player_card", "bool", (), 0,
           "the third of three seats starts with a card, too", "Spanish summary", added=True),
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
    if options["reward_placement"] == "pile":
        options["reward_visibility"] = "down"  # of a pile nobody sees more than its back
    check_together(draft)
    _drop_unused_tables(draft)
    options["starting_troops"] = _starting_troops(draft, neutral)
    return draft


def _seat_colours(draft: Draft) -> tuple[str, ...]:
    """The variant's first colours, or those that the option names."""
    colours = tuple(colour for colour in draft["colours"] if colour != NEUTRAL)
    seats, chosen = draft["seats"], str(draft["options"]["colours"])
    if not chosen:
        if len(colours) < seats:
            raise TableError("colours", f"must name one colour for each of {seats} seats")
        return colours[:seats]
    names = tuple(name.strip() for name in chosen.split(","))
    if len(names) != seats or len(set(names)) != seats or set(names) - set(colours):
        raise OptionError("colours", chosen, f"{seats} different ones of {', '.join(colours)}")
    return names


def _drop_unused_tables(draft: Draft) -> None:
    """Tables that no option asks for are not part of the game."""
    options, tables = draft["options"], draft["tables"]
    if not options["missions"]:
        tables.pop("missions", None)
    if not uses_edition(options):
        tables.pop("edition", None)


def _starting_troops(draft: Draft, neutral: bool) -> int:
    """The table's number, or the chosen one when it is enough for a first troop on every territory.

    With the neutral colour each go places 2 own troops and 1 neutral one, so the rest must be even.
    """
    seats, colours, territories = draft["seats"], len(draft["colours"]), len(draft["board"].territories)
    if territories < colours:
        raise TableError("board.territories", f"must be at least {colours}, one for each colour")
    usual = STARTING_TROOPS.get(seats, STARTING_TROOPS[6])
    if draft["options"]["capitals"] != "none":
        usual = draft["tables"]["edition"]["starting_troops"].get(str(seats), usual)
    chosen = int(draft["options"]["starting_troops"]) or usual
    least = -(-territories // colours)
    if chosen < least or (neutral and (chosen - least) % 2):
        allowed = f"{least}, {least + 2}, {least + 4}, ..." if neutral else f"at least {least}"
        raise OptionError("starting_troops", chosen, f"{allowed} for {territories} territories (0: by seats)")
    return chosen
