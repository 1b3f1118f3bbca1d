"""The conquest family: the kernel's functions, and the rules block made from a ruleset."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit, count
from engine_core.conquest.cards cimport (
    any_set, bonus_legal, fixed_value, italian_set, plus_one_value, progressive_value, shuffled, trade_legal,
)
from engine_core.conquest.combat cimport (
    attack_legal, defend_legal, defender_chooses, defender_takes_most, end_battle, least_move, occupy_legal,
)
from engine_core.conquest.fields cimport export_all, import_all
from engine_core.conquest.fortify cimport adjacent_reach, fortify_legal, path_reach
from engine_core.conquest.income cimport deploy_legal
from engine_core.conquest.invariants cimport broken_invariant
from engine_core.conquest.secrets cimport blank, guess
from engine_core.conquest.setup cimport claim_legal, deal_territories, place_legal, roll_for_first
from engine_core.conquest.state cimport (
    EVENT_RETIRED, PHASE_ATTACK, PHASE_BONUS, PHASE_CLAIM, PHASE_DEFEND, PHASE_DEPLOY, PHASE_END, PHASE_FORTIFY,
    PHASE_OCCUPY, PHASE_OVER, PHASE_PLACE, PHASE_TRADE, RULE_ALREADY_OUT, RULE_BAD_MODE, RULE_NOT_ASKED,
    RULE_OK, Rules, State, acting_seat, everyone, next_living, turn_seat,
)
from engine_core.conquest.turn cimport answer, move_in, settle
from engine_core.conquest.victory cimport finish, one_team, strike_out
from engine_core.dice cimport Dice
from engine_core.kernel cimport (
    BY_FORFEIT, BY_RULES, KERNEL_ABI, MAX_TERRITORIES, NONE, RETIRE_NEUTRAL, RETIRE_PASSIVE,
    Action, ActionRange, EventLog, Facts, Kernel, emit,
)

from engine_core.conquest.describe import describe
from engine_core.conquest.options import OPTIONS, complete

__all__ = ["OPTIONS", "compile_rules", "complete", "describe", "kernel_capsule"]


cdef void init(const void *rules_block, void *state_block, Dice *dice, EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int colour
    memset(state.owner, NONE, sizeof(state.owner))
    state.attack_from = NONE
    state.attack_to = NONE
    state.victim = NONE
    state.living = <uint8_t>((1 << rules.seats) - 1)
    state.lap = 1
    for colour in range(rules.colours):
        state.pool[colour] = rules.starting_troops
        state.eliminated_at[colour] = -1
    state.deck_count = <uint8_t>shuffled(bit(rules.cards) - 1 if rules.cards < 64 else ~<uint64_t>0, 0, 0, dice,
                                         state.deck)
    if rules.first_player_rolls:
        state.first_colour = <uint8_t>roll_for_first(rules, dice, events)
    state.turn_colour = state.first_colour
    state.phase = PHASE_CLAIM
    if rules.deal:
        deal_territories(rules, state, dice, events)
        state.phase = PHASE_PLACE
    settle(rules, state, dice, events)


cdef uint32_t pending(const void *rules_block, const void *state_block) noexcept nogil:
    cdef const State *state = <const State *>state_block
    if state.phase == PHASE_OVER:
        return 0
    return <uint32_t>1 << acting_seat(<const Rules *>rules_block, state)


cdef int legal(const void *rules_block, const void *state_block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef const State *state = <const State *>state_block
    if state.phase == PHASE_OVER or seat != acting_seat(rules, state):
        return 0
    if state.phase == PHASE_ATTACK:
        return attack_legal(rules, state, out)
    if state.phase == PHASE_DEFEND:
        return defend_legal(state, out, cap)
    if state.phase == PHASE_DEPLOY:
        return deploy_legal(rules, state, out, cap)
    if state.phase == PHASE_OCCUPY:
        return occupy_legal(rules, state, out, cap)
    if state.phase == PHASE_FORTIFY:
        return fortify_legal(rules, state, out, cap)
    if state.phase == PHASE_TRADE:
        return trade_legal(rules, state, out, cap)
    if state.phase == PHASE_BONUS:
        return bonus_legal(rules, state, out, cap)
    if state.phase == PHASE_PLACE:
        return place_legal(rules, state, out, cap)
    return claim_legal(rules, state, out, cap)


cdef int apply(const void *rules_block, void *state_block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int broken
    if state.phase == PHASE_OVER or seat != acting_seat(rules, state):
        return RULE_NOT_ASKED
    broken = answer(rules, state, action, dice, events)
    if broken:
        return broken
    state.decisions += 1
    settle(rules, state, dice, events)
    return RULE_OK


cdef void leave_the_board(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """The colour's troops turn neutral where they stand: no turns, no reinforcements, its cards discarded."""
    state.discards |= state.hand[colour]
    state.hand[colour] = 0
    state.cards_held[colour] = 0
    state.pool[colour] = 0
    strike_out(rules, state, colour, events)
    if state.turn_colour != colour:
        return
    state.bonus_choices = 0
    if state.phase == PHASE_CLAIM or state.phase == PHASE_PLACE:
        state.placed = 0
        state.turn_colour = <uint8_t>next_living(rules, state, colour)
    else:
        end_battle(state)
        state.captured = 0
        state.phase = PHASE_END


cdef int retire(const void *rules_block, void *state_block, int seat, int mode, Dice *dice,
                EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int colour
    cdef bint alive = False
    if mode != RETIRE_PASSIVE and mode != RETIRE_NEUTRAL:
        return RULE_BAD_MODE
    for colour in range(rules.colours):
        if rules.colour_seat[colour] == seat and (state.living >> colour) & 1:
            alive = True
    if state.phase == PHASE_OVER or state.retired[seat] or not alive:
        return RULE_ALREADY_OUT
    if state.phase == PHASE_OCCUPY and turn_seat(rules, state) == seat:
        move_in(rules, state, least_move(rules, state), events)  # the capture stands; who fell is out
        if state.phase == PHASE_OVER:
            return RULE_OK
    state.retired[seat] = <uint8_t>mode
    emit(events, EVENT_RETIRED, seat, 0, 0, 0, mode, everyone(rules))
    if mode == RETIRE_NEUTRAL:
        for colour in range(rules.colours):
            if rules.colour_seat[colour] == seat and (state.living >> colour) & 1:
                leave_the_board(rules, state, colour, events)
    if one_team(rules, state, True):
        finish(rules, state, BY_FORFEIT, events)
    else:
        settle(rules, state, dice, events)
    return RULE_OK


cdef void result(const void *rules_block, const void *state_block, Facts *facts) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef const State *state = <const State *>state_block
    cdef int colour
    cdef int seat
    cdef int other
    cdef int territory
    memset(facts, 0, sizeof(Facts))
    facts.termination = state.termination
    facts.lap = state.lap
    facts.decisions = state.decisions
    for seat in range(rules.seats):
        facts.eliminated_at[seat] = -1
        facts.retired[seat] = state.retired[seat]
    for colour in range(rules.colours):
        if colour == rules.neutral_colour:
            continue
        seat = rules.colour_seat[colour]
        if state.eliminated_at[colour] > facts.eliminated_at[seat]:
            facts.eliminated_at[seat] = state.eliminated_at[colour]
        facts.territories[seat] += count(state.owned[colour])
        for territory in range(rules.territories):
            if state.owner[territory] == colour:
                facts.troops[seat] += state.troops[territory]
        if (state.living >> colour) & 1:
            facts.survivors |= <uint32_t>1 << seat
            if state.termination == BY_RULES or (state.termination == BY_FORFEIT and not state.retired[seat]):
                facts.winners |= <uint32_t>1 << seat
    for seat in range(rules.seats):
        if (facts.survivors >> seat) & 1:
            facts.eliminated_at[seat] = -1   # a seat falls with its last colour
        for other in range(rules.seats):
            if rules.seat_team[seat] == rules.seat_team[other] and (facts.winners >> other) & 1:
                facts.winners |= <uint32_t>1 << seat


cdef void redact(const void *rules_block, void *state_block, int seat) noexcept nogil:
    blank(<const Rules *>rules_block, <State *>state_block, seat)


cdef void resample(const void *rules_block, void *state_block, int seat, Dice *dice) noexcept nogil:
    guess(<const Rules *>rules_block, <State *>state_block, dice)


cdef int export_fields(const void *rules_block, const void *state_block, int32_t *out) noexcept nogil:
    return export_all(<const Rules *>rules_block, <const State *>state_block, out)


cdef int import_fields(const void *rules_block, void *state_block, const int32_t *words) noexcept nogil:
    memset((<State *>state_block).owner, NONE, MAX_TERRITORIES)
    return import_all(<const Rules *>rules_block, <State *>state_block, words)


cdef int check(const void *rules_block, const void *state_block) noexcept nogil:
    return broken_invariant(<const Rules *>rules_block, <const State *>state_block)


cdef Kernel KERNEL
KERNEL.abi = KERNEL_ABI
KERNEL.max_die = 6
KERNEL.state_size = sizeof(State)
KERNEL.init = init
KERNEL.pending = pending
KERNEL.legal = legal
KERNEL.apply = apply
KERNEL.retire = retire
KERNEL.result = result
KERNEL.redact = redact
KERNEL.resample = resample
KERNEL.check = check
KERNEL.export_fields = export_fields
KERNEL.import_fields = import_fields

kernel_capsule = PyCapsule_New(&KERNEL, "engine_core.Kernel", NULL)


FIXED_VALUES = {
    "fixed_2003": (6, 8, 4, 10, 0),
    "fixed_yura": (4, 6, 8, 10, 0),
    "italian": (6, 8, 4, 10, 12),


}


cdef void bind_behaviour(Rules *rules, dict options):
    """Choose the functions and numbers that the options name; nothing asks for a name after this."""
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
    rules.fortify_reach = path_reach if options["fortify"] == "path" else adjacent_reach
    rules.defender_asked = defender_chooses if options["defender_dice"] == "choose" else defender_takes_most
    rules.bonus_a_turn = {"per_turn": 1, "per_trade": 255, "none": 0}[options["territory_bonus"]]
    rules.elimination_trade_at = 6 if options["elimination_trade"] == "immediate_to_4" else 0
    rules.first_player_rolls = options["first_player"] == "roll"
    rules.deal = options["setup"] != "claim"
    rules.reinforce_start_next = options["reinforce_start"] == "next"
    rules.reshuffle_discards = options["deck_exhausted"] == "reshuffle_discards"
    rules.draw_at_end_attack = options["card_draw_time"] == "end_attack"
    rules.min_move_dice = options["min_move"] == "dice_rolled"
    rules.last_capture_ends = options["last_capture"] == "end"
    rules.must_trade_at = options["must_trade_at"]
    rules.starting_troops = options["starting_troops"]
    rules.turn_cap = options["turn_cap"]


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
        for territory in board.members(number):
            rules.region_members[number] |= bit(territory)


cdef void place_deck(Rules *rules, object deck):
    rules.cards = len(deck.cards)
    symbols = ("infantry", "cavalry", "artillery", "wild")
    for number, card in enumerate(deck.cards):
        rules.symbol_cards[symbols.index(card.symbol)] |= bit(number)
        rules.card_territory[number] = NONE if card.territory < 0 else card.territory


def compile_rules(ruleset):
    """The rules block of a ruleset, as bytes that stay valid in this process."""
    cdef Rules rules
    memset(&rules, 0, sizeof(Rules))
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
    bind_behaviour(&rules, dict(ruleset.options))
    return (<char *>&rules)[:sizeof(Rules)]
