"""Giving an order of the card that lies open: which ones can be given, and what each begins."""

from libc.stdint cimport uint8_t, uint32_t

from engine_core.bits cimport lowest, without_lowest
from engine_core.dice cimport Dice
from engine_core.endor.cards cimport put_away
from engine_core.endor.duel cimport can_duel, duel
from engine_core.endor.fleet cimport can_attack, can_deploy, can_move, fire_targets
from engine_core.endor.ground cimport ambush, ambush_size, assault, can_assault
from engine_core.endor.state cimport (
    EVENT_ORDERED, EVENT_PASSED, KIND_ORDER, KIND_PASS, ORDER_AMBUSH, ORDER_ASSAULT, ORDER_DEATH_STAR, ORDERS,
    PHASE_FIRE, PHASE_MOVE, PHASE_NEXT, RULE_NOT_ON_CARD, RULE_NOT_USABLE, RULE_OK, RULE_UNUSED_OPERAND,
    RULE_WRONG_PHASE, SHIPS, Rules, State, everyone, only,
)
from engine_core.kernel cimport Action, ActionRange, EventLog, add_range, emit

cdef inline bint can_order(const Rules *rules, const State *state, int order) noexcept nogil:
    """Whether the order can do anything: something to move, deploy or shoot at, somebody to fight."""
    if order < SHIPS:
        return can_move(rules, state, order) or can_attack(rules, state, order) or can_deploy(state, order)
    if order == ORDER_DEATH_STAR:
        return fire_targets(rules, state) != 0
    if order == ORDER_ASSAULT:
        return can_assault(rules, state)
    if order == ORDER_AMBUSH:
        return ambush_size(rules, state) > 0
    return can_duel(rules, state, order)

cdef inline uint32_t usable_orders(const Rules *rules, const State *state) noexcept nogil:
    """The orders on the open card that can be given."""
    cdef uint32_t orders = rules.card_orders[state.flipped]
    cdef uint32_t usable = 0
    while orders:
        if can_order(rules, state, lowest(orders)):
            usable |= only(lowest(orders))
        orders = without_lowest(orders)
    return usable

cdef inline bint can_do_anything(const Rules *rules, const State *state) noexcept nogil:
    """Whether any order on the open card can be given."""
    cdef uint32_t orders = rules.card_orders[state.flipped]
    while orders:
        if can_order(rules, state, lowest(orders)):
            return True
        orders = without_lowest(orders)
    return False

cdef inline int order_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef uint32_t orders = usable_orders(rules, state)
    cdef int count = 0
    add_range(out, &count, cap, KIND_PASS, 0, 0, 0, 0, 0)
    while orders:
        add_range(out, &count, cap, KIND_ORDER, lowest(orders), 0, 0, 0, 0)
        orders = without_lowest(orders)
    return count

cdef inline int order_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= ORDERS or not rules.card_orders[state.flipped] & only(action.a):
        return RULE_NOT_ON_CARD
    return RULE_OK if can_order(rules, state, action.a) else RULE_NOT_USABLE

cdef inline void end_order(State *state) noexcept nogil:
    put_away(state)
    state.phase = PHASE_NEXT

cdef inline void pass_card(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    emit(events, EVENT_PASSED, state.turn, state.flipped, 0, 0, 0, everyone(rules))
    end_order(state)

cdef inline void give_order(const Rules *rules, State *state, int order, Dice *dice, EventLog *events) noexcept nogil:
    """Begin the order of a ship or the Death Star, carry out any other."""
    emit(events, EVENT_ORDERED, state.turn, order, 0, 0, 0, everyone(rules))
    state.order = <uint8_t>order
    if order < SHIPS:
        state.phase = PHASE_MOVE
        return
    if order == ORDER_DEATH_STAR:
        state.phase = PHASE_FIRE
        return
    if order == ORDER_ASSAULT:
        assault(rules, state, dice, events)
    elif order == ORDER_AMBUSH:
        ambush(rules, state, events)
    else:
        duel(rules, state, order, dice, events)
    end_order(state)
