"""The reaction kernel's state, its table (a card played, its cancel, the cancel's cancel), and what clears it."""

from libc.stdint cimport int32_t
from libc.string cimport memset

from common cimport IN_DISCARDS, UNKNOWN, Head, everyone, fall
from engine_core.kernel cimport NONE, EventLog, emit

cdef enum:
    SEATS = 3
    CARDS = 15           # 0..4 boosts, 5..11 cancels, 12..14 dodges
    ON_TABLE = 102       # beside the holders that text forms know by name

cdef enum Phase:
    STRIKE
    BOOST
    ROLL         # passed through, never waits
    DODGE
    COMPARE      # passed through, never waits
    CANCEL

cdef enum EventKind:
    EVENT_DREW = 3       # seat, a = card (only for that seat)
    EVENT_STRUCK         # seat, a = target
    EVENT_PLAYED         # seat, a = card
    EVENT_PASSED         # seat: asked or not, it did not cancel
    EVENT_RESOLVED       # a = the first card, n = 1 if it took effect
    EVENT_ROLLED         # seat, its die
    EVENT_LOST           # seat that lost a troop

cdef struct State:
    Head head
    int32_t phase
    int32_t turn
    int32_t target
    int32_t asked                # who may cancel next
    int32_t player               # who played the card on top of the table
    int32_t first                # the card at the bottom
    int32_t depth                # how many lie there
    int32_t boosted
    int32_t dice[2]              # the turn owner's and the target's
    int32_t troops[SEATS]
    int32_t held[SEATS]
    int32_t cards[CARDS]

cdef inline int phase_of(int card) noexcept nogil:
    """The phase that asks for this card."""
    return BOOST if card < 5 else CANCEL if card < 12 else DODGE

cdef inline int wanted(const State *state, int holder, int32_t *out) noexcept nogil:
    """Write a holder's cards that the phase asks for and return their number."""
    cdef int n = 0
    cdef int card
    for card in range(CARDS):
        if state.cards[card] == holder and phase_of(card) == state.phase:
            out[n] = card
            n += 1
    return n

cdef inline int next_seat(const State *state, int seat) noexcept nogil:
    """The next seat clockwise that has not fallen."""
    seat = (seat + 1) % SEATS
    while state.head.fell[seat] >= 0:
        seat = (seat + 1) % SEATS
    return seat

cdef inline void play(State *state, int seat, int card, EventLog *events) noexcept nogil:
    """Put a card on the table and open the window against it."""
    emit(events, EVENT_PLAYED, seat, card, 0, 0, 0, everyone())
    if not state.depth:
        state.first = card
    state.cards[card] = ON_TABLE
    state.held[seat] -= 1
    state.depth += 1
    state.player = seat
    state.asked = next_seat(state, seat)
    state.phase = CANCEL

cdef inline void decline(State *state, EventLog *events) noexcept nogil:
    """The acting seat plays nothing; the others cannot tell whether it was asked."""
    if state.phase == CANCEL:
        emit(events, EVENT_PASSED, state.asked, 0, 0, 0, 0, everyone())
        state.asked = next_seat(state, state.asked)
    else:
        state.phase += 1

cdef inline void clear_table(State *state) noexcept nogil:
    """All that lies there is discarded, whether it was cancelled or not."""
    cdef int card
    for card in range(CARDS):
        if state.cards[card] == ON_TABLE:
            state.cards[card] = IN_DISCARDS
    state.asked = UNKNOWN
    state.player = UNKNOWN
    state.first = UNKNOWN
    state.depth = 0

cdef inline bint resolve(State *state, EventLog *events) noexcept nogil:
    """Nobody cancels the card on top; whether the first one works: with an even number of cancels on it."""
    cdef bint works = state.depth % 2
    state.phase = phase_of(state.first) + 1
    emit(events, EVENT_RESOLVED, NONE, state.first, 0, 0, works, everyone())
    clear_table(state)
    return works

cdef inline void end_turn(State *state) noexcept nogil:
    cdef int following = next_seat(state, state.turn)
    clear_table(state)
    state.head.lap += following <= state.turn
    state.turn = following
    state.target = UNKNOWN
    state.boosted = 0
    memset(state.dice, 0, sizeof(state.dice))
    state.phase = STRIKE

cdef inline void leave(State *state, int seat, EventLog *events) noexcept nogil:
    """A seat falls with its troops and cards, and a battle that goes on is broken off."""
    cdef int card
    for card in range(CARDS):
        if state.cards[card] == seat:
            state.cards[card] = IN_DISCARDS
    state.held[seat] = 0
    state.troops[seat] = 0
    fall(&state.head, seat, events)
    if state.phase != STRIKE or seat == state.turn:
        end_turn(state)
