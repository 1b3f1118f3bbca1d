"""From a ruleset to the rules block: numbers and masks that the kernel reads without asking for names."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from engine_core.bits cimport bit
from engine_core.endor.state cimport (
    EMPIRE, FALCON, FIGHTERS, MARKER, MARKER_BONUS_ANY, MARKER_BONUS_NEVER, MARKER_BONUS_ORDINARY, REBELS, SHIPS, TIE,
    Rules, only,
)

from engine_core.endor.describe import cards, deck_sizes, luke_vader, places
from engine_core.endor.options import OPTIONS
from engine_core.endor.tables import ORDERS, SHIPS as SHIP_NAMES

MARKER_BONUS = {
    "never": MARKER_BONUS_NEVER,
    "ordinary_attack_only": MARKER_BONUS_ORDINARY,
    "any_attack": MARKER_BONUS_ANY,
}


cdef uint32_t mask_of(object numbers):
    """The bit mask of some numbers."""
    cdef uint32_t mask = 0
    for number in numbers:
        mask |= only(number)
    return mask


cdef void place_map(Rules *rules, object game, dict options):
    """Which places touch which; a marker touches its one sector."""
    names = places(game)
    rules.sectors = len(game["sectors"])
    rules.markers = len(game["markers"])
    rules.places = len(names)
    rules.sector_mask = only(rules.sectors) - 1
    rules.marker_mask = (only(rules.places) - 1) & ~rules.sector_mask
    rules.inner_mask = mask_of(names.index(name) for name in game["death_star"])
    rules.launch_mask = rules.sector_mask
    if options["attack_from_marker"]:
        rules.launch_mask |= rules.marker_mask
    for one, other in (*game["borders"], *((marker["id"], marker["sector"]) for marker in game["markers"])):
        rules.touch[names.index(one)] |= only(names.index(other))
        rules.touch[names.index(other)] |= only(names.index(one))


cdef void place_ships(Rules *rules, object game, dict options):
    """Pieces, dice, hits, and where all start."""
    names = places(game)
    ships = game["ships"]
    for ship in range(FIGHTERS):
        rules.pieces[ship] = ships[SHIP_NAMES[ship]]["pieces"]
    for ship in range(FALCON, SHIPS):
        rules.track[ship] = ships[SHIP_NAMES[ship]]["hits"]
        rules.ship_dice[ship] = ships[SHIP_NAMES[ship]]["dice"]
    for ship in range(SHIPS):
        rules.needs[ship] = ships[SHIP_NAMES[ship]]["needs"]
    rules.needs[MARKER] = ships["marker"]["needs"]
    rows = [(row["ship"], row["at"], row["count"]) for row in game["setup"]]
    if options["bwing_on_o1"]:
        rows.append(("bwing", game["bwing_squadron"]["at"], game["bwing_squadron"]["count"]))
    ties = sum(count for ship, _, count in rows if ship == "tie") + options["tie_reserve"]
    if ties < rules.pieces[TIE]:
        rows.append(("tie", game["tie_squadron"]["at"], game["tie_squadron"]["count"]))
    for ship, place, count in rows:
        if SHIP_NAMES.index(ship) < FIGHTERS:
            rules.start[SHIP_NAMES.index(ship)][names.index(place)] += <uint8_t>count
        else:
            rules.start_special[SHIP_NAMES.index(ship)] = names.index(place)
    rules.start_aboard = options["tie_reserve"]


cdef void place_tracks(Rules *rules, object ruleset, object game, dict options):
    """The Death Star, the shield, the duel."""
    ground = game["ground"]
    duel = game["duel"]
    rules.squadron = game["space"]["squadron"]
    rules.death_star_dice = game["space"]["death_star_dice"]
    rules.death_star_needs = game["space"]["death_star_needs"]
    rules.final_needs = game["space"]["final_needs"]
    rules.shield_length = len(ground["shield"])
    for space, needs in enumerate(ground["shield"]):
        rules.shield[space] = needs
    rules.trooper_supply = ground["troopers"]
    rules.troopers_placed = ground["ambush"]
    rules.trooper_reach = rules.shield_length if options["ambush"] == "next_uncovered" else ground["ambush"]
    rules.assault_dice = ground["assault_dice"]
    rules.duel_dice = duel["dice"]
    rules.duel_needs = duel["needs"]
    rules.emperor_hits = duel["emperor_hits"]
    rules.redemption = duel["redemption"]
    rules.luke_hits, rules.vader_hits = luke_vader(ruleset)


cdef void place_cards(Rules *rules, object ruleset, object game, dict options):
    """Decks, seats and their sides, and who sees whose cards."""
    rebels, _ = deck_sizes(game)
    rules.cards = sum(deck_sizes(game))
    rules.pile_room = max(deck_sizes(game))
    for card, (_, copy, orders) in enumerate(cards(game)):
        rules.card_orders[card] = mask_of(ORDERS.index(order) for order in orders)
        rules.side_cards[REBELS if card < rebels else EMPIRE] |= bit(card)
        for earlier in range(card - copy, card):
            rules.copies_before[card] |= bit(earlier)
    for seat, team in enumerate(ruleset.teams):
        rules.side[seat] = team
        rules.side_seats[team] |= only(seat)
    for seat, team in enumerate(ruleset.teams):
        rules.sees_hand[seat] = rules.side_seats[team] if options["partners_show_hands"] else only(seat)
    rules.hand = game["rounds"][str(ruleset.seats)]["hand"]
    rules.orders = game["rounds"][str(ruleset.seats)]["orders"]


cdef void bind_options(Rules *rules, object game, dict options):
    """Bonus orders, and the rulings that are switches."""
    bonus = game["bonus"]
    rules.bonus_clear = bonus["clear"]
    rules.bonus_falcon = bonus["falcon"]
    rules.bonus_luke = bonus["luke"]
    rules.bonus_vader = bonus["vader"]
    rules.bonus_redeem = bonus["redemption"]
    rules.marker_bonus = MARKER_BONUS[options["bonus_for_clearing_marker"]]
    rules.turn_cap = options["turn_cap"]
    rules.may_waste_hits = options["may_waste_hits"]
    rules.shot_clears = options["death_star_sector_shot_gives_clear_bonus"]
    rules.shot_falcon = options["death_star_falcon_kill_gives_2"]
    rules.redeem_needs_luke = options["redeem_requires_luke_alive"]
    rules.emperor_outlives_vader = options["emperor_order_after_vader_killed"]
    rules.attack_with_all = options["attack_uses_all_fighters_of_type_in_origin"]
    rules.attack_after_deploy = options["tie_attack_after_deploy"]


def compile_rules(ruleset):
    """The rules block of a ruleset, as bytes that stay valid in this process."""
    cdef Rules rules
    memset(&rules, 0, sizeof(Rules))
    options = {option.name: option.default for option in OPTIONS} | dict(ruleset.options)
    game = ruleset.tables["game"]
    rules.seats = ruleset.seats
    place_map(&rules, game, options)
    place_ships(&rules, game, options)
    place_tracks(&rules, ruleset, game, options)
    place_cards(&rules, ruleset, game, options)
    bind_options(&rules, game, options)
    return (<char *>&rules)[:sizeof(Rules)]
