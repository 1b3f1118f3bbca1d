"""Proof kernel: two seats choose three hidden cards in order at once, flip them together, and do it again.

The higher card takes each of the three places. What a seat has chosen, and whether it has, is nobody else's
business before both are done; so the counter of decisions is a secret, too.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from common cimport (
    BROKEN, FINE, IN_DECK, IN_DISCARDS, UNKNOWN, Ground, Head, begin, below, capsule_of, collect, deal_unknown,
    everyone, finish, ground_of, judge, only, report, take_out,
)
from engine_core.dice cimport STREAM_FAMILY, Dice, draw
from engine_core.kernel cimport (
    BY_FORFEIT, BY_RULES, NONE, RUNNING, Action, ActionRange, EventLog, Facts, Kernel, add_range, emit,
)

from proof_tables import HEAD, Word, description

from engine_core import Kind, Option

cdef enum:
    SEATS = 2
    PLACES = 3
    CARDS = 16
    LAPS = 2

cdef enum EventKind:
    EVENT_DREW = 3     # seat, a = card (only for that seat)
    EVENT_PICKED       # seat, a = card, n = place (only for that seat)
    EVENT_FLIPPED      # a, b = cards of seats 0 and 1, n = place

cdef struct Rules:
    Ground ground
    int hand

# Behind the head in the order of WORDS.
cdef struct State:
    Head head
    int32_t score[SEATS]
    int32_t held[SEATS]              # cards in possession, chosen ones included
    int32_t order[SEATS][PLACES]     # chosen cards
    int32_t cards[CARDS]

WORDS = (
    Word("score", SEATS, hi=LAPS * PLACES, per="seat"),
    Word("held", SEATS, hi=CARDS, per="seat"),
    Word("order", SEATS * PLACES, lo=-1, hi=CARDS - 1, of="card", default=-1),
    Word("cards", CARDS, lo=-1, hi=IN_DISCARDS, of="holder", per="card", default=IN_DECK),
)


cdef int chosen(const State *state, int seat) noexcept nogil:
    """How many places a seat has filled."""
    cdef int place = 0
    while place < PLACES and state.order[seat][place] != UNKNOWN:
        place += 1
    return place

cdef bint is_chosen(const State *state, int seat, int card, int places) noexcept nogil:
    """Whether the card is on one of the seat's first places."""
    cdef int place
    for place in range(places):
        if state.order[seat][place] == card:
            return True
    return False

cdef uint32_t pending(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef uint32_t seats = 0
    cdef int seat
    for seat in range(SEATS):
        if state.head.termination == RUNNING and chosen(state, seat) < PLACES:
            seats |= only(seat)
    return seats

cdef int legal(const void *rules, const void *block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int count = 0
    cdef int card
    if not pending(rules, block) & only(seat):
        return 0
    for card in range(CARDS):
        if state.cards[card] == seat and not is_chosen(state, seat, card, PLACES):
            add_range(out, &count, cap, 0, card, 0, 0, 0, 0)
    return count

cdef void pick(State *state, int seat, int card, EventLog *events) noexcept nogil:
    cdef int place = chosen(state, seat)
    state.order[seat][place] = card
    emit(events, EVENT_PICKED, seat, card, 0, 0, place, only(seat))

cdef void deal(State *state, int seat, int count, Dice *dice, EventLog *events) noexcept nogil:
    """Draws are keyed by lap, seat and number: nothing depends on who was done first."""
    cdef int32_t deck[CARDS]
    cdef int left
    cdef int card
    cdef int i
    for i in range(count):
        left = collect(state.cards, CARDS, IN_DECK, deck)
        card = deck[below(draw(dice, STREAM_FAMILY, state.head.lap, seat, i, 0), left)]
        state.cards[card] = seat
        state.held[seat] += 1
        emit(events, EVENT_DREW, seat, card, 0, 0, 0, only(seat))

cdef void flip(State *state, EventLog *events) noexcept nogil:
    """The higher card takes each place, and all six are discarded."""
    cdef int place
    cdef int seat
    for place in range(PLACES):
        state.score[0 if state.order[0][place] > state.order[1][place] else 1] += 1
        emit(events, EVENT_FLIPPED, NONE, state.order[0][place], state.order[1][place], 0, place, everyone())
        for seat in range(SEATS):
            state.cards[state.order[seat][place]] = IN_DISCARDS
            state.order[seat][place] = UNKNOWN
            state.held[seat] -= 1

cdef void settle(State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Make the choices that are none; when both are done flip, and deal again or end the game."""
    cdef ActionRange ranges[2]
    cdef int seat
    for seat in range(SEATS):
        while legal(NULL, state, seat, ranges, 2) == 1:
            pick(state, seat, ranges[0].a, events)
    if chosen(state, 0) < PLACES or chosen(state, 1) < PLACES:
        return
    flip(state, events)
    if state.head.lap == LAPS:
        finish(&state.head, BY_RULES, events)
        return
    state.head.lap += 1
    for seat in range(SEATS):
        deal(state, seat, PLACES, dice, events)

cdef void init(const void *rules, void *block, Dice *dice, EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int seat
    cdef int card
    begin(&state.head)
    memset(state.order, 0xFF, sizeof(state.order))
    for card in range(CARDS):
        state.cards[card] = IN_DECK
    for seat in range(SEATS):
        deal(state, seat, (<const Rules *>rules).hand, dice, events)

cdef int apply(const void *rules, void *block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int broken = judge(legal, rules, block, seat, action)
    if broken:
        return broken
    state.head.decisions += 1
    pick(state, seat, action.a, events)
    settle(state, dice, events)
    return FINE

cdef int retire(const void *_rules, void *block, int seat, int mode, Dice *_dice,
                EventLog *events) noexcept nogil:
    """A side that stops choosing has lost, as in endor."""
    cdef Head *head = &(<State *>block).head
    cdef int broken = take_out(head, seat, mode, events)
    if not broken:
        finish(head, BY_FORFEIT, events)
    return broken

cdef void result(const void *rules, const void *block, Facts *facts) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int seat
    report(rules, &state.head, facts)
    if state.head.termination == BY_RULES:
        facts.winners = 0       # unless one has taken more places, it is a draw
    for seat in range(SEATS):
        facts.territories[seat] = state.score[seat]
        if state.head.termination == BY_RULES and state.score[seat] > state.score[1 - seat]:
            facts.winners |= only(seat)

cdef void redact(const void *_rules, void *block, int seat) noexcept nogil:
    """Hide hands and deck, and all that another seat has done since the last flip: as if it had not."""
    cdef State *state = <State *>block
    cdef int card
    cdef int other
    state.head.decisions = 0
    for card in range(CARDS):
        if state.cards[card] != seat and state.cards[card] != IN_DISCARDS:
            state.cards[card] = UNKNOWN
    for other in range(SEATS):
        if other != seat:
            memset(state.order[other], 0xFF, sizeof(state.order[other]))

cdef void resample(const void *_rules, void *block, int _seat, Dice *dice) noexcept nogil:
    cdef State *state = <State *>block
    deal_unknown(dice, state.cards, CARDS, state.held, SEATS)

cdef int check(const void *rules, const void *block) noexcept nogil:
    """Hands have their sizes, chosen cards are own and different, and somebody still chooses."""
    cdef const State *state = <const State *>block
    cdef int32_t hand[CARDS]
    cdef int card
    cdef int seat
    cdef int place
    for seat in range(SEATS):
        if collect(state.cards, CARDS, seat, hand) != state.held[seat]:
            return BROKEN
        for place in range(chosen(state, seat)):
            card = state.order[seat][place]
            if state.cards[card] != seat or is_chosen(state, seat, card, place):
                return BROKEN
    return BROKEN if state.head.termination == RUNNING and not pending(rules, block) else FINE

cdef Kernel KERNEL = Kernel(
    init=init, pending=pending, legal=legal, apply=apply, retire=retire, result=result, redact=redact,
    resample=resample, check=check,
)

kernel_capsule = capsule_of(&KERNEL, sizeof(State))

OPTIONS = (Option("hand", "int", (3, 5), 4, "cards in hand when three are chosen", ""),)


def compile_rules(ruleset):
    cdef Rules rules
    rules.ground = ground_of(ruleset, HEAD + WORDS)
    rules.hand = ruleset.options["hand"]
    return (<char *>&rules)[:sizeof(Rules)]


def describe(ruleset):
    return description(
        ruleset,
        WORDS,
        actions=(Kind("pick", ("card", "", "")),),
        events=(Kind("drew", ("card", "", "")), Kind("picked", ("card", "", ""), "place"),
                Kind("flipped", ("card", "card", ""), "place")),
        cards=tuple(f"C{card}" for card in range(CARDS)),
    )
