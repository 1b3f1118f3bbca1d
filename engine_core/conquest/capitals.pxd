"""Capitals, which everybody sees placed, and headquarters, which all pick in secret at once."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, count, has, lowest, without_lowest
from engine_core.conquest.setup cimport deal_extra_cards, first_living, unclaimed
from engine_core.conquest.state cimport (
    CAPITALS_CLAIMED, EVENT_CAPITAL, EVENT_CLAIMED, EVENT_HEADQUARTERS, EVENT_HEADQUARTERS_PICKED, KIND_CAPITAL,
    KIND_HEADQUARTERS, PHASE_BEGIN, PHASE_CLAIM, PHASE_PLACE, RULE_NO_SUCH_TERRITORY, RULE_NOT_ASKED, RULE_NOT_OWN,
    RULE_OK, RULE_TAKEN, RULE_UNUSED_OPERAND, Rules, State, everyone, give, next_living,
)
from engine_core.dice cimport Dice
from engine_core.kernel cimport NONE, Action, ActionRange, EventLog, add_range, emit

cdef inline uint64_t capital_sites(const Rules *rules, const State *state) noexcept nogil:
    """Where the turn's colour may put its capital: on free territories, or on own ones."""
    if rules.capitals == CAPITALS_CLAIMED:
        return unclaimed(rules, state)
    return state.owned[state.turn_colour]

cdef inline int sites_legal(uint64_t sites, int kind, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    while sites:
        add_range(out, &n, cap, kind, lowest(sites), 0, 0, 0, 0)
        sites = without_lowest(sites)
    return n

cdef inline int capital_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    return sites_legal(capital_sites(rules, state), KIND_CAPITAL, out, cap)

cdef inline void found_capital(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    """The capital, and with it the first troop where territories are claimed; then it is the next one's go."""
    cdef int colour = state.turn_colour
    cdef int seat = rules.colour_seat[colour]
    if rules.capitals == CAPITALS_CLAIMED:
        give(rules, state, territory, colour, 1)
        state.pool[colour] -= 1
        emit(events, EVENT_CLAIMED, seat, territory, colour, 0, 0, everyone(rules))
    state.capital[colour] = <uint8_t>territory
    emit(events, EVENT_CAPITAL, seat, territory, colour, 0, 0, everyone(rules))
    state.turn_colour = <uint8_t>next_living(rules, state, colour)

cdef inline int capital_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not has(capital_sites(rules, state), action.a):
        return RULE_TAKEN if rules.capitals == CAPITALS_CLAIMED else RULE_NOT_OWN
    found_capital(rules, state, action.a, events)
    return RULE_OK

cdef inline bint capital_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a capital must be asked for; when all stand, claiming or placing goes on."""
    cdef uint64_t sites = capital_sites(rules, state)
    if state.capital[state.turn_colour] == NONE:
        if without_lowest(sites):
            return True
        found_capital(rules, state, lowest(sites), events)
    elif rules.capitals == CAPITALS_CLAIMED:
        state.phase = PHASE_CLAIM
    else:
        state.turn_colour = <uint8_t>first_living(rules, state)
        state.phase = PHASE_PLACE
    return False

cdef inline bint owes_headquarters(const Rules *rules, const State *state, int colour) noexcept nogil:
    """Whether the colour has a pick to make; who holds a single territory has none, before and after."""
    return (
        has(state.living, colour) and state.capital[colour] == NONE
        and without_lowest(state.owned[colour]) and not state.retired[rules.colour_seat[colour]]
    )

cdef inline int colour_of(const Rules *rules, int seat) noexcept nogil:
    """The colour of a seat that commands one."""
    cdef int colour
    for colour in range(rules.colours):
        if rules.colour_seat[colour] == seat:
            return colour
    return NONE

cdef inline uint32_t seats_that_pick(const Rules *rules, const State *state) noexcept nogil:
    cdef uint32_t seats = 0
    cdef int colour
    for colour in range(rules.colours):
        if owes_headquarters(rules, state, colour):
            seats |= <uint32_t>1 << rules.colour_seat[colour]
    return seats

cdef inline int headquarters_legal(const Rules *rules, const State *state, int seat, ActionRange *out,
                                   int cap) noexcept nogil:
    return sites_legal(state.owned[colour_of(rules, seat)], KIND_HEADQUARTERS, out, cap)

cdef inline void pick_headquarters(const Rules *rules, State *state, int colour, int territory,
                                   EventLog *events) noexcept nogil:
    cdef int seat = rules.colour_seat[colour]
    state.capital[colour] = <uint8_t>territory
    emit(events, EVENT_HEADQUARTERS_PICKED, seat, territory, 0, 0, 0, <uint32_t>1 << seat)

cdef inline int headquarters_apply(const Rules *rules, State *state, int seat, Action action,
                                   EventLog *events) noexcept nogil:
    cdef int colour = colour_of(rules, seat)
    if not owes_headquarters(rules, state, colour):
        return RULE_NOT_ASKED
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not has(state.owned[colour], action.a):
        return RULE_NOT_OWN
    pick_headquarters(rules, state, colour, action.a, events)
    return RULE_OK

cdef inline void put_aside(State *state, int card) noexcept nogil:
    """Take a card out of the deck and the game; the order of the others stays."""
    cdef int i
    cdef int kept = 0
    for i in range(state.deck_count):
        if state.deck[i] != card:
            state.deck[kept] = state.deck[i]
            kept += 1
    if kept == state.deck_count:
        return
    state.deck_count = <uint8_t>kept
    state.deck[kept] = 0
    state.aside |= bit(card)

cdef inline void reveal(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """From now on everybody knows the colour's headquarters."""
    state.capital_known |= <uint8_t>(1 << colour)
    emit(events, EVENT_HEADQUARTERS, rules.colour_seat[colour], state.capital[colour], colour, 0, 0, everyone(rules))

cdef inline bint headquarters_settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True while a pick is owed; then the headquarters' cards leave the deck, which is dealt from only now."""
    cdef int colour
    if seats_that_pick(rules, state):
        return True
    for colour in range(rules.colours):
        if not has(state.living, colour):
            if rules.colour_seat[colour] != NONE:
                state.capital_known |= <uint8_t>(1 << colour)   # who left before has none, as all know
            continue
        if state.capital[colour] == NONE:
            pick_headquarters(rules, state, colour, lowest(state.owned[colour]), events)
        put_aside(state, rules.territory_card[state.capital[colour]])
        if not rules.headquarters_hidden:
            reveal(rules, state, colour, events)
    deal_extra_cards(rules, state, dice, events)
    state.phase = PHASE_BEGIN
    return False

cdef inline void uncover_captured(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    """A hidden headquarters is shown when its territory falls."""
    cdef int colour
    for colour in range(rules.colours):
        if state.capital[colour] == territory and not has(state.capital_known, colour):
            reveal(rules, state, colour, events)

cdef inline int capitals_held(const Rules *rules, const State *state, int colour, bint own_too) noexcept nogil:
    """How many capitals or headquarters the colour holds; those of the eliminated count."""
    cdef int held = 0
    cdef int other
    for other in range(rules.colours):
        if state.capital[other] != NONE and (own_too or other != colour):
            held += has(state.owned[colour], state.capital[other])
    return held

cdef inline bint holds_own_capital(const State *state, int colour) noexcept nogil:
    return state.capital[colour] != NONE and has(state.owned[colour], state.capital[colour])

cdef inline bint holds_headquarters(const Rules *rules, const State *state) noexcept nogil:
    """Whether the turn's colour holds its own headquarters and as many others as it takes, at most all."""
    cdef int others = 0
    cdef int colour
    if not holds_own_capital(state, state.turn_colour):
        return False
    for colour in range(rules.colours):
        others += colour != state.turn_colour and state.capital[colour] != NONE
    if others > rules.headquarters_to_win:
        others = rules.headquarters_to_win
    return others > 0 and capitals_held(rules, state, state.turn_colour, False) >= others
