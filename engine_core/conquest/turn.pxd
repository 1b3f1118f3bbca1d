"""The turn as a state machine: from the phase an action left behind to the next one that waits for an answer."""

from libc.string cimport memset
from libc.stdint cimport uint8_t, uint64_t

from engine_core.bits cimport lowest, without_lowest
from engine_core.conquest.capitals cimport (
    capital_apply, capital_settle, capital_sites, found_capital, headquarters_settle,
)
from engine_core.conquest.cards cimport (
    bonus_apply, bonus_settle, decline_bonus, draw_card, keep_cards, take_bonus, trade, trade_apply, trade_legal,
    trade_settle,
)
from engine_core.conquest.combat cimport (
    attack_apply, can_attack, defend_apply, defend_settle, fight, least_move, most_defence_dice,
    occupy, occupy_check,
)
from engine_core.conquest.elimination cimport after_capture, is_last_fall
from engine_core.conquest.fortify cimport (
    begin_fortify, end_fortify, fortify_apply, fortify_settle, maneuver_settle,
)
from engine_core.conquest.income cimport deploy, deploy_apply, deploy_settle, income, most_deployed
from engine_core.conquest.missions cimport check_missions
from engine_core.conquest.objectives cimport claimable, objective_apply, wins_by_objectives
from engine_core.conquest.rewards cimport airfield_check, build_airfield, has_reward
from engine_core.conquest.setup cimport (
    claim, claim_apply, claim_settle, place, place_apply, place_settle, placing_colour, unclaimed,
)
from engine_core.conquest.state cimport (
    EVENT_REINFORCED, EVENT_TURN, KIND_AIRFIELD, KIND_ATTACK, KIND_BONUS, KIND_CAPITAL, KIND_CLAIM, KIND_COMMAND,
    KIND_DEFEND, KIND_DEPLOY, KIND_END, KIND_FORTIFY, KIND_OBJECTIVE, KIND_OCCUPY, KIND_PLACE, KIND_REROLL, KIND_STARS,
    KIND_TRADE, PHASE_AIRFIELD, PHASE_ATTACK, PHASE_BEGIN, PHASE_BONUS, PHASE_CAPITAL, PHASE_CLAIM, PHASE_DEFEND,
    PHASE_DEPLOY, PHASE_END, PHASE_FORTIFY, PHASE_HEADQUARTERS, PHASE_MANEUVER, PHASE_OBJECTIVE, PHASE_OCCUPY,
    PHASE_OVER, PHASE_PLACE, PHASE_REROLL, PHASE_STARS, PHASE_TRADE, REWARD_GUARANTEED_CARD, RULE_CANNOT_STOP, RULE_OK,
    RULE_UNUSED_OPERAND, RULE_WRONG_PHASE, Rules, State, acting_seat, everyone, next_living, still_plays, turn_seat,
    with_room,
)
from engine_core.conquest.special_dice cimport command_apply, finish_roll, reroll_apply, reroll_settle
from engine_core.conquest.stars cimport offers_stars, stars_apply, stars_settle
from engine_core.conquest.victory cimport finish, won
from engine_core.dice cimport Dice
from engine_core.kernel cimport BY_TURN_CAP, NONE, Action, ActionRange, EventLog, emit

cdef inline void begin_turn(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    state.captured = 0
    state.bonuses_used = 0
    state.trades_this_turn = 0
    state.during_attack = 0
    state.objective_claimed = 0
    state.commander_used = 0
    if rules.objectives:
        state.turn_owned = state.owned[state.turn_colour]
    state.unchecked = 1
    state.reinforcements = income(rules, state, state.turn_colour)
    state.phase = PHASE_TRADE
    if rules.stars:
        state.phase = PHASE_STARS if offers_stars(rules, state) else PHASE_DEPLOY
    emit(events, EVENT_TURN, turn_seat(rules, state), 0, 0, 0, state.lap, everyone(rules))
    emit(events, EVENT_REINFORCED, turn_seat(rules, state), 0, 0, 0, state.reinforcements, everyone(rules))

cdef inline int goes_before(const Rules *rules, const State *state, int colour) noexcept nogil:
    """A colour's distance from the first player, clockwise."""
    return (colour - state.first_colour + rules.colours) % rules.colours

cdef inline bint earns_card(const Rules *rules, const State *state) noexcept nogil:
    """Whether the turn ends with a card: for a capture or guaranteed, but not when an objective was claimed."""
    cdef bint guaranteed = rules.rewards and has_reward(state, REWARD_GUARANTEED_CARD, state.turn_colour)
    if state.objective_claimed:
        return guaranteed and rules.guaranteed_beats_objective
    return state.captured or guaranteed

cdef inline void end_turn(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Win by objectives, or draw the card that was earned and pass the turn on; a lap is once round."""
    cdef int following = next_living(rules, state, state.turn_colour)
    if rules.objectives and still_plays(rules, state, state.turn_colour) and wins_by_objectives(rules, state):
        won(rules, state, state.turn_colour, NONE, events)
        return
    if not rules.draw_at_end_attack and (state.living >> state.turn_colour) & 1 and earns_card(rules, state):
        draw_card(rules, state, state.turn_colour, dice, events)
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
        draw_card(rules, state, state.turn_colour, dice, events)
    if rules.objectives and claimable(rules, state):
        state.phase = PHASE_OBJECTIVE
    else:
        begin_fortify(rules, state)

cdef inline void place_airfield(const Rules *rules, State *state, int territory, EventLog *events) noexcept nogil:
    build_airfield(rules, state, territory, events)
    begin_fortify(rules, state)

cdef inline bint airfield_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when the territory of a new airfield is to be chosen."""
    if without_lowest(state.owned[state.turn_colour]):
        return True
    place_airfield(rules, state, lowest(state.owned[state.turn_colour]), events)
    return False

cdef inline bint goal_waits(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """As `waits`, for the phases of capitals, headquarters, objectives and expert dice."""
    if state.phase == PHASE_STARS:
        return stars_settle(rules, state, events)
    if state.phase == PHASE_MANEUVER:
        return maneuver_settle(rules, state)
    if state.phase == PHASE_REROLL:
        return reroll_settle(rules, state, events)
    if state.phase == PHASE_AIRFIELD:
        return airfield_settle(rules, state, events)
    if state.phase == PHASE_CAPITAL:
        return capital_settle(rules, state, events)
    if state.phase == PHASE_HEADQUARTERS:
        return headquarters_settle(rules, state, dice, events)
    return True

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
        return fortify_settle(rules, state)
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
        return place_settle(rules, state, dice, events)
    if state.phase == PHASE_CLAIM:
        return claim_settle(rules, state, events)
    return goal_waits(rules, state, dice, events)

cdef inline int weakest_front(const Rules *rules, const State *state, int colour) noexcept nogil:
    """The colour's territory with the fewest troops among those with a foreign neighbour and room for troops."""
    cdef uint64_t own = state.owned[colour]
    cdef uint64_t left = with_room(state, own)
    cdef int best = lowest(left)
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

cdef inline void decline(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """Do without what the phase offers, where that is always allowed."""
    if state.phase == PHASE_STARS:
        state.phase = PHASE_DEPLOY
    elif state.phase == PHASE_MANEUVER:
        state.phase = PHASE_ATTACK
    elif state.phase == PHASE_OBJECTIVE:
        begin_fortify(rules, state)
    elif state.phase == PHASE_REROLL:
        finish_roll(rules, state, events)
    else:
        end_fortify(state)

cdef inline void play_passive(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """What a retired seat does: it places and deploys on its weakest front and never attacks or moves."""
    cdef ActionRange trades[1]
    cdef int territory
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
        territory = weakest_front(rules, state, state.turn_colour)
        deploy(rules, state, territory, most_deployed(rules, state, territory), events)
    elif state.phase == PHASE_ATTACK:
        end_attacks(rules, state, dice, events)
    elif state.phase == PHASE_DEFEND:
        fight(rules, state, most_defence_dice(state.troops[state.attack_to]), dice, events)
    elif state.phase == PHASE_OCCUPY:
        move_in(rules, state, least_move(rules, state), events)
    elif state.phase == PHASE_CAPITAL:
        found_capital(rules, state, lowest(capital_sites(rules, state)), events)
    elif state.phase == PHASE_AIRFIELD:
        place_airfield(rules, state, weakest_front(rules, state, state.turn_colour), events)
    else:
        decline(rules, state, events)

cdef inline void settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Go on until a seat that still decides is asked, or the game is over."""
    while True:
        if state.unchecked:
            state.unchecked = 0
            if rules.missions and check_missions(rules, state, events):
                return
        if not waits(rules, state, dice, events):
            continue
        if state.phase == PHASE_OVER or state.phase == PHASE_HEADQUARTERS:
            return
        if not state.retired[acting_seat(rules, state)]:
            return
        play_passive(rules, state, dice, events)

cdef inline int stop(const Rules *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """KIND_END: keep the cards, stop attacking, or do without what is offered."""
    if action.a or action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if state.phase == PHASE_ATTACK:
        end_attacks(rules, state, dice, events)
    elif state.phase == PHASE_TRADE:
        return keep_cards(rules, state)
    elif state.phase == PHASE_BONUS:
        return decline_bonus(rules, state)
    elif (
        state.phase == PHASE_FORTIFY or state.phase == PHASE_STARS or state.phase == PHASE_MANEUVER
        or state.phase == PHASE_OBJECTIVE or state.phase == PHASE_REROLL
    ):
        decline(rules, state, events)
    else:
        return RULE_CANNOT_STOP
    return RULE_OK

cdef inline int goal_answer(const Rules *rules, State *state, Action action, Dice *dice,
                            EventLog *events) noexcept nogil:
    """As `answer`, for the phases of capitals, objectives and expert dice."""
    cdef int broken
    if state.phase == PHASE_OBJECTIVE and action.kind == KIND_OBJECTIVE:
        broken = objective_apply(rules, state, action, events)
        if not broken and state.phase == PHASE_OBJECTIVE:
            begin_fortify(rules, state)
        return broken
    if state.phase == PHASE_STARS and action.kind == KIND_STARS:
        return stars_apply(rules, state, action, events)
    if state.phase == PHASE_MANEUVER and action.kind == KIND_FORTIFY:
        return fortify_apply(rules, state, action, events)
    if state.phase == PHASE_REROLL and action.kind == KIND_REROLL:
        return reroll_apply(rules, state, action, dice, events)
    if state.phase == PHASE_REROLL and action.kind == KIND_COMMAND:
        return command_apply(rules, state, action, events)
    if state.phase == PHASE_AIRFIELD and action.kind == KIND_AIRFIELD:
        broken = airfield_check(rules, state, action)
        if not broken:
            place_airfield(rules, state, action.a, events)
        return broken
    if state.phase == PHASE_CAPITAL and action.kind == KIND_CAPITAL:
        return capital_apply(rules, state, action, events)
    return RULE_WRONG_PHASE

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
    return goal_answer(rules, state, action, dice, events)
