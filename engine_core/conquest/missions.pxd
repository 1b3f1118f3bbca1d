"""Secret missions: dealing them, what fulfils them, and what becomes of a mission whose target is gone."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport count, has, lowest, without_lowest
from engine_core.conquest.cards cimport shuffled
from engine_core.conquest.state cimport (
    EVENT_MISSION, EVENT_MISSION_CHANGED, MISSION_ELIMINATE, MISSION_REGIONS, MISSION_REGIONS_AND_ONE, Mission, Rules,
    State, all_of, next_living, still_plays,
)
from engine_core.conquest.victory cimport won
from engine_core.dice cimport Dice
from engine_core.kernel cimport MAX_CARDS, NONE, EventLog, emit

cdef enum:
    MISSION_DECK = 2     # its number among the shuffles

cdef inline bint holds_territories(const State *state, uint64_t own, int wanted, int least) noexcept nogil:
    """Whether so many of the territories hold at least so many troops."""
    cdef int held = 0
    if least < 2:
        return count(own) >= wanted
    own &= state.strong
    if least == 2:
        return count(own) >= wanted
    while own:
        held += state.troops[lowest(own)] >= least
        own = without_lowest(own)
    return held >= wanted

cdef inline bint holds_regions(const Rules *rules, uint64_t own, uint64_t named, bint one_more) noexcept nogil:
    """Whether all named regions are held whole, and one more if that is asked."""
    cdef bint other = False
    cdef int region
    for region in range(rules.regions):
        if all_of(own, rules.region_members[region]):
            other = other or not has(named, region)
        elif has(named, region):
            return False
    return other or not one_more

cdef inline bint fulfils(const Rules *rules, const State *state, int colour) noexcept nogil:
    """Whether the colour's mission is done now."""
    cdef const Mission *mission
    cdef uint64_t own = state.owned[colour]
    if state.mission[colour] == NONE:
        return False
    if has(state.mission_void, colour):
        return holds_territories(state, own, rules.fallback_count, rules.fallback_least)
    mission = &rules.mission[state.mission[colour]]
    if mission.kind == MISSION_ELIMINATE:
        return mission.colour != NONE and not has(state.living, mission.colour)
    if mission.kind == MISSION_REGIONS or mission.kind == MISSION_REGIONS_AND_ONE:
        return holds_regions(rules, own, mission.regions, mission.kind == MISSION_REGIONS_AND_ONE)
    return holds_territories(state, own, mission.count, mission.least)

cdef inline bint check_missions(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a mission is fulfilled and the game over: the turn's colour comes first, then clockwise."""
    cdef int _i
    cdef int colour = state.turn_colour
    state.unchecked = 0
    for _i in range(rules.colours):
        if still_plays(rules, state, colour) and fulfils(rules, state, colour):
            won(rules, state, colour, state.mission[colour], events)
            return True
        if rules.missions_own_turn:
            return False
        colour = next_living(rules, state, colour)
        if colour == state.turn_colour:
            return False
    return False

cdef inline void fall_back(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """The colour's mission cannot be fulfilled as it reads: it becomes the fallback."""
    cdef int seat = rules.colour_seat[colour]
    state.mission_void |= <uint8_t>(1 << colour)
    emit(events, EVENT_MISSION_CHANGED, seat, 0, 0, 0, 0, <uint32_t>1 << seat)

cdef inline bint is_against(const Rules *rules, const State *state, int colour, int target) noexcept nogil:
    """Whether the colour's mission is to eliminate the target."""
    cdef int mission = state.mission[colour]
    return (
        mission != NONE and rules.mission[mission].kind == MISSION_ELIMINATE
        and rules.mission[mission].colour == target
    )

cdef inline void mission_target_fell(const Rules *rules, State *state, int target, int killer,
                                     EventLog *events) noexcept nogil:
    """Missions against a colour that just left or fell to somebody who gets no credit for it fall back."""
    cdef int colour
    for colour in range(rules.colours):
        if colour == target or has(state.mission_void, colour) or not is_against(rules, state, colour, target):
            continue
        if killer == NONE or (rules.kill_credit_self and killer != colour):
            fall_back(rules, state, colour, events)

cdef inline void tell_mission(const Rules *rules, const State *state, int colour, EventLog *events) noexcept nogil:
    cdef int seat = rules.colour_seat[colour]
    emit(events, EVENT_MISSION, seat, state.mission[colour], 0, 0, 0, <uint32_t>1 << seat)

cdef inline void deal_missions(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """One each, clockwise from the first player; who drew the own colour gives it back, or has the fallback."""
    cdef uint8_t order[MAX_CARDS]
    cdef int dealt = 0
    cdef int colour = state.first_colour
    cdef int _i
    shuffled(rules.missions_dealt, MISSION_DECK, 0, dice, order)
    for _i in range(rules.seats):
        state.mission[colour] = order[dealt]
        dealt += 1
        tell_mission(rules, state, colour, events)
        colour = next_living(rules, state, colour)
    for _i in range(rules.seats):
        if is_against(rules, state, colour, colour):
            if rules.redraw_own_mission:
                state.mission_refused |= <uint8_t>(1 << colour)
                state.mission[colour] = order[dealt]
                dealt += 1
                tell_mission(rules, state, colour, events)
            else:
                fall_back(rules, state, colour, events)
        colour = next_living(rules, state, colour)
