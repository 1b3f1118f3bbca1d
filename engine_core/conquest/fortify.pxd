"""The free moves: at the end of a turn, and before the attacks for who has earned that."""

from libc.stdint cimport uint64_t

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.conquest.rewards cimport has_reward
from engine_core.conquest.state cimport (
    EVENT_FORTIFIED, KIND_END, KIND_FORTIFY, MOVES_FROM_ONE, MOVES_SINGLE, PHASE_ATTACK, PHASE_END, PHASE_FORTIFY,
    PHASE_MANEUVER, REWARD_ADDITIONAL_MANEUVER, REWARD_STARTING_MANEUVER, RULE_GAVE_OR_TOOK, RULE_LEAVE_ONE,
    RULE_NO_ROOM, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_NOT_REACHABLE, RULE_OK, RULE_UNUSED_OPERAND, Rules, State,
    add_troops, everyone, is_own, room, turn_seat, with_room,
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

cdef inline uint64_t givers(const Rules *rules, const State *state) noexcept nogil:
    """Own territories that may send troops: what took troops gives none, and one source alone where that is the rule."""
    cdef uint64_t own = state.owned[state.turn_colour] & state.strong & ~state.took
    if state.gave and rules.fortify_moves == MOVES_FROM_ONE:
        own &= state.gave
    return own

cdef inline uint64_t takers(const Rules *rules, const State *state, int source) noexcept nogil:
    """Own territories within reach of the source that may take troops."""
    return with_room(rules, state, rules.fortify_reach(rules, state, source) & ~state.gave)

cdef inline bint can_fortify(const Rules *rules, const State *state) noexcept nogil:
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t left = givers(rules, state)
    while left:
        if rules.adjacent[lowest(left)] & own:
            if rules.fortify_plain or takers(rules, state, lowest(left)):
                return True
        left = without_lowest(left)
    return False

cdef inline int fortify_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t left = givers(rules, state)
    cdef uint64_t targets
    cdef int source
    cdef int most
    while left:
        source = lowest(left)
        left = without_lowest(left)
        targets = takers(rules, state, source)
        while targets:
            most = room(rules, state, lowest(targets))
            if most >= state.troops[source]:
                most = state.troops[source] - 1
            add_range(out, &n, cap, KIND_FORTIFY, source, lowest(targets), 0, 1, most)
            targets = without_lowest(targets)
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline int fortify_check(const Rules *rules, const State *state, Action action) noexcept nogil:
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
    if not has(givers(rules, state), action.a) or has(state.gave, action.b):
        return RULE_GAVE_OR_TOOK
    if action.n > room(rules, state, action.b):
        return RULE_NO_ROOM
    return RULE_OK

cdef inline void begin_fortify(const Rules *rules, State *state) noexcept nogil:
    state.phase = PHASE_FORTIFY
    state.moves_left = rules.rewards and has_reward(state, REWARD_ADDITIONAL_MANEUVER, state.turn_colour)

cdef inline void end_fortify(State *state) noexcept nogil:
    state.phase = PHASE_END
    state.moves_left = 0
    state.gave = 0
    state.took = 0

cdef inline void after_move(const Rules *rules, State *state, int source, int target) noexcept nogil:
    """What may follow a move: the attacks, another move, or nothing."""
    if state.phase == PHASE_MANEUVER:
        state.phase = PHASE_ATTACK
    elif rules.fortify_moves != MOVES_SINGLE:
        state.gave |= bit(source)
        state.took |= bit(target)
    elif state.moves_left:
        state.moves_left -= 1
    else:
        end_fortify(state)

cdef inline int fortify_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    cdef int broken = fortify_check(rules, state, action)
    if broken:
        return broken
    add_troops(state, action.a, -action.n)
    add_troops(state, action.b, action.n)
    state.unchecked = 1
    emit(events, EVENT_FORTIFIED, turn_seat(rules, state), action.a, action.b, 0, action.n, everyone(rules))
    after_move(rules, state, action.a, action.b)
    return RULE_OK

cdef inline bint fortify_settle(const Rules *rules, State *state) noexcept nogil:
    """True when there is a move to offer."""
    if can_fortify(rules, state):
        return True
    end_fortify(state)
    return False

cdef inline bint maneuver_settle(const Rules *rules, State *state) noexcept nogil:
    """True when the turn's colour has earned a move before its attacks, and there is one."""
    if has_reward(state, REWARD_STARTING_MANEUVER, state.turn_colour) and can_fortify(rules, state):
        return True
    state.phase = PHASE_ATTACK
    return False
