"""Proof kernel: seat 0 commands the colours 0 and 2, seat 1 the colour 1; the acting colour is an operand.

The seats claim the territories in turn, each for a colour of its choice. Then a turn is one act of one colour:
march (to an own territory, or in a battle of one die each against the other seat), or levy the colour's secret
reserve, once a game. A colour without territories is gone; a seat falls with its last colour.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from common cimport (
    BROKEN, FINE, UNKNOWN, Ground, Head, begin, below, capsule_of, ended, everyone, fall, ground_bytes, judge, only,
    report, report_board, take_out,
)
from engine_core.bits cimport has
from engine_core.dice cimport STREAM_BATTLE, STREAM_FAMILY, STREAM_RESAMPLE, Dice, draw, roll
from engine_core.kernel cimport RUNNING, Action, ActionRange, Event, EventLog, Facts, Kernel, add_range, emit

from proof_tables import HEAD, Word, description, turn_cap

from engine_core import Kind

cdef enum:
    SEATS = 2
    COLOURS = 3
    TERRITORIES = 7
    TROOPS = 3           # on a claimed territory
    MAX_RESERVE = 3
    MAX_TROOPS = 1 << 20

cdef enum ActionKind:
    KIND_REST
    KIND_CLAIM
    KIND_MARCH
    KIND_LEVY

cdef enum EventKind:
    EVENT_CLAIMED = 3    # seat, a = territory, c = colour
    EVENT_RESERVE        # seat, c = colour, n = its secret reserve (only for that seat)
    EVENT_MARCHED        # seat, a = from, b = to, c = colour, n = troops
    EVENT_BATTLE         # seat, a = from, b = to, c = colour; dice: attack, defence
    EVENT_LEVIED         # seat, a = territory, c = colour, n = troops

cdef struct State:
    Head head
    int32_t turn
    int32_t reserve[COLOURS]     # 0 = called, -1 = hidden
    int32_t owner[TERRITORIES]   # a colour
    int32_t troops[TERRITORIES]

WORDS = (
    Word("turn", hi=SEATS - 1, of="seat"),
    Word("reserve", COLOURS, lo=-1, hi=MAX_RESERVE, per="colour"),
    Word("owner", TERRITORIES, lo=-1, hi=COLOURS - 1, of="colour", per="territory", default=-1),
    Word("troops", TERRITORIES, hi=MAX_TROOPS, per="territory"),
)


cdef int holdings(const State *state, int colour) noexcept nogil:
    """How many territories a colour has (-1: how many are free)."""
    cdef int count = 0
    cdef int territory
    for territory in range(TERRITORIES):
        count += state.owner[territory] == colour
    return count

cdef uint32_t pending(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    return 0 if state.head.termination != RUNNING else only(state.turn)

cdef int claims(const Ground *rules, const State *state, int seat, ActionRange *out, int cap) noexcept nogil:
    """Any free territory for either colour, so that each of them gets one at least and at most three."""
    cdef int count = 0
    cdef int territory
    cdef int colour
    for territory in range(TERRITORIES):
        for colour in range(COLOURS):
            if state.owner[territory] == UNKNOWN and rules.seat[colour] == seat and holdings(state, colour) < 3:
                add_range(out, &count, cap, KIND_CLAIM, territory, 0, colour, 0, 0)
    return count

cdef int acts(const Ground *rules, const State *state, ActionRange *out, int cap) noexcept nogil:
    cdef int count = 0
    cdef int source
    cdef int target
    cdef int colour
    add_range(out, &count, cap, KIND_REST, 0, 0, 0, 0, 0)
    for source in range(TERRITORIES):
        colour = state.owner[source]
        if rules.seat[colour] != state.turn:
            continue
        if state.reserve[colour]:
            add_range(out, &count, cap, KIND_LEVY, source, 0, colour, 0, 0)
        for target in range(TERRITORIES):
            if has(rules.near[source], target) and state.troops[source] > 1 and (
                    state.owner[target] == colour or rules.seat[state.owner[target]] != state.turn):
                add_range(out, &count, cap, KIND_MARCH, source, target, colour, 1, state.troops[source] - 1)
    return count

cdef int legal(const void *rules, const void *block, int seat, ActionRange *out, int cap) noexcept nogil:
    cdef const State *state = <const State *>block
    if not pending(rules, block) & only(seat):
        return 0
    if holdings(state, UNKNOWN):
        return claims(<const Ground *>rules, state, seat, out, cap)
    return acts(<const Ground *>rules, state, out, cap)

cdef void claim(State *state, int territory, int colour, EventLog *events) noexcept nogil:
    state.owner[territory] = colour
    state.troops[territory] = TROOPS
    emit(events, EVENT_CLAIMED, state.turn, territory, 0, colour, 0, everyone())

cdef void march(const Ground *rules, State *state, Action action, Dice *dice, EventLog *events) noexcept nogil:
    """In a battle the lower die loses a troop, the attacker's at a tie; who kills the last one moves in."""
    cdef Event *event
    cdef uint8_t thrown[2]
    cdef int loser = state.owner[action.b]
    if loser != action.c:
        roll(dice, STREAM_BATTLE, state.head.lap, action.a, action.b, 0, 2, 6, thrown)
        event = emit(events, EVENT_BATTLE, state.turn, action.a, action.b, action.c, 0, everyone())
        if event != NULL:
            event.dice_count = 2
            event.dice[0] = thrown[0]
            event.dice[1] = thrown[1]
        state.troops[action.a if thrown[0] <= thrown[1] else action.b] -= 1
        if state.troops[action.b]:
            return
        state.owner[action.b] = action.c
    state.troops[action.a] -= action.n
    state.troops[action.b] += action.n
    emit(events, EVENT_MARCHED, state.turn, action.a, action.b, action.c, action.n, everyone())
    if not holdings(state, loser):
        if loser == 1 or not holdings(state, 2 - loser):
            fall(&state.head, rules.seat[loser], events)

cdef void end_turn(State *state) noexcept nogil:
    state.head.lap += not holdings(state, UNKNOWN) and state.turn == SEATS - 1
    state.turn = 1 - state.turn

cdef void settle(const void *rules, State *state, EventLog *events) noexcept nogil:
    """Claim what is the only claim, and rest where nothing else is possible."""
    cdef ActionRange ranges[2]
    while not ended(rules, &state.head, events) and legal(rules, state, state.turn, ranges, 2) == 1:
        if holdings(state, UNKNOWN):
            claim(state, ranges[0].a, ranges[0].c, events)
        end_turn(state)

cdef void init(const void *rules_block, void *block, Dice *dice, EventLog *events) noexcept nogil:
    cdef const Ground *rules = <const Ground *>rules_block
    cdef State *state = <State *>block
    cdef int colour
    begin(&state.head)
    memset(state.owner, 0xFF, sizeof(state.owner))
    for colour in range(COLOURS):
        state.reserve[colour] = 1 + below(draw(dice, STREAM_FAMILY, 0, colour, 0, 0), MAX_RESERVE)
        emit(events, EVENT_RESERVE, rules.seat[colour], 0, 0, colour, state.reserve[colour], only(rules.seat[colour]))

cdef int apply(const void *rules, void *block, int seat, Action action, Dice *dice,
               EventLog *events) noexcept nogil:
    cdef State *state = <State *>block
    cdef int broken = judge(legal, rules, block, seat, action)
    if broken:
        return broken
    state.head.decisions += 1
    if action.kind == KIND_CLAIM:
        claim(state, action.a, action.c, events)
    elif action.kind == KIND_MARCH:
        march(<const Ground *>rules, state, action, dice, events)
    elif action.kind == KIND_LEVY:
        emit(events, EVENT_LEVIED, seat, action.a, 0, action.c, state.reserve[action.c], everyone())
        state.troops[action.a] += state.reserve[action.c]
        state.reserve[action.c] = 0
    end_turn(state)
    settle(rules, state, events)
    return FINE

cdef int retire(const void *rules, void *block, int seat, int mode, Dice *_dice,
                EventLog *events) noexcept nogil:
    """With its seat both its colours stop, and the other seat has won."""
    cdef State *state = <State *>block
    cdef int broken = take_out(&state.head, seat, mode, events)
    if not broken:
        ended(rules, &state.head, events)
    return broken

cdef void result(const void *rules, const void *block, Facts *facts) noexcept nogil:
    cdef const State *state = <const State *>block
    report(rules, &state.head, facts)
    report_board(rules, state.owner, state.troops, TERRITORIES, facts)

cdef void redact(const void *rules, void *block, int seat) noexcept nogil:
    """A seat sees the reserves of both its colours."""
    cdef State *state = <State *>block
    cdef int colour
    state.head.decisions = 0
    for colour in range(COLOURS):
        if state.reserve[colour] and (<const Ground *>rules).seat[colour] != seat:
            state.reserve[colour] = UNKNOWN

cdef void resample(const void *_rules, void *block, int _seat, Dice *dice) noexcept nogil:
    cdef State *state = <State *>block
    cdef int colour
    for colour in range(COLOURS):
        if state.reserve[colour] == UNKNOWN:
            state.reserve[colour] = 1 + below(draw(dice, STREAM_RESAMPLE, 0, colour, 0, 0), MAX_RESERVE)

cdef int check(const void *_rules, const void *block) noexcept nogil:
    cdef const State *state = <const State *>block
    cdef int territory
    for territory in range(TERRITORIES):
        if (state.owner[territory] == UNKNOWN) != (state.troops[territory] == 0):
            return BROKEN
    return FINE

cdef Kernel KERNEL = Kernel(
    init=init, pending=pending, legal=legal, apply=apply, retire=retire, result=result, redact=redact,
    resample=resample, check=check,
)

kernel_capsule = capsule_of(&KERNEL, sizeof(State))

OPTIONS = (turn_cap(20),)


def complete(draft):
    """Three colours, and who commands them."""
    draft["colour_seat"] = (0, 1, 0)
    return draft


def compile_rules(ruleset):
    return ground_bytes(ruleset, HEAD + WORDS)


def describe(ruleset):
    return description(
        ruleset,
        WORDS,
        actions=(Kind("rest"), Kind("claim", ("territory", "", "colour")),
                 Kind("march", ("territory", "territory", "colour"), "troops"),
                 Kind("levy", ("territory", "", "colour"))),
        events=(Kind("claimed", ("territory", "", "colour")), Kind("reserve", ("", "", "colour"), "troops"),
                Kind("marched", ("territory", "territory", "colour"), "troops"),
                Kind("battle", ("territory", "territory", "colour")),
                Kind("levied", ("territory", "", "colour"), "troops")),
    )
