"""Reinforcements at the start of a turn, and deploying them."""

from libc.stdint cimport uint64_t

from engine_core.bits cimport count, has, lowest, without_lowest
from engine_core.conquest.state cimport (
    EVENT_DEPLOYED, KIND_DEPLOY, PHASE_ATTACK, RULE_AMOUNT, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_OK,
    RULE_UNUSED_OPERAND, Rules, State, add_troops, all_of, everyone, is_own, turn_seat,
)
from engine_core.kernel cimport Action, ActionRange, EventLog, add_range, emit

cdef inline int income(const Rules *rules, const State *state, int colour) noexcept nogil:
    """A third of the territories, rounded down and at least 3; then the bonus of every region held whole."""
    cdef uint64_t own = state.owned[colour]
    cdef int troops = count(own) // 3
    cdef int region
    if troops < 3:
        troops = 3
    for region in range(rules.regions):
        if all_of(own, rules.region_members[region]):
            troops += rules.region_bonus[region]
    return troops

cdef inline int deploy_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t own = state.owned[state.turn_colour]
    while own:
        add_range(out, &n, cap, KIND_DEPLOY, lowest(own), 0, 0, 1, state.reinforcements)
        own = without_lowest(own)
    return n

cdef inline void deploy(const Rules *rules, State *state, int territory, int troops,
                        EventLog *events) noexcept nogil:
    add_troops(state, territory, troops)
    state.reinforcements -= troops
    emit(events, EVENT_DEPLOYED, turn_seat(rules, state), territory, 0, 0, troops, everyone(rules))

cdef inline int deploy_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.b or action.c:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not is_own(state, action.a):
        return RULE_NOT_OWN
    if action.n < 1 or action.n > state.reinforcements:
        return RULE_AMOUNT
    deploy(rules, state, action.a, action.n, events)
    return RULE_OK

cdef inline bint deploy_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a deployment must be asked for: all reinforcements have to be placed before the attacks."""
    cdef uint64_t own = state.owned[state.turn_colour]
    if state.reinforcements == 1 and not without_lowest(own):
        deploy(rules, state, lowest(own), 1, events)
    if state.reinforcements:
        return True
    state.phase = PHASE_ATTACK
    return False
