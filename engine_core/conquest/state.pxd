"""Memory of the conquest family: the immutable rules block, the flat state block, and what both are read with."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from engine_core.bits cimport bit, has
from engine_core.dice cimport Dice
from engine_core.kernel cimport (
    MAX_BORDERS, MAX_CARDS, MAX_COLOURS, MAX_SEATS, MAX_TERRITORIES, NONE, PUBLIC_BIT, EventLog,
)

cdef enum Phase:
    PHASE_CLAIM
    PHASE_PLACE
    PHASE_BEGIN      # passed through, never waits
    PHASE_TRADE
    PHASE_BONUS
    PHASE_DEPLOY
    PHASE_ATTACK
    PHASE_DEFEND
    PHASE_OCCUPY
    PHASE_FORTIFY
    PHASE_END        # passed through, never waits
    PHASE_OVER

cdef enum Kind:
    KIND_END         # stop or decline what the phase offers
    KIND_CLAIM
    KIND_PLACE
    KIND_TRADE
    KIND_BONUS
    KIND_DEPLOY
    KIND_ATTACK
    KIND_DEFEND
    KIND_OCCUPY
    KIND_FORTIFY

cdef enum EventKind:
    EVENT_ROLLED_FIRST   # seat, one die
    EVENT_DEALT          # a = territory, b = colour
    EVENT_CLAIMED        # a = territory, b = colour
    EVENT_PLACED         # a = territory, b = colour
    EVENT_TURN           # seat, n = lap
    EVENT_REINFORCED     # seat, n = troops
    EVENT_TRADED         # seat, a b c = cards, n = troops
    EVENT_BONUS          # seat, a = territory, n = troops
    EVENT_DEPLOYED       # seat, a = territory, n = troops
    EVENT_ATTACKED       # seat, a = from, b = to, n = dice
    EVENT_BATTLE         # a = from, b = to, c = attack dice, n = defender's losses; dice: attack, then defence
    EVENT_CAPTURED       # seat, a = from, b = to, c = colour that lost it
    EVENT_OCCUPIED       # seat, a = from, b = to, n = troops
    EVENT_ELIMINATED     # seat that fell, b = its colour, n = order number
    EVENT_CARDS_TAKEN    # seat, b = colour they came from, n = how many
    EVENT_CARD_TAKEN     # seat, a = card (to that seat only)
    EVENT_DREW           # seat, a = card (NONE for the others)
    EVENT_RESHUFFLED     # n = cards in the new deck
    EVENT_FORTIFIED      # seat, a = from, b = to, n = troops
    EVENT_RETIRED        # seat, n = mode
    EVENT_OVER           # n = termination

# What apply() answers; 0 is fine. The sentences are in describe.py, in this order.
cdef enum Rule:
    RULE_OK
    RULE_NOT_ASKED
    RULE_WRONG_PHASE
    RULE_UNUSED_OPERAND
    RULE_NO_SUCH_TERRITORY
    RULE_TAKEN
    RULE_NOT_OWN
    RULE_WRONG_COLOUR
    RULE_NOT_HELD
    RULE_NOT_A_SET
    RULE_MUST_TRADE
    RULE_NOT_OFFERED
    RULE_AMOUNT
    RULE_OWN_TARGET
    RULE_NOT_ADJACENT
    RULE_ATTACK_DICE
    RULE_DEFENCE_DICE
    RULE_OCCUPY_AMOUNT
    RULE_NOT_REACHABLE
    RULE_LEAVE_ONE
    RULE_CANNOT_STOP
    RULE_ALREADY_OUT
    RULE_BAD_MODE
    BROKEN_OWNERS
    BROKEN_TROOPS
    BROKEN_CARDS
    BROKEN_TURN
    BROKEN_LIVING
    BROKEN_BATTLE
    BROKEN_PHASE

cdef struct Rules
cdef struct State

ctypedef int (*TradeValue)(const Rules *, const State *, uint64_t) noexcept nogil
ctypedef bint (*SetTest)(const Rules *, uint64_t) noexcept nogil
ctypedef uint64_t (*Reach)(const Rules *, const State *, int) noexcept nogil
ctypedef bint (*DefenderAsked)(const State *) noexcept nogil

cdef struct Rules:
    int seats
    int colours
    int territories
    int cards
    int borders
    int regions
    int neutral_colour               # a third colour without a seat, or -1
    int starting_troops
    int first_player_rolls
    int deal                         # 0 = claim, 1 = territories are dealt
    int reinforce_start_next
    int own_troops_a_go              # in set-up: own troops placed a go, then one neutral if there is a neutral
    int must_trade_at
    int bonus_a_turn                 # how many +2 bonuses a turn
    int elimination_trade_at         # a hand this large after an elimination is traded down at once; 0 = never
    int reshuffle_discards
    int draw_at_end_attack
    int min_move_dice
    int last_capture_ends
    int turn_cap
    uint64_t all_territories
    uint64_t adjacent[MAX_TERRITORIES]
    uint8_t border[MAX_TERRITORIES][MAX_TERRITORIES]   # number of a directed border
    uint64_t region_members[MAX_TERRITORIES]
    int32_t region_bonus[MAX_TERRITORIES]
    uint64_t symbol_cards[4]                           # infantry, cavalry, artillery, wild
    uint8_t card_territory[MAX_CARDS]
    uint8_t colour_seat[MAX_COLOURS]
    uint8_t seat_team[MAX_SEATS]
    int32_t fixed_value[5]                             # three infantry, cavalry, artillery, mixed, pair + wild
    TradeValue trade_value
    SetTest is_set
    SetTest holds_set
    Reach fortify_reach
    DefenderAsked defender_asked

cdef struct State:
    uint64_t owned[MAX_COLOURS]
    uint64_t hand[MAX_COLOURS]
    uint64_t discards
    uint64_t bonus_choices
    uint64_t strong                  # territories with two troops or more: kept in step by set_troops
    int32_t troops[MAX_TERRITORIES]
    int32_t pool[MAX_COLOURS]        # troops still to place in set-up
    int32_t reinforcements
    int32_t lap
    int32_t decisions
    int32_t sets_traded
    int32_t reshuffles
    int16_t eliminated_at[MAX_COLOURS]
    uint16_t rolls[MAX_BORDERS]      # battles on each directed border in this lap
    uint8_t owner[MAX_TERRITORIES]
    uint8_t deck[MAX_CARDS]          # drawn from the end
    uint8_t cards_held[MAX_COLOURS]
    uint8_t retired[MAX_SEATS]       # RetireMode or 0
    uint8_t deck_count
    uint8_t living                   # bit mask of colours that take turns
    uint8_t phase
    uint8_t turn_colour
    uint8_t first_colour
    uint8_t placed                   # troops placed in this go of the set-up
    uint8_t captured
    uint8_t bonuses_used
    uint8_t trades_this_turn
    uint8_t during_attack
    uint8_t attack_from
    uint8_t attack_to
    uint8_t attack_dice
    uint8_t victim                   # colour whose territory has just been captured
    uint8_t eliminations
    uint8_t termination

cdef inline uint32_t everyone(const Rules *rules) noexcept nogil:
    """Event mask: all seats and the public."""
    return ((<uint32_t>1 << rules.seats) - 1) | (<uint32_t>1 << PUBLIC_BIT)

cdef inline int turn_seat(const Rules *rules, const State *state) noexcept nogil:
    return rules.colour_seat[state.turn_colour]

cdef inline bint is_own(const State *state, int territory) noexcept nogil:
    """Whether the colour whose turn it is owns the territory (a number below MAX_TERRITORIES)."""
    return has(state.owned[state.turn_colour], territory)

cdef inline bint all_of(uint64_t members, uint64_t wanted) noexcept nogil:
    return (members & wanted) == wanted

cdef inline bint may_be_free(const State *state) noexcept nogil:
    """Territories have no owner while they are claimed, and when a forfeit ends the game there."""
    return state.phase == PHASE_CLAIM or state.phase == PHASE_OVER

cdef inline int next_living(const Rules *rules, const State *state, int colour) noexcept nogil:
    """The next colour clockwise that takes turns; the colour itself when it is the only one."""
    cdef int _i
    cdef int candidate = colour
    for _i in range(rules.colours):
        candidate += 1
        if candidate == rules.colours:
            candidate = 0
        if (state.living >> candidate) & 1:
            return candidate
    return colour

cdef inline int defender_seat(const Rules *rules, const State *state) noexcept nogil:
    """Who rolls for the attacked territory: its seat, or the attacker's next opponent for the neutral colour."""
    cdef int colour = state.owner[state.attack_to]
    if colour == rules.neutral_colour:
        colour = next_living(rules, state, state.turn_colour)
    return rules.colour_seat[colour]

cdef inline int acting_seat(const Rules *rules, const State *state) noexcept nogil:
    """The one seat that owes a decision."""
    if state.phase == PHASE_DEFEND:
        return defender_seat(rules, state)
    return rules.colour_seat[state.turn_colour]

cdef inline void set_troops(State *state, int territory, int troops) noexcept nogil:
    """The only way troops change."""
    state.troops[territory] = troops
    state.strong = (state.strong & ~bit(territory)) | (<uint64_t>(troops > 1) << territory)

cdef inline void add_troops(State *state, int territory, int troops) noexcept nogil:
    set_troops(state, territory, state.troops[territory] + troops)

cdef inline void give(State *state, int territory, int colour, int troops) noexcept nogil:
    """Hand a territory to a colour."""
    cdef int before = state.owner[territory]
    if before != NONE:
        state.owned[before] &= ~bit(territory)
    state.owner[territory] = <uint8_t>colour
    state.owned[colour] |= bit(territory)
    set_troops(state, territory, troops)
