"""Cards: the deck, drawing, sets and what they are worth, the territory bonus."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, count, lowest, without_lowest
from engine_core.conquest.state cimport (
    EVENT_BONUS, EVENT_DREW, EVENT_LOST_TROOPS, EVENT_RESHUFFLED, EVENT_TRADED, KIND_BONUS, KIND_END, KIND_TRADE,
    PHASE_BONUS, PHASE_DEPLOY, PHASE_TRADE, RULE_CANNOT_STOP, RULE_MUST_TRADE, RULE_NOT_A_SET, RULE_NOT_HELD,
    RULE_NOT_OFFERED, RULE_OK, RULE_UNUSED_OPERAND, Rules, State, add_troops, everyone, room, turn_seat,
)
from engine_core.dice cimport STREAM_SHUFFLE, Dice, draw
from engine_core.kernel cimport (
    MAX_CARDS, MAX_TERRITORIES, NONE, Action, ActionRange, EventLog, add_range, emit,
)

cdef enum:
    WILD = 3
    BONUS_TROOPS = 2
    KEEP_AT_MOST = 4     # trading after an elimination stops at the first hand this small

cdef inline int shuffled(uint64_t cards, int deck, int shuffle, const Dice *dice, uint8_t *out) noexcept nogil:
    """Write the cards in the order of their sort keys (deck, card, shuffle); return how many they are."""
    cdef uint64_t keys[MAX_CARDS]
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

cdef inline void draw_card(const Rules *rules, State *state, int colour, Dice *dice,
                           EventLog *events) noexcept nogil:
    """The colour draws one card; an empty deck is made anew of the discards first."""
    cdef int card
    cdef int seat = rules.colour_seat[colour]
    if not state.deck_count and rules.reshuffle_discards and state.discards:
        state.reshuffles += 1
        state.deck_count = <uint8_t>shuffled(state.discards, 0, state.reshuffles, dice, state.deck)
        state.discards = 0
        emit(events, EVENT_RESHUFFLED, NONE, 0, 0, 0, state.deck_count, everyone(rules))
    if not state.deck_count:
        return
    state.deck_count -= 1
    card = state.deck[state.deck_count]
    state.deck[state.deck_count] = 0
    state.hand[colour] |= bit(card)
    state.cards_held[colour] += 1
    emit(events, EVENT_DREW, seat, card, 0, 0, 0, <uint32_t>1 << seat)
    emit(events, EVENT_DREW, seat, NONE, 0, 0, 0, everyone(rules) & ~(<uint32_t>1 << seat))

cdef inline bint any_set(const Rules *rules, uint64_t cards) noexcept nogil:
    """Whether the cards hold a set: three alike, one of each, or any two with a wild."""
    cdef int infantry = count(cards & rules.symbol_cards[0])
    cdef int cavalry = count(cards & rules.symbol_cards[1])
    cdef int artillery = count(cards & rules.symbol_cards[2])
    cdef int wild = count(cards & rules.symbol_cards[WILD])
    if infantry > 2 or cavalry > 2 or artillery > 2 or (infantry and cavalry and artillery):
        return True
    return wild > 0 and infantry + cavalry + artillery + wild > 2

cdef inline bint italian_set(const Rules *rules, uint64_t cards) noexcept nogil:
    """Whether the cards hold a set where a wild completes a pair only."""
    cdef int infantry = count(cards & rules.symbol_cards[0])
    cdef int cavalry = count(cards & rules.symbol_cards[1])
    cdef int artillery = count(cards & rules.symbol_cards[2])
    if infantry > 2 or cavalry > 2 or artillery > 2 or (infantry and cavalry and artillery):
        return True
    return (cards & rules.symbol_cards[WILD]) != 0 and (infantry > 1 or cavalry > 1 or artillery > 1)

cdef inline int progressive_value(const Rules *rules, const State *state, uint64_t cards) noexcept nogil:
    """4, 6, 8, 10, 12, 15, then 5 more each; counted over all players."""
    if state.sets_traded < 5:
        return 4 + 2 * state.sets_traded
    return 15 + 5 * (state.sets_traded - 5)

cdef inline int plus_one_value(const Rules *rules, const State *state, uint64_t cards) noexcept nogil:
    """4, 5, 6 and so on; counted over all players."""
    return 4 + state.sets_traded

cdef inline int fixed_value(const Rules *rules, const State *state, uint64_t cards) noexcept nogil:
    """What the set's symbols are worth; a wild stands for what makes it worth most."""
    cdef int symbol
    cdef int best = 0
    cdef int kinds = 0
    cdef int held
    cdef int wild = count(cards & rules.symbol_cards[WILD])
    if wild and rules.fixed_value[4]:
        return rules.fixed_value[4]
    for symbol in range(3):
        held = count(cards & rules.symbol_cards[symbol])
        kinds += held > 0
        if held + wild > 2 and rules.fixed_value[symbol] > best:
            best = rules.fixed_value[symbol]
    if kinds + wild > 2 and rules.fixed_value[3] > best:
        best = rules.fixed_value[3]
    return best

cdef inline bint must_trade(const Rules *rules, const State *state) noexcept nogil:
    """Whether the hand is too large to keep: at the start of the turn, or after an elimination."""
    cdef int held = state.cards_held[state.turn_colour]
    if state.during_attack:
        return held > KEEP_AT_MOST
    return rules.must_trade_at and held >= rules.must_trade_at and not state.trades_this_turn

cdef inline int trade_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """Every set in the hand, its cards in ascending order; KIND_END keeps the cards where that is allowed.

    Hoarders of more than 30 cards may have more sets than fit: KIND_END has its place all the same.
    """
    cdef int n = 0
    cdef bint may_keep = not must_trade(rules, state)
    cdef int most = cap - may_keep
    cdef uint64_t first = state.hand[state.turn_colour]
    cdef uint64_t second
    cdef uint64_t third
    cdef int a
    cdef int b
    while first:
        a = lowest(first)
        first = without_lowest(first)
        second = first
        while second:
            b = lowest(second)
            second = without_lowest(second)
            third = second
            while third:
                if rules.is_set(rules, bit(a) | bit(b) | (third & (~third + 1))):
                    add_range(out, &n, most, KIND_TRADE, a, b, lowest(third), 0, 0)
                third = without_lowest(third)
    if n and may_keep:
        add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline bint offers_trades(const Rules *rules, const State *state) noexcept nogil:
    """Whether the hand leaves a choice: a set that may be kept, or several of which one must go."""
    cdef ActionRange some[2]
    if state.cards_held[state.turn_colour] < 3 or not rules.holds_set(rules, state.hand[state.turn_colour]):
        return False
    return not must_trade(rules, state) or trade_legal(rules, state, some, 2) > 1

cdef inline void trade(const Rules *rules, State *state, int a, int b, int c, EventLog *events) noexcept nogil:
    """Lay down a set: its troops join the reinforcements, its pictures may earn the bonus."""
    cdef uint64_t cards = bit(a) | bit(b) | bit(c)
    cdef int colour = state.turn_colour
    cdef int value = rules.trade_value(rules, state, cards)
    cdef int territory
    state.hand[colour] &= ~cards
    state.cards_held[colour] -= 3
    state.discards |= cards
    state.reinforcements += value
    state.sets_traded += 1
    state.trades_this_turn += 1
    emit(events, EVENT_TRADED, turn_seat(rules, state), a, b, c, value, everyone(rules))
    if state.bonuses_used >= rules.bonus_a_turn:
        return
    while cards:
        territory = rules.card_territory[lowest(cards)]
        cards = without_lowest(cards)
        if territory != NONE:
            state.bonus_choices |= bit(territory) & state.owned[colour]
    if state.bonus_choices:
        state.phase = PHASE_BONUS

cdef inline int trade_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    cdef uint64_t cards
    if action.n:
        return RULE_UNUSED_OPERAND
    if not (action.a < action.b < action.c < rules.cards):
        return RULE_NOT_A_SET
    cards = bit(action.a) | bit(action.b) | bit(action.c)
    if cards & ~state.hand[state.turn_colour]:
        return RULE_NOT_HELD
    if not rules.is_set(rules, cards):
        return RULE_NOT_A_SET
    trade(rules, state, action.a, action.b, action.c, events)
    return RULE_OK

cdef inline int keep_cards(const Rules *rules, State *state) noexcept nogil:
    if must_trade(rules, state):
        return RULE_MUST_TRADE
    state.phase = PHASE_DEPLOY
    return RULE_OK

cdef inline bint trade_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a trade must be asked for; a compulsory trade with a single set is made at once."""
    cdef ActionRange only[1]
    if state.during_attack and not must_trade(rules, state):
        state.phase = PHASE_DEPLOY
        return False
    if offers_trades(rules, state):
        return True
    if not must_trade(rules, state) or not trade_legal(rules, state, only, 1):
        state.phase = PHASE_DEPLOY
        return False
    trade(rules, state, only[0].a, only[0].b, only[0].c, events)
    return False

cdef inline int bonus_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t choices = state.bonus_choices
    while choices:
        add_range(out, &n, cap, KIND_BONUS, lowest(choices), 0, 0, 0, 0)
        choices = without_lowest(choices)
    if rules.bonus_declinable:
        add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline int decline_bonus(const Rules *rules, State *state) noexcept nogil:
    if not rules.bonus_declinable:
        return RULE_CANNOT_STOP
    state.bonus_choices = 0
    state.phase = PHASE_TRADE
    return RULE_OK

cdef inline void take_bonus(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    """Two extra troops, on the pictured territory itself; those it has no room for are lost."""
    cdef int left = room(rules, state, territory)
    cdef int troops = BONUS_TROOPS if left > BONUS_TROOPS else left
    add_troops(rules, state, territory, troops)
    state.unchecked = 1
    state.bonuses_used += 1
    state.bonus_choices = 0
    state.phase = PHASE_TRADE
    emit(events, EVENT_BONUS, turn_seat(rules, state), territory, 0, 0, troops, everyone(rules))
    if troops < BONUS_TROOPS:
        emit(events, EVENT_LOST_TROOPS, turn_seat(rules, state), 0, 0, 0, BONUS_TROOPS - troops, everyone(rules))

cdef inline int bonus_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= MAX_TERRITORIES or not state.bonus_choices & bit(action.a):
        return RULE_NOT_OFFERED
    take_bonus(rules, state, action.a, events)
    return RULE_OK

cdef inline bint bonus_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when the bonus's territory must be chosen among several, or may be declined."""
    if without_lowest(state.bonus_choices) or (state.bonus_choices and rules.bonus_declinable):
        return True
    if state.bonus_choices:
        take_bonus(rules, state, lowest(state.bonus_choices), events)
    state.phase = PHASE_TRADE
    return False
