"""Cities and public objectives: drawing them, what achieves them, claiming, and winning by them."""

from libc.stdint cimport uint8_t, uint64_t

from engine_core.bits cimport bit, count, has, lowest, without_lowest
from engine_core.conquest.capitals cimport capitals_held, holds_own_capital
from engine_core.conquest.cards cimport shuffled
from engine_core.conquest.rewards cimport (
    MAJOR_REWARD_DECK, MINOR_REWARD_DECK, lay_rewards, reward_for, take_reward,
)
from engine_core.conquest.state cimport (
    EVENT_CITY, EVENT_OBJECTIVE, EVENT_OBJECTIVE_DRAWN, EVENT_OBJECTIVES_TAKEN, KIND_END, KIND_OBJECTIVE,
    OBJECTIVE_CITIES, OBJECTIVE_ENEMY_CAPITALS, OBJECTIVE_NEW_CITIES, OBJECTIVE_NEW_REGION,
    OBJECTIVE_NEW_TERRITORIES, OBJECTIVE_REGION, OBJECTIVE_REGIONS, ON_BOARD, RULE_NOT_OFFERED, RULE_OK,
    RULE_UNUSED_OPERAND, Objective, Rules, State, all_of, everyone, turn_seat,
)
from engine_core.dice cimport Dice
from engine_core.kernel cimport MAX_CARDS, NONE, Action, ActionRange, EventLog, add_range, emit

cdef enum:
    CITY_DECK = 3            # their numbers among the shuffles
    MINOR_DECK = 4
    MAJOR_DECK = 5

cdef inline void found_cities(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """A city on the territory of each card drawn; the cards go back."""
    cdef uint8_t order[MAX_CARDS]
    cdef uint64_t cities = rules.city_preset
    cdef int i
    if not cities:
        shuffled(rules.all_territories, CITY_DECK, 0, dice, order)
        for i in range(rules.cities):
            cities |= bit(order[i])
    state.cities = cities
    while cities:
        emit(events, EVENT_CITY, NONE, lowest(cities), 0, 0, 0, everyone(rules))
        cities = without_lowest(cities)

cdef inline void draw_rank(const Rules *rules, State *state, uint64_t rank, int deck, int drawn,
                           Dice *dice) noexcept nogil:
    cdef uint8_t order[MAX_CARDS]
    cdef int i
    cdef int n = shuffled(rank, deck, 0, dice, order)
    for i in range(n):
        if i < drawn:
            state.objective[order[i]] = ON_BOARD

cdef inline uint64_t on_board(const Rules *rules, const State *state) noexcept nogil:
    """The objectives that can still be claimed."""
    cdef uint64_t open = 0
    cdef int i
    for i in range(rules.objectives):
        if state.objective[i] == ON_BOARD:
            open |= bit(i)
    return open

cdef inline void lay_objectives(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """So many of each rank face up on the board, and the rewards on them."""
    cdef uint64_t left = rules.objective_preset
    cdef int piled
    while left:
        state.objective[lowest(left)] = ON_BOARD
        left = without_lowest(left)
    if not rules.objective_preset:
        draw_rank(rules, state, rules.minors, MINOR_DECK, rules.minors_drawn, dice)
        draw_rank(rules, state, rules.majors, MAJOR_DECK, rules.majors_drawn, dice)
    left = on_board(rules, state)
    if rules.rewards:
        piled = lay_rewards(rules, state, rules.minor_rewards, left & rules.minors, MINOR_REWARD_DECK, 0, dice)
        lay_rewards(rules, state, rules.major_rewards, left & rules.majors, MAJOR_REWARD_DECK, piled, dice)
    while left:
        emit(events, EVENT_OBJECTIVE_DRAWN, NONE, lowest(left),
             NONE if rules.rewards_down else state.reward_on[lowest(left)], 0, 0, everyone(rules))
        left = without_lowest(left)

cdef inline int regions_held(const Rules *rules, uint64_t own, uint64_t foreign_before) noexcept nogil:
    """How many regions are held whole of which no territory is among the ones named."""
    cdef int held = 0
    cdef int region
    for region in range(rules.regions):
        if all_of(own, rules.region_members[region]) and not rules.region_members[region] & foreign_before:
            held += 1
    return held

cdef inline bint achieved(const Rules *rules, const State *state, int number) noexcept nogil:
    """Whether the turn's colour does now what the objective asks."""
    cdef const Objective *objective = &rules.objective[number]
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t gained = own & ~state.turn_owned
    if objective.kind == OBJECTIVE_REGION:
        return all_of(own, rules.region_members[objective.region])
    if objective.kind == OBJECTIVE_CITIES:
        return count(own & state.cities) >= objective.count
    if objective.kind == OBJECTIVE_ENEMY_CAPITALS:
        return capitals_held(rules, state, state.turn_colour, False) >= objective.count
    if objective.kind == OBJECTIVE_NEW_CITIES:
        return count(gained & state.cities) >= objective.count
    if objective.kind == OBJECTIVE_NEW_TERRITORIES:
        return count(gained) >= objective.count
    if objective.kind == OBJECTIVE_NEW_REGION:
        return regions_held(rules, own, state.turn_owned) >= objective.count
    if objective.kind == OBJECTIVE_REGIONS:
        return regions_held(rules, own, 0) >= objective.count
    return count(own) >= objective.count

cdef inline uint64_t claimable(const Rules *rules, const State *state) noexcept nogil:
    """The objectives that may be claimed now: one a turn."""
    cdef uint64_t open = 0
    cdef int number
    if state.objective_claimed:
        return 0
    for number in range(rules.objectives):
        if state.objective[number] == ON_BOARD and achieved(rules, state, number):
            open |= bit(number)
    return open

cdef inline int objective_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t open = claimable(rules, state)
    while open:
        add_range(out, &n, cap, KIND_OBJECTIVE, lowest(open), 0, 0, 0, 0)
        open = without_lowest(open)
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline int objective_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    """Take the objective and the reward that comes with it."""
    cdef int reward = NONE
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.objectives or not has(claimable(rules, state), action.a):
        return RULE_NOT_OFFERED
    if rules.rewards:
        reward = reward_for(rules, state, action.a)
    state.objective[action.a] = state.turn_colour
    state.objective_claimed = 1
    emit(events, EVENT_OBJECTIVE, turn_seat(rules, state), action.a, 0, 0, 0, everyone(rules))
    if reward != NONE:
        state.reward_on[action.a] = <uint8_t>reward
        take_reward(rules, state, reward, events)
    return RULE_OK

cdef inline void take_objectives(const Rules *rules, State *state, int victim, EventLog *events) noexcept nogil:
    """The victor takes the fallen colour's objectives: that is no claim, and brings no reward."""
    cdef int number
    for number in range(rules.objectives):
        if state.objective[number] == victim:
            state.objective[number] = state.turn_colour
            emit(events, EVENT_OBJECTIVES_TAKEN, turn_seat(rules, state), number, victim, 0, 0, everyone(rules))

cdef inline bint wins_by_objectives(const Rules *rules, const State *state) noexcept nogil:
    """Whether the turn's colour holds enough objectives and its own capital."""
    cdef int held = 0
    cdef int number
    if not rules.objectives_to_win or not holds_own_capital(state, state.turn_colour):
        return False
    for number in range(rules.objectives):
        held += state.objective[number] == state.turn_colour
    return held >= rules.objectives_to_win
