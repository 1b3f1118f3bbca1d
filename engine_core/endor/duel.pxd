"""Luke Skywalker against Darth Vader and the Emperor: hits, redemption and the bonus orders they bring."""

from libc.stdint cimport uint8_t

from engine_core.dice cimport Dice
from engine_core.endor.cards cimport draw_bonus
from engine_core.endor.state cimport (
    EVENT_DUELLED, EVENT_FELL, HERO_EMPEROR, HERO_LUKE, HERO_VADER, MOST_DICE, ORDER_EMPEROR, ORDER_LUKE,
    ORDER_REDEEM, ORDER_VADER, Rules, State, everyone, roll_for, tell_dice,
)
from engine_core.kernel cimport NONE, EventLog, emit

cdef inline bint can_duel(const Rules *rules, const State *state, int order) noexcept nogil:
    """Luke and Vader fight as long as both live; the Emperor strikes as long as Luke lives and Vader is his."""
    if order == ORDER_REDEEM:
        return can_redeem(rules, state)
    if not state.luke:
        return False
    if order == ORDER_EMPEROR:
        return not state.redeemed and (state.vader > 0 or rules.emperor_outlives_vader)
    return state.vader > 0

cdef inline bint can_redeem(const Rules *rules, const State *state) noexcept nogil:
    """While Vader's marker is on a red space."""
    if not state.luke and rules.redeem_needs_luke:
        return False
    return 1 <= state.vader <= rules.redemption

cdef inline void fell(const Rules *rules, int hero, EventLog *events) noexcept nogil:
    emit(events, EVENT_FELL, NONE, hero, 0, 0, 0, everyone(rules))

cdef inline int duel_roll(const Rules *rules, State *state, int order, Dice *dice, EventLog *events) noexcept nogil:
    """Roll for Luke or Vader; return the hits."""
    cdef uint8_t rolled[MOST_DICE]
    cdef int hits = 0
    cdef int i
    roll_for(state, order, rules.duel_dice, dice, rolled)
    for i in range(rules.duel_dice):
        hits += rolled[i] >= rules.duel_needs
    tell_dice(emit(events, EVENT_DUELLED, state.turn, order, 0, 0, hits, everyone(rules)), rolled, rules.duel_dice)
    return hits

cdef inline void hit_luke(const Rules *rules, State *state, int hits, Dice *dice, EventLog *events) noexcept nogil:
    state.luke -= <uint8_t>min(hits, <int>state.luke)
    if not state.luke:
        fell(rules, HERO_LUKE, events)
        draw_bonus(rules, state, state.turn, rules.bonus_luke, dice, events)

cdef inline void hit_vader(const Rules *rules, State *state, int hits, Dice *dice, EventLog *events) noexcept nogil:
    state.vader -= <uint8_t>min(hits, <int>state.vader)
    if not state.vader:
        fell(rules, HERO_VADER, events)
        draw_bonus(rules, state, state.turn, rules.bonus_vader, dice, events)

cdef inline void redeem(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Vader kills the Emperor and dies."""
    state.vader = 0
    state.redeemed = 1
    fell(rules, HERO_VADER, events)
    fell(rules, HERO_EMPEROR, events)
    draw_bonus(rules, state, state.turn, rules.bonus_redeem, dice, events)

cdef inline void duel(const Rules *rules, State *state, int order, Dice *dice, EventLog *events) noexcept nogil:
    """Carry out an order of the duel."""
    if order == ORDER_LUKE:
        hit_vader(rules, state, duel_roll(rules, state, order, dice, events), dice, events)
    elif order == ORDER_VADER:
        hit_luke(rules, state, duel_roll(rules, state, order, dice, events), dice, events)
    elif order == ORDER_EMPEROR:
        emit(events, EVENT_DUELLED, state.turn, order, 0, 0, rules.emperor_hits, everyone(rules))
        hit_luke(rules, state, rules.emperor_hits, dice, events)
    else:
        redeem(rules, state, dice, events)
