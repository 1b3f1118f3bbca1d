"""What a seat may not know, and a consistent guess at it."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit, count, has, lowest, without_lowest
from engine_core.dice cimport STREAM_RESAMPLE, Dice, draw
from engine_core.endor.cards cimport seats_that_choose, settle_picks
from engine_core.endor.fields cimport known_in_deck, laid_aside
from engine_core.endor.state cimport MAX_DECK, PHASE_PLAN, SIDES, Rules, State
from engine_core.kernel cimport NONE
from engine_core.rng cimport arena_scale

cdef enum:
    MOST_GUESSES = 1000     # hands of one card only are that rare

cdef inline void blank_pile(const Rules *rules, State *state, int seat, bint known) noexcept nogil:
    """Bonus cards are known to nobody; that cards are being chosen, and how many, to the seat alone."""
    cdef int first = state.chosen[seat] if known else 0
    if state.phase == PHASE_PLAN and not known:
        state.pile_count[seat] = 0
        state.chosen[seat] = 0
    memset(state.pile[seat] + first, NONE, MAX_DECK - first)

cdef inline void blank(const Rules *rules, State *state, int viewer) noexcept nogil:
    """Hide the others' cards, the decks' order and the roll counters; a partner may show hand and orders."""
    cdef int seat
    cdef bint sees
    for seat in range(rules.seats):
        sees = viewer >= 0 and has(rules.sees_hand[seat], viewer)
        if not sees:
            state.hand[seat] = 0
        blank_pile(rules, state, seat, seat == viewer or (sees and state.phase != PHASE_PLAN))
    memset(state.deck, NONE, sizeof(state.deck))
    memset(state.rolls, 0, sizeof(state.rolls))
    state.decisions = 0

cdef inline int unknown_cards(const Rules *rules, const State *state, int side, uint8_t *out) noexcept nogil:
    """Write the side's cards that are nowhere to be seen; return their number."""
    cdef uint64_t cards = rules.side_cards[side] & ~state.discards & ~laid_aside(rules, state) & ~known_in_deck(state)
    cdef int seat
    cdef int n = 0
    for seat in range(rules.seats):
        cards &= ~state.hand[seat]
    while cards:
        out[n] = <uint8_t>lowest(cards)
        cards = without_lowest(cards)
        n += 1
    return n

cdef inline void mix(uint8_t *cards, int n, int side, int attempt, const Dice *dice) noexcept nogil:
    """Put the cards into a random order."""
    cdef uint8_t card
    cdef uint64_t word
    cdef int i
    cdef int other
    for i in range(n - 1, 0, -1):
        word = draw(dice, STREAM_RESAMPLE, 0, side, i, attempt)
        other = <int>arena_scale(word, i + 1, &word)
        card = cards[i]
        cards[i] = cards[other]
        cards[other] = card

cdef inline int fill(uint8_t *places, int number, const uint8_t *cards, int n) noexcept nogil:
    """Put cards from the end of the list into empty places; return how many are left."""
    cdef int i
    for i in range(number):
        if n and places[i] == NONE:
            n -= 1
            places[i] = cards[n]
    return n

cdef inline void deal_cards(const Rules *rules, State *state, int side, const uint8_t *cards, int n) noexcept nogil:
    """Fill hands, piles and the deck of a side by their visible counts."""
    cdef int seat
    for seat in range(rules.seats):
        if rules.side[seat] != side:
            continue
        while n and count(state.hand[seat]) < state.held[seat]:
            n -= 1
            state.hand[seat] |= bit(cards[n])
        n = fill(state.pile[seat], state.pile_count[seat], cards, n)
    fill(state.deck[side], state.deck_count[side], cards, n)

cdef inline bint question_stands(const Rules *rules, State *state) noexcept nogil:
    """Whether somebody has something to choose; choices that are none are made, as in play."""
    if state.phase != PHASE_PLAN:
        return True
    settle_picks(rules, state, NULL)
    return seats_that_choose(rules, state) != 0

cdef inline void guess(const Rules *rules, State *state, Dice *dice) noexcept nogil:
    """Fill in what is hidden at random."""
    cdef uint8_t cards[MAX_DECK]
    cdef State blanked = state[0]
    cdef int attempt
    cdef int side
    cdef int n
    for attempt in range(MOST_GUESSES):
        state[0] = blanked
        for side in range(SIDES):
            n = unknown_cards(rules, state, side, cards)
            mix(cards, n, side, attempt, dice)
            deal_cards(rules, state, side, cards, n)
        if question_stands(rules, state):
            return
