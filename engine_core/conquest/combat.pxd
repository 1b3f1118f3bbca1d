"""Attacks: declaring, the defender's dice, the roll, capture and moving in."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from engine_core.bits cimport has, lowest, without_lowest
from engine_core.conquest.capitals cimport uncover_captured
from engine_core.conquest.rewards cimport changes_dice, lose_airfields
from engine_core.conquest.state cimport (
    EVENT_ATTACKED, EVENT_BATTLE, EVENT_CAPTURED, EVENT_OCCUPIED, KIND_ATTACK, KIND_DEFEND, KIND_END,
    KIND_OCCUPY, PHASE_ATTACK, PHASE_DEFEND, PHASE_OCCUPY, RULE_ATTACK_DICE, RULE_DEFENCE_DICE,
    RULE_NO_SUCH_TERRITORY, RULE_NOT_ADJACENT, RULE_NOT_OFFERED, RULE_NOT_OWN, RULE_OCCUPY_AMOUNT, RULE_OK,
    RULE_OWN_TARGET, RULE_UNUSED_OPERAND, Rules, State, add_troops, everyone, give, is_own, set_troops,
    turn_seat,
)
from engine_core.dice cimport STREAM_BATTLE, Dice, roll_two_sides
from engine_core.kernel cimport NONE, Action, ActionRange, Event, EventLog, add_range, emit, put_range

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
    cdef uint64_t left = own & state.strong
    while left:
        if rules.adjacent[lowest(left)] & ~own:
            return True
        left = without_lowest(left)
    return False

cdef inline int attack_legal(const Rules *rules, const State *state, ActionRange *out) noexcept nogil:
    """One range a border that can be attacked over, at most MAX_BORDERS, and KIND_END."""
    cdef int n = 0
    cdef uint64_t own = state.owned[state.turn_colour]
    cdef uint64_t left = own & state.strong
    cdef uint64_t targets
    cdef uint32_t template
    cdef int source
    cdef int dice
    while left:
        source = lowest(left)
        left = without_lowest(left)
        targets = rules.adjacent[source] & ~own
        if not targets:
            continue
        dice = most_attack_dice(state.troops[source])
        template = KIND_ATTACK | (<uint32_t>source << 8)
        while targets:
            put_range(out, &n, template | (<uint32_t>lowest(targets) << 16), 1, dice)
            targets = without_lowest(targets)
    put_range(out, &n, KIND_END, 0, 0)
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

cdef inline int larger(int x, int y) noexcept nogil:
    return x if x > y else y

cdef inline int smaller(int x, int y) noexcept nogil:
    return x if x < y else y

cdef inline int defence_losses(const uint8_t *dice, int at_risk) noexcept nogil:
    """Compare highest with highest, next with next; equal dice are the defender's.

    dice: three of the attacker, two of the defender, 0 where not rolled. Without branches: dice are the one
    thing no processor can predict.
    """
    cdef int best = larger(larger(dice[0], dice[1]), dice[2])
    cdef int second = larger(smaller(dice[0], dice[1]), smaller(larger(dice[0], dice[1]), dice[2]))
    return (best > larger(dice[3], dice[4])) + ((second > smaller(dice[3], dice[4])) & (at_risk > 1))

cdef inline void capture(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """The last defender is gone: the territory changes hands, and the attacker must move in."""
    state.victim = state.owner[state.attack_to]
    emit(events, EVENT_CAPTURED, turn_seat(rules, state), state.attack_from, state.attack_to, state.victim, 0,
         everyone(rules))
    if rules.rewards:
        lose_airfields(rules, state, state.attack_to, events)
    if rules.headquarters_hidden:
        uncover_captured(rules, state, state.attack_to, events)
    give(rules, state, state.attack_to, state.turn_colour, 0)
    state.captured = 1
    state.phase = PHASE_OCCUPY

cdef inline void end_battle(State *state) noexcept nogil:
    state.attack_from = NONE
    state.attack_to = NONE
    state.attack_dice = 0
    state.phase = PHASE_ATTACK

cdef inline void tell_dice(Event *event, const uint8_t *rolled, int places) noexcept nogil:
    """Add the dice that were rolled (not 0) to an event."""
    cdef int place
    if event == NULL:
        return
    for place in range(places):
        if rolled[place]:
            event.dice[event.dice_count] = rolled[place]
            event.dice_count += 1

cdef inline bint take_losses(const Rules *rules, State *state, int at_risk, int lost,
                             EventLog *events) noexcept nogil:
    """The defender loses `lost` troops, the attacker the rest; True when the same attack could go on."""
    cdef int source = state.attack_from
    add_troops(rules, state, state.attack_to, -lost)
    add_troops(rules, state, source, lost - at_risk)
    if not state.troops[state.attack_to]:
        capture(rules, state, events)
        return False
    end_battle(state)
    return state.troops[source] > 1

cdef inline bint plain_fight(const Rules *rules, State *state, int defence, Dice *dice,
                             EventLog *events) noexcept nogil:
    """Roll all dice at once and take the losses; True when the same attack could go on."""
    cdef uint8_t rolled[ATTACK_DICE + DEFENCE_DICE]
    cdef int source = state.attack_from
    cdef int target = state.attack_to
    cdef int border = rules.border[source][target]
    cdef int at_risk = smaller(state.attack_dice, defence)
    cdef int lost
    roll_two_sides(dice, STREAM_BATTLE, state.lap, source, target, state.rolls[border], state.attack_dice, defence,
                   rolled)
    state.rolls[border] += 1
    lost = defence_losses(rolled, at_risk)
    tell_dice(emit(events, EVENT_BATTLE, turn_seat(rules, state), source, target, state.attack_dice, lost,
                   everyone(rules)), rolled, ATTACK_DICE + DEFENCE_DICE)
    return take_losses(rules, state, at_risk, lost, events)

cdef inline bint fight(const Rules *rules, State *state, int defence, Dice *dice, EventLog *events) noexcept nogil:
    """The roll by the rules in force; True when the same attack could go on."""
    if rules.special_fight != NULL and (not rules.rewards or changes_dice(state)):
        return rules.special_fight(rules, state, defence, dice, events)
    return plain_fight(rules, state, defence, dice, events)

cdef inline int defend_apply(const Rules *rules, State *state, Action action, Dice *dice,
                             EventLog *events) noexcept nogil:
    if action.a != state.attack_from or action.b != state.attack_to or action.c:
        return RULE_NOT_OFFERED
    if action.n < 1 or action.n > most_defence_dice(state.troops[state.attack_to]):
        return RULE_DEFENCE_DICE
    fight(rules, state, action.n, dice, events)
    return RULE_OK

cdef inline bint defend_settle(const Rules *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """True when the defender is asked for dice, or when the attacker could attack on after the roll."""
    if rules.defender_asked(state):
        return True
    return fight(rules, state, most_defence_dice(state.troops[state.attack_to]), dice, events)

cdef inline int least_move(const Rules *rules, const State *state) noexcept nogil:
    """At least as many troops move in as dice were rolled; a capturing roll costs the attacker nothing."""
    return state.attack_dice if rules.min_move_dice else 1

cdef inline int occupy_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int n = 0
    add_range(out, &n, cap, KIND_OCCUPY, state.attack_from, state.attack_to, 0, least_move(rules, state),
              state.troops[state.attack_from] - 1)
    return n

cdef inline void occupy(const Rules *rules, State *state, int troops, EventLog *events) noexcept nogil:
    add_troops(rules, state, state.attack_from, -troops)
    set_troops(rules, state, state.attack_to, troops)
    state.unchecked = 1
    emit(events, EVENT_OCCUPIED, turn_seat(rules, state), state.attack_from, state.attack_to, 0, troops,
         everyone(rules))
    end_battle(state)

cdef inline int occupy_check(const Rules *rules, const State *state, Action action) noexcept nogil:
    if action.a != state.attack_from or action.b != state.attack_to or action.c:
        return RULE_NOT_OFFERED
    if action.n < least_move(rules, state) or action.n >= state.troops[state.attack_from]:
        return RULE_OCCUPY_AMOUNT
    return RULE_OK
