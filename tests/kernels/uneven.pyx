"""Proof kernel: seat 0 holds a shield with guns, seats 1 and 2 run at it with ships; nothing is equal.

The warden fires at a raider or mends the shield, and acts twice a lap (0, 1, 0, 2). A raider runs with some of
its ships, snipes at a gun, or holds. The raiders win when the shield is down, the warden when no ship is left;
at the cap the sides draw. A side one of whose seats is retired has lost.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from common cimport (
    BROKEN, FINE, Head, begin, capsule_of, ended, everyone, fall, finish, ground_bytes, guess_nothing, hide_nothing,
    judge, only, report, take_out,
)
from engine_core.dice cimport STREAM_FAMILY, Dice, roll
from engine_core.kernel cimport (
    BY_FORFEIT, RUNNING, Action, ActionRange, Event, EventLog, Facts, Kernel, add_range, emit,
)

from proof_tables import HEAD, Word, description, turn_cap

from engine_core import Kind

cdef enum:
    SEATS = 3
    TURNS = 4            # in a lap
    SHIELD = 9
    GUNS = 2
    SHIPS = 6
    MENDED = 2           # at most, in one go

cdef enum ActionKind:
    KIND_MEND
    KIND_FIRE
    KIND_HOLD
    KIND_RUN
    KIND_SNIPE

cdef enum EventKind:
    EVENT_MENDED = 3     # seat, n = shield
    EVENT_FIRED          # seat, a = raider, n = guns; dice
    EVENT_RAN            # seat, n = ships; dice
    EVENT_SNIPED         # seat; die

cdef struct State:
    Head head
    int32_t place                # of the turn in its lap
    int32_t shield
    int32_t guns
    int32_t ships[SEATS]

WORDS = (
    Word("place", hi=TURNS - 1),
    Word("shield", hi=SHIELD),
    Word("guns", hi=GUNS),
    Word("ships", SEATS, hi=SHIPS, per="seat"),
)


cdef int turn_seat(const State *state) noexcept nogil:
    """0, 1, 0, 2."""
    return 0 if state.place % 2 == 0 else (state.place + 1) // 2

cdef uint32_t pending(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    return 0 if state.head.termination != RUNNING else only(turn_seat(state))

cdef int legal(const void *rules, const void *block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int count = 0
    cdef int raider
    if not pending(rules, block) & only(seat):
        return 0
    if seat == 0:
        if state.shield < SHIELD:
            add_range(out, &count, cap, KIND_MEND, 0, 0, 0, 1, min(MENDED, SHIELD - state.shield))
        for raider in range(1, SEATS):
            if state.ships[raider] and state.guns:
                add_range(out, &count, cap, KIND_FIRE, raider, 0, 0, 1, state.guns)
    elif state.ships[seat]:
        add_range(out, &count, cap, KIND_HOLD, 0, 0, 0, 0, 0)
        add_range(out, &count, cap, KIND_RUN, 0, 0, 0, 1, state.ships[seat])
        if state.guns > 1:
            add_range(out, &count, cap, KIND_SNIPE, 0, 0, 0, 0, 0)
    return count

cdef int hits(const uint8_t *thrown, int count, int lowest, int highest) noexcept nogil:
    """How many dice show lowest..highest."""
    cdef int number = 0
    cdef int i
    for i in range(count):
        number += lowest <= thrown[i] <= highest
    return number

cdef void throw(State *state, int count, Dice *dice, Event *event, uint8_t *thrown) noexcept nogil:
    cdef int i
    roll(dice, STREAM_FAMILY, state.head.lap, state.place, 0, 0, count, 6, thrown)
    if event != NULL:
        event.dice_count = <uint8_t>count
        for i in range(count):
            event.dice[i] = thrown[i]

cdef void lose_ships(State *state, int raider, int lost, EventLog *events) noexcept nogil:
    state.ships[raider] = max(0, state.ships[raider] - lost)
    if not state.ships[raider]:
        fall(&state.head, raider, events)

cdef void mend(State *state, int amount, EventLog *events) noexcept nogil:
    state.shield += amount
    emit(events, EVENT_MENDED, 0, 0, 0, 0, amount, everyone())

cdef void fire(State *state, int raider, int guns, Dice *dice, EventLog *events) noexcept nogil:
    """A 4 or more takes a ship."""
    cdef uint8_t thrown[SHIPS]
    cdef Event *event = emit(events, EVENT_FIRED, 0, raider, 0, 0, guns, everyone())
    throw(state, guns, dice, event, thrown)
    lose_ships(state, raider, hits(thrown, guns, 4, 6), events)

cdef void run(State *state, int seat, int ships, Dice *dice, EventLog *events) noexcept nogil:
    """A 4 or more takes a point of the shield, a 1 the ship; the warden falls with the shield."""
    cdef uint8_t thrown[SHIPS]
    cdef Event *event = emit(events, EVENT_RAN, seat, 0, 0, 0, ships, everyone())
    throw(state, ships, dice, event, thrown)
    state.shield = max(0, state.shield - hits(thrown, ships, 4, 6))
    if state.shield:
        lose_ships(state, seat, hits(thrown, ships, 1, 1), events)
    else:
        fall(&state.head, 0, events)

cdef void snipe(State *state, int seat, Dice *dice, EventLog *events) noexcept nogil:
    """A 5 or more takes a gun, but never the last."""
    cdef uint8_t thrown[1]
    throw(state, 1, dice, emit(events, EVENT_SNIPED, seat, 0, 0, 0, 0, everyone()), thrown)
    state.guns -= hits(thrown, 1, 5, 6)

cdef void end_turn(State *state) noexcept nogil:
    state.place = (state.place + 1) % TURNS
    state.head.lap += state.place == 0

cdef void settle(const void *rules, State *state, Dice *dice, EventLog *events) noexcept nogil:
    """Go on to a seat with a choice; a fallen raider's turns are skipped, a choice that is none is made."""
    cdef ActionRange ranges[2]
    cdef int count
    while not ended(rules, &state.head, events):
        count = legal(rules, state, turn_seat(state), ranges, 2)
        if count > 1 or (count and ranges[0].lo < ranges[0].hi):
            return
        if count:
            answer(state, turn_seat(state), ranges[0].kind, ranges[0].a, ranges[0].lo, dice, events)
        end_turn(state)

cdef void answer(State *state, int seat, int kind, int raider, int amount, Dice *dice,
                 EventLog *events) noexcept nogil:
    if kind == KIND_MEND:
        mend(state, amount, events)
    elif kind == KIND_FIRE:
        fire(state, raider, amount, dice, events)
    elif kind == KIND_RUN:
        run(state, seat, amount, dice, events)
    elif kind == KIND_SNIPE:
        snipe(state, seat, dice, events)

cdef void init(const void *_rules, void *block, Dice *_dice, EventLog *_events) noexcept nogil:
    cdef State *state = <State *>block
    begin(&state.head)
    state.shield = SHIELD
    state.guns = GUNS
    state.ships[1] = state.ships[2] = SHIPS

cdef int apply(const void *rules, void *block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int broken = judge(legal, rules, block, seat, action)
    if broken:
        return broken
    state.head.decisions += 1
    answer(state, seat, action.kind, action.a, action.n, dice, events)
    end_turn(state)
    settle(rules, state, dice, events)
    return FINE

cdef int retire(const void *rules, void *block, int seat, int mode, Dice *_dice,
                EventLog *events) noexcept nogil:
    """The whole side has lost: a partner that did nothing wrong as well."""
    cdef State *state = <State *>block
    cdef int broken = take_out(&state.head, seat, mode, events)
    cdef int other
    if broken:
        return broken
    for other in range(SEATS):
        if (other == 0) == (seat == 0) and state.head.fell[other] < 0:
            fall(&state.head, other, events)
    finish(&state.head, BY_FORFEIT, events)
    return FINE

cdef void result(const void *rules, const void *block, Facts *facts) noexcept nogil:
    """No territories and no troops: what the sides have cannot be compared, so no point rule will."""
    report(rules, &(<const State *>block).head, facts)

cdef int check(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int seat
    for seat in range(1, SEATS):
        if (state.ships[seat] == 0) and state.head.fell[seat] < 0:
            return BROKEN
    return BROKEN if state.head.termination == RUNNING and not state.shield else FINE

cdef Kernel KERNEL = Kernel(
    init=init, pending=pending, legal=legal, apply=apply, retire=retire, result=result, redact=hide_nothing,
    resample=guess_nothing, check=check,
)

kernel_capsule = capsule_of(&KERNEL, sizeof(State))

OPTIONS = (turn_cap(8),)


def compile_rules(ruleset):
    return ground_bytes(ruleset, HEAD + WORDS)


def describe(ruleset):
    return description(
        ruleset,
        WORDS,
        actions=(Kind("mend", amount="shield"), Kind("fire", ("seat", "", ""), "guns"), Kind("hold"),
                 Kind("run", amount="ships"), Kind("snipe")),
        events=(Kind("mended", amount="shield"), Kind("fired", ("seat", "", ""), "guns"), Kind("ran", amount="ships"),
                Kind("sniped")),
    )
