"""The one free move at the end of a turn."""

from libc.stdint cimport uint64_t

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.conquest.state cimport (
    EVENT_FORTIFIED, KIND_END, KIND_FORTIFY, PHASE_END, RULE_LEAVE_ONE, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN,
    RULE_NOT_REACHABLE, RULE_OK, RULE_UNUSED_OPERAND, Rules, State, add_troops, everyone, is_own, turn_seat,
)
from engine_core.kernel cimport Action, ActionRange, EventLog, add_range, emit

cdef inline uint64_t adjacent_reach(const Rules *rules, const State *state, int source) noexcept nogil:
    """Own territories that border the source."""
    return rules.adjacent[source] & state.owned[state.turn_colour]

cdef inline uint64_t path_reach(const Rules *rules, const State *state, int source) noexcept nogil:
    """Own territories joined to the source by a chain of own ones."""
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t reached = bit(source)
    cdef uint64_t fresh = reached
    cdef uint64_t found
    while fresh:
        found = rules.adjacent[lowest(fresh)] & own & ~reached
        fresh = without_lowest(fresh) | found
        reached |= found
    return reached & ~bit(source)

cdef inline bint can_fortify(const Rules *rules, const State *state) noexcept nogil:
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t left = own & state.strong
    while left:
        if rules.adjacent[lowest(left)] & own:
            return True
        left = without_lowest(left)
    return False

cdef inline int fortify_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t left = state.owned[state.turn_colour] & state.strong
    cdef uint64_t targets
    cdef int source
    while left:
        source = lowest(left)
        left = without_lowest(left)
        targets = rules.fortify_reach(rules, state, source)
        while targets:
            add_range(out, &n, cap, KIND_FORTIFY, source, lowest(targets), 0, 1, state.troops[source] - 1)
            targets = without_lowest(targets)
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline int fortify_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.c:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories or action.b >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not is_own(state, action.a) or not is_own(state, action.b):
        return RULE_NOT_OWN
    if not has(rules.fortify_reach(rules, state, action.a), action.b):
        return RULE_NOT_REACHABLE
    if action.n < 1 or action.n >= state.troops[action.a]:
        return RULE_LEAVE_ONE
    add_troops(state, action.a, -action.n)
    add_troops(state, action.b, action.n)
    emit(events, EVENT_FORTIFIED, turn_seat(rules, state), action.a, action.b, 0, action.n, everyone(rules))
    state.phase = PHASE_END
    return RULE_OK
