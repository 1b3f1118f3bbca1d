"""Elimination, what the victor takes, and the ends of a game."""

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, lowest, without_lowest
from engine_core.conquest.state cimport (
    EVENT_CARD_TAKEN, EVENT_CARDS_TAKEN, EVENT_ELIMINATED, EVENT_OVER, PHASE_OVER, PHASE_TRADE, Rules, State,
    everyone, turn_seat,
)
from engine_core.kernel cimport BY_FORFEIT, BY_RULES, NONE, EventLog, emit

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
    state.termination = <uint8_t>termination
    emit(events, EVENT_OVER, NONE, 0, 0, 0, termination, everyone(rules))

cdef inline bint is_falling(const State *state, int colour) noexcept nogil:
    """Whether a colour that took turns has lost its last territory."""
    return colour != NONE and (state.living >> colour) & 1 and not state.owned[colour]

cdef inline bint is_last_fall(const Rules *rules, const State *state) noexcept nogil:
    """Whether the capture just made ends the game."""
    cdef State after
    if not is_falling(state, state.victim):
        return False
    after = state[0]
    after.living &= ~(<uint8_t>1 << state.victim)
    return one_team(rules, &after, False)

cdef inline void take_cards(const Rules *rules, State *state, int victim, EventLog *events) noexcept nogil:
    """The victor takes the fallen colour's cards; only the victor sees which."""
    cdef uint64_t cards = state.hand[victim]
    cdef int seat = turn_seat(rules, state)
    if not state.cards_held[victim]:
        return
    emit(events, EVENT_CARDS_TAKEN, seat, 0, victim, 0, state.cards_held[victim], everyone(rules))
    state.hand[state.turn_colour] |= cards
    state.cards_held[state.turn_colour] += state.cards_held[victim]
    state.hand[victim] = 0
    state.cards_held[victim] = 0
    while cards:
        emit(events, EVENT_CARD_TAKEN, seat, lowest(cards), 0, 0, 0, <uint32_t>1 << seat)
        cards = without_lowest(cards)

cdef inline void strike_out(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """A colour takes no more turns; falls are numbered in their order."""
    state.living &= ~(<uint8_t>1 << colour)
    state.eliminated_at[colour] = <int16_t>state.eliminations
    state.eliminations += 1
    emit(events, EVENT_ELIMINATED, rules.colour_seat[colour], 0, colour, 0, state.eliminated_at[colour],
         everyone(rules))

cdef inline void after_capture(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """After moving in: the victory check, then the fallen colour's cards, then the trades they force."""
    cdef int victim = state.victim
    state.victim = NONE
    if not is_falling(state, victim):
        return
    strike_out(rules, state, victim, events)
    if one_team(rules, state, False):
        finish(rules, state, BY_RULES, events)
        return
    if one_team(rules, state, True):
        finish(rules, state, BY_FORFEIT, events)
        return
    take_cards(rules, state, victim, events)
    if rules.elimination_trade_at and state.cards_held[state.turn_colour] >= rules.elimination_trade_at:
        state.during_attack = 1
        state.phase = PHASE_TRADE
