"""The state as named int32 fields, both ways; describe.py names them in the same order."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from engine_core.bits cimport bit, count, has
from engine_core.cursor cimport Cursor, name_byte, number_byte, number_half, number_word, shown, through
from engine_core.endor.state cimport (
    DIE_SIDES, EXECUTOR, FALCON, FIGHTERS, ORDERS, PHASE_ASSIGN, PHASE_FIRE, PHASE_NEXT, PHASE_ORDER, PHASE_OVER,
    PHASE_PLAN, SHIPS, SIDES, TIE, Rules, State, only, place_of, put_ships,
)
from engine_core.kernel cimport NONE

cdef enum:
    HOLDER_DECK = 100
    HOLDER_DISCARDS = 101
    HOLDER_ASIDE = 102      # on a pile, or open while its order is carried out
    HIDDEN = -1
    MOST_DECISIONS = 0x7FFFFFFF
    MOST_RESHUFFLES = 1 << 20
    MOST_TERMINATION = 3
    MOST_RETIRED = 2
    # 1 + the place among the words
    PHASE_WORD = 2
    TURN_WORD = 3
    FLIPPED_WORD = 4
    ORDER_WORD = 5
    ORIGIN_WORD = 6
    TARGET_WORD = 8

cdef inline void scalars(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    number_word(cursor, &state.lap, rules.turn_cap)
    number_byte(cursor, &state.phase, PHASE_OVER)
    name_byte(cursor, &state.turn, rules.seats)
    name_byte(cursor, &state.flipped, rules.cards)
    name_byte(cursor, &state.order, ORDERS)
    name_byte(cursor, &state.origin, rules.places)
    number_byte(cursor, &state.moved, rules.pieces[TIE])
    name_byte(cursor, &state.target, rules.places + 1)
    number_byte(cursor, &state.falcon_fell, 1)
    number_byte(cursor, &state.shield, rules.shield_length)
    number_byte(cursor, &state.troopers, rules.trooper_supply)
    number_byte(cursor, &state.luke, rules.luke_hits)
    number_byte(cursor, &state.vader, rules.vader_hits)
    number_byte(cursor, &state.redeemed, 1)
    number_byte(cursor, &state.aboard, rules.pieces[TIE])
    number_byte(cursor, &state.termination, MOST_TERMINATION)
    name_byte(cursor, &state.winner, SIDES)
    number_word(cursor, &state.decisions, MOST_DECISIONS)

cdef inline void special_ship(const Rules *rules, State *state, int ship, Cursor *cursor) noexcept nogil:
    """Its sector and its hits left; a written position may leave the hits out."""
    cdef uint8_t place = <uint8_t>place_of(state, ship)
    name_byte(cursor, &place, rules.sectors)
    number_byte(cursor, &state.hits[ship], rules.track[ship])
    state.where[ship] = 0 if place == NONE else only(place)
    if state.where[ship] and not state.hits[ship]:
        state.hits[ship] = rules.track[ship]

cdef inline void ships(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int ship
    cdef int place
    special_ship(rules, state, FALCON, cursor)
    special_ship(rules, state, EXECUTOR, cursor)
    for ship in range(FIGHTERS):
        for place in range(rules.places):
            put_ships(state, ship, place, through(cursor, state.count[ship][place], 0, rules.pieces[ship]))
    for ship in range(FIGHTERS):
        number_byte(cursor, &state.box[ship], rules.pieces[ship])

cdef inline void markers(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    cdef int32_t up
    for i in range(rules.markers):
        up = through(cursor, has(state.markers, i), 0, 1)
        state.markers = <uint8_t>((state.markers & ~(1 << i)) | (up & 1) << i)

cdef inline void counters(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    cdef int i
    for i in range(1, DIE_SIDES + 1):
        number_byte(cursor, &state.dice[i], DIE_SIDES - 1)
    for i in range(ORDERS):
        number_half(cursor, &state.rolls[i], 0xFFFF)
    for i in range(SIDES):
        number_byte(cursor, &state.deck_count[i], count(rules.side_cards[i]))
    for i in range(SIDES):
        number_word(cursor, &state.reshuffles[i], MOST_RESHUFFLES)
    for i in range(rules.seats):
        number_byte(cursor, &state.held[i], rules.pile_room)
    for i in range(rules.seats):
        number_byte(cursor, &state.pile_count[i], rules.pile_room)
    for i in range(rules.seats):
        number_byte(cursor, &state.chosen[i], rules.pile_room)
    for i in range(rules.seats):
        number_byte(cursor, &state.retired[i], MOST_RETIRED)

cdef inline void piles(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    """Each seat's pile, the next order first."""
    cdef int seat
    cdef int i
    for seat in range(rules.seats):
        for i in range(rules.pile_room):
            name_byte(cursor, &state.pile[seat][i], rules.cards)

cdef inline void decks(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    """Each side's deck, the next card first."""
    cdef uint8_t none
    cdef int side
    cdef int i
    cdef int left
    for side in range(SIDES):
        left = state.deck_count[side]
        for i in range(count(rules.side_cards[side])):
            none = NONE
            name_byte(cursor, &state.deck[side][left - 1 - i] if i < left else &none, rules.cards)

cdef inline uint64_t laid_aside(const Rules *rules, const State *state) noexcept nogil:
    """The known cards on piles and the open one; while orders are chosen they still count as in hand."""
    cdef uint64_t cards = 0
    cdef int seat
    cdef int i
    if state.phase == PHASE_PLAN:
        return 0
    for seat in range(rules.seats):
        for i in range(state.pile_count[seat]):
            if state.pile[seat][i] != NONE:
                cards |= bit(state.pile[seat][i])
    return cards | (bit(state.flipped) if state.flipped != NONE else 0)

cdef inline uint64_t known_in_deck(const State *state) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int side
    cdef int i
    for side in range(SIDES):
        for i in range(state.deck_count[side]):
            if state.deck[side][i] != NONE:
                cards |= bit(state.deck[side][i])
    return cards

cdef inline void export_holders(const Rules *rules, const State *state, int32_t *out) noexcept nogil:
    """For each card the seat that has it in hand or where it lies; HIDDEN in a view that may not know."""
    cdef uint64_t aside = laid_aside(rules, state)
    cdef uint64_t deck = known_in_deck(state)
    cdef int card
    cdef int seat
    for card in range(rules.cards):
        out[card] = HIDDEN
        if has(state.discards, card):
            out[card] = HOLDER_DISCARDS
        elif has(aside, card):
            out[card] = HOLDER_ASIDE
        elif has(deck, card):
            out[card] = HOLDER_DECK
        for seat in range(rules.seats):
            if has(state.hand[seat], card):
                out[card] = seat

cdef inline int import_holders(const Rules *rules, State *state, const int32_t *words) noexcept nogil:
    """0, or 1 + the word that cannot be."""
    cdef int card
    for card in range(rules.cards):
        if 0 <= words[card] < rules.seats:
            state.hand[words[card]] |= bit(card)
        elif words[card] == HOLDER_DISCARDS:
            state.discards |= bit(card)
        elif words[card] != HIDDEN and words[card] != HOLDER_DECK and words[card] != HOLDER_ASIDE:
            return 1 + card
    return 0

cdef inline int missing_word(const State *state) noexcept nogil:
    """0, or the word that is wrong for the phase: an order has a seat, a card, a ship; dice have a target."""
    if state.phase == PHASE_PLAN or state.phase == PHASE_OVER:
        return 0
    if state.phase == PHASE_NEXT:
        return PHASE_WORD
    if state.turn == NONE:
        return TURN_WORD
    if state.flipped == NONE:
        return FLIPPED_WORD
    if state.phase == PHASE_ORDER or state.phase == PHASE_FIRE:
        return 0
    if state.order >= SHIPS:
        return ORDER_WORD
    if state.phase != PHASE_ASSIGN:
        return 0
    if state.origin == NONE:
        return ORIGIN_WORD
    return TARGET_WORD if state.target == NONE else 0

cdef inline void begin_cursor(Cursor *cursor, int32_t *out, const int32_t *words) noexcept nogil:
    cursor.out = out
    cursor.words = words
    cursor.at = 0
    cursor.fault = 0

cdef inline void open_fields(const Rules *rules, State *state, Cursor *cursor) noexcept nogil:
    """All but where the cards are."""
    scalars(rules, state, cursor)
    ships(rules, state, cursor)
    markers(rules, state, cursor)
    counters(rules, state, cursor)

cdef inline int export_all(const Rules *rules, const State *state, int32_t *out) noexcept nogil:
    """Write the fields; return their number."""
    cdef Cursor cursor
    cdef State copied = state[0]
    begin_cursor(&cursor, out, NULL)
    open_fields(rules, &copied, &cursor)
    export_holders(rules, state, out + cursor.at)
    cursor.at += rules.cards
    piles(rules, &copied, &cursor)
    decks(rules, &copied, &cursor)
    return cursor.at

# ---- what a written position may leave out

cdef inline void derive_piles(const Rules *rules, State *state) noexcept nogil:
    """The number of the cards on a pile, chosen ones as many as a seat chooses; the number in a hand."""
    cdef int seat
    cdef int n
    for seat in range(rules.seats):
        n = 0
        while n < rules.pile_room and state.pile[seat][n] != NONE:
            n += 1
        if n and not state.pile_count[seat]:
            state.pile_count[seat] = <uint8_t>n
            state.chosen[seat] = <uint8_t>min(n, rules.orders)
        if not state.held[seat]:
            state.held[seat] = <uint8_t>count(state.hand[seat])

cdef inline int hidden_cards(const Rules *rules, const State *state, int side) noexcept nogil:
    """How many of the side's cards are somewhere in its hands and piles without being named."""
    cdef int seat
    cdef int i
    cdef int n = 0
    for seat in range(rules.seats):
        if rules.side[seat] != side:
            continue
        n += state.held[seat] - count(state.hand[seat])
        for i in range(state.pile_count[seat]):
            n += state.pile[seat][i] == NONE
    return n

cdef inline void derive_decks(const Rules *rules, State *state, const int32_t *holders) noexcept nogil:
    """The number of cards left to draw: those said to be in the deck that are nowhere else."""
    cdef uint64_t elsewhere = laid_aside(rules, state)
    cdef int side
    cdef int card
    cdef int n
    for side in range(SIDES):
        if state.deck_count[side]:
            continue
        n = 0
        for card in range(rules.cards):
            n += has(rules.side_cards[side], card) and holders[card] == HOLDER_DECK and not has(elsewhere, card)
        state.deck_count[side] = <uint8_t>max(0, n - hidden_cards(rules, state, side))

cdef inline void derive_ships(const Rules *rules, State *state) noexcept nogil:
    """What is not on the board is in the box."""
    cdef int ship
    cdef int place
    cdef int left
    for ship in range(FIGHTERS):
        left = rules.pieces[ship] - (state.aboard if ship == TIE else 0)
        for place in range(rules.places):
            left -= state.count[ship][place]
        if not state.box[ship] and left > 0:
            state.box[ship] = <uint8_t>left

cdef inline int import_all(const Rules *rules, State *state, const int32_t *words) noexcept nogil:
    """0, or 1 + the index of the word that cannot be."""
    cdef Cursor cursor
    cdef int fault
    cdef const int32_t *holders
    begin_cursor(&cursor, NULL, words)
    open_fields(rules, state, &cursor)
    if cursor.fault:
        return cursor.fault
    fault = missing_word(state)
    if fault:
        return fault
    holders = words + cursor.at
    fault = import_holders(rules, state, holders)
    if fault:
        return cursor.at + fault
    cursor.at += rules.cards
    piles(rules, state, &cursor)
    if cursor.fault:
        return cursor.fault
    if state.lap == 0:
        state.lap = 1
    derive_ships(rules, state)
    derive_piles(rules, state)
    decks(rules, state, &cursor)
    if not cursor.fault:
        derive_decks(rules, state, holders)
    return cursor.fault
