"""The free moves: at the end of a turn, and before the attacks for who has earned that."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.conquest.combat cimport smaller
from engine_core.conquest.rewards cimport has_reward
from engine_core.conquest.state cimport (
    EVENT_FORTIFIED, KIND_END, KIND_FORTIFY, MOVES_FROM_ONE, MOVES_SINGLE, NO_CAP, PHASE_ATTACK, PHASE_END,
    PHASE_FORTIFY, PHASE_MANEUVER, REWARD_ADDITIONAL_MANEUVER, RULE_GAVE_OR_TOOK,
    RULE_LEAVE_ONE, RULE_NO_ROOM, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_NOT_REACHABLE, RULE_OK,
    RULE_UNUSED_OPERAND, Rules, State, add_troops, everyone, is_own, room, turn_seat, with_room,
)
from engine_core.kernel cimport MAX_TERRITORIES, Action, ActionRange, EventLog, emit, put_range

cdef enum:
    MOST_GROUPS = 8      # of joined own territories that are remembered while a list is written

cdef inline uint64_t joined(const Rules *rules, const State *state, int source, uint64_t goal) noexcept nogil:
    """The source and the own territories that a chain of own ones joins to it, or some of them with one of the goal."""
    cdef uint64_t left = state.owned[state.turn_colour] & ~bit(source)
    cdef uint64_t reached = bit(source)
    cdef uint64_t fresh = reached
    cdef uint64_t found
    while fresh and left and not reached & goal:
        found = 0
        while fresh:
            found |= rules.adjacent[lowest(fresh)]
            fresh = without_lowest(fresh)
        fresh = found & left
        left &= ~fresh
        reached |= fresh
    return reached

cdef inline bint is_within_reach(const Rules *rules, const State *state, int source, int target) noexcept nogil:
    """Whether troops may move between two own territories: neighbours, or joined by a chain of own ones."""
    if has(rules.adjacent[source], target):
        return True
    return rules.fortify_by_path and source != target and has(joined(rules, state, source, bit(target)), target)

cdef inline uint64_t givers(const Rules *rules, const State *state) noexcept nogil:
    """Own territories that may send troops: none that took some, and only one where that is the rule."""
    cdef uint64_t own = state.owned[state.turn_colour] & state.strong & ~state.took
    if state.gave and rules.fortify_moves == MOVES_FROM_ONE:
        own &= state.gave
    return own

cdef inline uint64_t takers(const Rules *rules, const State *state) noexcept nogil:
    """Own territories that may take troops: what gave troops takes none, nor what is full."""
    return with_room(state, state.owned[state.turn_colour] & ~state.gave)

cdef inline bint can_fortify(const Rules *rules, const State *state) noexcept nogil:
    """Whether there is a move: mostly to a neighbour; only where that fails a chain may lead further."""
    cdef uint64_t sources = givers(rules, state)
    cdef uint64_t open = takers(rules, state)
    cdef uint64_t left = sources
    while left:
        if rules.adjacent[lowest(left)] & open:
            return True
        left = without_lowest(left)
    if not rules.fortify_by_path or rules.fortify_plain:
        return False
    while sources:
        if joined(rules, state, lowest(sources), 0) & open & ~bit(lowest(sources)):
            return True
        sources = without_lowest(sources)
    return False

# A group of joined own territories: its members, those that may take troops, and a move to each of these that still
# lacks its source and its most troops.
cdef struct Group:
    uint64_t members
    uint64_t takers
    ActionRange moves[MAX_TERRITORIES + 1]
    uint8_t place[MAX_TERRITORIES]   # of each taker among the moves
    int n

cdef inline void fill_group(const Rules *rules, const State *state, Group *group, int source) noexcept nogil:
    """Find the source's group."""
    cdef uint64_t left
    group.n = 0
    group.members = joined(rules, state, source, 0)
    group.takers = group.members & takers(rules, state)
    left = group.takers
    while left:
        group.place[lowest(left)] = <uint8_t>group.n
        put_range(group.moves, &group.n, KIND_FORTIFY | (<uint32_t>lowest(left) << 16), 1, 0)
        left = without_lowest(left)

cdef inline void copy_moves(const Group *group, int pairs, uint64_t source, uint64_t most,
                            ActionRange *out) noexcept nogil:
    """The longest loop of the rules: two ranges are three words, and the source's bits are the same for each pair."""
    cdef const uint64_t *move = <const uint64_t *>group.moves
    cdef uint64_t *word = <uint64_t *>out
    cdef int _i
    for _i in range(pairs):
        word[0] = move[0] | (source << 8)
        word[1] = move[1] | most | (source << 40)
        word[2] = move[2] | (most << 32)
        word += 3
        move += 3

cdef inline int put_moves(const State *state, const Group *group, int source, ActionRange *out, int n) noexcept nogil:
    """Append a move to every other taker of the group; the last one takes the place that would be the source's own."""
    cdef int most = state.troops[source] - 1
    cdef int own_place
    copy_moves(group, (group.n + 1) >> 1, source, most, out + n)
    if not has(group.takers, source):
        return n + group.n
    own_place = n + group.place[source]
    put_range(out, &own_place,
              KIND_FORTIFY | (<uint32_t>source << 8) | (<uint32_t>group.moves[group.n - 1].b << 16), 1, most)
    return n + group.n - 1

cdef inline int put_capped_moves(const Rules *rules, const State *state, uint64_t targets, int source,
                                 ActionRange *out, int n, int cap) noexcept nogil:
    """Append a move to each of the territories, no more than it may take."""
    while targets and n < cap:
        put_range(out, &n, KIND_FORTIFY | (<uint32_t>source << 8) | (<uint32_t>lowest(targets) << 16), 1,
                  smaller(state.troops[source] - 1, room(rules, state, lowest(targets))))
        targets = without_lowest(targets)
    return n

cdef inline int joined_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """Moves along own territories: of every group the takers are looked up once."""
    cdef Group groups[MOST_GROUPS]
    cdef uint64_t left = givers(rules, state)
    cdef int known = 0
    cdef int n = 0
    cdef int source
    cdef int i
    while left:
        source = lowest(left)
        left = without_lowest(left)
        i = 0
        while i < known and not has(groups[i].members, source):
            i += 1
        if i == known:
            i = known if known < MOST_GROUPS else MOST_GROUPS - 1
            known = i + 1
            fill_group(rules, state, &groups[i], source)
        if rules.troop_cap == NO_CAP and n + MAX_TERRITORIES < cap:
            n = put_moves(state, &groups[i], source, out, n)
        else:
            n = put_capped_moves(rules, state, groups[i].takers & ~bit(source), source, out, n, cap - 1)
    return n

cdef inline int adjacent_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """Moves to neighbours."""
    cdef uint64_t open = takers(rules, state)
    cdef uint64_t left = givers(rules, state)
    cdef int n = 0
    cdef int source
    while left:
        source = lowest(left)
        left = without_lowest(left)
        n = put_capped_moves(rules, state, rules.adjacent[source] & open, source, out, n, cap - 1)
    return n

cdef inline int fortify_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """One range for every source and target, and KIND_END."""
    cdef int n
    if rules.fortify_by_path:
        n = joined_legal(rules, state, out, cap)
    else:
        n = adjacent_legal(rules, state, out, cap)
    put_range(out, &n, KIND_END, 0, 0)
    return n

cdef inline int fortify_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.c:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories or action.b >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not is_own(state, action.a) or not is_own(state, action.b):
        return RULE_NOT_OWN
    if not is_within_reach(rules, state, action.a, action.b):
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
    add_troops(rules, state, action.a, -action.n)
    add_troops(rules, state, action.b, action.n)
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
    """True when there is a move to make before the attacks."""
    if can_fortify(rules, state):
        return True
    state.phase = PHASE_ATTACK
    return False
