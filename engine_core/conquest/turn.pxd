"""The turn as a state machine: from the phase an action left behind to the next one that waits for an answer."""

from libc.string cimport memset
from libc.stdint cimport uint8_t, uint64_t

from engine_core.bits cimport bit, lowest, without_lowest
from engine_core.conquest.cards cimport (
    bonus_apply, bonus_settle, draw_card, keep_cards, take_bonus, trade, trade_apply, trade_legal, trade_settle,
)
from engine_core.conquest.combat cimport (
    attack_apply, can_attack, defend_apply, defend_settle, end_battle, fight, least_move, most_defence_dice,
    occupy, occupy_check,
)
from engine_core.conquest.fortify cimport can_fortify, fortify_apply
from engine_core.conquest.income cimport deploy, deploy_apply, deploy_settle, income
from engine_core.conquest.setup cimport (
    claim, claim_apply, claim_settle, place, place_apply, place_settle, placing_colour, unclaimed,
)
from engine_core.conquest.state cimport (
    EVENT_REINFORCED, EVENT_TURN, KIND_ATTACK, KIND_BONUS, KIND_CLAIM, KIND_DEFEND, KIND_DEPLOY, KIND_END,
    KIND_FORTIFY, KIND_OCCUPY, KIND_PLACE, KIND_TRADE, PHASE_ATTACK, PHASE_BEGIN, PHASE_BONUS, PHASE_CLAIM,
    PHASE_DEFEND, PHASE_DEPLOY, PHASE_END, PHASE_FORTIFY, PHASE_OCCUPY, PHASE_OVER, PHASE_PLACE, PHASE_TRADE,
    RULE_CANNOT_STOP, RULE_OK, RULE_UNUSED_OPERAND, RULE_WRONG_PHASE, Rules, State, acting_seat, everyone,
    next_living, turn_seat,
)
from engine_core.conquest.victory cimport after_capture, finish, is_last_fall
from engine_core.dice cimport Dice
from engine_core.kernel cimport BY_TURN_CAP, Action, ActionRange, EventLog, emit

cdef inline void begin_turn(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    state.captured = 0
    state.bonuses_used = 0
    state.trades_this_turn = 0
    state.during_attack = 0
    state.reinforcements = income(rules, state, state.turn_colour)
    state.phase = PHASE_TRADE
    emit(events, EVENT_TURN, turn_seat(rules, state), 0, 0, 0, state.lap, everyone(rules))
    emit(events, EVENT_REINFORCED, turn_seat(rules, state), 0, 0, 0, state.reinforcements, everyone(rules))

cdef inline int goes_before(const Rules *rules, const State *state, int colour) noexcept nogil:
    """A colour's distance from the first player, clockwise."""
    return (colour - state.first_colour + rules.colours) % rules.colours

cdef inline void end_turn(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Draw the card that was earned, pass the turn on; a new lap begins when it comes round."""
    cdef int following = next_living(rules, state, state.turn_colour)
    if state.captured and not rules.draw_at_end_attack:
        draw_card(rules, state, dice, events)
    if goes_before(rules, state, following) <= goes_before(rules, state, state.turn_colour):
        state.lap += 1
        memset(state.rolls, 0, sizeof(state.rolls))
    state.captured = 0
    state.reinforcements = 0
    state.turn_colour = <uint8_t>following
    if state.lap > rules.turn_cap:
        state.lap = rules.turn_cap
        finish(rules, state, BY_TURN_CAP, events)
    else:
        state.phase = PHASE_BEGIN

cdef inline void move_in(const Rules *rules, State *state, int troops, EventLog *events) noexcept nogil:
    occupy(rules, state, troops, events)
    after_capture(rules, state, events)

cdef inline bint occupy_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when the number of troops that move in must be asked for."""
    cdef int least = least_move(rules, state)
    if least < state.troops[state.attack_from] - 1:
        if not rules.last_capture_ends or not is_last_fall(rules, state):
            return True
    move_in(rules, state, least, events)
    return False

cdef inline void end_attacks(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    if state.captured and rules.draw_at_end_attack:
        draw_card(rules, state, dice, events)
    state.phase = PHASE_FORTIFY

cdef inline bint waits(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True when the phase waits for an answer; otherwise it has been passed."""
    if state.phase == PHASE_ATTACK:
        if can_attack(rules, state):
            return True
        end_attacks(rules, state, dice, events)
        return False
    if state.phase == PHASE_DEFEND:
        return defend_settle(rules, state, dice, events)
    if state.phase == PHASE_OCCUPY:
        return occupy_settle(rules, state, events)
    if state.phase == PHASE_DEPLOY:
        return deploy_settle(rules, state, events)
    if state.phase == PHASE_FORTIFY:
        if can_fortify(rules, state):
            return True
        state.phase = PHASE_END
        return False
    if state.phase == PHASE_END:
        end_turn(rules, state, dice, events)
        return False
    if state.phase == PHASE_BEGIN:
        begin_turn(rules, state, events)
        return False
    if state.phase == PHASE_TRADE:
        return trade_settle(rules, state, events)
    if state.phase == PHASE_BONUS:
        return bonus_settle(rules, state, events)
    if state.phase == PHASE_PLACE:
        return place_settle(rules, state, events)
    if state.phase == PHASE_CLAIM:
        return claim_settle(rules, state, events)
    return True

cdef inline int weakest_front(const Rules *rules, const State *state, int colour) noexcept nogil:
    """The colour's territory with the fewest troops among those with a foreign neighbour."""
    cdef uint64_t own = state.owned[colour]
    cdef uint64_t left = own
    cdef int best = lowest(own)
    cdef int territory
    cdef bint found = False
    while left:
        territory = lowest(left)
        left = without_lowest(left)
        if rules.adjacent[territory] & ~own and (
            not found or state.troops[territory] < state.troops[best]
        ):
            best = territory
            found = True
    return best

cdef inline void play_passive(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """What a retired seat does: it places and deploys on its weakest front and never attacks or moves."""
    cdef ActionRange trades[1]
    if state.phase == PHASE_CLAIM:
        claim(rules, state, lowest(unclaimed(rules, state)), events)
    elif state.phase == PHASE_PLACE:
        place(rules, state, weakest_front(rules, state, placing_colour(rules, state)), events)
    elif state.phase == PHASE_TRADE:
        if keep_cards(rules, state) != RULE_OK:
            trade_legal(rules, state, trades, 1)
            trade(rules, state, trades[0].a, trades[0].b, trades[0].c, events)
    elif state.phase == PHASE_BONUS:
        take_bonus(rules, state, lowest(state.bonus_choices), events)
    elif state.phase == PHASE_DEPLOY:
        deploy(rules, state, weakest_front(rules, state, state.turn_colour), state.reinforcements, events)
    elif state.phase == PHASE_ATTACK:
        end_attacks(rules, state, dice, events)
    elif state.phase == PHASE_DEFEND:
        fight(rules, state, most_defence_dice(state.troops[state.attack_to]), dice, events)
    elif state.phase == PHASE_OCCUPY:
        move_in(rules, state, least_move(rules, state), events)
    else:
        state.phase = PHASE_END

cdef inline void settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Go on until a seat that still decides is asked, or the game is over."""
    while True:
        if not waits(rules, state, dice, events):
            continue
        if state.phase == PHASE_OVER or not state.retired[acting_seat(rules, state)]:
            return
        play_passive(rules, state, dice, events)

cdef inline int stop(const Rules *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """KIND_END: keep the cards, stop attacking, or do without the fortifying move."""
    if action.a or action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if state.phase == PHASE_ATTACK:
        end_attacks(rules, state, dice, events)
    elif state.phase == PHASE_FORTIFY:
        state.phase = PHASE_END
    elif state.phase == PHASE_TRADE:
        return keep_cards(rules, state)
    else:
        return RULE_CANNOT_STOP
    return RULE_OK

cdef inline int answer(const Rules *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """Check and play the answer the phase waits for; a broken rule changes nothing."""
    cdef int broken
    if action.kind == KIND_END:
        return stop(rules, state, action, dice, events)
    if state.phase == PHASE_ATTACK and action.kind == KIND_ATTACK:
        return attack_apply(rules, state, action, events)
    if state.phase == PHASE_DEFEND and action.kind == KIND_DEFEND:
        return defend_apply(rules, state, action, dice, events)
    if state.phase == PHASE_DEPLOY and action.kind == KIND_DEPLOY:
        return deploy_apply(rules, state, action, events)
    if state.phase == PHASE_OCCUPY and action.kind == KIND_OCCUPY:
        broken = occupy_check(rules, state, action)
        if not broken:
            move_in(rules, state, action.n, events)
        return broken
    if state.phase == PHASE_FORTIFY and action.kind == KIND_FORTIFY:
        return fortify_apply(rules, state, action, events)
    if state.phase == PHASE_TRADE and action.kind == KIND_TRADE:
        return trade_apply(rules, state, action, events)
    if state.phase == PHASE_BONUS and action.kind == KIND_BONUS:
        return bonus_apply(rules, state, action, events)
    if state.phase == PHASE_PLACE and action.kind == KIND_PLACE:
        return place_apply(rules, state, action, events)
    if state.phase == PHASE_CLAIM and action.kind == KIND_CLAIM:
        return claim_apply(rules, state, action, events)
    return RULE_WRONG_PHASE
