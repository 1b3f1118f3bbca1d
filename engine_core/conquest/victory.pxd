"""The ends of a game: one team left, a goal reached, the turn cap, a forfeit."""

from libc.stdint cimport uint8_t

from engine_core.conquest.state cimport (
    EVENT_CONQUERED, EVENT_FULFILLED, EVENT_OVER, PHASE_OVER, Rules, State, everyone,
)
from engine_core.kernel cimport BY_RULES, NONE, EventLog, emit

cdef inline bint one_team(const Rules *rules, const State *state, bint ignore_retired) noexcept nogil:
    """Whether the colours that still take turns (or still decide) belong to one team at most."""
    cdef int colour
    cdef int seat
    cdef int team = -1
    for colour in range(rules.colours):
        if not (state.living >> colour) & 1:
            continue
        seat = rules.colour_seat[colour]
        if ignore_retired and state.retired[seat]:
            continue
        if team >= 0 and rules.seat_team[seat] != team:
            return False
        team = rules.seat_team[seat]
    return True

cdef inline void finish(const Rules *rules, State *state, int termination, EventLog *events) noexcept nogil:
    state.phase = PHASE_OVER
    state.unchecked = 0
    state.termination = <uint8_t>termination
    emit(events, EVENT_OVER, NONE, 0, 0, 0, termination, everyone(rules))

cdef inline void won(const Rules *rules, State *state, int colour, int mission, EventLog *events) noexcept nogil:
    """A colour has reached its goal: the mission, or (NONE) its objectives or headquarters."""
    state.winner = <uint8_t>colour
    if mission != NONE:
        emit(events, EVENT_FULFILLED, rules.colour_seat[colour], mission, 0, 0, 0, everyone(rules))
    else:
        emit(events, EVENT_CONQUERED, rules.colour_seat[colour], 0, 0, 0, 0, everyone(rules))
    finish(rules, state, BY_RULES, events)
