"""What a seat may not know, and a consistent guess at it."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit, count
from engine_core.conquest.cards cimport offers_trades
from engine_core.conquest.state cimport PHASE_OVER, PHASE_TRADE, Rules, State
from engine_core.dice cimport STREAM_RESAMPLE, Dice, draw
from engine_core.kernel cimport MAX_CARDS, NONE
from engine_core.rng cimport arena_scale

cdef enum:
    MOST_GUESSES = 10000    # a hand of three is a set in about 2 of 5 deals

cdef inline void blank(const Rules *rules, State *state, int seat) noexcept nogil:
    """Hide the others' cards, the deck's order and the roll counters; counts of cards stay visible.

    The number of decisions goes, too: it tells that somebody holds a set and kept it.
    """
    cdef int colour
    for colour in range(rules.colours):
        if seat < 0 or rules.colour_seat[colour] != seat:
            state.hand[colour] = 0
    memset(state.deck, NONE, state.deck_count)
    memset(state.rolls, 0, sizeof(state.rolls))
    if state.phase != PHASE_OVER:
        state.decisions = 0

cdef inline int unknown_cards(const Rules *rules, const State *state, uint8_t *out) noexcept nogil:
    """Write the cards that are neither in a visible hand, discarded, nor known in the deck; return their number."""
    cdef uint64_t known = state.discards
    cdef int colour
    cdef int card
    cdef int i
    cdef int n = 0
    for colour in range(rules.colours):
        known |= state.hand[colour]
    for i in range(state.deck_count):
        if state.deck[i] != NONE:
            known |= bit(state.deck[i])
    for card in range(rules.cards):
        if not known & bit(card):
            out[n] = <uint8_t>card
            n += 1
    return n

cdef inline void mix(uint8_t *cards, int n, int attempt, const Dice *dice) noexcept nogil:
    """Put the cards into a random order."""
    cdef uint8_t card
    cdef uint64_t word
    cdef int i
    cdef int other
    for i in range(n - 1, 0, -1):
        word = draw(dice, STREAM_RESAMPLE, 0, 0, i, attempt)
        other = <int>arena_scale(word, i + 1, &word)
        card = cards[i]
        cards[i] = cards[other]
        cards[other] = card

cdef inline void deal_cards(const Rules *rules, State *state, const uint8_t *cards, int n) noexcept nogil:
    """Fill the hidden hands, then the deck, by their visible counts."""
    cdef int colour
    cdef int i
    for colour in range(rules.colours):
        while n and count(state.hand[colour]) < state.cards_held[colour]:
            n -= 1
            state.hand[colour] |= bit(cards[n])
    for i in range(state.deck_count):
        if n and state.deck[i] == NONE:
            n -= 1
            state.deck[i] = cards[n]

cdef inline void guess(const Rules *rules, State *state, Dice *dice) noexcept nogil:
    """Deal the unknown cards at random; who is asked about a trade is known to have one to make."""
    cdef uint8_t cards[MAX_CARDS]
    cdef int n = unknown_cards(rules, state, cards)
    cdef int attempt
    cdef State blanked = state[0]
    for attempt in range(MOST_GUESSES):
        state[0] = blanked
        mix(cards, n, attempt, dice)
        deal_cards(rules, state, cards, n)
        if state.phase != PHASE_TRADE or offers_trades(rules, state):
            return
