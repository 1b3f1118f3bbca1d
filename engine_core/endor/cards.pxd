"""Order cards: the two decks, hands, choosing orders all at once, flipping them, bonus cards."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memmove, memset

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.dice cimport STREAM_SHUFFLE, Dice, draw
from engine_core.endor.state cimport (
    EVENT_BONUS, EVENT_DREW, EVENT_FLIPPED, EVENT_PICKED, EVENT_RESHUFFLED, KIND_PASS, KIND_PICK, MAX_DECK,
    RULE_CANNOT_PASS, RULE_FIRST_COPY,
    RULE_NOT_HELD, RULE_OK, RULE_UNUSED_OPERAND, RULE_WRONG_PHASE, SIDES, Rules, State, everyone,
    only,
)
from engine_core.kernel cimport NONE, Action, ActionRange, EventLog, add_range, emit

cdef inline int shuffled(uint64_t cards, int deck, int shuffle, const Dice *dice, uint8_t *out) noexcept nogil:
    """Write the cards in the order of their sort keys (deck, card, shuffle); return how many they are."""
    cdef uint64_t keys[MAX_DECK]
    cdef uint64_t key
    cdef int n = 0
    cdef int i
    cdef int card
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        key = draw(dice, STREAM_SHUFFLE, 0, deck, card, shuffle)
        i = n
        while i > 0 and keys[i - 1] > key:
            keys[i] = keys[i - 1]
            out[i] = out[i - 1]
            i -= 1
        keys[i] = key
        out[i] = <uint8_t>card
        n += 1
    return n

cdef inline int take_top(const Rules *rules, State *state, int side, Dice *dice, EventLog *events) noexcept nogil:
    """The side's next card, NONE when there is none; an empty deck is made anew of the discards first."""
    cdef uint64_t discards = state.discards & rules.side_cards[side]
    cdef int card
    if not state.deck_count[side] and discards:
        state.reshuffles[side] += 1
        state.deck_count[side] = <uint8_t>shuffled(discards, side, state.reshuffles[side], dice, state.deck[side])
        state.discards &= ~discards
        emit(events, EVENT_RESHUFFLED, NONE, side, 0, 0, state.deck_count[side], everyone(rules))
    if not state.deck_count[side]:
        return NONE
    state.deck_count[side] -= 1
    card = state.deck[side][state.deck_count[side]]
    state.deck[side][state.deck_count[side]] = NONE
    return card

cdef inline void draw_cards(const Rules *rules, State *state, int seat, int number, Dice *dice,
                            EventLog *events) noexcept nogil:
    """Draw so many cards into the hand, or as many as there are."""
    cdef int _i
    cdef int card
    for _i in range(number):
        card = take_top(rules, state, rules.side[seat], dice, events)
        if card == NONE:
            return
        state.hand[seat] |= bit(card)
        state.held[seat] += 1
        emit(events, EVENT_DREW, seat, card, 0, 0, 0, rules.sees_hand[seat])
        emit(events, EVENT_DREW, seat, NONE, 0, 0, 0, everyone(rules) & ~rules.sees_hand[seat])

cdef inline void draw_bonus(const Rules *rules, State *state, int seat, int number, Dice *dice,
                            EventLog *events) noexcept nogil:
    """Slip so many cards unseen under the seat's pile, or as many as there are."""
    cdef int card
    cdef int drawn = 0
    while drawn < number and state.pile_count[seat] < MAX_DECK:
        card = take_top(rules, state, rules.side[seat], dice, events)
        if card == NONE:
            break
        state.pile[seat][state.pile_count[seat]] = <uint8_t>card
        state.pile_count[seat] += 1
        drawn += 1
    if drawn:
        emit(events, EVENT_BONUS, seat, 0, 0, 0, drawn, everyone(rules))

cdef inline void shuffle_decks(const Rules *rules, State *state, Dice *dice) noexcept nogil:
    cdef int side
    for side in range(SIDES):
        state.deck_count[side] = <uint8_t>shuffled(rules.side_cards[side], side, 0, dice, state.deck[side])

# ---- choosing orders

cdef inline int wanted(const Rules *rules, const State *state, int seat) noexcept nogil:
    """How many cards the seat puts on its pile: always all that the rules ask for, usable or not."""
    return min(rules.orders, <int>state.held[seat])

cdef inline bint still_chooses(const Rules *rules, const State *state, int seat) noexcept nogil:
    return state.pile_count[seat] < wanted(rules, state, seat)

cdef inline uint32_t seats_that_choose(const Rules *rules, const State *state) noexcept nogil:
    """The seats whose pile is not complete yet."""
    cdef uint32_t seats = 0
    cdef int seat
    for seat in range(rules.seats):
        if still_chooses(rules, state, seat):
            seats |= only(seat)
    return seats

cdef inline uint64_t unpicked(const State *state, int seat) noexcept nogil:
    """The hand without what lies on the pile already."""
    cdef uint64_t cards = state.hand[seat]
    cdef int i
    for i in range(state.pile_count[seat]):
        if state.pile[seat][i] != NONE:
            cards &= ~bit(state.pile[seat][i])
    return cards

cdef inline int pick_legal(const Rules *rules, const State *state, int seat, ActionRange *out, int cap) noexcept nogil:
    """One of each card in the hand: copies are the same."""
    cdef uint64_t cards = unpicked(state, seat)
    cdef uint64_t left = cards
    cdef int count = 0
    cdef int card
    while left:
        card = lowest(left)
        left = without_lowest(left)
        if not cards & rules.copies_before[card]:
            add_range(out, &count, cap, KIND_PICK, card, 0, 0, 0, 0)
    return count

cdef inline void pick(State *state, int seat, int card, EventLog *events) noexcept nogil:
    """Put a card under the orders chosen so far; nobody else is told anything."""
    cdef int place = state.pile_count[seat]
    state.pile[seat][place] = <uint8_t>card
    state.pile_count[seat] += 1
    state.chosen[seat] += 1
    emit(events, EVENT_PICKED, seat, card, 0, 0, place, only(seat))

cdef inline bint choice_is_one(const Rules *rules, uint64_t cards) noexcept nogil:
    """Whether the cards are all the same."""
    cdef uint64_t left = without_lowest(cards)
    while left:
        if not cards & rules.copies_before[lowest(left)]:
            return False
        left = without_lowest(left)
    return True

cdef inline bint pick_settle(const Rules *rules, State *state, int seat, EventLog *events) noexcept nogil:
    """Make the choices that are none; True when the seat must be asked."""
    cdef uint64_t cards
    while still_chooses(rules, state, seat):
        cards = unpicked(state, seat)
        if not cards:
            return False
        if not choice_is_one(rules, cards):
            return True
        pick(state, seat, lowest(cards), events)
    return False

cdef inline int pick_apply(const Rules *rules, State *state, int seat, Action action, EventLog *events) noexcept nogil:
    cdef uint64_t cards = unpicked(state, seat)
    if action.kind == KIND_PASS:
        return RULE_CANNOT_PASS
    if action.kind != KIND_PICK:
        return RULE_WRONG_PHASE
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.cards or not has(cards, action.a):
        return RULE_NOT_HELD
    if cards & rules.copies_before[action.a]:
        return RULE_FIRST_COPY
    pick(state, seat, action.a, events)
    pick_settle(rules, state, seat, events)
    return RULE_OK

cdef inline void settle_picks(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """When choosing begins: those choices that are none."""
    cdef int seat
    for seat in range(rules.seats):
        pick_settle(rules, state, seat, events)

cdef inline void take_up_piles(const Rules *rules, State *state) noexcept nogil:
    """When all have chosen: the chosen cards leave the hands."""
    cdef int seat
    for seat in range(rules.seats):
        state.hand[seat] = unpicked(state, seat)
        state.held[seat] -= state.pile_count[seat]

# ---- playing them

cdef inline int next_seat(const Rules *rules, const State *state) noexcept nogil:
    """Whose card is flipped next: turn by turn, empty piles are passed over; NONE when all are out."""
    cdef int seat = -1 if state.turn == NONE else state.turn
    cdef int _i
    for _i in range(rules.seats):
        seat += 1
        if seat == rules.seats:
            seat = 0
        if state.pile_count[seat]:
            return seat
    return NONE

cdef inline void flip(const Rules *rules, State *state, int seat, EventLog *events) noexcept nogil:
    """Turn the top card of the seat's pile over."""
    cdef int left = state.pile_count[seat] - 1
    state.turn = <uint8_t>seat
    state.flipped = state.pile[seat][0]
    memmove(state.pile[seat], state.pile[seat] + 1, left)
    state.pile[seat][left] = NONE
    state.pile_count[seat] = <uint8_t>left
    if state.chosen[seat]:
        state.chosen[seat] -= 1
    emit(events, EVENT_FLIPPED, seat, state.flipped, 0, 0, 0, everyone(rules))

cdef inline void put_away(State *state) noexcept nogil:
    """The card that was played goes to the discards, its order being done."""
    state.discards |= bit(state.flipped)
    state.flipped = NONE
    state.order = NONE
    state.origin = NONE
    state.moved = 0
    state.target = NONE
    state.falcon_fell = 0
    memset(state.dice, 0, sizeof(state.dice))
