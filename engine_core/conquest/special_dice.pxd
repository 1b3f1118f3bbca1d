"""Battles with more than plain dice: rewards that add dice or pips, and the expert rules that change a die."""

from libc.stdint cimport uint8_t, uint64_t

from engine_core.bits cimport bit, has
from engine_core.conquest.combat cimport (
    ATTACK_DICE, DEFENCE_DICE, larger, smaller, take_losses, tell_dice,
)
from engine_core.conquest.rewards cimport airfield_reward, has_reward
from engine_core.conquest.state cimport (
    EVENT_BATTLE, EVENT_COMMANDED, EVENT_REROLLED, EVENT_ROLLED, KIND_COMMAND, KIND_END, KIND_REROLL, PHASE_REROLL,
    RULE_CARD_OF_BATTLE, RULE_NOT_OFFERED, RULE_NO_SUCH_DIE, RULE_OK, RULE_UNUSED_OPERAND, REWARD_ATTACK_DIE,
    REWARD_DEFENSE_DIE, SCOPE_BATTLE_LOCATION, SCOPE_EITHER, Rules, State, everyone, turn_seat,
)
from engine_core.dice cimport STREAM_BATTLE, STREAM_FAMILY, Dice, roll, roll_with_extra
from engine_core.kernel cimport NONE, Action, ActionRange, Event, EventLog, add_range, emit

cdef enum:
    ATTACK_EXTRA = 5         # places among the dice of a roll, behind three of attack and two of defence
    DEFENCE_EXTRA = 6
    ALL_DICE = 7
    BEST_DIE = 6

cdef struct TopTwo:
    int best
    int second

cdef inline TopTwo top_two(int first, int second, int third, int extra) noexcept nogil:
    """The two highest of up to three dice and an extra one; 0 = not rolled.

    The best n of n + 1 dice are kept, so the second one counts from 2 dice on.
    """
    cdef TopTwo top
    top.best = larger(first, second)
    top.second = larger(smaller(first, second), smaller(top.best, third))
    top.best = larger(top.best, third)
    top.second = larger(top.second, smaller(top.best, extra))
    top.best = larger(top.best, extra)
    return top

cdef inline int with_airfield(const Rules *rules, bint helped, int die) noexcept nogil:
    """The highest die of a side, one more where an airfield of its own helps."""
    return die + (helped & ((die < BEST_DIE) | (not rules.airfield_cap)))

cdef inline void add_airfields(const Rules *rules, const State *state, TopTwo *attack,
                               TopTwo *defence) noexcept nogil:
    """An airfield on or next to what counts raises its owner's highest die; two are no better than one.

    Without branches on whose airfield it is: no processor can predict that.
    """
    cdef uint64_t attacker_at = bit(state.attack_from)
    cdef uint64_t defender_at = bit(state.attack_to)
    cdef uint64_t attacker_zone = 0
    cdef uint64_t defender_zone = 0
    cdef uint64_t zone
    cdef int holder
    cdef int token
    for token in range(2):
        if state.airfield[token] == NONE:
            continue
        zone = rules.adjacent[state.airfield[token]] | bit(state.airfield[token])
        holder = state.reward[airfield_reward(token)]
        attacker_zone |= zone * (holder == state.turn_colour)
        defender_zone |= zone * (holder == state.owner[state.attack_to])
    if rules.airfield_scope == SCOPE_BATTLE_LOCATION:
        attacker_at = defender_at
    elif rules.airfield_scope == SCOPE_EITHER:
        attacker_at |= defender_at
        defender_at = attacker_at
    attack.best = with_airfield(rules, (attacker_zone & attacker_at) != 0, attack.best)
    defence.best = with_airfield(rules, (defender_zone & defender_at) != 0, defence.best)

cdef inline bint resolve(const Rules *rules, State *state, const uint8_t *dice, EventLog *events) noexcept nogil:
    """Compare the dice (ALL_DICE places, 0 = not rolled), tell them, take the losses."""
    cdef TopTwo attack = top_two(dice[0], dice[1], dice[2], dice[ATTACK_EXTRA])
    cdef TopTwo defence = top_two(dice[ATTACK_DICE], dice[ATTACK_DICE + 1], 0, dice[DEFENCE_EXTRA])
    cdef int at_risk = smaller(state.attack_dice, 1 + (dice[ATTACK_DICE + 1] > 0))
    cdef int lost
    cdef Event *event
    if state.airfield[0] != NONE or state.airfield[1] != NONE:
        add_airfields(rules, state, &attack, &defence)
    lost = (attack.best > defence.best) + ((at_risk > 1) & (attack.second > defence.second))
    event = emit(events, EVENT_BATTLE, turn_seat(rules, state), state.attack_from, state.attack_to,
                 state.attack_dice + (dice[ATTACK_EXTRA] > 0), lost, everyone(rules))
    if event != NULL:
        tell_dice(event, dice, ATTACK_DICE)
        tell_dice(event, dice + ATTACK_EXTRA, 1)
        tell_dice(event, dice + ATTACK_DICE, DEFENCE_DICE)
        tell_dice(event, dice + DEFENCE_EXTRA, 1)
    return take_losses(rules, state, at_risk, lost, events)

cdef inline bint fight_with_rewards(const Rules *rules, State *state, int defence, Dice *dice,
                                    EventLog *events) noexcept nogil:
    """A roll to which either side may add its die; True when the same attack could go on."""
    cdef uint8_t rolled[ALL_DICE]
    cdef int border = rules.border[state.attack_from][state.attack_to]
    roll_with_extra(dice, STREAM_BATTLE, state.lap, state.attack_from, state.attack_to, state.rolls[border],
                    state.attack_dice, defence, has_reward(state, REWARD_ATTACK_DIE, state.turn_colour),
                    has_reward(state, REWARD_DEFENSE_DIE, state.owner[state.attack_to]), rolled)
    state.rolls[border] += 1
    return resolve(rules, state, rolled, events)

cdef inline bint fight_with_experts(const Rules *rules, State *state, int defence, Dice *dice,
                                    EventLog *events) noexcept nogil:
    """A roll that waits on the table, in case the attacker changes a die."""
    cdef uint8_t rolled[ALL_DICE]
    cdef int border = rules.border[state.attack_from][state.attack_to]
    cdef int place
    cdef Event *event
    roll_with_extra(dice, STREAM_BATTLE, state.lap, state.attack_from, state.attack_to, state.rolls[border],
                    state.attack_dice, defence, False, False, rolled)
    state.rolls[border] += 1
    for place in range(ATTACK_DICE + DEFENCE_DICE):
        state.rolled[place] = rolled[place]
    state.rerolled = 0
    state.phase = PHASE_REROLL
    event = emit(events, EVENT_ROLLED, turn_seat(rules, state), state.attack_from, state.attack_to,
                 state.attack_dice, 0, everyone(rules))
    tell_dice(event, rolled, ATTACK_DICE + DEFENCE_DICE)
    return False

cdef inline bint finish_roll(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """The dice stay as they lie."""
    cdef uint8_t dice[ALL_DICE]
    cdef int place
    for place in range(ALL_DICE):
        dice[place] = 0
    for place in range(ATTACK_DICE + DEFENCE_DICE):
        dice[place] = state.rolled[place]
        state.rolled[place] = 0
    state.rerolled = 0
    return resolve(rules, state, dice, events)

cdef inline bint may_command(const Rules *rules, const State *state) noexcept nogil:
    return rules.commander and not state.commander_used

cdef inline bint shows_card(const Rules *rules, const State *state, int card) noexcept nogil:
    """Whether the attacker holds the card and it shows one of the battle's territories."""
    if card >= rules.cards or not has(state.hand[state.turn_colour], card):
        return False
    return card == rules.territory_card[state.attack_from] or card == rules.territory_card[state.attack_to]

cdef inline bint may_reroll(const Rules *rules, const State *state) noexcept nogil:
    if not rules.card_reroll or state.rerolled:
        return False
    return (
        shows_card(rules, state, rules.territory_card[state.attack_from])
        or shows_card(rules, state, rules.territory_card[state.attack_to])
    )

cdef inline bint can_be_commanded(const State *state, int die) noexcept nogil:
    return die < ATTACK_DICE and 0 < state.rolled[die] < BEST_DIE

cdef inline bint has_low_die(const State *state) noexcept nogil:
    return can_be_commanded(state, 0) or can_be_commanded(state, 1) or can_be_commanded(state, 2)

cdef inline bint offers_changes(const Rules *rules, const State *state) noexcept nogil:
    """Whether the attacker may change a die now."""
    return may_reroll(rules, state) or (may_command(rules, state) and has_low_die(state))

cdef inline int reroll_legal(const Rules *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    """KIND_END first: the dice stay as they lie. Then every die that may be rolled again or set."""
    cdef int n = 0
    cdef int die
    cdef int source = rules.territory_card[state.attack_from]
    cdef int target = rules.territory_card[state.attack_to]
    add_range(out, &n, cap, KIND_END, 0, 0, 0, 0, 0)
    for die in range(state.attack_dice):
        if may_command(rules, state) and can_be_commanded(state, die):
            add_range(out, &n, cap, KIND_COMMAND, die, 0, 0, 0, 0)
        if rules.card_reroll and not state.rerolled:
            if shows_card(rules, state, source):
                add_range(out, &n, cap, KIND_REROLL, source, die, 0, 0, 0)
            if shows_card(rules, state, target):
                add_range(out, &n, cap, KIND_REROLL, target, die, 0, 0, 0)
    return n

cdef inline bint reroll_settle(const Rules *rules, State *state, EventLog *events) noexcept nogil:
    """True when the attacker may change a die; otherwise the roll counts."""
    if offers_changes(rules, state):
        return True
    return finish_roll(rules, state, events)

cdef inline int reroll_apply(const Rules *rules, State *state, Action action, Dice *dice,
                             EventLog *events) noexcept nogil:
    """Roll one of the own dice again; the card stays in the hand."""
    cdef int border = rules.border[state.attack_from][state.attack_to]
    cdef Event *event
    if action.c or action.n:
        return RULE_UNUSED_OPERAND
    if not may_reroll(rules, state) or not shows_card(rules, state, action.a):
        return RULE_CARD_OF_BATTLE
    if action.b >= state.attack_dice:
        return RULE_NO_SUCH_DIE
    roll(dice, STREAM_FAMILY, state.lap, state.attack_from, state.attack_to, state.rolls[border], 1, BEST_DIE,
         &state.rolled[action.b])
    state.rerolled = 1
    event = emit(events, EVENT_REROLLED, turn_seat(rules, state), action.a, action.b, 0, 0, everyone(rules))
    tell_dice(event, &state.rolled[action.b], 1)
    return RULE_OK

cdef inline int command_apply(const Rules *rules, State *state, Action action, EventLog *events) noexcept nogil:
    """Set one of the own dice to 6."""
    if action.b or action.c or action.n:
        return RULE_UNUSED_OPERAND
    if not may_command(rules, state):
        return RULE_NOT_OFFERED
    if not can_be_commanded(state, action.a):
        return RULE_NO_SUCH_DIE
    state.rolled[action.a] = BEST_DIE
    state.commander_used = 1
    emit(events, EVENT_COMMANDED, turn_seat(rules, state), action.a, 0, 0, 0, everyone(rules))
    return RULE_OK
