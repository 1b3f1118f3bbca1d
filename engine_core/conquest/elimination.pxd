"""A colour's fall: what the victor takes, and whom it makes win."""

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

from engine_core.bits cimport lowest, without_lowest
from engine_core.conquest.capitals cimport holds_headquarters
from engine_core.conquest.missions cimport check_missions, mission_target_fell
from engine_core.conquest.objectives cimport take_objectives, wins_by_objectives
from engine_core.conquest.rewards cimport drop_rewards
from engine_core.conquest.state cimport (
    EVENT_CARD_TAKEN, EVENT_CARDS_TAKEN, EVENT_ELIMINATED, PHASE_TRADE, Rules, State, everyone, in_setup, turn_seat,
)
from engine_core.conquest.victory cimport finish, one_team, won
from engine_core.kernel cimport BY_FORFEIT, BY_RULES, NONE, EventLog, emit

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

cdef inline void strike_out(const Rules *rules, State *state, int colour, int killer,
                            EventLog *events) noexcept nogil:
    """A colour takes no more turns; falls are numbered in their order. killer: a colour, NONE = it left."""
    state.living &= ~(<uint8_t>1 << colour)
    state.eliminated_at[colour] = <int16_t>state.eliminations
    state.eliminations += 1
    emit(events, EVENT_ELIMINATED, rules.colour_seat[colour], 0, colour, 0, state.eliminated_at[colour],
         everyone(rules))
    if rules.missions:
        mission_target_fell(rules, state, colour, killer, events)
        state.unchecked = not in_setup(state)
    if rules.rewards:
        drop_rewards(rules, state, colour, events)

cdef inline bint eliminate(const Rules *rules, State *state, int victim, EventLog *events) noexcept nogil:
    """Strike out who has lost the last territory; True when that ends the game."""
    strike_out(rules, state, victim, state.turn_colour, events)
    if one_team(rules, state, False):
        finish(rules, state, BY_RULES, events)
        return True
    if one_team(rules, state, True):
        finish(rules, state, BY_FORFEIT, events)
        return True
    return False

cdef inline void take_spoils(const Rules *rules, State *state, int victim, EventLog *events) noexcept nogil:
    """The fallen colour's cards and the trades they force, and its objectives."""
    take_cards(rules, state, victim, events)
    if rules.elimination_trade_at and state.cards_held[state.turn_colour] >= rules.elimination_trade_at:
        state.during_attack = 1
        state.phase = PHASE_TRADE
    if rules.objectives:
        take_objectives(rules, state, victim, events)
        if rules.elimination_win and wins_by_objectives(rules, state):
            won(rules, state, state.turn_colour, NONE, events)

cdef inline void after_capture(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """After moving in: the victory checks, then what the fallen colour leaves, then the trades it forces."""
    cdef int victim = state.victim
    cdef bint falls = is_falling(state, victim)
    state.victim = NONE
    if falls and eliminate(rules, state, victim, events):
        return
    if rules.missions and check_missions(rules, state, events):
        return
    if rules.headquarters and holds_headquarters(rules, state):
        won(rules, state, state.turn_colour, NONE, events)
        return
    if falls:
        take_spoils(rules, state, victim, events)
