"""Proof kernel: two teams of two; a seat may ask its partner to let it move the partner's troops.

A turn is one order: recruit a troop, attack a neighbour of the other team, or propose a move of the partner's
troops to a territory of the team. The partner accepts, or refuses for nothing. A team that holds nothing has
lost; whoever is left of the other team has won for both.
"""

from libc.stdint cimport int32_t, uint32_t

from common cimport (
    BROKEN, FINE, UNKNOWN, Ground, Head, begin, capsule_of, ended, everyone, fall, ground_bytes, guess_nothing,
    hide_nothing, judge, only, plays, report, report_board, take_out,
)
from engine_core.bits cimport has
from engine_core.dice cimport Dice
from engine_core.kernel cimport RETIRE_NEUTRAL, RUNNING, Action, ActionRange, EventLog, Facts, Kernel, add_range, emit

from proof_tables import HEAD, Word, description, turn_cap

from engine_core import Kind

cdef enum:
    SEATS = 4
    TERRITORIES = 4
    TROOPS = 4

cdef enum Phase:
    ORDER
    CONSENT      # the partner of the turn's seat is asked

cdef enum ActionKind:
    KIND_RECRUIT
    KIND_ATTACK
    KIND_PROPOSE
    KIND_REFUSE
    KIND_ACCEPT

cdef enum EventKind:
    EVENT_RECRUITED = 3  # seat, a = territory
    EVENT_ATTACKED       # seat, a = from, b = to, n = troops
    EVENT_PROPOSED       # seat, a = from, b = to, n = troops
    EVENT_REFUSED        # seat
    EVENT_MOVED          # seat, a = from, b = to, n = troops

cdef struct State:
    Head head
    int32_t phase
    int32_t turn
    int32_t source               # of the move that is proposed
    int32_t target
    int32_t amount
    int32_t owner[TERRITORIES]   # a seat, -1 = neutral
    int32_t troops[TERRITORIES]

WORDS = (
    Word("phase", hi=CONSENT, of="phase"),
    Word("turn", hi=SEATS - 1, of="seat"),
    Word("source", lo=-1, hi=TERRITORIES - 1, of="territory", default=-1),
    Word("target", lo=-1, hi=TERRITORIES - 1, of="territory", default=-1),
    Word("amount"),
    Word("owner", TERRITORIES, lo=-1, hi=SEATS - 1, of="colour", per="territory", default=-1),
    Word("troops", TERRITORIES, per="territory"),
)


cdef int partner(int seat) noexcept nogil:
    return (seat + 2) % SEATS

cdef bint is_ally(int seat, int owner) noexcept nogil:
    return owner == seat or owner == partner(seat)

cdef int acting(const State *state) noexcept nogil:
    return partner(state.turn) if state.phase == CONSENT else state.turn

cdef uint32_t pending(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    return 0 if state.head.termination != RUNNING else only(acting(state))

cdef int orders(const Ground *ground, const State *state, int seat, ActionRange *out, int cap) noexcept nogil:
    """Own troops attack, the partner's move within the team; one at least goes, and one stays."""
    cdef bint own
    cdef int count = 0
    cdef int source
    cdef int target
    for source in range(TERRITORIES):
        if state.owner[source] == seat:
            add_range(out, &count, cap, KIND_RECRUIT, source, 0, 0, 0, 0)
    for source in range(TERRITORIES):
        if not is_ally(seat, state.owner[source]) or state.troops[source] < 2:
            continue
        for target in range(TERRITORIES):
            own = state.owner[source] == seat
            if not has(ground.near[source], target) or own == is_ally(seat, state.owner[target]):
                continue
            if own or plays(&state.head, partner(seat)):
                add_range(out, &count, cap, KIND_ATTACK if own else KIND_PROPOSE, source, target, 0, 1,
                          state.troops[source] - 1)
    return count

cdef int legal(const void *rules, const void *block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int count = 0
    if not pending(rules, block) & only(seat):
        return 0
    if state.phase == ORDER:
        return orders(<const Ground *>rules, state, seat, out, cap)
    add_range(out, &count, cap, KIND_REFUSE, 0, 0, 0, 0, 0)
    add_range(out, &count, cap, KIND_ACCEPT, 0, 0, 0, 0, 0)
    return count

cdef void recruit(State *state, int territory, EventLog *events) noexcept nogil:
    state.troops[territory] += 1
    emit(events, EVENT_RECRUITED, state.turn, territory, 0, 0, 0, everyone())

cdef void attack(State *state, int source, int target, int troops, EventLog *events) noexcept nogil:
    """Troop for troop; of equal forces one attacker is left, and who is left holds the territory."""
    cdef int left = troops - state.troops[target]
    cdef int loser = state.owner[target]
    cdef int territory
    emit(events, EVENT_ATTACKED, state.turn, source, target, 0, troops, everyone())
    state.troops[source] -= troops
    state.troops[target] = max(left, 1) if left >= 0 else -left
    if left < 0:
        return
    state.owner[target] = state.turn
    for territory in range(TERRITORIES):
        if loser == UNKNOWN or state.owner[territory] == loser:
            return
    fall(&state.head, loser, events)

cdef void end_turn(State *state) noexcept nogil:
    state.phase = ORDER
    state.source = state.target = UNKNOWN
    state.amount = 0
    state.head.lap += state.turn == SEATS - 1
    state.turn = (state.turn + 1) % SEATS

cdef void close_window(State *state, bint accepted, EventLog *events) noexcept nogil:
    """Move the partner's troops; on a territory of the proposer they become its own."""
    if accepted:
        state.troops[state.source] -= state.amount
        state.troops[state.target] += state.amount
        emit(events, EVENT_MOVED, state.turn, state.source, state.target, 0, state.amount, everyone())
    else:
        emit(events, EVENT_REFUSED, partner(state.turn), 0, 0, 0, 0, everyone())
    end_turn(state)

cdef void settle(const void *rules, State *state, EventLog *events) noexcept nogil:
    """Go on to a seat with a choice: a partner that has gone refuses, a retired or fallen seat has no turn."""
    cdef ActionRange ranges[2]
    while not ended(rules, &state.head, events):
        if plays(&state.head, acting(state)) and legal(rules, state, acting(state), ranges, 2) == 2:
            return
        if state.phase == CONSENT:
            close_window(state, False, events)
            continue
        if plays(&state.head, state.turn):
            recruit(state, ranges[0].a, events)
        end_turn(state)

cdef void init(const void *_rules, void *block, Dice *_dice, EventLog *_events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int territory
    begin(&state.head)
    state.source = state.target = UNKNOWN
    for territory in range(TERRITORIES):
        state.owner[territory] = territory
        state.troops[territory] = TROOPS

cdef int apply(const void *rules, void *block, int seat, Action action, Dice *_dice,
               EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int broken = judge(legal, rules, block, seat, action)
    if broken:
        return broken
    state.head.decisions += 1
    if state.phase == CONSENT:
        close_window(state, action.kind == KIND_ACCEPT, events)
    elif action.kind == KIND_PROPOSE:
        state.phase = CONSENT
        state.source = action.a
        state.target = action.b
        state.amount = action.n
        emit(events, EVENT_PROPOSED, seat, action.a, action.b, 0, action.n, everyone())
    else:
        if action.kind == KIND_ATTACK:
            attack(state, action.a, action.b, action.n, events)
        else:
            recruit(state, action.a, events)
        end_turn(state)
    settle(rules, state, events)
    return FINE

cdef int retire(const void *rules, void *block, int seat, int mode, Dice *_dice,
                EventLog *events) noexcept nogil:
    """A passive seat does nothing and refuses; a neutral one's troops stay, as everybody's enemy."""
    cdef State *state = <State *>block
    cdef int broken = take_out(&state.head, seat, mode, events)
    cdef int territory
    if broken:
        return broken
    if state.phase == CONSENT and seat == state.turn:
        close_window(state, False, events)
    if mode == RETIRE_NEUTRAL:
        for territory in range(TERRITORIES):
            if state.owner[territory] == seat:
                state.owner[territory] = UNKNOWN
        fall(&state.head, seat, events)
    settle(rules, state, events)
    return FINE

cdef void result(const void *rules, const void *block, Facts *facts) noexcept nogil:
    cdef const State *state = <const State *>block
    report(rules, &state.head, facts)
    report_board(rules, state.owner, state.troops, TERRITORIES, facts)

cdef int check(const void *rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int territory
    for territory in range(TERRITORIES):
        if state.troops[territory] < 1:
            return BROKEN
    return FINE if state.phase == ORDER or 0 < state.amount < state.troops[state.source] else BROKEN

cdef Kernel KERNEL = Kernel(
    init=init, pending=pending, legal=legal, apply=apply, retire=retire, result=result, redact=hide_nothing,
    resample=guess_nothing, check=check,
)

kernel_capsule = capsule_of(&KERNEL, sizeof(State))

OPTIONS = (turn_cap(25),)


def compile_rules(ruleset):
    return ground_bytes(ruleset, HEAD + WORDS)


def describe(ruleset):
    place, route = ("territory", "", ""), ("territory", "territory", "")
    return description(
        ruleset,
        WORDS,
        phases=("order", "consent"),
        actions=(Kind("recruit", place), Kind("attack", route, "troops"), Kind("propose", route, "troops"),
                 Kind("refuse"), Kind("accept")),
        events=(Kind("recruited", place), Kind("attacked", route, "troops"), Kind("proposed", route, "troops"),
                Kind("refused"), Kind("moved", route, "troops")),
    )
