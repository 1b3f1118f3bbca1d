"""The fields that only some rulesets have, both ways: moves, dice on the table, missions, capitals, objectives.

describe.py names them in the same order; which ones a ruleset has depends on its rules block alone.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from engine_core.bits cimport has
from engine_core.conquest.state cimport MOVES_SINGLE, ON_BOARD, REWARDS, Rules, State
from engine_core.cursor cimport Cursor, name_byte, number_byte, shown, through

cdef enum:
    GAVE = 1
    TOOK = 2
    ROLLED_DICE = 5

cdef inline bint within(int32_t value, int32_t lo, int32_t hi) noexcept nogil:
    return lo <= value <= hi

cdef inline void flags(Cursor *cursor, uint64_t *mask, int n) noexcept nogil:
    """One word for each of n bits."""
    cdef int i
    cdef uint64_t kept = 0
    for i in range(n):
        kept |= <uint64_t>(through(cursor, has(mask[0], i), 0, 1) & 1) << i
    mask[0] = kept

cdef inline void flag_byte(Cursor *cursor, uint8_t *mask, int n) noexcept nogil:
    cdef uint64_t wide = mask[0]
    flags(cursor, &wide, n)
    mask[0] = <uint8_t>wide

cdef inline void moves(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    cdef int32_t moved
    cdef uint64_t gave = state.gave
    cdef uint64_t took = state.took
    state.gave = 0
    state.took = 0
    for i in range(rules.territories):
        moved = through(cursor, GAVE if has(gave, i) else TOOK if has(took, i) else 0, 0, TOOK)
        state.gave |= <uint64_t>(moved == GAVE) << i
        state.took |= <uint64_t>(moved == TOOK) << i
    number_byte(cursor, &state.moves_left, 1)

cdef inline void dice_on_table(State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    for i in range(ROLLED_DICE):
        number_byte(cursor, &state.rolled[i], 6)
    number_byte(cursor, &state.commander_used, 1)
    number_byte(cursor, &state.rerolled, 1)

cdef inline void missions(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    for i in range(rules.colours):
        name_byte(cursor, &state.mission[i], rules.missions)
    flag_byte(cursor, &state.mission_void, rules.colours)
    flag_byte(cursor, &state.mission_refused, rules.colours)

cdef inline void capitals(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    for i in range(rules.colours):
        name_byte(cursor, &state.capital[i], rules.territories)
    if rules.headquarters:
        flag_byte(cursor, &state.capital_known, rules.colours)

cdef inline void objective(State *state, int number, int colours, Cursor *cursor) noexcept nogil:
    """-1 in the box, ON_BOARD, or the colour that holds it."""
    cdef int32_t holder = through(cursor, shown(state.objective[number]), -1, ON_BOARD)
    if within(holder, colours, ON_BOARD - 1):
        holder = ON_BOARD
        if not cursor.fault:
            cursor.fault = cursor.at
    state.objective[number] = <uint8_t>holder

cdef inline void objectives(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    flags(cursor, &state.turn_owned, rules.territories)
    for i in range(rules.objectives):
        objective(state, i, rules.colours, cursor)
    number_byte(cursor, &state.objective_claimed, 1)

cdef inline void rewards(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    for i in range(rules.objectives):
        name_byte(cursor, &state.reward_on[i], REWARDS)
    for i in range(REWARDS):
        name_byte(cursor, &state.reward[i], rules.colours)
    for i in range(2):
        name_byte(cursor, &state.airfield[i], rules.territories)
    if rules.rewards_piled:
        for i in range(REWARDS):
            name_byte(cursor, &state.reward_pile[i], REWARDS)

cdef inline void optional(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    """All fields that the ruleset has, in their order."""
    if rules.fortify_moves != MOVES_SINGLE or rules.rewards:
        moves(rules, state, cursor)
    if rules.card_reroll or rules.commander:
        dice_on_table(state, cursor)
    if rules.missions:
        missions(rules, state, cursor)
    if rules.headquarters or rules.capitals:
        capitals(rules, state, cursor)
    if rules.cities:
        flags(cursor, &state.cities, rules.territories)
    if rules.objectives:
        objectives(rules, state, cursor)
    if rules.rewards:
        rewards(rules, state, cursor)
    if rules.missions or rules.headquarters or rules.objectives:
        name_byte(cursor, &state.winner, rules.colours)

cdef inline int export_optional(const Rules *rules, const State *state, int32_t *out) noexcept nogil:
    """Write the fields; return their number."""
    cdef Cursor cursor
    cdef State copied = state[0]
    cursor.out = out
    cursor.words = NULL
    cursor.at = 0
    cursor.fault = 0
    optional(rules, &copied, &cursor)
    return cursor.at

cdef inline int import_optional(const Rules *rules, State *state, const int32_t *words) noexcept nogil:
    """Read the fields; 0, or 1 + the word that cannot be."""
    cdef Cursor cursor
    cursor.out = NULL
    cursor.words = words
    cursor.at = 0
    cursor.fault = 0
    optional(rules, state, &cursor)
    return cursor.fault
