"""From a ruleset to the rules block: functions, numbers and masks that the kernel reads without asking for names."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit
from engine_core.conquest.cards cimport any_set, fixed_value, italian_set, plus_one_value, progressive_value
from engine_core.conquest.combat cimport defender_chooses, defender_takes_most
from engine_core.conquest.special_dice cimport fight_with_experts, fight_with_rewards
from engine_core.conquest.state cimport (
    CAPITALS_CHOSEN, CAPITALS_CLAIMED, CAPITALS_NONE, MISSION_ELIMINATE, MISSION_REGIONS, MISSION_REGIONS_AND_ONE,
    MISSION_TERRITORIES, MOVES_FROM_MANY, MOVES_FROM_ONE, MOVES_SINGLE, NO_CAP, OBJECTIVE_CITIES,
    OBJECTIVE_ENEMY_CAPITALS, OBJECTIVE_NEW_CITIES, OBJECTIVE_NEW_REGION, OBJECTIVE_NEW_TERRITORIES,
    OBJECTIVE_REGION, OBJECTIVE_REGIONS, OBJECTIVE_TERRITORIES, PHASE_BEGIN, PHASE_HEADQUARTERS, SCOPE_BATTLE_LOCATION,
    SCOPE_EITHER, SCOPE_OWN_TERRITORY, Rules,
)
from engine_core.kernel cimport NONE

from engine_core.conquest.options import SHORT_HEADQUARTERS, SYMBOLS
from engine_core.conquest.tables import REWARDS
from engine_core.registry import options_of

FIXED_VALUES = {   # infantry, cavalry, artillery, mixed, pair + wild
    "fixed_2003": (6, 8, 4, 10, 0),
    "fixed_yura": (4, 6, 8, 10, 0),
    "italian": (6, 8, 4, 10, 12),
}
MOVES = {"path_one_to_many": MOVES_FROM_ONE, "path_many": MOVES_FROM_MANY}
CAPITALS = {"none": CAPITALS_NONE, "claim": CAPITALS_CLAIMED, "own": CAPITALS_CHOSEN}
SCOPES = {
    "own_territory": SCOPE_OWN_TERRITORY,
    "battle_location": SCOPE_BATTLE_LOCATION,
    "either": SCOPE_EITHER,
}
MISSION_KINDS = {
    "regions": MISSION_REGIONS,
    "regions_and_one": MISSION_REGIONS_AND_ONE,
    "territories": MISSION_TERRITORIES,
    "eliminate": MISSION_ELIMINATE,
}
OBJECTIVE_KINDS = {
    "region": OBJECTIVE_REGION,
    "cities": OBJECTIVE_CITIES,
    "enemy_capitals": OBJECTIVE_ENEMY_CAPITALS,
    "new_cities": OBJECTIVE_NEW_CITIES,
    "new_territories": OBJECTIVE_NEW_TERRITORIES,
    "territories": OBJECTIVE_TERRITORIES,
    "new_region": OBJECTIVE_NEW_REGION,
    "regions": OBJECTIVE_REGIONS,
}
REWARD_NAMES = (*REWARDS["minor"], *REWARDS["major"])
ALL_OF_THEM = 255


cdef uint64_t mask_of(object numbers):
    """The bit mask of some numbers."""
    cdef uint64_t mask = 0
    for number in numbers:
        mask |= bit(number)
    return mask


cdef void bind_cards(Rules *rules, dict options):
    """What sets and stars are worth, when they are traded, who draws."""
    rules.trade_value = fixed_value
    if options["trade_values"] == "progressive":
        rules.trade_value = progressive_value
    elif options["trade_values"] == "plus_one":
        rules.trade_value = plus_one_value
    rules.is_set = any_set
    rules.holds_set = any_set
    if options["trade_values"] == "italian":
        rules.is_set = italian_set
        rules.holds_set = italian_set
    for symbol, value in enumerate(FIXED_VALUES.get(options["trade_values"], ())):
        rules.fixed_value[symbol] = value
    rules.stars = options["trade_values"] == "stars"
    rules.star_trades_a_turn = options["star_trades_per_turn"]
    rules.bonus_a_turn = {"per_turn": 1, "per_trade": 255, "none": 0}[options["territory_bonus"]]
    rules.bonus_declinable = options["bonus_declinable"]
    rules.must_trade_at = options["must_trade_at"]
    rules.elimination_trade_at = 6 if options["elimination_trade"] == "immediate_to_4" else 0
    rules.reshuffle_discards = options["deck_exhausted"] == "reshuffle_discards"
    rules.draw_at_end_attack = options["card_draw_time"] == "end_attack"


cdef void bind_battles(Rules *rules, dict options):
    """Dice, moving in, and the moves between own territories."""
    rules.defender_asked = defender_chooses if options["defender_dice"] == "choose" else defender_takes_most
    rules.card_reroll = options["expert_card_reroll"]
    rules.commander = options["expert_commander"]
    rules.special_fight = NULL
    if options["rewards"]:
        rules.special_fight = fight_with_rewards
    elif rules.card_reroll or rules.commander:
        rules.special_fight = fight_with_experts
    rules.min_move_dice = options["min_move"] == "dice_rolled"
    rules.last_capture_ends = options["last_capture"] == "end"
    rules.fortify_by_path = options["fortify"] != "adjacent"
    rules.fortify_moves = MOVES.get(options["fortify"], MOVES_SINGLE)
    rules.troop_cap = options["troop_cap"] or NO_CAP
    rules.fortify_plain = rules.troop_cap == NO_CAP and rules.fortify_moves == MOVES_SINGLE


cdef void bind_turn(Rules *rules, dict options):
    """Set-up, the order of the phases, and the end by the turn cap."""
    rules.first_player_rolls = options["first_player"] == "roll"
    rules.deal = options["setup"] != "claim"
    rules.reinforce_start_next = options["reinforce_start"] == "next"
    rules.starting_troops = options["starting_troops"]
    rules.turn_cap = options["turn_cap"]
    rules.after_place = PHASE_HEADQUARTERS if options["headquarters"] != "none" else PHASE_BEGIN


cdef void bind_goals(Rules *rules, dict options):
    """What wins besides the last opponent's fall."""
    rules.redraw_own_mission = options["own_colour_mission"] == "redraw"
    rules.kill_credit_self = options["mission_kill_credit"] == "self_else_24"
    rules.missions_own_turn = options["mission_check"] == "own_turn"
    rules.headquarters = options["headquarters"] != "none"
    rules.headquarters_hidden = options["headquarters"] == "hidden"
    rules.headquarters_to_win = ALL_OF_THEM
    if options["capital_short"]:
        rules.headquarters_to_win = SHORT_HEADQUARTERS.get(rules.seats, ALL_OF_THEM)
    rules.capitals = CAPITALS[options["capitals"]]
    rules.objectives_to_win = options["objectives_to_win"]
    rules.elimination_win = options["elimination_win"] == "immediate"
    rules.rewards = options["rewards"]
    rules.rewards_piled = options["reward_placement"] == "pile"
    rules.rewards_down = options["reward_visibility"] == "down"
    rules.airfield_scope = SCOPES[options["airfield_scope"]]
    rules.airfield_cap = options["airfield_cap"]
    rules.guaranteed_beats_objective = options["guaranteed_card_beats_objective"]


cdef void place_board(Rules *rules, object board):
    """Adjacency, border numbers (ascending by from, to) and regions."""
    cdef int border = 0
    rules.territories = len(board.territories)
    rules.regions = len(board.regions)
    for source, neighbours in enumerate(board.neighbours):
        rules.all_territories |= bit(source)
        for target in neighbours:
            rules.adjacent[source] |= bit(target)
            rules.border[source][target] = <uint8_t>border
            border += 1
    rules.borders = border
    for number, region in enumerate(board.regions):
        rules.region_bonus[number] = region.bonus
        rules.region_members[number] = mask_of(board.members(number))


cdef void place_deck(Rules *rules, object deck):
    rules.cards = len(deck.cards)
    memset(rules.territory_card, NONE, sizeof(rules.territory_card))
    for number, card in enumerate(deck.cards):
        rules.symbol_cards[SYMBOLS.index(card.symbol)] |= bit(number)
        rules.card_territory[number] = NONE if card.territory < 0 else card.territory
        if card.territory >= 0:
            rules.territory_card[card.territory] = <uint8_t>number


cdef void place_missions(Rules *rules, object ruleset):
    """The missions; those against a colour that does not play are never dealt."""
    regions = [region.id for region in ruleset.board.regions]
    table = ruleset.tables["missions"]
    rules.missions = len(table["missions"])
    rules.fallback_count = table["fallback"]["count"]
    rules.fallback_least = table["fallback"]["least"]
    for number, mission in enumerate(table["missions"]):
        rules.mission[number].kind = MISSION_KINDS[mission["kind"]]
        rules.mission[number].regions = mask_of(regions.index(name) for name in mission.get("regions", ()))
        rules.mission[number].count = mission.get("count", 0)
        rules.mission[number].least = mission.get("least", 0)
        rules.mission[number].colour = NONE
        if mission.get("colour") in ruleset.colours:
            rules.mission[number].colour = ruleset.colours.index(mission["colour"])
        if "colour" not in mission or mission["colour"] in ruleset.colours:
            rules.missions_dealt |= bit(number)


cdef void place_objectives(Rules *rules, object ruleset, dict options, object edition):
    """The objectives, which of them lie on the board, and the rewards of either rank."""
    regions = [region.id for region in ruleset.board.regions]
    names = [objective["id"] for objective in edition["objectives"]]
    rules.objectives = len(names)
    rules.minors_drawn, rules.majors_drawn = edition["drawn"]
    for number, objective in enumerate(edition["objectives"]):
        rules.objective[number].kind = OBJECTIVE_KINDS[objective["kind"]]
        rules.objective[number].count = objective.get("count", 0)
        if objective["kind"] == "territories":
            rules.objective[number].count = options["territories_objective"]
        if "region" in objective:
            rules.objective[number].region = regions.index(objective["region"])
        if objective["rank"] == "minor":
            rules.minors |= bit(number)
        else:
            rules.majors |= bit(number)
    if options["objectives"] == "preset":
        rules.objective_preset = mask_of(names.index(name) for name in edition["preset_objectives"])
    rules.minor_rewards = mask_of(REWARD_NAMES.index(name) for name in edition["minor_rewards"])
    rules.major_rewards = mask_of(REWARD_NAMES.index(name) for name in edition["major_rewards"])
    rules.reward_troops = edition["reward_troops"]


cdef void place_edition(Rules *rules, object ruleset, dict options):
    """The numbers of the 2008 edition, as far as the options ask for them."""
    edition = ruleset.tables["edition"]
    if options["objectives"] != "none":
        place_objectives(rules, ruleset, options, edition)
    if options["cities"] != "none":
        rules.cities = edition["city_count"]
    if options["cities"] == "preset":
        rules.city_preset = mask_of(ruleset.board.index(name) for name in edition["preset_cities"])
    for stars, value in enumerate(edition["star_values"]):
        rules.star_value[stars] = value
    if options["extra_cards"] == "by_seats":
        cards = edition["extra_cards"].get(str(ruleset.seats), ())
        if ruleset.seats == 3 and options["three_player_card"]:
            cards = edition["extra_card_of_three"]
        for place, number in enumerate(cards):
            rules.extra_cards[place] = number


def compile_rules(ruleset):
    """The rules block of a ruleset, as bytes that stay valid in this process."""
    cdef Rules rules
    memset(&rules, 0, sizeof(Rules))
    options = options_of(ruleset)
    rules.seats = ruleset.seats
    rules.colours = len(ruleset.colours)
    rules.neutral_colour = -1
    rules.own_troops_a_go = 1
    for colour, seat in enumerate(ruleset.colour_seat):
        rules.colour_seat[colour] = NONE if seat < 0 else seat
        if seat < 0:
            rules.neutral_colour = colour
            rules.own_troops_a_go = 2
    for seat, team in enumerate(ruleset.teams):
        rules.seat_team[seat] = team
    place_board(&rules, ruleset.board)
    place_deck(&rules, ruleset.deck)
    bind_cards(&rules, options)
    bind_battles(&rules, options)
    bind_turn(&rules, options)
    bind_goals(&rules, options)
    if options["missions"]:
        place_missions(&rules, ruleset)
    if "edition" in ruleset.tables:
        place_edition(&rules, ruleset, options)
    return (<char *>&rules)[:sizeof(Rules)]
