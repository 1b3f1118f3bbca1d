"""Reinforcements at the start of a turn, and deploying them."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport count, lowest, without_lowest
from engine_core.conquest.capitals cimport capitals_held
from engine_core.conquest.rewards cimport has_reward
from engine_core.conquest.state cimport (
    EVENT_DEPLOYED, EVENT_LOST_TROOPS, KIND_DEPLOY, PHASE_ATTACK, PHASE_MANEUVER, REWARD_STARTING_MANEUVER,
    REWARD_TWO_TROOPS, RULE_AMOUNT, RULE_NO_ROOM, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_OK,
    RULE_UNUSED_OPERAND, Rules, State, add_troops, all_of, everyone, is_own, room, turn_seat, with_room,
)
from engine_core.kernel cimport Action, ActionRange, EventLog, emit, put_range

cdef inline int income(const Rules *rules, const State *state, int colour) noexcept nogil:
    """A third of the territories and cities, rounded down, at least 3; then regions, capitals and rewards."""
    cdef uint64_t own = state.owned[colour]
    cdef int troops = (count(own) + count(own & state.cities)) // 3
    cdef int region
    if troops < 3:
        troops = 3
    for region in range(rules.regions):
        if all_of(own, rules.region_members[region]):
            troops += rules.region_bonus[region]
    if rules.capitals:
        troops += capitals_held(rules, state, colour, True)
    if rules.rewards and has_reward(state, REWARD_TWO_TROOPS, colour):
        troops += rules.reward_troops
    return troops

cdef inline int most_deployed(const Rules *rules, const State *state, int territory) noexcept nogil:
    cdef int left = room(rules, state, territory)
    return left if left < state.reinforcements else state.reinforcements

cdef inline int deploy_legal(const Rules *rules, const State *state, ActionRange *out) noexcept nogil:
    """One range for every own territory with room."""
    cdef int n = 0
    cdef int territory
    cdef uint64_t own = with_room(state, state.owned[state.turn_colour])
    while own:
        territory = lowest(own)
        own = without_lowest(own)
        put_range(out, &n, KIND_DEPLOY | (<uint32_t>territory << 8), 1, most_deployed(rules, state, territory))
    return n

cdef inline void deploy(const Rules *rules, State *state, int territory, int troops,
                        EventLog *events) noexcept nogil:
    add_troops(rules, state, territory, troops)
    state.reinforcements -= troops
    state.unchecked = 1
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
    if action.n > room(rules, state, action.a):
        return RULE_NO_ROOM
    deploy(rules, state, action.a, action.n, events)
    return RULE_OK

cdef inline bint deploy_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a deployment must be asked for: what finds room has to be placed before the attacks."""
    cdef uint64_t open
    while state.reinforcements:
        open = with_room(state, state.owned[state.turn_colour])
        if not open:
            emit(events, EVENT_LOST_TROOPS, turn_seat(rules, state), 0, 0, 0, state.reinforcements, everyone(rules))
            state.reinforcements = 0
        elif without_lowest(open) or most_deployed(rules, state, lowest(open)) > 1:
            return True
        else:
            deploy(rules, state, lowest(open), 1, events)
    state.phase = PHASE_ATTACK
    if rules.rewards and not state.during_attack and has_reward(state, REWARD_STARTING_MANEUVER, state.turn_colour):
        state.phase = PHASE_MANEUVER
    return False
