"""The battle in space: moving, deploying, attacking, giving dice to targets, the Death Star's fire."""

from libc.stdint cimport uint8_t, uint32_t

from engine_core.bits cimport lowest, without_lowest
from engine_core.dice cimport Dice
from engine_core.endor.cards cimport draw_bonus
from engine_core.endor.state cimport (
    DIE_SIDES, EMPIRE, EVENT_ATTACKED, EVENT_CLEARED, EVENT_DEPLOYED, EVENT_DESTROYED, EVENT_FIRED, EVENT_HIT,
    EVENT_MOVED, EVENT_WASTED, EXECUTOR, FALCON, FIGHTERS, KIND_ATTACK, KIND_DEPLOY, KIND_FIRE, KIND_HIT, KIND_MOVE,
    KIND_PASS, MARKER, MARKER_BONUS_ANY, MARKER_BONUS_NEVER, MOST_DICE, ORDER_DEATH_STAR, PHASE_ASSIGN, REBELS,
    RULE_AMOUNT, RULE_CANNOT_DEPLOY, RULE_CANNOT_PASS, RULE_NO_SHIP_THERE, RULE_NO_TARGET, RULE_NOT_A_TARGET,
    RULE_NOT_HIT, RULE_NOT_REACHABLE, RULE_OK, RULE_UNUSED_OPERAND, RULE_WRONG_DIE, RULE_WRONG_ORIGIN,
    RULE_WRONG_PHASE, RULE_WRONG_SHIP, SHIPS, TIE, XWING, Rules, State, acting_side, everyone, face_up, finish,
    fleet, only, place_of, put_ships, roll_for, shield_is_down, side_of, tell_dice,
)
from engine_core.kernel cimport BY_RULES, NONE, Action, ActionRange, EventLog, add_range, emit

# ---- moving

cdef inline uint32_t open_sectors(const Rules *rules, const State *state, int ship) noexcept nogil:
    """Sectors without enemies; fleet markers and the Death Star cannot be entered."""
    return rules.sector_mask & ~fleet(state, EMPIRE if side_of(ship) == REBELS else REBELS)

cdef inline uint32_t reach(const Rules *rules, const State *state, int ship, int place, uint32_t free) noexcept nogil:
    """Where the ships at a place can go: one step, two for a special ship."""
    cdef uint32_t near = rules.touch[place] & free
    cdef uint32_t steps = near
    if ship < FIGHTERS:
        return near
    while steps:
        near |= rules.touch[lowest(steps)] & free
        steps = without_lowest(steps)
    return near & ~only(place)

cdef inline bint can_deploy(const State *state, int ship) noexcept nogil:
    """TIE fighters come from the Executor; its reserve dies with it."""
    return ship == TIE and state.aboard > 0

cdef inline bint can_move(const Rules *rules, const State *state, int ship) noexcept nogil:
    cdef uint32_t places = state.where[ship]
    cdef uint32_t free = open_sectors(rules, state, ship)
    while places:
        if rules.touch[lowest(places)] & free:
            return True
        places = without_lowest(places)
    return False

cdef inline int move_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int ship = state.order
    cdef int count = 0
    cdef int place
    cdef int ships
    cdef uint32_t goals
    cdef uint32_t free = open_sectors(rules, state, ship)
    cdef uint32_t places = state.where[ship]
    add_range(out, &count, cap, KIND_PASS, 0, 0, 0, 0, 0)
    if can_deploy(state, ship):
        add_range(out, &count, cap, KIND_DEPLOY, 0, 0, 0, 0, 0)
    while places:
        place = lowest(places)
        places = without_lowest(places)
        goals = reach(rules, state, ship, place, free)
        ships = state.count[ship][place] if ship < FIGHTERS else 1
        while goals:
            add_range(out, &count, cap, KIND_MOVE, place, lowest(goals), ship, 1, ships)
            goals = without_lowest(goals)
    return count

cdef inline int move_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    cdef int ship = state.order
    cdef int ships
    if action.c != ship:
        return RULE_WRONG_SHIP
    if action.a >= rules.places or not state.where[ship] & only(action.a):
        return RULE_NO_SHIP_THERE
    if action.b >= rules.sectors:
        return RULE_NOT_REACHABLE
    if not reach(rules, state, ship, action.a, open_sectors(rules, state, ship)) & only(action.b):
        return RULE_NOT_REACHABLE
    ships = state.count[ship][action.a] if ship < FIGHTERS else 1
    return RULE_OK if 1 <= action.n <= ships else RULE_AMOUNT

cdef inline void move(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    """Only these ships may attack now, from where they went."""
    cdef int ship = state.order
    if ship < FIGHTERS:
        put_ships(state, ship, action.a, state.count[ship][action.a] - action.n)
        put_ships(state, ship, action.b, state.count[ship][action.b] + action.n)
    else:
        state.where[ship] = only(action.b)
    state.origin = action.b
    state.moved = <uint8_t>action.n
    emit(events, EVENT_MOVED, state.turn, action.a, action.b, ship, action.n, everyone(rules))

cdef inline void deploy(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """A squadron leaves the Executor into its sector."""
    cdef int place = place_of(state, EXECUTOR)
    cdef int ships = min(rules.squadron, <int>state.aboard)
    state.aboard -= <uint8_t>ships
    put_ships(state, TIE, place, state.count[TIE][place] + ships)
    state.origin = <uint8_t>place
    state.moved = <uint8_t>ships
    emit(events, EVENT_DEPLOYED, state.turn, place, 0, 0, ships, everyone(rules))

# ---- attacking

cdef inline uint32_t targets(const Rules *rules, const State *state, int side, int place) noexcept nogil:
    """What can be attacked from a place: neighbours with enemies, fleet markers, in the end the Death Star."""
    cdef uint32_t near = rules.touch[place]
    if side == EMPIRE:
        return near & (fleet(state, REBELS) | face_up(rules, state))
    near &= fleet(state, EMPIRE)
    if rules.inner_mask & only(place) and shield_is_down(rules, state):
        near |= only(rules.places)
    return near

cdef inline uint32_t origins(const Rules *rules, const State *state, int ship) noexcept nogil:
    """Where an attack may come from: where ships have moved to, otherwise anywhere."""
    if state.origin != NONE:
        return only(state.origin)
    return state.where[ship] & rules.launch_mask

cdef inline bint can_attack(const Rules *rules, const State *state, int ship) noexcept nogil:
    cdef uint32_t places = origins(rules, state, ship)
    cdef int side = side_of(ship)
    while places:
        if targets(rules, state, side, lowest(places)):
            return True
        places = without_lowest(places)
    return False

cdef inline int attack_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int ship = state.order
    cdef int count = 0
    cdef int place
    cdef uint32_t aims
    cdef uint32_t places = origins(rules, state, ship)
    add_range(out, &count, cap, KIND_PASS, 0, 0, 0, 0, 0)
    while places:
        place = lowest(places)
        places = without_lowest(places)
        aims = targets(rules, state, side_of(ship), place)
        while aims:
            add_range(out, &count, cap, KIND_ATTACK, place, lowest(aims), ship, 0, 0)
            aims = without_lowest(aims)
    return count

cdef inline int attack_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    cdef int ship = state.order
    if action.n:
        return RULE_UNUSED_OPERAND
    if action.c != ship:
        return RULE_WRONG_SHIP
    if action.a >= rules.places or not origins(rules, state, ship) & only(action.a):
        return RULE_WRONG_ORIGIN
    if action.b > rules.places or not targets(rules, state, side_of(ship), action.a) & only(action.b):
        return RULE_NO_TARGET
    return RULE_OK

cdef inline int attack_dice(const Rules *rules, const State *state, int ship, int place) noexcept nogil:
    """One die for each fighter there, at most five; special ships have their own number."""
    cdef int ships
    if ship >= FIGHTERS:
        return rules.ship_dice[ship]
    ships = state.count[ship][place]
    if state.moved and not rules.attack_with_all:
        ships = state.moved
    return min(ships, <int>MOST_DICE)

cdef inline void attack(const Rules *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """Roll all dice at once; what they hit is the attacker's to say, but for the Death Star."""
    cdef uint8_t rolled[MOST_DICE]
    cdef int ship = state.order
    cdef int count = attack_dice(rules, state, ship, action.a)
    cdef int i
    cdef bint six = False
    roll_for(state, ship, count, dice, rolled)
    tell_dice(emit(events, EVENT_ATTACKED, state.turn, action.a, action.b, ship, 0, everyone(rules)), rolled, count)
    state.origin = action.a
    state.target = action.b
    for i in range(count):
        state.dice[rolled[i]] += 1
        six = six or rolled[i] >= rules.final_needs
    if action.b < rules.places:
        state.phase = PHASE_ASSIGN
    elif six:
        finish(rules, state, BY_RULES, REBELS, events)

# ---- what dice hit

cdef inline int lowest_die(const State *state) noexcept nogil:
    """The lowest die still to assign, 0 when there is none."""
    cdef int die
    for die in range(1, DIE_SIDES + 1):
        if state.dice[die]:
            return die
    return 0

cdef inline uint32_t hittable(const Rules *rules, const State *state, int die) noexcept nogil:
    """The kinds of ships on the target that the die can hit; a marker is one of them."""
    cdef int place = state.target
    cdef int ship
    cdef uint32_t found = 0
    cdef uint32_t here = only(place)
    if acting_side(rules, state) == REBELS:
        if die >= rules.needs[TIE] and state.where[TIE] & here:
            found = only(TIE)
        if die >= rules.needs[EXECUTOR] and state.where[EXECUTOR] & here:
            found |= only(EXECUTOR)
        return found
    for ship in range(XWING, TIE):
        if die >= rules.needs[ship] and state.where[ship] & here:
            found |= only(ship)
    if die >= rules.needs[FALCON] and state.where[FALCON] & here:
        found |= only(FALCON)
    if die >= rules.needs[MARKER] and face_up(rules, state) & here:
        found |= only(MARKER)
    return found

cdef inline int hit_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int die = lowest_die(state)
    cdef uint32_t ships = hittable(rules, state, die)
    cdef int count = 0
    if rules.may_waste_hits:
        add_range(out, &count, cap, KIND_PASS, 0, 0, 0, 0, 0)
    while ships:
        add_range(out, &count, cap, KIND_HIT, lowest(ships), die, 0, 0, 0)
        ships = without_lowest(ships)
    return count

cdef inline int hit_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.b != lowest_die(state):
        return RULE_WRONG_DIE
    if action.a > MARKER or not hittable(rules, state, action.b) & only(action.a):
        return RULE_NOT_HIT
    return RULE_OK

cdef inline void destroy_fighters(const Rules *rules, State *state, int ship, int place, int ships,
                                  EventLog *events) noexcept nogil:
    """Destroyed ships go back into the box and never return."""
    put_ships(state, ship, place, state.count[ship][place] - ships)
    state.box[ship] += <uint8_t>ships
    emit(events, EVENT_DESTROYED, NONE, ship, place, 0, ships, everyone(rules))

cdef inline void destroy_special(const Rules *rules, State *state, int ship, EventLog *events) noexcept nogil:
    """With the Executor die the TIE fighters aboard."""
    cdef int place = place_of(state, ship)
    state.where[ship] = 0
    state.hits[ship] = 0
    emit(events, EVENT_DESTROYED, NONE, ship, place, 0, 1, everyone(rules))
    if ship == FALCON:
        state.falcon_fell = 1
    elif state.aboard:
        emit(events, EVENT_DESTROYED, NONE, TIE, place, 0, state.aboard, everyone(rules))
        state.box[TIE] += state.aboard
        state.aboard = 0

cdef inline void destroy_rebels(const Rules *rules, State *state, int place, EventLog *events) noexcept nogil:
    """All Rebel ships at a place, its marker included."""
    cdef int ship
    if face_up(rules, state) & only(place):
        state.markers &= ~<uint8_t>(1 << (place - rules.sectors))
        emit(events, EVENT_DESTROYED, NONE, MARKER, place, 0, 1, everyone(rules))
    for ship in range(XWING, TIE):
        if state.count[ship][place]:
            destroy_fighters(rules, state, ship, place, state.count[ship][place], events)
    if state.where[FALCON] & only(place):
        destroy_special(rules, state, FALCON, events)

cdef inline void hit(const Rules *rules, State *state, int ship, int die, EventLog *events) noexcept nogil:
    """Give one of the dice to a ship: fighters and markers are destroyed at once, special ships step by step."""
    state.dice[die] -= 1
    emit(events, EVENT_HIT, state.turn, ship, state.target, 0, die, everyone(rules))
    if ship == MARKER:
        destroy_rebels(rules, state, state.target, events)
    elif ship < FIGHTERS:
        destroy_fighters(rules, state, ship, state.target, 1, events)
    else:
        state.hits[ship] -= 1
        if not state.hits[ship]:
            destroy_special(rules, state, ship, events)

cdef inline void waste(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    cdef int die = lowest_die(state)
    state.dice[die] -= 1
    emit(events, EVENT_WASTED, state.turn, 0, 0, 0, die, everyone(rules))

cdef inline bint assign_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when a die is to be assigned; those that hit nothing, or have one target only, are not asked about."""
    cdef int die
    cdef uint32_t ships
    while True:
        die = lowest_die(state)
        if not die:
            return False
        ships = hittable(rules, state, die)
        if not ships:
            state.dice[die] = 0
        elif rules.may_waste_hits or without_lowest(ships):
            return True
        else:
            hit(rules, state, lowest(ships), die, events)

# ---- what an attack brings

cdef inline bint rebels_are_gone(const State *state) noexcept nogil:
    """Fighters, the Falcon and the fleet."""
    return not state.markers and not fleet(state, REBELS)

cdef inline int attack_bonus(const Rules *rules, const State *state, int place, bint ordinary) noexcept nogil:
    """Bonus orders for a place that was attacked by ships (ordinary) or by the Death Star."""
    cdef int bonus = 0
    cdef bint empty = not (fleet(state, REBELS) | fleet(state, EMPIRE) | face_up(rules, state)) & only(place)
    if empty and place < rules.sectors and (ordinary or rules.shot_clears):
        bonus = rules.bonus_clear
    if empty and place >= rules.sectors and rules.marker_bonus != MARKER_BONUS_NEVER:
        if ordinary or rules.marker_bonus == MARKER_BONUS_ANY:
            bonus = rules.bonus_clear
    if state.falcon_fell and (ordinary or rules.shot_falcon):
        bonus += rules.bonus_falcon
    return bonus

cdef inline void after_attack(const Rules *rules, State *state, bint ordinary, Dice *dice,
                              EventLog *events) noexcept nogil:
    """A fleet that is gone ends the game; otherwise the bonus orders are drawn."""
    cdef int place = state.target
    cdef int bonus
    if rebels_are_gone(state):
        finish(rules, state, BY_RULES, EMPIRE, events)
        return
    if place < rules.sectors and not (fleet(state, REBELS) | fleet(state, EMPIRE)) & only(place):
        emit(events, EVENT_CLEARED, state.turn, place, 0, 0, 0, everyone(rules))
    bonus = attack_bonus(rules, state, place, ordinary)
    if bonus:
        draw_bonus(rules, state, state.turn, bonus, dice, events)

# ---- the Death Star

cdef inline uint32_t fire_targets(const Rules *rules, const State *state) noexcept nogil:
    """Fleet markers as long as there are any, then sectors with Rebel ships."""
    return face_up(rules, state) if state.markers else fleet(state, REBELS)

cdef inline int fire_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef uint32_t aims = fire_targets(rules, state)
    cdef int count = 0
    while aims:
        add_range(out, &count, cap, KIND_FIRE, lowest(aims), 0, 0, 0, 0)
        aims = without_lowest(aims)
    return count

cdef inline int fire_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.kind == KIND_PASS:
        return RULE_CANNOT_PASS
    if action.kind != KIND_FIRE:
        return RULE_WRONG_PHASE
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.places or not fire_targets(rules, state) & only(action.a):
        return RULE_NOT_A_TARGET
    return RULE_OK

cdef inline void fire(const Rules *rules, State *state, int place, Dice *dice, EventLog *events) noexcept nogil:
    """Two dice, of which one must hit; then all that is there is destroyed."""
    cdef uint8_t rolled[MOST_DICE]
    cdef int i
    cdef bint struck = False
    roll_for(state, ORDER_DEATH_STAR, rules.death_star_dice, dice, rolled)
    for i in range(rules.death_star_dice):
        struck = struck or rolled[i] >= rules.death_star_needs
    tell_dice(emit(events, EVENT_FIRED, state.turn, place, 0, 0, struck, everyone(rules)), rolled,
              rules.death_star_dice)
    if struck:
        state.target = <uint8_t>place
        destroy_rebels(rules, state, place, events)
        after_attack(rules, state, False, dice, events)
