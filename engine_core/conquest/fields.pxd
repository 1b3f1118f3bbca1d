"""The state as named int32 fields, both ways; describe.py names them in the same order."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint64_t

from engine_core.bits cimport bit, count, has, lowest, without_lowest
from engine_core.conquest.optional_fields cimport export_optional, import_optional, within
from engine_core.conquest.state cimport (
    PHASE_DEFEND, PHASE_OCCUPY, PHASE_REROLL, Rules, State, in_setup, may_be_free, set_troops,
)
from engine_core.cursor cimport shown
from engine_core.kernel cimport NONE

cdef enum:
    HOLDER_DECK = 100
    HOLDER_DISCARDS = 101
    HOLDER_ASIDE = 102
    HIDDEN = -1
    MOST_TROOPS = 1 << 30    # on the whole board; half of it as reinforcements, so that sums stay in 32 bits
    MOST_SETS = 1 << 20

cdef inline void export_holders(const Rules *rules, const State *state, int32_t *out) noexcept nogil:
    """For each card the colour that holds it or the pile it lies in; HIDDEN in a view that may not know."""
    cdef uint64_t cards
    cdef int colour
    cdef int i
    for i in range(rules.cards):
        out[i] = HIDDEN
    for i in range(state.deck_count):
        if state.deck[i] != NONE:
            out[state.deck[i]] = HOLDER_DECK
    for colour in range(rules.colours):
        cards = state.hand[colour]
        while cards:
            out[lowest(cards)] = colour
            cards = without_lowest(cards)
    cards = state.discards
    while cards:
        out[lowest(cards)] = HOLDER_DISCARDS
        cards = without_lowest(cards)
    cards = state.aside
    while cards:
        out[lowest(cards)] = HOLDER_ASIDE
        cards = without_lowest(cards)

cdef inline int export_scalars(const State *state, int32_t *out) noexcept nogil:
    out[0] = state.lap
    out[1] = state.turn_colour
    out[2] = state.first_colour
    out[3] = state.phase
    out[4] = state.placed
    out[5] = state.reinforcements
    out[6] = state.captured
    out[7] = state.bonuses_used
    out[8] = state.trades_this_turn
    out[9] = state.during_attack
    out[10] = state.sets_traded
    out[11] = state.reshuffles
    out[12] = shown(state.attack_from)
    out[13] = shown(state.attack_to)
    out[14] = state.attack_dice
    out[15] = shown(state.victim)
    out[16] = state.eliminations
    out[17] = state.decisions
    out[18] = state.termination
    out[19] = state.deck_count
    return 20

cdef inline int export_all(const Rules *rules, const State *state, int32_t *out) noexcept nogil:
    cdef int n = export_scalars(state, out)
    cdef int i
    for i in range(rules.colours):
        out[n + i] = state.pool[i]
        out[n + rules.colours + i] = state.cards_held[i]
        out[n + 2 * rules.colours + i] = (state.living >> i) & 1
        out[n + 3 * rules.colours + i] = state.eliminated_at[i]
    n += 4 * rules.colours
    for i in range(rules.seats):
        out[n + i] = state.retired[i]
    n += rules.seats
    for i in range(rules.territories):
        out[n + i] = shown(state.owner[i])
        out[n + rules.territories + i] = state.troops[i]
        out[n + 2 * rules.territories + i] = has(state.bonus_choices, i)
    n += 3 * rules.territories
    export_holders(rules, state, out + n)
    for i in range(rules.cards):
        out[n + rules.cards + i] = HIDDEN
        if i < state.deck_count:
            out[n + rules.cards + i] = shown(state.deck[state.deck_count - 1 - i])
    n += 2 * rules.cards
    for i in range(rules.borders):
        out[n + i] = state.rolls[i]
    n += rules.borders
    return n + export_optional(rules, state, out + n)

cdef inline bint fights(int32_t phase) noexcept nogil:
    """Whether a battle is under way, which needs its two territories."""
    return phase == PHASE_DEFEND or phase == PHASE_OCCUPY or phase == PHASE_REROLL

cdef inline int import_scalars(const Rules *rules, State *state, const int32_t *words) noexcept nogil:
    """0, or 1 + the index of the word that is out of range."""
    cdef int32_t highest[20]
    cdef int32_t lowest_allowed
    cdef int i
    highest[:] = [
        rules.turn_cap, rules.colours - 1, rules.colours - 1, PHASE_REROLL, rules.own_troops_a_go + 1,
        MOST_TROOPS // 2, 1, 255, 255, 1, MOST_SETS, 1 << 30, rules.territories - 1, rules.territories - 1, 3,
        rules.colours - 1, rules.colours, 0x7FFFFFFF, 3, rules.cards,
    ]
    for i in range(20):
        lowest_allowed = -1 if i == 15 or (i in (12, 13) and not fights(words[3])) else 0
        if not within(words[i], lowest_allowed, highest[i]):
            return 1 + i
    if rules.colour_seat[words[1]] == NONE:
        return 2
    state.lap = words[0]
    state.turn_colour = <uint8_t>words[1]
    state.first_colour = <uint8_t>words[2]
    state.phase = <uint8_t>words[3]
    state.placed = <uint8_t>words[4]
    state.reinforcements = words[5]
    state.captured = <uint8_t>words[6]
    state.bonuses_used = <uint8_t>words[7]
    state.trades_this_turn = <uint8_t>words[8]
    state.during_attack = <uint8_t>words[9]
    state.sets_traded = words[10]
    state.reshuffles = words[11]
    state.attack_from = <uint8_t>words[12]
    state.attack_to = <uint8_t>words[13]
    state.attack_dice = <uint8_t>words[14]
    state.victim = <uint8_t>words[15]
    state.eliminations = <uint8_t>words[16]
    state.decisions = words[17]
    state.termination = <uint8_t>words[18]
    state.deck_count = <uint8_t>words[19]
    return 0

cdef inline int import_sides(const Rules *rules, State *state, const int32_t *words, int n) noexcept nogil:
    """Per-colour and per-seat words from index n on."""
    cdef int i
    cdef int colours = rules.colours
    for i in range(colours):
        if not within(words[n + i], 0, 1 << 20):
            return 1 + n + i
        if not within(words[n + colours + i], 0, rules.cards):
            return 1 + n + colours + i
        if not within(words[n + 2 * colours + i], 0, rules.colour_seat[i] != NONE):
            return 1 + n + 2 * colours + i
        if not within(words[n + 3 * colours + i], -1, colours):
            return 1 + n + 3 * colours + i
        state.pool[i] = words[n + i]
        state.cards_held[i] = <uint8_t>words[n + colours + i]
        state.living |= <uint8_t>(words[n + 2 * colours + i] << i)
        state.eliminated_at[i] = <int16_t>words[n + 3 * colours + i]
    n += 4 * colours
    for i in range(rules.seats):
        if not within(words[n + i], 0, 2):
            return 1 + n + i
        state.retired[i] = <uint8_t>words[n + i]
    return 0

cdef inline int import_board(const Rules *rules, State *state, const int32_t *words, int n) noexcept nogil:
    cdef int i
    cdef int territories = rules.territories
    cdef int32_t room = MOST_TROOPS
    for i in range(territories):
        if not within(words[n + i], -1 if may_be_free(state) else 0, rules.colours - 1):
            return 1 + n + i
        if not within(words[n + territories + i], 0, room):
            return 1 + n + territories + i
        room -= words[n + territories + i]
        if not within(words[n + 2 * territories + i], 0, 1):
            return 1 + n + 2 * territories + i
        state.owner[i] = <uint8_t>words[n + i]
        set_troops(rules, state, i, words[n + territories + i])
        state.bonus_choices |= <uint64_t>words[n + 2 * territories + i] << i
        if words[n + i] >= 0:
            state.owned[words[n + i]] |= bit(i)
    return 0

cdef inline int import_cards(const Rules *rules, State *state, const int32_t *words, int n) noexcept nogil:
    cdef int i
    cdef int cards = rules.cards
    cdef int32_t where
    for i in range(cards):
        where = words[n + i]
        if within(where, 0, rules.colours - 1):
            state.hand[where] |= bit(i)
        elif where == HOLDER_DISCARDS:
            state.discards |= bit(i)
        elif where == HOLDER_ASIDE:
            state.aside |= bit(i)
        elif where != HIDDEN and where != HOLDER_DECK:
            return 1 + n + i
        if not within(words[n + cards + i], -1, cards - 1):
            return 1 + n + cards + i
        if i < state.deck_count:
            state.deck[state.deck_count - 1 - i] = <uint8_t>words[n + cards + i]
    return 0

cdef inline void derive_omitted(const Rules *rules, State *state, const int32_t *holders) noexcept nogil:
    """Fill what a hand-written position may leave out: the lap, who takes turns, the counts of cards.

    A colour takes turns that owns land, or that has just lost the last of it, until the troops moved in.
    """
    cdef int i
    if state.lap == 0:
        state.lap = 1
    for i in range(rules.colours):
        if not state.cards_held[i]:
            state.cards_held[i] = <uint8_t>count(state.hand[i])
    if not state.living:
        for i in range(rules.colours):
            if i != rules.neutral_colour and (state.owned[i] or i == state.victim or in_setup(state)):
                state.living |= <uint8_t>(1 << i)
    if state.deck_count:
        return
    for i in range(rules.cards):
        if holders[i] == HOLDER_DECK:
            state.deck[state.deck_count] = NONE
            state.deck_count += 1

cdef inline int import_all(const Rules *rules, State *state, const int32_t *words) noexcept nogil:
    """0, or 1 + the index of the word that cannot be."""
    cdef int n = 20
    cdef int fault = import_scalars(rules, state, words)
    cdef int i
    if not fault:
        fault = import_sides(rules, state, words, n)
    n += 4 * rules.colours + rules.seats
    if not fault:
        fault = import_board(rules, state, words, n)
    n += 3 * rules.territories
    if not fault:
        fault = import_cards(rules, state, words, n)
    if fault:
        return fault
    derive_omitted(rules, state, words + n)
    n += 2 * rules.cards
    for i in range(rules.borders):
        if not within(words[n + i], 0, 0xFFFF):
            return 1 + n + i
        state.rolls[i] = <uint16_t>words[n + i]
    n += rules.borders
    fault = import_optional(rules, state, words + n)
    return fault + n if fault else 0
