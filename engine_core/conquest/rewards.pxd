"""Rewards of claimed objectives: who has them, the airfields and where they help."""

from libc.stdint cimport uint8_t, uint64_t

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.conquest.cards cimport shuffled
from engine_core.conquest.state cimport (
    EVENT_AIRFIELD, EVENT_AIRFIELD_LOST, EVENT_REWARD, EVENT_REWARD_LOST, KIND_AIRFIELD, ON_BOARD, PHASE_AIRFIELD,
    RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_OK, RULE_UNUSED_OPERAND, REWARD_AIRFIELD_MAJOR, REWARD_AIRFIELD_MINOR,
    REWARD_ATTACK_DIE, REWARD_DEFENSE_DIE, REWARDS, Rules, State, everyone, turn_seat,
)
from engine_core.dice cimport Dice
from engine_core.kernel cimport MAX_CARDS, NONE, Action, ActionRange, EventLog, add_range, emit

cdef enum:
    MINOR_REWARD_DECK = 6    # their numbers among the shuffles
    MAJOR_REWARD_DECK = 7

cdef inline bint has_reward(const State *state, int reward, int colour) noexcept nogil:
    return state.reward[reward] == colour

cdef inline int airfield_reward(int token) noexcept nogil:
    return REWARD_AIRFIELD_MAJOR if token else REWARD_AIRFIELD_MINOR

cdef inline int lay_rewards(const Rules *rules, State *state, uint64_t tokens, uint64_t objectives, int deck,
                            int piled, Dice *dice) noexcept nogil:
    """Shuffle the tokens of a rank and lay one on each of its objectives, or all on a pile; return their number."""
    cdef uint8_t order[MAX_CARDS]
    cdef int n = shuffled(tokens, deck, 0, dice, order)
    cdef int i
    for i in range(n):
        if rules.rewards_piled:
            state.reward_pile[piled + i] = order[i]
        elif objectives:
            state.reward_on[lowest(objectives)] = order[i]
            objectives = without_lowest(objectives)
    return n

cdef inline int claimed_of_rank(const Rules *rules, const State *state, uint64_t rank) noexcept nogil:
    """How many objectives of a rank have been taken from the board so far."""
    cdef int taken = 0
    while rank:
        taken += state.objective[lowest(rank)] != NONE and state.objective[lowest(rank)] != ON_BOARD
        rank = without_lowest(rank)
    return taken

cdef inline int reward_for(const Rules *rules, const State *state, int objective) noexcept nogil:
    """The token that comes with an objective that is claimed now: the one on it, or the next of its pile."""
    cdef int next_token
    if not rules.rewards_piled:
        return state.reward_on[objective]
    if has(rules.minors, objective):
        next_token = claimed_of_rank(rules, state, rules.minors)
        return state.reward_pile[next_token] if next_token < rules.minors_drawn else NONE
    next_token = rules.minors_drawn + claimed_of_rank(rules, state, rules.majors)
    return state.reward_pile[next_token] if next_token < REWARDS else NONE

cdef inline int airfield_to_place(const State *state, int colour) noexcept nogil:
    """The token (0 minor, 1 major) that the colour must put on the board now, or NONE."""
    cdef int token
    for token in range(2):
        if state.airfield[token] == NONE and has_reward(state, airfield_reward(token), colour):
            return token
    return NONE

cdef inline void take_reward(const Rules *rules, State *state, int reward, EventLog *events) noexcept nogil:
    if reward == NONE:
        return
    state.reward[reward] = state.turn_colour
    emit(events, EVENT_REWARD, turn_seat(rules, state), reward, 0, 0, 0, everyone(rules))
    if airfield_to_place(state, state.turn_colour) != NONE:
        state.phase = PHASE_AIRFIELD

cdef inline int airfield_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t own = state.owned[state.turn_colour]
    while own:
        add_range(out, &n, cap, KIND_AIRFIELD, lowest(own), 0, 0, 0, 0)
        own = without_lowest(own)
    return n

cdef inline void build_airfield(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    state.airfield[airfield_to_place(state, state.turn_colour)] = <uint8_t>territory
    emit(events, EVENT_AIRFIELD, turn_seat(rules, state), territory, 0, 0, 0, everyone(rules))

cdef inline int airfield_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not has(state.owned[state.turn_colour], action.a):
        return RULE_NOT_OWN
    return RULE_OK

cdef inline void lose_airfields(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    """Airfields on a territory that changes hands are destroyed; the token leaves the game."""
    cdef int token
    cdef int owner
    for token in range(2):
        if state.airfield[token] != territory:
            continue
        owner = state.reward[airfield_reward(token)]
        state.airfield[token] = NONE
        state.reward[airfield_reward(token)] = NONE
        emit(events, EVENT_AIRFIELD_LOST, rules.colour_seat[owner], territory, 0, 0, 0, everyone(rules))

cdef inline void drop_rewards(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """The rewards of a colour that is out leave the game."""
    cdef int reward
    cdef int token
    for token in range(2):
        if has_reward(state, airfield_reward(token), colour):
            state.airfield[token] = NONE
    for reward in range(REWARDS):
        if has_reward(state, reward, colour):
            state.reward[reward] = NONE
            emit(events, EVENT_REWARD_LOST, rules.colour_seat[colour], reward, 0, 0, 0, everyone(rules))

cdef inline bint changes_dice(const State *state) noexcept nogil:
    """Whether anybody has a die or an airfield; without them the same dice fall in a plain battle."""
    return (
        not has_reward(state, REWARD_ATTACK_DIE, NONE) or not has_reward(state, REWARD_DEFENSE_DIE, NONE)
        or state.airfield[0] != NONE or state.airfield[1] != NONE
    )
