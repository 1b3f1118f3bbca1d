"""The battle on the ground: the shield track, storm troopers in ambush, the assault."""

from libc.stdint cimport uint8_t

from engine_core.dice cimport Dice
from engine_core.endor.state cimport (
    DIE_SIDES, EVENT_AMBUSHED, EVENT_ASSAULTED, EVENT_SHIELD_DOWN, MOST_DICE, ORDER_ASSAULT, Rules, State, everyone,
    roll_for, shield_is_down, tell_dice,
)
from engine_core.kernel cimport NONE, EventLog, emit

cdef inline int ambush_size(const Rules *rules, const State *state) noexcept nogil:
    """How many storm troopers an ambush can place: one a space, on the next ones that have none."""
    cdef int ahead = min(rules.shield_length - state.shield, rules.trooper_reach)
    return min(rules.troopers_placed, rules.trooper_supply - state.troopers, ahead - state.troopers)

cdef inline void ambush(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    cdef int placed = ambush_size(rules, state)
    state.troopers += <uint8_t>placed
    emit(events, EVENT_AMBUSHED, state.turn, 0, 0, 0, placed, everyone(rules))

cdef inline bint can_assault(const Rules *rules, const State *state) noexcept nogil:
    return not shield_is_down(rules, state)

cdef inline int next_space_needs(const Rules *rules, const State *state) noexcept nogil:
    """The lowest die for the next space: a storm trooper there makes it one more."""
    return rules.shield[state.shield] + (state.troopers > 0)

cdef inline void assault(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """As far as the dice allow, each space with the lowest die that suffices; troopers passed can be used again."""
    cdef uint8_t rolled[MOST_DICE]
    cdef uint8_t left[DIE_SIDES + 1]
    cdef int gone = 0
    cdef int die
    cdef int i
    for die in range(DIE_SIDES + 1):
        left[die] = 0
    roll_for(state, ORDER_ASSAULT, rules.assault_dice, dice, rolled)
    for i in range(rules.assault_dice):
        left[rolled[i]] += 1
    while not shield_is_down(rules, state):
        die = next_space_needs(rules, state)
        while die <= DIE_SIDES and not left[die]:
            die += 1
        if die > DIE_SIDES:
            break
        left[die] -= 1
        gone += 1
        state.shield += 1
        if state.troopers:
            state.troopers -= 1
    tell_dice(emit(events, EVENT_ASSAULTED, state.turn, 0, 0, 0, gone, everyone(rules)), rolled, rules.assault_dice)
    if shield_is_down(rules, state):
        emit(events, EVENT_SHIELD_DOWN, NONE, 0, 0, 0, 0, everyone(rules))
