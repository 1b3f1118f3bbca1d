"""Cards with stars: any of them are turned in together for troops, whatever territories they show."""

from libc.stdint cimport uint64_t

from engine_core.bits cimport count, without_lowest
from engine_core.conquest.state cimport (
    EVENT_STARS, KIND_END, KIND_STARS, MOST_STARS, PHASE_DEPLOY, RULE_NOT_HELD, RULE_OK, RULE_STARS,
    RULE_UNUSED_OPERAND, Rules, State, everyone, turn_seat,
)
from engine_core.kernel cimport Action, ActionRange, EventLog, add_range, emit

cdef enum:
    ONE_STAR = 4         # their places among the symbols
    TWO_STARS = 5
    FEWEST_STARS = 2

cdef inline int cards_with(const Rules *rules, const State *state, int symbol) noexcept nogil:
    """How many cards with the symbol the turn's colour holds."""
    return count(state.hand[state.turn_colour] & rules.symbol_cards[symbol])

cdef inline int stars_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """Every number of one-star and of two-star cards that makes 2 to 10 stars, and KIND_END."""
    cdef int n = 0
    cdef int ones
    cdef int twos
    for twos in range(cards_with(rules, state, TWO_STARS) + 1):
        for ones in range(cards_with(rules, state, ONE_STAR) + 1):
            if FEWEST_STARS <= ones + 2 * twos <= MOST_STARS:
                add_range(out, &n, cap, KIND_STARS, ones, twos, 0, 0, 0)
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline bint offers_stars(const Rules *rules, const State *state) noexcept nogil:
    """Whether there is something to turn in, and it has not been done as often as a turn allows."""
    if state.trades_this_turn >= rules.star_trades_a_turn:
        return False
    return cards_with(rules, state, ONE_STAR) + 2 * cards_with(rules, state, TWO_STARS) >= FEWEST_STARS

cdef inline void lay_down(const Rules *rules, State *state, int symbol, int cards) noexcept nogil:
    """Discard so many cards with the symbol, the lowest first."""
    cdef uint64_t held = state.hand[state.turn_colour] & rules.symbol_cards[symbol]
    cdef uint64_t kept = held
    cdef int _i
    for _i in range(cards):
        kept = without_lowest(kept)
    state.hand[state.turn_colour] &= ~(held & ~kept)
    state.discards |= held & ~kept
    state.cards_held[state.turn_colour] -= cards

cdef inline int stars_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    cdef int stars = action.a + 2 * action.b
    if action.c or action.n:
        return RULE_UNUSED_OPERAND
    if stars < FEWEST_STARS or stars > MOST_STARS:
        return RULE_STARS
    if action.a > cards_with(rules, state, ONE_STAR) or action.b > cards_with(rules, state, TWO_STARS):
        return RULE_NOT_HELD
    lay_down(rules, state, ONE_STAR, action.a)
    lay_down(rules, state, TWO_STARS, action.b)
    state.reinforcements += rules.star_value[stars]
    state.trades_this_turn += 1
    emit(events, EVENT_STARS, turn_seat(rules, state), action.a, action.b, 0, rules.star_value[stars],
         everyone(rules))
    return RULE_OK

cdef inline bint stars_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when the turn's colour may turn in stars."""
    if offers_stars(rules, state):
        return True
    state.phase = PHASE_DEPLOY
    return False
