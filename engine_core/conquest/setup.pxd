"""Set-up: who begins, claiming or dealing the territories, placing the first troops."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, count, lowest, without_lowest
from engine_core.conquest.cards cimport draw_card, shuffled
from engine_core.conquest.state cimport (
    EVENT_CLAIMED, EVENT_DEALT, EVENT_LOST_TROOPS, EVENT_PLACED, EVENT_ROLLED_FIRST, KIND_CLAIM, KIND_PLACE,
    PHASE_BEGIN, PHASE_PLACE, RULE_NO_ROOM, RULE_NO_SUCH_TERRITORY, RULE_NOT_OWN, RULE_OK, RULE_TAKEN,
    RULE_UNUSED_OPERAND, RULE_WRONG_COLOUR, Rules, State, add_troops, everyone, give, next_living, room, with_room,
)
from engine_core.dice cimport STREAM_FIRST_ROLL, Dice, roll
from engine_core.kernel cimport MAX_CARDS, NONE, Action, ActionRange, Event, EventLog, add_range, emit

cdef inline int roll_for_first(const Rules *rules, Dice *dice, EventLog *events) noexcept nogil:
    """Every seat rolls one die, the highest begins; the tied alone roll again."""
    cdef uint32_t tied = (<uint32_t>1 << rules.seats) - 1
    cdef uint32_t best
    cdef uint8_t value
    cdef uint8_t highest
    cdef int seat
    cdef int attempt = 0
    cdef Event *event
    while tied & (tied - 1):
        highest = 0
        best = 0
        for seat in range(rules.seats):
            if not (tied >> seat) & 1:
                continue
            roll(dice, STREAM_FIRST_ROLL, 0, seat, 0, attempt, 1, 6, &value)
            event = emit(events, EVENT_ROLLED_FIRST, seat, 0, 0, 0, attempt, everyone(rules))
            if event != NULL:
                event.dice_count = 1
                event.dice[0] = value
            if value > highest:
                highest = value
                best = 0
            if value == highest:
                best |= <uint32_t>1 << seat
        tied = best
        attempt += 1
    return lowest(tied)

cdef inline int next_owner(const Rules *rules, const State *state, int colour) noexcept nogil:
    """Clockwise for dealing: the living colours, then the neutral colour if there is one."""
    cdef int following
    if colour == rules.neutral_colour:
        return state.first_colour
    following = next_living(rules, state, colour)
    if following == state.first_colour and rules.neutral_colour >= 0:
        return rules.neutral_colour
    return following

cdef inline void deal_territories(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Deal the territory cards one by one, clockwise from the first player; one troop on each territory."""
    cdef uint8_t order[MAX_CARDS]
    cdef uint64_t territory_cards = 0
    cdef int i
    cdef int territory
    cdef int colour = state.first_colour
    for i in range(rules.cards):
        if rules.card_territory[i] != NONE:
            territory_cards |= bit(i)
    for i in range(shuffled(territory_cards, 1, 0, dice, order)):
        territory = rules.card_territory[order[i]]
        give(rules, state, territory, colour, 1)
        state.pool[colour] -= 1
        emit(events, EVENT_DEALT, rules.colour_seat[colour], territory, colour, 0, 0, everyone(rules))
        colour = next_owner(rules, state, colour)

cdef inline int first_living(const Rules *rules, const State *state) noexcept nogil:
    """The first player, or who sits next when that one has left during the set-up."""
    if (state.living >> state.first_colour) & 1:
        return state.first_colour
    return next_living(rules, state, state.first_colour)

cdef inline uint64_t unclaimed(const Rules *rules, const State *state) noexcept nogil:
    cdef uint64_t taken = 0
    cdef int colour
    for colour in range(rules.colours):
        taken |= state.owned[colour]
    return rules.all_territories & ~taken

cdef inline int claim_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t free = unclaimed(rules, state)
    while free:
        add_range(out, &n, cap, KIND_CLAIM, lowest(free), 0, 0, 0, 0)
        free = without_lowest(free)
    return n

cdef inline void claim(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    """Put one troop on a free territory; then it is the next one's go.

    When seats have left, more territories may be free than the others have troops: the last ones cost none.
    """
    cdef int colour = state.turn_colour
    give(rules, state, territory, colour, 1)
    if state.pool[colour]:
        state.pool[colour] -= 1
    emit(events, EVENT_CLAIMED, rules.colour_seat[colour], territory, colour, 0, 0, everyone(rules))
    state.turn_colour = <uint8_t>next_living(rules, state, colour)

cdef inline int claim_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if state.owner[action.a] != NONE:
        return RULE_TAKEN
    claim(rules, state, action.a, events)
    return RULE_OK

cdef inline bint claim_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a claim must be asked for; the last free territory claims itself."""
    cdef uint64_t free = unclaimed(rules, state)
    if count(free) > 1:
        return True
    if free:
        claim(rules, state, lowest(free), events)
    state.phase = PHASE_PLACE
    if not rules.reinforce_start_next:
        state.turn_colour = <uint8_t>first_living(rules, state)
    return False

cdef inline int placing_colour(const Rules *rules, const State *state) noexcept nogil:
    """Whose troop is placed now: in a go the own ones come first, then one of the neutral colour."""
    if rules.neutral_colour >= 0 and (
        state.placed >= rules.own_troops_a_go or not state.pool[state.turn_colour]
    ):
        return rules.neutral_colour
    return state.turn_colour

cdef inline int place_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef int colour = placing_colour(rules, state)
    cdef uint64_t own = with_room(state, state.owned[colour])
    while own:
        add_range(out, &n, cap, KIND_PLACE, lowest(own), 0, colour, 0, 0)
        own = without_lowest(own)
    return n

cdef inline void place(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    cdef int colour = placing_colour(rules, state)
    add_troops(rules, state, territory, 1)
    state.pool[colour] -= 1
    state.placed += 1
    emit(events, EVENT_PLACED, rules.colour_seat[state.turn_colour], territory, colour, 0, 0, everyone(rules))

cdef inline int place_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    cdef int colour = placing_colour(rules, state)
    if action.b or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if action.c != colour:
        return RULE_WRONG_COLOUR
    if state.owner[action.a] != colour:
        return RULE_NOT_OWN
    if not room(rules, state, action.a):
        return RULE_NO_ROOM
    place(rules, state, action.a, events)
    return RULE_OK

cdef inline bint go_is_over(const Rules *rules, const State *state) noexcept nogil:
    """Whether the colour on the move has placed all it may in this go."""
    cdef bint own_done = state.placed >= rules.own_troops_a_go or not state.pool[state.turn_colour]
    if rules.neutral_colour < 0:
        return own_done
    return own_done and (state.placed > rules.own_troops_a_go or not state.pool[rules.neutral_colour])

cdef inline void lose_pool(const Rules *rules, State *state, int colour, EventLog *events) noexcept nogil:
    """First troops that no territory of the colour has room for are lost."""
    emit(events, EVENT_LOST_TROOPS, rules.colour_seat[colour], 0, 0, 0, state.pool[colour], everyone(rules))
    state.pool[colour] = 0

cdef inline void deal_extra_cards(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Some start with cards: what going later is worth, by turn order from the first player."""
    cdef int place
    cdef int _i
    cdef int colour
    for place in range(rules.seats):
        colour = (state.first_colour + place) % rules.colours
        for _i in range(rules.extra_cards[place]):
            if (state.living >> colour) & 1:
                draw_card(rules, state, colour, dice, events)

cdef inline bint place_settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True when a placing must be asked for; goes pass on, and a single own territory takes its troops itself."""
    cdef int _i
    cdef uint64_t own
    for _i in range(rules.colours + 1):
        if not go_is_over(rules, state):
            own = with_room(state, state.owned[placing_colour(rules, state)])
            if count(own) > 1:
                return True
            if own:
                place(rules, state, lowest(own), events)
                return False
            lose_pool(rules, state, placing_colour(rules, state), events)
            return False
        state.placed = 0
        state.turn_colour = <uint8_t>next_living(rules, state, state.turn_colour)
    state.turn_colour = <uint8_t>first_living(rules, state)
    state.phase = <uint8_t>rules.after_place
    if state.phase == PHASE_BEGIN:
        deal_extra_cards(rules, state, dice, events)
    return False
