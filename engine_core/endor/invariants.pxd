"""What is true of every position that can come up: for tests, and to refuse written ones that cannot."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, count, has
from engine_core.endor.cards cimport choice_is_one, seats_that_choose, unpicked
from engine_core.endor.fields cimport laid_aside
from engine_core.endor.fleet cimport (
    attack_dice, can_attack, can_deploy, can_move, fire_targets, hittable, lowest_die, open_sectors, reach,
    rebels_are_gone, targets,
)
from engine_core.endor.orders cimport can_do_anything
from engine_core.endor.state cimport (
    BROKEN_CARDS, BROKEN_END, BROKEN_FALCON, BROKEN_ORDER, BROKEN_PHASE, BROKEN_PLACES, BROKEN_SHIPS, BROKEN_STEPS,
    BROKEN_TRACKS, DIE_SIDES, EMPIRE, EXECUTOR, FALCON, FIGHTERS, ORDER_DEATH_STAR, PHASE_ASSIGN, PHASE_ATTACK,
    PHASE_FIRE, PHASE_MOVE, PHASE_ORDER, PHASE_OVER, PHASE_PLAN, REBELS, RULE_OK, SHIPS, SIDES, TIE, Rules, State,
    acting_side, face_up, fleet, only, shield_is_down, side_of,
)
from engine_core.kernel cimport BY_FORFEIT, BY_RULES, BY_TURN_CAP, NONE

cdef inline bint ships_agree(const Rules *rules, const State *state) noexcept nogil:
    """Every fighter is on the board, aboard or in the box; special ships have hits left while they fly."""
    cdef int ship
    cdef int place
    cdef int pieces
    for ship in range(FIGHTERS):
        pieces = state.box[ship] + (state.aboard if ship == TIE else 0)
        for place in range(rules.places):
            pieces += state.count[ship][place]
        if pieces != rules.pieces[ship]:
            return False
    for ship in range(FALCON, SHIPS):
        if (state.where[ship] != 0) != (state.hits[ship] > 0):
            return False
    return state.aboard % rules.squadron == 0 and (not state.aboard or state.where[EXECUTOR] != 0)

cdef inline bint places_agree(const Rules *rules, const State *state) noexcept nogil:
    """No two sides in one sector; on a fleet marker Rebel fighters only, and on none that was destroyed."""
    cdef uint32_t lost = rules.marker_mask & ~face_up(rules, state)
    cdef uint32_t empire = fleet(state, EMPIRE)
    if fleet(state, REBELS) & (empire | lost):
        return False
    return not (empire | state.where[FALCON]) & rules.marker_mask

cdef inline bint add_cards(uint64_t *seen, uint64_t cards) noexcept nogil:
    """False when one of them was seen before."""
    cdef bint fresh = not seen[0] & cards
    seen[0] |= cards
    return fresh

cdef inline bint row_agrees(const uint8_t *row, int number, uint64_t allowed, uint64_t *seen) noexcept nogil:
    cdef int i
    for i in range(number):
        if row[i] == NONE or not has(allowed, row[i]) or not add_cards(seen, bit(row[i])):
            return False
    return True

cdef inline bint pile_agrees(const Rules *rules, const State *state, int seat, uint64_t *seen) noexcept nogil:
    """While orders are chosen its cards are in the hand, too."""
    cdef uint64_t own = 0
    cdef uint64_t cards = rules.side_cards[rules.side[seat]]
    if state.pile_count[seat] > rules.pile_room or state.chosen[seat] > min(<int>state.pile_count[seat], rules.orders):
        return False
    if state.phase != PHASE_PLAN:
        return row_agrees(state.pile[seat], state.pile_count[seat], cards, seen)
    if state.pile_count[seat] > rules.orders or state.chosen[seat] != state.pile_count[seat]:
        return False
    return row_agrees(state.pile[seat], state.pile_count[seat], state.hand[seat], &own)

cdef inline bint cards_agree(const Rules *rules, const State *state) noexcept nogil:
    """Every card in exactly one hand, pile, deck, among the discards or open, and the counts right."""
    cdef uint64_t seen = state.discards
    cdef uint64_t all_cards = 0
    cdef int seat
    cdef int side
    if state.flipped != NONE and not add_cards(&seen, bit(state.flipped)):
        return False
    for seat in range(rules.seats):
        if count(state.hand[seat]) != state.held[seat] or state.hand[seat] & ~rules.side_cards[rules.side[seat]]:
            return False
        if not add_cards(&seen, state.hand[seat]) or not pile_agrees(rules, state, seat, &seen):
            return False
    for side in range(SIDES):
        all_cards |= rules.side_cards[side]
        if not row_agrees(state.deck[side], state.deck_count[side], rules.side_cards[side], &seen):
            return False
    return seen == all_cards

cdef inline bint tracks_agree(const Rules *rules, const State *state) noexcept nogil:
    """Storm troopers stand on the spaces ahead; who was redeemed is out of the game, by Luke's act."""
    cdef int ahead = rules.shield_length - state.shield
    if state.troopers > min(ahead, rules.trooper_reach):
        return False
    return not (state.redeemed and (state.vader or (rules.redeem_needs_luke and not state.luke)))

cdef inline bint order_agrees(const Rules *rules, const State *state) noexcept nogil:
    """A card lies open exactly while it is played, by a seat of its side; an order is one of it."""
    if state.phase == PHASE_PLAN:
        return state.turn == NONE and state.flipped == NONE and state.order == NONE
    if state.turn == NONE or state.flipped == NONE:
        return False
    if not has(rules.side_cards[acting_side(rules, state)], state.flipped):
        return False
    if state.phase == PHASE_ORDER:
        return state.order == NONE
    if state.order == NONE or not rules.card_orders[state.flipped] & only(state.order):
        return False
    return (state.phase == PHASE_FIRE) == (state.order == ORDER_DEATH_STAR)

cdef inline int dice_left(const State *state) noexcept nogil:
    cdef int die
    cdef int left = 0
    for die in range(1, DIE_SIDES + 1):
        left += state.dice[die]
    return left

cdef inline bint assignment_agrees(const Rules *rules, const State *state) noexcept nogil:
    """Dice lie on the table only while they are assigned, no more than the ships there had."""
    cdef uint32_t ships
    if state.phase != PHASE_ASSIGN:
        return dice_left(state) == 0
    if state.order >= SHIPS or state.origin == NONE or state.target >= rules.places:
        return False
    if not state.where[state.order] & only(state.origin):
        return False
    if dice_left(state) > attack_dice(rules, state, state.order, state.origin):
        return False
    ships = hittable(rules, state, lowest_die(state))
    return ships != 0 and (rules.may_waste_hits or count(ships) > 1)

cdef inline bint ship_order_agrees(const Rules *rules, const State *state) noexcept nogil:
    """Ships of the side that plays, which are where they went."""
    if state.order >= SHIPS or side_of(state.order) != acting_side(rules, state):
        return False
    return state.origin == NONE or (state.where[state.order] & only(state.origin)) != 0

cdef inline bint can_have_come(const Rules *rules, const State *state) noexcept nogil:
    """Whether there is a place that the ships at the origin can have left, or the Executor deployed them."""
    cdef uint32_t free = open_sectors(rules, state, state.order)
    if state.order < TIE:
        free |= face_up(rules, state)
    if reach(rules, state, state.order, state.origin, free):
        return True
    return state.order == TIE and rules.attack_after_deploy and (state.where[EXECUTOR] & only(state.origin)) != 0

cdef inline bint steps_agree(const Rules *rules, const State *state) noexcept nogil:
    """An order has an origin once its ships moved or attack, and a target while dice are assigned."""
    if state.phase != PHASE_ATTACK and state.phase != PHASE_ASSIGN:
        return state.origin == NONE and state.target == NONE and not state.moved
    if state.phase == PHASE_ATTACK and state.target != NONE:
        return False
    if state.phase == PHASE_ASSIGN:
        if not targets(rules, state, acting_side(rules, state), state.origin) & only(state.target):
            return False
        if not state.moved:
            return (rules.launch_mask & only(state.origin)) != 0
    if state.origin == NONE or not state.moved:
        return state.origin == NONE and not state.moved
    if state.moved > (state.count[state.order][state.origin] if state.order < FIGHTERS else 1):
        return False
    return (rules.sector_mask & only(state.origin)) != 0 and can_have_come(rules, state)

cdef inline bint falcon_agrees(const Rules *rules, const State *state) noexcept nogil:
    """That the Falcon fell is remembered until the dice of that attack are given; one of them was for it."""
    if not state.falcon_fell:
        return True
    if state.phase != PHASE_ASSIGN or state.where[FALCON] or acting_side(rules, state) != EMPIRE:
        return False
    return state.target < rules.sectors and dice_left(state) < attack_dice(rules, state, state.order, state.origin)

cdef inline bint end_agrees(const Rules *rules, const State *state) noexcept nogil:
    """A result exactly when the game is over, and the one that the position has."""
    cdef bint gone = rebels_are_gone(state)
    cdef int seat
    cdef int left = 0
    for seat in range(rules.seats):
        left += state.retired[seat] != 0
        if state.retired[seat] and state.winner == rules.side[seat]:
            return False
    if state.phase != PHASE_OVER:
        return not state.termination and state.winner == NONE and not left
    if state.termination == BY_FORFEIT:
        return state.winner != NONE and left == 1 and not gone
    if state.termination == BY_TURN_CAP:
        return state.winner == NONE and not left and not gone and state.lap >= rules.turn_cap
    if state.termination != BY_RULES or left or (state.winner == EMPIRE) != gone:
        return False
    return state.winner == EMPIRE or (state.winner == REBELS and shield_is_down(rules, state))

cdef inline bint plan_can_be_answered(const Rules *rules, const State *state) noexcept nogil:
    """Somebody chooses, and who does has a choice."""
    cdef uint32_t seats = seats_that_choose(rules, state)
    cdef int seat
    for seat in range(rules.seats):
        if seats & only(seat) and choice_is_one(rules, unpicked(state, seat)):
            return False
    return seats != 0

cdef inline bint can_be_answered(const Rules *rules, const State *state) noexcept nogil:
    """Whether the phase waits, and offers something."""
    if state.phase == PHASE_PLAN:
        return plan_can_be_answered(rules, state)
    if state.phase == PHASE_ORDER:
        return can_do_anything(rules, state)
    if state.phase == PHASE_FIRE:
        return count(fire_targets(rules, state)) > 1
    if not ship_order_agrees(rules, state):
        return False
    if state.phase == PHASE_MOVE:
        return can_move(rules, state, state.order) or can_deploy(state, state.order)
    if state.phase == PHASE_ATTACK:
        return can_attack(rules, state, state.order)
    return state.phase == PHASE_ASSIGN

cdef inline int broken_invariant(const Rules *rules, const State *state) noexcept nogil:
    """0, or the number of the sentence that does not hold."""
    if not ships_agree(rules, state):
        return BROKEN_SHIPS
    if not places_agree(rules, state):
        return BROKEN_PLACES
    if not cards_agree(rules, state):
        return BROKEN_CARDS
    if not tracks_agree(rules, state):
        return BROKEN_TRACKS
    if not end_agrees(rules, state):
        return BROKEN_END
    if state.phase == PHASE_OVER:
        return RULE_OK
    if rebels_are_gone(state) or not order_agrees(rules, state):
        return BROKEN_ORDER
    if not can_be_answered(rules, state) or not assignment_agrees(rules, state):
        return BROKEN_PHASE
    if not steps_agree(rules, state):
        return BROKEN_STEPS
    return RULE_OK if falcon_agrees(rules, state) else BROKEN_FALCON
