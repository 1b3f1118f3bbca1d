"""Proof kernel: battles of one die each, in which any seat may cancel a card, and a cancel may be cancelled.

The turn's owner strikes another seat. Before the roll it may play a boost, after the roll the defender a dodge,
which rolls its die again. Against every card played, all others are asked clockwise from its player whether they
cancel it. The loser of a battle loses a troop.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from common cimport (
    BROKEN, FINE, IN_DECK, IN_DISCARDS, UNKNOWN, begin, below, capsule_of, collect, deal_unknown, ended, everyone,
    ground_bytes, judge, only, plays, report, take_out,
)
from engine_core.dice cimport STREAM_FAMILY, STREAM_RESAMPLE, Dice, draw, roll
from engine_core.kernel cimport (
    RETIRE_NEUTRAL, RUNNING, Action, ActionRange, Event, EventLog, Facts, Kernel, add_range, emit,
)
from reaction_table cimport (
    BOOST, CANCEL, CARDS, COMPARE, DODGE, EVENT_DREW, EVENT_LOST, EVENT_ROLLED, EVENT_STRUCK, ON_TABLE, ROLL, SEATS,
    STRIKE, State, clear_table, decline, end_turn, leave, next_seat, play, resolve, wanted,
)

from proof_tables import HEAD, Word, description

from engine_core import Kind

cdef enum:
    TROOPS = 3
    HAND = 4
    BOOST_VALUE = 2

cdef enum ActionKind:
    KIND_PASS
    KIND_STRIKE
    KIND_PLAY

WORDS = (
    Word("phase", hi=CANCEL, of="phase"),
    Word("turn", hi=SEATS - 1, of="seat"),
    Word("target", lo=-1, hi=SEATS - 1, of="seat", default=-1),
    Word("asked", lo=-1, hi=SEATS - 1, of="seat", default=-1),
    Word("player", lo=-1, hi=SEATS - 1, of="seat", default=-1),
    Word("first", lo=-1, hi=CARDS - 1, of="card", default=-1),
    Word("depth", hi=CARDS),
    Word("boosted", hi=1),
    Word("dice", 2, hi=6),
    Word("troops", SEATS, hi=TROOPS, per="seat"),
    Word("held", SEATS, hi=CARDS, per="seat"),
    Word("cards", CARDS, lo=-1, hi=ON_TABLE, of="holder", per="card", default=IN_DECK),
)


cdef int acting(const State *state) noexcept nogil:
    if state.phase == CANCEL:
        return state.asked
    return state.target if state.phase == DODGE else state.turn

cdef uint32_t pending(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    return 0 if state.head.termination != RUNNING else only(acting(state))

cdef int legal(const void *rules, const void *block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int32_t cards[CARDS]
    cdef int count = 0
    cdef int i
    if not pending(rules, block) & only(seat):
        return 0
    if state.phase != STRIKE:
        add_range(out, &count, cap, KIND_PASS, 0, 0, 0, 0, 0)
        for i in range(wanted(state, seat, cards)):
            add_range(out, &count, cap, KIND_PLAY, cards[i], 0, 0, 0, 0)
        return count
    for i in range(SEATS):
        if i != seat and state.head.fell[i] < 0:
            add_range(out, &count, cap, KIND_STRIKE, i, 0, 0, 0, 0)
    return count

cdef void strike(State *state, int target, EventLog *events) noexcept nogil:
    state.target = target
    state.phase = BOOST
    emit(events, EVENT_STRUCK, state.turn, target, 0, 0, 0, everyone())

cdef void throw(State *state, int side, int again, Dice *dice, EventLog *events) noexcept nogil:
    """Roll the die of the turn's owner (side 0) or the target; one strike a turn makes the key unique."""
    cdef int seat = state.target if side else state.turn
    cdef uint8_t die
    cdef Event *event = emit(events, EVENT_ROLLED, seat, 0, 0, 0, 0, everyone())
    roll(dice, STREAM_FAMILY, state.head.lap, state.turn, seat, again, 1, 6, &die)
    state.dice[side] = die
    if event != NULL:
        event.dice[0] = die
        event.dice_count = 1

cdef void compare(State *state, EventLog *events) noexcept nogil:
    """The higher die wins, the defender a tie."""
    cdef bint hit = state.dice[0] + BOOST_VALUE * state.boosted > state.dice[1]
    cdef int loser = state.target if hit else state.turn
    emit(events, EVENT_LOST, loser, 0, 0, 0, 0, everyone())
    state.troops[loser] -= 1
    if state.troops[loser]:
        end_turn(state)
    else:
        leave(state, loser, events)

cdef bint waits(const void *rules, const State *state) noexcept nogil:
    """Whether a seat that still decides has a choice; nobody cancels a card of its own."""
    cdef ActionRange ranges[2]
    if state.phase == ROLL or state.phase == COMPARE or (state.phase == CANCEL and state.asked == state.player):
        return False
    return plays(&state.head, acting(state)) and legal(rules, state, acting(state), ranges, 2) > 1

cdef void step(State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Go on where nobody is asked."""
    if state.phase == STRIKE and plays(&state.head, state.turn):
        strike(state, next_seat(state, state.turn), events)     # the only one left
    elif state.phase == STRIKE:
        end_turn(state)                                         # a passive seat
    elif state.phase == ROLL:
        throw(state, 0, 0, dice, events)
        throw(state, 1, 0, dice, events)
        state.phase = DODGE
    elif state.phase == COMPARE:
        compare(state, events)
    elif state.phase != CANCEL or state.asked != state.player:
        decline(state, events)
    elif resolve(state, events):
        if state.phase == ROLL:
            state.boosted = 1
        else:
            throw(state, 1, 1, dice, events)

cdef void settle(const void *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    while not ended(rules, &state.head, events) and not waits(rules, state):
        step(state, dice, events)

cdef void init(const void *rules, void *block, Dice *dice, EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int32_t deck[CARDS]
    cdef int left
    cdef int i
    begin(&state.head)
    for i in range(CARDS):
        state.cards[i] = IN_DECK
    for i in range(SEATS * HAND):
        left = collect(state.cards, CARDS, IN_DECK, deck)
        left = deck[below(draw(dice, STREAM_FAMILY, 0, 0, i, 0), left)]
        state.cards[left] = i % SEATS
        emit(events, EVENT_DREW, i % SEATS, left, 0, 0, 0, only(i % SEATS))
    for i in range(SEATS):
        state.held[i] = HAND
        state.troops[i] = TROOPS
    clear_table(state)
    state.target = UNKNOWN
    settle(rules, state, dice, events)

cdef int apply(const void *rules, void *block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int broken = judge(legal, rules, block, seat, action)
    if broken:
        return broken
    state.head.decisions += 1
    if action.kind == KIND_STRIKE:
        strike(state, action.a, events)
    elif action.kind == KIND_PLAY:
        play(state, seat, action.a, events)
    else:
        decline(state, events)
    settle(rules, state, dice, events)
    return FINE

cdef int retire(const void *rules, void *block, int seat, int mode, Dice *dice,
                EventLog *events) noexcept nogil:
    """A passive seat defends without cards; a neutral one is gone."""
    cdef State *state = <State *>block
    cdef int broken = take_out(&state.head, seat, mode, events)
    if broken:
        return broken
    if mode == RETIRE_NEUTRAL:
        leave(state, seat, events)
    settle(rules, state, dice, events)
    return FINE

cdef void result(const void *rules, const void *block, Facts *facts) noexcept nogil:
    cdef int seat
    report(rules, &(<const State *>block).head, facts)
    for seat in range(SEATS):
        facts.troops[seat] = (<const State *>block).troops[seat]

cdef void redact(const void *_rules, void *block, int seat) noexcept nogil:
    cdef State *state = <State *>block
    cdef int card
    state.head.decisions = 0
    for card in range(CARDS):
        if state.cards[card] != seat and state.cards[card] < IN_DISCARDS:
            state.cards[card] = UNKNOWN

cdef void resample(const void *_rules, void *block, int _seat, Dice *dice) noexcept nogil:
    """Who is asked holds a card to answer with: that much everybody can tell."""
    cdef State *state = <State *>block
    cdef int32_t cards[CARDS]
    cdef int n
    if state.head.termination == RUNNING and state.phase != STRIKE and not wanted(state, acting(state), cards):
        n = wanted(state, UNKNOWN, cards)
        if n:
            state.cards[cards[below(draw(dice, STREAM_RESAMPLE, 0, SEATS, 0, 0), n)]] = acting(state)
    deal_unknown(dice, state.cards, CARDS, state.held, SEATS)

cdef int check(const void *rules, const void *block) noexcept nogil:
    """Hands have their sizes, the table its depth, and who is asked has a choice."""
    cdef const State *state = <const State *>block
    cdef int32_t hand[CARDS]
    cdef int seat
    for seat in range(SEATS):
        if collect(state.cards, CARDS, seat, hand) != state.held[seat]:
            return BROKEN
        if (state.troops[seat] == 0) != (state.head.fell[seat] >= 0):
            return BROKEN
    if collect(state.cards, CARDS, ON_TABLE, hand) != state.depth:
        return BROKEN
    return FINE if waits(rules, state) or state.head.termination != RUNNING else BROKEN

cdef Kernel KERNEL = Kernel(
    init=init, pending=pending, legal=legal, apply=apply, retire=retire, result=result, redact=redact,
    resample=resample, check=check,
)

kernel_capsule = capsule_of(&KERNEL, sizeof(State))

OPTIONS = ()


def compile_rules(ruleset):
    return ground_bytes(ruleset, HEAD + WORDS)


def describe(ruleset):
    names = [f"boost{n}" for n in range(5)] + [f"cancel{n}" for n in range(7)] + [f"dodge{n}" for n in range(3)]
    return description(
        ruleset,
        WORDS,
        phases=("strike", "boost", "roll", "dodge", "compare", "cancel"),
        actions=(Kind("pass"), Kind("strike", ("seat", "", "")), Kind("play", ("card", "", ""))),
        events=(Kind("drew", ("card", "", "")), Kind("struck", ("seat", "", "")), Kind("played", ("card", "", "")),
                Kind("passed"), Kind("resolved", ("card", "", ""), "works"), Kind("rolled"), Kind("lost")),
        cards=tuple(names),
    )
