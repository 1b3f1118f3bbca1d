"""The conquest family: the kernel's functions; the rules block is made in binding.pyx."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit, count
from engine_core.conquest.capitals cimport (
    capital_legal, headquarters_apply, headquarters_legal, seats_that_pick,
)
from engine_core.conquest.cards cimport bonus_legal, shuffled, trade_legal
from engine_core.conquest.combat cimport attack_legal, defend_legal, end_battle, least_move, occupy_legal
from engine_core.conquest.elimination cimport is_falling, strike_out
from engine_core.conquest.fields cimport export_all, import_all
from engine_core.conquest.fortify cimport end_fortify, fortify_legal
from engine_core.conquest.income cimport deploy_legal
from engine_core.conquest.invariants cimport broken_invariant
from engine_core.conquest.missions cimport deal_missions
from engine_core.conquest.objectives cimport found_cities, lay_objectives, objective_legal
from engine_core.conquest.rewards cimport airfield_legal
from engine_core.conquest.secrets cimport blank, guess
from engine_core.conquest.setup cimport claim_legal, deal_territories, place_legal, roll_for_first
from engine_core.conquest.state cimport (
    EVENT_RETIRED, KIND_END, KIND_HEADQUARTERS, PHASE_AIRFIELD, PHASE_ATTACK, PHASE_BONUS, PHASE_CAPITAL, PHASE_CLAIM,
    PHASE_DEFEND, PHASE_DEPLOY, PHASE_FORTIFY, PHASE_HEADQUARTERS, PHASE_MANEUVER, PHASE_OBJECTIVE, PHASE_OCCUPY,
    PHASE_OVER, PHASE_PLACE, PHASE_REROLL, PHASE_STARS, PHASE_TRADE, RULE_ALREADY_OUT, RULE_BAD_MODE,
    RULE_CANNOT_STOP, RULE_NOT_ASKED, RULE_OK, RULE_WRONG_PHASE, Rules, State, acting_seat, everyone, in_setup,
    next_living, reset, turn_seat,
)
from engine_core.conquest.special_dice cimport reroll_legal
from engine_core.conquest.stars cimport stars_legal
from engine_core.conquest.turn cimport answer, move_in, settle
from engine_core.conquest.victory cimport finish, one_team
from engine_core.dice cimport Dice
from engine_core.kernel cimport (
    BY_FORFEIT, BY_RULES, KERNEL_ABI, NONE, RETIRE_NEUTRAL, RETIRE_PASSIVE,
    Action, ActionRange, EventLog, Facts, Kernel, emit,
)

from engine_core.conquest.binding import compile_rules
from engine_core.conquest.describe import describe
from engine_core.conquest.options import OPTIONS, complete

__all__ = ["OPTIONS", "compile_rules", "complete", "describe", "kernel_capsule"]


cdef void init(const void *rules_block, void *state_block, Dice *dice, EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int colour
    reset(state)
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
    if rules.capitals:
        state.phase = PHASE_CAPITAL
    if rules.missions:
        deal_missions(rules, state, dice, events)
    if rules.cities:
        found_cities(rules, state, dice, events)
    if rules.objectives:
        lay_objectives(rules, state, dice, events)
    settle(rules, state, dice, events)


cdef uint32_t pending(const void *rules_block, const void *state_block) noexcept nogil:
    cdef const State *state = <const State *>state_block
    if state.phase == PHASE_OVER:
        return 0
    if state.phase == PHASE_HEADQUARTERS:
        return seats_that_pick(<const Rules *>rules_block, state)
    return <uint32_t>1 << acting_seat(<const Rules *>rules_block, state)


cdef inline bint is_asked(const Rules *rules, const State *state, int seat) noexcept nogil:
    """Whether the seat owes a decision."""
    if state.phase == PHASE_HEADQUARTERS:
        return (seats_that_pick(rules, state) >> seat) & 1
    return state.phase != PHASE_OVER and seat == acting_seat(rules, state)


cdef int goal_legal(const Rules *rules, const State *state, int seat, ActionRange *out, int cap) noexcept nogil:
    """The legal ranges in the phases of capitals, headquarters, objectives and expert dice."""
    if state.phase == PHASE_MANEUVER:
        return fortify_legal(rules, state, out, cap)
    if state.phase == PHASE_STARS:
        return stars_legal(rules, state, out, cap)
    if state.phase == PHASE_OBJECTIVE:
        return objective_legal(rules, state, out, cap)
    if state.phase == PHASE_REROLL:
        return reroll_legal(rules, state, out, cap)
    if state.phase == PHASE_AIRFIELD:
        return airfield_legal(rules, state, out, cap)
    if state.phase == PHASE_CAPITAL:
        return capital_legal(rules, state, out, cap)
    return headquarters_legal(rules, state, seat, out, cap)


cdef int legal(const void *rules_block, const void *state_block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef const State *state = <const State *>state_block
    if not is_asked(rules, state, seat):
        return 0
    if state.phase == PHASE_ATTACK:
        return attack_legal(rules, state, out)
    if state.phase == PHASE_DEFEND:
        return defend_legal(state, out, cap)
    if state.phase == PHASE_DEPLOY:
        return deploy_legal(rules, state, out)
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
    if state.phase == PHASE_CLAIM:
        return claim_legal(rules, state, out, cap)
    return goal_legal(rules, state, seat, out, cap)


cdef int apply(const void *rules_block, void *state_block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int broken
    if not is_asked(rules, state, seat):
        return RULE_NOT_ASKED
    if state.phase == PHASE_HEADQUARTERS:
        broken = RULE_CANNOT_STOP if action.kind == KIND_END else RULE_WRONG_PHASE
        if action.kind == KIND_HEADQUARTERS:
            broken = headquarters_apply(rules, state, seat, action, events)
    else:
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
    strike_out(rules, state, colour, NONE, events)
    if state.phase == PHASE_HEADQUARTERS:
        state.capital[colour] = NONE
    if state.turn_colour != colour:
        return
    state.bonus_choices = 0
    if in_setup(state):
        state.placed = 0
        state.turn_colour = <uint8_t>next_living(rules, state, colour)
    else:
        end_battle(state)
        memset(state.rolled, 0, sizeof(state.rolled))
        state.captured = 0
        end_fortify(state)


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
            if rules.colour_seat[colour] != seat or not (state.living >> colour) & 1:
                continue
            if colour != state.victim or not is_falling(state, colour):  # else it falls to the captor, who takes all
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
            if state.winner != NONE and state.winner != colour:
                continue
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
    reset(<State *>state_block)
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
