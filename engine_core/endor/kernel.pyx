"""The endor family: the kernel's functions; the rules block is made in binding.pyx."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from engine_core.dice cimport Dice
from engine_core.endor.cards cimport draw_cards, pick_apply, pick_legal, seats_that_choose, shuffle_decks, still_chooses
from engine_core.endor.fields cimport export_all, import_all
from engine_core.endor.fleet cimport attack_legal, fire_legal, hit_legal, move_legal
from engine_core.endor.invariants cimport broken_invariant
from engine_core.endor.orders cimport order_legal
from engine_core.endor.secrets cimport blank, guess
from engine_core.endor.state cimport (
    DIE_SIDES, EMPIRE, EVENT_RETIRED, FALCON, FIGHTERS, KIND_PASS, PHASE_ASSIGN, PHASE_ATTACK, PHASE_MOVE, PHASE_ORDER,
    PHASE_OVER, PHASE_PLAN, REBELS, RULE_ALREADY_OUT, RULE_BAD_MODE, RULE_NOT_ASKED, RULE_OK, RULE_UNUSED_OPERAND,
    SHIPS, Rules, State, everyone, finish, only, put_ships, reset,
)
from engine_core.endor.turn cimport answer, begin_round, settle
from engine_core.kernel cimport (
    BY_FORFEIT, BY_RULES, KERNEL_ABI, RETIRE_NEUTRAL, RETIRE_PASSIVE, Action, ActionRange, EventLog, Facts,
    Kernel, emit,
)

from engine_core.endor.binding import compile_rules
from engine_core.endor.describe import describe
from engine_core.endor.options import OPTIONS, complete

__all__ = ["OPTIONS", "compile_rules", "complete", "describe", "kernel_capsule"]


cdef void set_up(const Rules *rules, State *state) noexcept nogil:
    """Ships, markers and tracks as printed."""
    cdef int ship
    cdef int place
    for ship in range(FIGHTERS):
        state.box[ship] = rules.pieces[ship]
        for place in range(rules.places):
            put_ships(state, ship, place, rules.start[ship][place])
            state.box[ship] -= rules.start[ship][place]
    state.aboard = rules.start_aboard
    state.box[FIGHTERS - 1] -= rules.start_aboard
    for ship in range(FALCON, SHIPS):
        state.where[ship] = only(rules.start_special[ship])
        state.hits[ship] = rules.track[ship]
    state.markers = <uint8_t>((1 << rules.markers) - 1)
    state.luke = <uint8_t>rules.luke_hits
    state.vader = <uint8_t>rules.vader_hits


cdef void init(const void *rules_block, void *state_block, Dice *dice, EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int seat
    reset(state)
    set_up(rules, state)
    shuffle_decks(rules, state, dice)
    for seat in range(rules.seats):
        draw_cards(rules, state, seat, rules.hand, dice, events)
    state.lap = 1
    begin_round(rules, state, events)
    settle(rules, state, dice, events)


cdef uint32_t pending(const void *rules_block, const void *state_block) noexcept nogil:
    cdef const State *state = <const State *>state_block
    if state.phase == PHASE_OVER:
        return 0
    if state.phase == PHASE_PLAN:
        return seats_that_choose(<const Rules *>rules_block, state)
    return only(state.turn)


cdef inline bint is_asked(const Rules *rules, const State *state, int seat) noexcept nogil:
    """Whether the seat owes a decision."""
    if state.phase == PHASE_PLAN:
        return still_chooses(rules, state, seat)
    return state.phase != PHASE_OVER and state.turn == seat


cdef int legal(const void *rules_block, const void *state_block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef const State *state = <const State *>state_block
    if not is_asked(rules, state, seat):
        return 0
    if state.phase == PHASE_PLAN:
        return pick_legal(rules, state, seat, out, cap)
    if state.phase == PHASE_ORDER:
        return order_legal(rules, state, out, cap)
    if state.phase == PHASE_MOVE:
        return move_legal(rules, state, out, cap)
    if state.phase == PHASE_ATTACK:
        return attack_legal(rules, state, out, cap)
    if state.phase == PHASE_ASSIGN:
        return hit_legal(rules, state, out, cap)
    return fire_legal(rules, state, out, cap)


cdef int apply(const void *rules_block, void *state_block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    cdef int broken
    if not is_asked(rules, state, seat):
        return RULE_NOT_ASKED
    if action.kind == KIND_PASS and (action.a or action.b or action.c or action.n):
        return RULE_UNUSED_OPERAND
    if state.phase == PHASE_PLAN:
        broken = pick_apply(rules, state, seat, action, events)
    else:
        broken = answer(rules, state, action, dice, events)
    if broken:
        return broken
    state.decisions += 1
    settle(rules, state, dice, events)
    return RULE_OK


cdef int retire(const void *rules_block, void *state_block, int seat, int mode, Dice *_dice,
                EventLog *events) noexcept nogil:
    """A side that loses a commander has lost."""
    cdef const Rules *rules = <const Rules *>rules_block
    cdef State *state = <State *>state_block
    if mode != RETIRE_PASSIVE and mode != RETIRE_NEUTRAL:
        return RULE_BAD_MODE
    if state.phase == PHASE_OVER:
        return RULE_ALREADY_OUT
    state.retired[seat] = <uint8_t>mode
    emit(events, EVENT_RETIRED, seat, 0, 0, 0, mode, everyone(rules))
    finish(rules, state, BY_FORFEIT, EMPIRE if rules.side[seat] == REBELS else REBELS, events)
    return RULE_OK


cdef void result(const void *rules_block, const void *state_block, Facts *facts) noexcept nogil:
    """Who won; the sides cannot be compared by places and ships, so there are none."""
    cdef const Rules *rules = <const Rules *>rules_block
    cdef const State *state = <const State *>state_block
    cdef int seat
    memset(facts, 0, sizeof(Facts))
    facts.termination = state.termination
    facts.lap = state.lap
    facts.decisions = state.decisions
    for seat in range(rules.seats):
        facts.retired[seat] = state.retired[seat]
        facts.eliminated_at[seat] = -1
        if state.winner == rules.side[seat]:
            facts.winners |= only(seat)
        if state.termination == BY_RULES and state.winner != rules.side[seat]:
            facts.eliminated_at[seat] = 0
        else:
            facts.survivors |= only(seat)


cdef void redact(const void *rules_block, void *state_block, int seat) noexcept nogil:
    blank(<const Rules *>rules_block, <State *>state_block, seat)


cdef void resample(const void *rules_block, void *state_block, int _seat, Dice *dice) noexcept nogil:
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
KERNEL.max_die = DIE_SIDES
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
