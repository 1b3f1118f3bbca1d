"""The game round as a state machine: from the phase an answer left behind to the next one that waits for one."""

from engine_core.bits cimport lowest, without_lowest
from engine_core.dice cimport Dice
from engine_core.endor.cards cimport (
    draw_cards, flip, next_seat, seats_that_choose, settle_picks, take_up_piles,
)
from engine_core.endor.fleet cimport (
    after_attack, assign_settle, attack, attack_check, can_attack, can_deploy, can_move, deploy, fire, fire_check,
    fire_targets, hit, hit_check, move, move_check, waste,
)
from engine_core.endor.orders cimport can_do_anything, end_order, give_order, order_check, pass_card
from engine_core.endor.state cimport (
    EVENT_ROUND, EVENT_USELESS, KIND_ATTACK, KIND_DEPLOY, KIND_HIT, KIND_MOVE, KIND_ORDER, KIND_PASS, PHASE_ASSIGN,
    PHASE_ATTACK, PHASE_FIRE, PHASE_MOVE, PHASE_NEXT, PHASE_ORDER, PHASE_OVER, PHASE_PLAN, RULE_CANNOT_DEPLOY,
    RULE_CANNOT_PASS, RULE_OK, RULE_UNUSED_OPERAND, RULE_WRONG_PHASE, Rules, State, everyone, finish,
)
from engine_core.kernel cimport BY_TURN_CAP, NONE, Action, EventLog, emit

cdef inline void begin_round(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    state.turn = NONE
    state.phase = PHASE_PLAN
    emit(events, EVENT_ROUND, NONE, 0, 0, 0, state.lap, everyone(rules))
    settle_picks(rules, state, events)

cdef inline void end_round(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """All piles are out: each seat draws as many cards as it chose, or the game is long enough."""
    cdef int seat
    if state.lap >= rules.turn_cap:
        finish(rules, state, BY_TURN_CAP, NONE, events)
        return
    for seat in range(rules.seats):
        draw_cards(rules, state, seat, rules.orders, dice, events)
    state.lap += 1
    begin_round(rules, state, events)

cdef inline void next_card(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Flip the next card; one without an order that can be given is discarded without a question."""
    cdef int seat = next_seat(rules, state)
    if seat == NONE:
        end_round(rules, state, dice, events)
        return
    flip(rules, state, seat, events)
    if can_do_anything(rules, state):
        state.phase = PHASE_ORDER
        return
    emit(events, EVENT_USELESS, seat, state.flipped, 0, 0, 0, everyone(rules))
    end_order(state)

cdef inline void end_attack(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    after_attack(rules, state, True, dice, events)
    if state.phase != PHASE_OVER:
        end_order(state)

cdef inline void order_fire(const Rules *rules, State *state, int place, Dice *dice, EventLog *events) noexcept nogil:
    fire(rules, state, place, dice, events)
    if state.phase != PHASE_OVER:
        end_order(state)

cdef inline bint fire_settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True when the Death Star has more than one target."""
    if without_lowest(fire_targets(rules, state)):
        return True
    order_fire(rules, state, lowest(fire_targets(rules, state)), dice, events)
    return False

cdef inline bint waits(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Whether the phase asks somebody; if not, pass on to the next one."""
    if state.phase == PHASE_PLAN:
        if seats_that_choose(rules, state):
            return True
        take_up_piles(rules, state)
        state.phase = PHASE_NEXT
    elif state.phase == PHASE_NEXT:
        next_card(rules, state, dice, events)
    elif state.phase == PHASE_MOVE:
        if can_move(rules, state, state.order) or can_deploy(state, state.order):
            return True
        state.phase = PHASE_ATTACK
    elif state.phase == PHASE_ATTACK:
        if can_attack(rules, state, state.order):
            return True
        end_order(state)
    elif state.phase == PHASE_ASSIGN:
        if assign_settle(rules, state, events):
            return True
        end_attack(rules, state, dice, events)
    elif state.phase == PHASE_FIRE:
        return fire_settle(rules, state, dice, events)
    else:
        return True
    return False

cdef inline void settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Go on to the next question or the end of the game."""
    while not waits(rules, state, dice, events):
        pass

# ---- answers

cdef inline int order_apply(const Rules *rules, State *state, Action action, Dice *dice,
                            EventLog *events) noexcept nogil:
    cdef int broken
    if action.kind == KIND_PASS:
        pass_card(rules, state, events)
        return RULE_OK
    if action.kind != KIND_ORDER:
        return RULE_WRONG_PHASE
    broken = order_check(rules, state, action)
    if not broken:
        give_order(rules, state, action.a, dice, events)
    return broken

cdef inline int move_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    """Move, deploy or stay; then the ships may attack."""
    cdef int broken
    if action.kind == KIND_MOVE:
        broken = move_check(rules, state, action)
        if broken:
            return broken
        move(rules, state, action, events)
    elif action.kind == KIND_DEPLOY:
        if action.a or action.b or action.c or action.n:
            return RULE_UNUSED_OPERAND
        if not can_deploy(state, state.order):
            return RULE_CANNOT_DEPLOY
        deploy(rules, state, events)
        if not rules.attack_after_deploy:
            end_order(state)
            return RULE_OK
    elif action.kind != KIND_PASS:
        return RULE_WRONG_PHASE
    state.phase = PHASE_ATTACK
    return RULE_OK

cdef inline int attack_apply(const Rules *rules, State *state, Action action, Dice *dice,
                             EventLog *events) noexcept nogil:
    cdef int broken
    if action.kind == KIND_PASS:
        end_order(state)
        return RULE_OK
    if action.kind != KIND_ATTACK:
        return RULE_WRONG_PHASE
    broken = attack_check(rules, state, action)
    if broken:
        return broken
    attack(rules, state, action, dice, events)
    if state.phase == PHASE_ATTACK:
        end_order(state)   # the Death Star withstood it
    return RULE_OK

cdef inline int assign_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    cdef int broken
    if action.kind == KIND_PASS:
        if not rules.may_waste_hits:
            return RULE_CANNOT_PASS
        waste(rules, state, events)
        return RULE_OK
    if action.kind != KIND_HIT:
        return RULE_WRONG_PHASE
    broken = hit_check(rules, state, action)
    if not broken:
        hit(rules, state, action.a, action.b, events)
    return broken

cdef inline int answer(const Rules *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """Play an answer of the seat whose card lies open, or return the broken rule."""
    cdef int broken
    if state.phase == PHASE_ORDER:
        return order_apply(rules, state, action, dice, events)
    if state.phase == PHASE_MOVE:
        return move_apply(rules, state, action, events)
    if state.phase == PHASE_ATTACK:
        return attack_apply(rules, state, action, dice, events)
    if state.phase == PHASE_ASSIGN:
        return assign_apply(rules, state, action, events)
    broken = fire_check(rules, state, action)
    if not broken:
        order_fire(rules, state, action.a, dice, events)
    return broken
