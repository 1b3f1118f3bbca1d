"""The options of the endor family, one entry each, and what must fit together.

Sources: 003 is the rulebook; a ruling is of this project, with the alternative that it was chosen over.
"""

from __future__ import annotations

from engine_core.errors import OptionError
from engine_core.options import Option
from engine_core.ruleset import Draft
from engine_core.ruleset import complete as one_colour_a_seat
from engine_core.tables import TableError

SIDES = ("rebels", "empire")
MOST_SEATS = 4
MARKER_BONUS = ("never", "ordinary_attack_only", "any_attack")

# fmt: off
OPTIONS = (
    Option("turn_cap", "int", (1, 10000), 200,
           "the game ends in a draw between the sides after this many game rounds", "platform"),
    Option("tie_reserve", "choice", (28, 32), 28,
           "TIE fighters aboard the Executor at the start; with 32 the squadron on I4 is among them",
           "report"),
    Option("bwing_on_o1", "bool", (), 1,
           "a fifth squadron of B-wings starts on O1, or stays in the box", "reconstruction"),
    Option("luke_vader", "choice", ("12_13", "13_12"), "12_13",
           "hits that destroy Luke, and Vader", "program"),
    Option("ambush", "choice", ("next_uncovered", "three_ahead"), "next_uncovered",
           "storm troopers go on the next spaces that have none, or on those of the three directly ahead",
           "ruling (three_ahead: 003)"),
    Option("may_waste_hits", "bool", (), 1,
           "a die that can hit a ship may be given to none", "ruling"),
    Option("bonus_for_clearing_marker", "choice", MARKER_BONUS, "never",
           "whether a bonus order is drawn for destroying a fleet marker, by ships or by the Death Star, too",
           "ruling (ordinary_attack_only: program)"),
    Option("death_star_sector_shot_gives_clear_bonus", "bool", (), 1,
           "the Death Star's shot at a sector brings the bonus order for clearing it", "ruling"),
    Option("death_star_falcon_kill_gives_2", "bool", (), 1,
           "the Death Star's shot brings the bonus orders for the Falcon, too", "ruling"),
    Option("redeem_requires_luke_alive", "bool", (), 1,
           "Vader can be redeemed only while Luke lives", "ruling"),
    Option("attack_uses_all_fighters_of_type_in_origin", "bool", (), 1,
           "all fighters of the kind in the sector roll, or after a move only those that moved",
           "003 (false: program)"),
    Option("tie_attack_after_deploy", "bool", (), 1,
           "TIE fighters may attack after a deployment", "player aid"),
    Option("attack_from_marker", "bool", (), 1,
           "fighters on a fleet marker may attack the sector that it touches", "ruling"),
    Option("emperor_order_after_vader_killed", "bool", (), 1,
           "the Emperor strikes on when Vader was killed by hits", "003"),
    Option("partners_show_hands", "bool", (), 1,
           "team-mates (4 seats) see each other's hands and, once all have chosen, orders, never bonus cards",
           "003"),
)
# fmt: on


def complete(draft: Draft) -> Draft:
    """A colour for each seat; the table of the game must fit the seats, teams and options.

    TableError or OptionError say what does not.
    """
    seats, options = draft["seats"], draft["options"]
    if "game" not in draft["tables"]:
        raise TableError("tables.game", "is missing: the sectors, ships, decks and tracks of the game")
    game = draft["tables"]["game"]
    if set(draft["teams"]) != {0, 1}:
        raise TableError("teams", f"must be two, {SIDES[0]} and {SIDES[1]}, not {list(draft['teams'])}")
    if str(seats) not in game["rounds"] or seats > MOST_SEATS:
        raise TableError("seats", f"must be one of {', '.join(game['rounds'])}, not {seats}")
    on_board = sum(row["count"] for row in game["setup"] if row["ship"] == "tie")
    extra = game["tie_squadron"]["count"] if options["tie_reserve"] == min(_reserves()) else 0
    aboard = game["ships"]["tie"]["pieces"] - on_board - extra
    if aboard != options["tie_reserve"]:
        raise OptionError("tie_reserve", options["tie_reserve"], f"{aboard} with these ships")
    if not options["partners_show_hands"] and len(set(draft["teams"])) == seats:
        raise OptionError("partners_show_hands", False, "true, as no seat has a partner here")
    return one_colour_a_seat(draft)


def _reserves() -> tuple[int, ...]:
    """The numbers that the option offers."""
    return tuple(int(value) for option in OPTIONS if option.name == "tie_reserve" for value in option.values)
