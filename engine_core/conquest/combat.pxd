"""Attacks: declaring, the defender's dice, the roll, capture and moving in."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport bit, has, lowest, without_lowest
from engine_core.conquest.state cimport (
    EVENT_ATTACKED, EVENT_BATTLE, EVENT_CAPTURED, EVENT_OCCUPIED, KIND_ATTACK, KIND_DEFEND, KIND_END,
    KIND_OCCUPY, PHASE_ATTACK, PHASE_DEFEND, PHASE_OCCUPY, RULE_ATTACK_DICE, RULE_DEFENCE_DICE,
    RULE_NO_SUCH_TERRITORY, RULE_NOT_ADJACENT, RULE_NOT_OFFERED, RULE_NOT_OWN, RULE_OCCUPY_AMOUNT, RULE_OK,
    RULE_OWN_TARGET, RULE_UNUSED_OPERAND, Rules, State, everyone, give, is_own, turn_seat,
)
from engine_core.dice cimport STREAM_BATTLE, Dice, roll
from engine_core.kernel cimport NONE, Action, ActionRange, Event, EventLog, add_range, emit

cdef enum:
    ATTACK_DICE = 3
    DEFENCE_DICE = 2

cdef inline int most_attack_dice(int troops) noexcept nogil:
    """One troop stays behind, three dice at most."""
    return ATTACK_DICE if troops > ATTACK_DICE else troops - 1

cdef inline int most_defence_dice(int troops) noexcept nogil:
    return DEFENCE_DICE if troops > DEFENCE_DICE else troops

cdef inline bint can_attack(const Rules *rules, const State *state) noexcept nogil:
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t left = own
    cdef int territory
    while left:
        territory = lowest(left)
        left = without_lowest(left)
        if state.troops[territory] > 1 and rules.adjacent[territory] & ~own:
            return True
    return False

cdef inline int attack_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t left = own
    cdef uint64_t targets
    cdef int source
    cdef int dice
    while left:
        source = lowest(left)
        left = without_lowest(left)
        if state.troops[source] < 2:
            continue
        targets = rules.adjacent[source] & ~own
        dice = most_attack_dice(state.troops[source])
        while targets:
            add_range(out, &n, cap, KIND_ATTACK, source, lowest(targets), 0, 1, dice)
            targets = without_lowest(targets)
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    return n

cdef inline int attack_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    if action.c:
        return RULE_UNUSED_OPERAND
    if action.a >= rules.territories or action.b >= rules.territories:
        return RULE_NO_SUCH_TERRITORY
    if not is_own(state, action.a):
        return RULE_NOT_OWN
    if is_own(state, action.b):
        return RULE_OWN_TARGET
    if not has(rules.adjacent[action.a], action.b):
        return RULE_NOT_ADJACENT
    if action.n < 1 or action.n > most_attack_dice(state.troops[action.a]):
        return RULE_ATTACK_DICE
    state.attack_from = action.a
    state.attack_to = action.b
    state.attack_dice = <uint8_t>action.n
    state.phase = PHASE_DEFEND
    emit(events, EVENT_ATTACKED, turn_seat(rules, state), action.a, action.b, 0, action.n, everyone(rules))
    return RULE_OK

cdef inline bint defender_chooses(const State *state) noexcept nogil:
    """The defender may roll one die or two, which is a choice from two troops on."""
    return state.troops[state.attack_to] > 1

cdef inline bint defender_takes_most(const State *state) noexcept nogil:
    return False

cdef inline int defend_legal(const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    add_range(out, &n, cap, KIND_DEFEND, state.attack_from, state.attack_to, 0, 1,
              most_defence_dice(state.troops[state.attack_to]))
    return n

cdef inline void sort_down(uint8_t *dice, int n) noexcept nogil:
    """Highest first; n is 1..3."""
    cdef uint8_t swap
    if n > 1 and dice[0] < dice[1]:
        swap = dice[0]
        dice[0] = dice[1]
        dice[1] = swap
    if n > 2 and dice[1] < dice[2]:
        swap = dice[1]
        dice[1] = dice[2]
        dice[2] = swap
        if dice[0] < dice[1]:
            swap = dice[0]
            dice[0] = dice[1]
            dice[1] = swap

cdef inline int defence_losses(uint8_t *dice, int attack, int defence) noexcept nogil:
    """Compare highest with highest, next with next; equal dice are the defender's."""
    cdef int lost
    sort_down(dice, attack)
    sort_down(dice + attack, defence)
    lost = dice[0] > dice[attack]
    if attack > 1 and defence > 1:
        lost += dice[1] > dice[attack + 1]
    return lost

cdef inline void capture(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """The last defender is gone: the territory changes hands, and the attacker must move in."""
    state.victim = state.owner[state.attack_to]
    emit(events, EVENT_CAPTURED, turn_seat(rules, state), state.attack_from, state.attack_to, state.victim, 0,
         everyone(rules))
    give(state, state.attack_to, state.turn_colour, 0)
    state.captured = 1
    state.phase = PHASE_OCCUPY

cdef inline void end_battle(State *state) noexcept nogil:
    state.attack_from = NONE
    state.attack_to = NONE
    state.attack_dice = 0
    state.phase = PHASE_ATTACK

cdef inline void fight(const Rules *rules, State *state, int defence, Dice *dice, EventLog *events) noexcept nogil:
    """Roll all dice at once and take the losses."""
    cdef uint8_t rolled[ATTACK_DICE + DEFENCE_DICE]
    cdef int source = state.attack_from
    cdef int target = state.attack_to
    cdef int attack = state.attack_dice
    cdef int border = rules.border[source][target]
    cdef int at_risk = attack if attack < defence else defence
    cdef int lost
    cdef int i
    cdef Event *event
    roll(dice, STREAM_BATTLE, state.lap, source, target, state.rolls[border], attack + defence, 6, rolled)
    state.rolls[border] += 1
    lost = defence_losses(rolled, attack, defence)
    event = emit(events, EVENT_BATTLE, turn_seat(rules, state), source, target, attack, lost, everyone(rules))
    if event != NULL:
        event.dice_count = <uint8_t>(attack + defence)
        for i in range(attack + defence):
            event.dice[i] = rolled[i]
    state.troops[target] -= lost
    state.troops[source] -= at_risk - lost
    if state.troops[target]:
        end_battle(state)
    else:
        capture(rules, state, events)

cdef inline int defend_apply(const Rules *rules, State *state, Action action, Dice *dice,
                             EventLog *events) noexcept nogil:
    if action.a != state.attack_from or action.b != state.attack_to or action.c:
        return RULE_NOT_OFFERED
    if action.n < 1 or action.n > most_defence_dice(state.troops[state.attack_to]):
        return RULE_DEFENCE_DICE
    fight(rules, state, action.n, dice, events)
    return RULE_OK

cdef inline bint defend_settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True when the defender is asked for dice."""
    if rules.defender_asked(state):
        return True
    fight(rules, state, most_defence_dice(state.troops[state.attack_to]), dice, events)
    return False

cdef inline int least_move(const Rules *rules, const State *state) noexcept nogil:
    """At least as many troops move in as dice were rolled; a capturing roll costs the attacker nothing."""
    return state.attack_dice if rules.min_move_dice else 1

cdef inline int occupy_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    add_range(out, &n, cap, KIND_OCCUPY, state.attack_from, state.attack_to, 0, least_move(rules, state),
              state.troops[state.attack_from] - 1)
    return n

cdef inline void occupy(const Rules *rules, State *state, int troops, EventLog *events) noexcept nogil:
    state.troops[state.attack_from] -= troops
    state.troops[state.attack_to] = troops
    emit(events, EVENT_OCCUPIED, turn_seat(rules, state), state.attack_from, state.attack_to, 0, troops,
         everyone(rules))
    end_battle(state)

cdef inline int occupy_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.a != state.attack_from or action.b != state.attack_to or action.c:
        return RULE_NOT_OFFERED
    if action.n < least_move(rules, state) or action.n >= state.troops[state.attack_from]:
        return RULE_OCCUPY_AMOUNT
    return RULE_OK
