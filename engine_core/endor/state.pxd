"""Memory of the endor family: the immutable rules block, the flat state block, and what both are read with."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport lowest
from engine_core.dice cimport STREAM_FAMILY, Dice, roll
from engine_core.kernel cimport BY_RULES, MAX_CARDS, NONE, PUBLIC_BIT, Event, EventLog, emit

cdef enum:
    SIDES = 2
    MOST_SEATS = 4
    FIGHTERS = 4             # kinds of fighters: ships that are counted
    SHIPS = 6                # and the two special ships, which have hit tracks
    ORDERS = 13
    MAX_PLACES = 31          # sectors and fleet markers; the Death Star is one more target
    MAX_DECK = 32            # cards of a side
    MAX_SHIELD = 64          # spaces of the shield track
    MOST_DICE = 5            # there are no more in the box
    DIE_SIDES = 6

# Sides.
cdef enum:
    REBELS
    EMPIRE

# What can be hit: ships in the order of their orders, then fleet markers.
cdef enum:
    XWING
    YWING
    BWING
    TIE
    FALCON
    EXECUTOR
    MARKER

# The first six are the orders of the ships of the same number.
cdef enum:
    ORDER_XWING
    ORDER_YWING
    ORDER_BWING
    ORDER_TIE
    ORDER_FALCON
    ORDER_EXECUTOR
    ORDER_DEATH_STAR
    ORDER_ASSAULT
    ORDER_AMBUSH
    ORDER_LUKE
    ORDER_REDEEM
    ORDER_VADER
    ORDER_EMPEROR

cdef enum Phase:
    PHASE_PLAN       # all at once
    PHASE_NEXT       # passed through, never waits: the next card is due
    PHASE_ORDER
    PHASE_MOVE
    PHASE_ATTACK
    PHASE_ASSIGN
    PHASE_FIRE
    PHASE_OVER

cdef enum Kind:
    KIND_PASS        # do nothing with the card, stay, hold fire, waste the die
    KIND_PICK
    KIND_ORDER
    KIND_DEPLOY
    KIND_MOVE
    KIND_ATTACK
    KIND_HIT
    KIND_FIRE

cdef enum MarkerBonus:
    MARKER_BONUS_NEVER
    MARKER_BONUS_ORDINARY
    MARKER_BONUS_ANY

cdef enum EventKind:
    EVENT_ROUND          # n = game round
    EVENT_DREW           # seat, a = card (NONE for the others)
    EVENT_PICKED         # seat, a = card (to that seat only)
    EVENT_FLIPPED        # seat, a = card
    EVENT_USELESS        # seat, a = card without an order that can be given
    EVENT_PASSED         # seat, a = card
    EVENT_ORDERED        # seat, a = order
    EVENT_DEPLOYED       # seat, a = sector, n = TIE fighters
    EVENT_MOVED          # seat, a = from, b = to, c = ship, n = ships
    EVENT_ATTACKED       # seat, a = from, b = target, c = ship; dice
    EVENT_HIT            # seat, a = ship, b = place, n = the die
    EVENT_WASTED         # seat, n = the die
    EVENT_FIRED          # seat, a = place, n = 1 when it hit; dice
    EVENT_DESTROYED      # a = ship, b = place, n = ships
    EVENT_CLEARED        # seat, a = place
    EVENT_AMBUSHED       # seat, n = storm troopers placed
    EVENT_ASSAULTED      # seat, n = spaces gone; dice
    EVENT_SHIELD_DOWN
    EVENT_DUELLED        # seat, a = order, n = hits; dice
    EVENT_FELL           # a = hero
    EVENT_BONUS          # seat, n = cards that nobody has seen
    EVENT_RESHUFFLED     # a = side, n = cards in the new deck
    EVENT_RETIRED        # seat, n = mode
    EVENT_WON            # a = side
    EVENT_OVER           # n = termination

# Heroes.
cdef enum:
    HERO_LUKE
    HERO_VADER
    HERO_EMPEROR

# What apply() answers; 0 is fine. The sentences are in describe.py, in this order.
cdef enum Rule:
    RULE_OK
    RULE_NOT_ASKED
    RULE_WRONG_PHASE
    RULE_UNUSED_OPERAND
    RULE_NOT_HELD
    RULE_FIRST_COPY
    RULE_CANNOT_PASS
    RULE_NOT_ON_CARD
    RULE_NOT_USABLE
    RULE_WRONG_SHIP
    RULE_NO_SHIP_THERE
    RULE_NOT_REACHABLE
    RULE_AMOUNT
    RULE_CANNOT_DEPLOY
    RULE_WRONG_ORIGIN
    RULE_NO_TARGET
    RULE_WRONG_DIE
    RULE_NOT_HIT
    RULE_NOT_A_TARGET
    RULE_ALREADY_OUT
    RULE_BAD_MODE
    BROKEN_SHIPS
    BROKEN_PLACES
    BROKEN_CARDS
    BROKEN_TRACKS
    BROKEN_ORDER
    BROKEN_PHASE
    BROKEN_STEPS
    BROKEN_FALCON
    BROKEN_END

cdef struct Rules:
    int seats
    int cards
    int sectors
    int markers
    int places                       # sectors, then fleet markers; also the number of the Death Star as a target
    int pile_room                    # cards of the larger deck
    int hand
    int orders                       # cards chosen each round, and drawn at its end
    int turn_cap                     # game rounds
    int shield_length
    int trooper_supply
    int troopers_placed              # by one ambush
    int trooper_reach                # only so many spaces ahead
    int assault_dice
    int squadron                     # TIE fighters deployed by one order
    int death_star_dice
    int death_star_needs
    int final_needs                  # to destroy the Death Star
    int duel_dice
    int duel_needs
    int emperor_hits
    int luke_hits
    int vader_hits
    int redemption                   # Vader's hits left for it, or fewer
    int bonus_clear
    int bonus_falcon
    int bonus_luke
    int bonus_vader
    int bonus_redeem
    int may_waste_hits
    int marker_bonus                 # MarkerBonus
    int shot_clears                  # the Death Star's shot at a sector earns the bonus, too
    int shot_falcon                  # and the one for the Falcon
    int redeem_needs_luke
    int emperor_outlives_vader       # the Emperor's order stays when Vader was killed
    int attack_with_all              # all fighters in the sector roll, not only those that moved
    int attack_after_deploy
    uint32_t sector_mask
    uint32_t marker_mask
    uint32_t inner_mask              # sectors that touch the Death Star
    uint32_t launch_mask             # places that attacks may come from
    uint32_t touch[MAX_PLACES]
    uint32_t side_seats[SIDES]
    uint32_t sees_hand[MOST_SEATS]    # seats that may see a seat's cards
    uint32_t card_orders[MAX_CARDS]
    uint64_t side_cards[SIDES]
    uint64_t copies_before[MAX_CARDS]   # lower numbers of the same card
    uint8_t side[MOST_SEATS]
    uint8_t pieces[FIGHTERS]
    uint8_t track[SHIPS]             # hits that destroy a special ship
    uint8_t ship_dice[SHIPS]         # 0 = one for each fighter
    uint8_t needs[SHIPS + 1]         # lowest die that hits
    uint8_t shield[MAX_SHIELD]
    uint8_t start[FIGHTERS][MAX_PLACES]
    uint8_t start_special[SHIPS]
    uint8_t start_aboard

cdef struct State:
    uint64_t hand[MOST_SEATS]         # while orders are chosen also those on the pile
    uint64_t discards
    uint32_t where[SHIPS]            # places that hold such a ship: kept in step by put_ships
    int32_t lap                      # game round
    int32_t decisions
    int32_t reshuffles[SIDES]
    uint16_t rolls[ORDERS]           # rolls for each order so far: the keys of the next ones
    uint8_t count[FIGHTERS][MAX_PLACES]
    uint8_t box[FIGHTERS]            # destroyed, or never in play
    uint8_t aboard                   # TIE fighters in the Executor
    uint8_t hits[SHIPS]              # left, of the special ships
    uint8_t markers                  # bit mask: face up
    uint8_t shield                   # spaces gone
    uint8_t troopers                 # on the spaces directly ahead
    uint8_t luke                     # hits left
    uint8_t vader
    uint8_t redeemed
    uint8_t pile[MOST_SEATS][MAX_DECK]   # the next order first
    uint8_t pile_count[MOST_SEATS]
    uint8_t chosen[MOST_SEATS]        # how many of the pile the seat itself put there; below are bonus cards
    uint8_t held[MOST_SEATS]
    uint8_t deck[SIDES][MAX_DECK]    # drawn from the end
    uint8_t deck_count[SIDES]
    uint8_t retired[MOST_SEATS]
    uint8_t phase
    uint8_t turn                     # seat whose card lies open, NONE while orders are chosen
    uint8_t flipped
    uint8_t order
    uint8_t origin                   # place of the ships that moved: only they may attack
    uint8_t moved
    uint8_t target
    uint8_t falcon_fell              # in this attack
    uint8_t dice[DIE_SIDES + 1]      # dice of each value still to assign
    uint8_t termination
    uint8_t winner                   # side

cdef inline void reset(State *state) noexcept nogil:
    """In a zeroed block: no card, place, seat or order anywhere."""
    memset(state.pile, NONE, sizeof(state.pile))
    memset(state.deck, NONE, sizeof(state.deck))
    state.turn = NONE
    state.flipped = NONE
    state.order = NONE
    state.origin = NONE
    state.target = NONE
    state.winner = NONE

cdef inline uint32_t only(int i) noexcept nogil:
    """A set of one place, seat or order."""
    return <uint32_t>1 << i

cdef inline uint32_t everyone(const Rules *rules) noexcept nogil:
    """Event mask: all seats and the public."""
    return (only(rules.seats) - 1) | only(PUBLIC_BIT)

cdef inline int acting_side(const Rules *rules, const State *state) noexcept nogil:
    return rules.side[state.turn]

cdef inline int side_of(int ship) noexcept nogil:
    return EMPIRE if ship == TIE or ship == EXECUTOR else REBELS

cdef inline uint32_t fleet(const State *state, int side) noexcept nogil:
    """All places with a ship of the side."""
    if side == EMPIRE:
        return state.where[TIE] | state.where[EXECUTOR]
    return state.where[XWING] | state.where[YWING] | state.where[BWING] | state.where[FALCON]

cdef inline uint32_t face_up(const Rules *rules, const State *state) noexcept nogil:
    """The fleet markers in the game, as places."""
    return <uint32_t>state.markers << rules.sectors

cdef inline bint shield_is_down(const Rules *rules, const State *state) noexcept nogil:
    return state.shield == rules.shield_length

cdef inline int ships_at(const State *state, int ship, int place) noexcept nogil:
    """How many ships of a kind are there; a special ship counts its hits left."""
    if ship < FIGHTERS:
        return state.count[ship][place]
    return state.hits[ship] if state.where[ship] & only(place) else 0

cdef inline void put_ships(State *state, int ship, int place, int ships) noexcept nogil:
    """The only way fighters change."""
    state.count[ship][place] = <uint8_t>ships
    if ships:
        state.where[ship] |= only(place)
    else:
        state.where[ship] &= ~only(place)

cdef inline int place_of(const State *state, int special) noexcept nogil:
    """Where a special ship is, NONE when it was destroyed."""
    return lowest(state.where[special]) if state.where[special] else NONE

cdef inline void roll_for(State *state, int order, int count, Dice *dice, uint8_t *out) noexcept nogil:
    """Roll for an order; the n-th roll of an order brings the same dice in every game of a match."""
    roll(dice, STREAM_FAMILY, 0, order, 0, state.rolls[order], count, DIE_SIDES, out)
    state.rolls[order] += 1

cdef inline void tell_dice(Event *event, const uint8_t *rolled, int count) noexcept nogil:
    """Put the dice into an event, if anybody listens."""
    cdef int i
    if event == NULL:
        return
    event.dice_count = <uint8_t>count
    for i in range(count):
        event.dice[i] = rolled[i]

cdef inline void finish(const Rules *rules, State *state, int termination, int winner,
                        EventLog *events) noexcept nogil:
    """End the game; orders that were being chosen go back into the hands."""
    if state.phase == PHASE_PLAN:
        memset(state.pile, NONE, sizeof(state.pile))
        memset(state.pile_count, 0, sizeof(state.pile_count))
        memset(state.chosen, 0, sizeof(state.chosen))
    state.phase = PHASE_OVER
    state.termination = <uint8_t>termination
    state.winner = <uint8_t>winner
    if termination == BY_RULES:
        emit(events, EVENT_WON, NONE, winner, 0, 0, 0, everyone(rules))
    emit(events, EVENT_OVER, NONE, 0, 0, 0, termination, everyone(rules))
