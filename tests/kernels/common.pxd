"""What the proof kernels share: a state that is nothing but int32 words, and the legal list as the only judge.

Every rules block begins with a Ground and every state with a Head, so that the functions here serve all of them.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from engine_core.bits cimport bit, count
from engine_core.dice cimport STREAM_RESAMPLE, Dice, draw
from engine_core.kernel cimport (
    BY_FORFEIT, BY_RULES, BY_TURN_CAP, KERNEL_ABI, MAX_RANGES, NONE, NOT_ASKED, PUBLIC_BIT, RETIRE_NEUTRAL,
    RETIRE_PASSIVE, RUNNING, Action, ActionRange, EventLog, Facts, Kernel, emit,
)
from engine_core.rng cimport arena_scale

cdef enum:
    MAX_WORDS = 64
    CHAIRS = 4       # no proof kernel has more seats or colours
    PLACES = 8       # or territories
    UNKNOWN = -1     # hidden, or none
    IN_DECK = 100    # the holders that text forms know by name
    IN_DISCARDS = 101

# What every proof kernel's lists begin with; proof_tables.py has the words in this order.
cdef enum Rule:
    FINE
    NOT_OFFERED = NOT_ASKED + 1
    ALREADY_OUT
    BAD_MODE
    BROKEN

cdef enum EventKind:
    EVENT_OVER       # n = termination
    EVENT_RETIRED    # seat, n = mode
    EVENT_FELL       # seat, n = order number

cdef struct Ground:
    int seats
    int turn_cap
    int team[CHAIRS]
    int seat[CHAIRS]         # of each colour
    uint64_t near[PLACES]    # the neighbours of each territory
    int words
    int32_t lo[MAX_WORDS]    # the lowest and highest value of every word of a state
    int32_t hi[MAX_WORDS]

# In the order of proof_tables.HEAD.
cdef struct Head:
    int32_t lap
    int32_t decisions
    int32_t termination
    int32_t falls
    int32_t retired[CHAIRS]
    int32_t fell[CHAIRS]     # order number, -1 = not fallen

ctypedef int (*Legal)(const void *, const void *, int, ActionRange *, int) noexcept nogil

cdef inline Ground ground_of(ruleset, table) except *:
    """What kernels ask of a ruleset, and the bounds of a table of proof_tables.Word in the order of the state."""
    cdef Ground ground
    memset(&ground, 0, sizeof(Ground))
    ground.seats = ruleset.seats
    ground.turn_cap = ruleset.options.get("turn_cap", 0)
    for seat, team in enumerate(ruleset.teams):
        ground.team[seat] = team
    for colour, seat in enumerate(ruleset.colour_seat):
        ground.seat[colour] = seat
    for one, other in ruleset.board.borders:
        ground.near[one] |= bit(other)
        ground.near[other] |= bit(one)
    for word in table:
        for _ in range(word.length):
            ground.lo[ground.words] = word.lo
            ground.hi[ground.words] = word.hi
            ground.words += 1
    return ground

cdef inline bytes ground_bytes(ruleset, table):
    """The rules block of a kernel that needs no more than the ground."""
    cdef Ground ground = ground_of(ruleset, table)
    return (<char *>&ground)[:sizeof(Ground)]

cdef inline object capsule_of(Kernel *kernel, size_t state_size):
    """Complete a kernel with what all of them share."""
    kernel.abi = KERNEL_ABI
    kernel.max_die = 6
    kernel.state_size = state_size
    kernel.export_fields = export_words
    kernel.import_fields = import_words
    return PyCapsule_New(kernel, "engine_core.Kernel", NULL)

cdef inline int export_words(const void *ground, const void *state, int32_t *out) noexcept nogil:
    cdef int words = (<const Ground *>ground).words
    memcpy(out, state, words * sizeof(int32_t))
    return words

cdef inline int import_words(const void *ground_block, void *state, const int32_t *words) noexcept nogil:
    """0, or 1 + the index of the first word that is out of bounds."""
    cdef const Ground *ground = <const Ground *>ground_block
    cdef int i
    for i in range(ground.words):
        if not ground.lo[i] <= words[i] <= ground.hi[i]:
            return 1 + i
    memcpy(state, words, ground.words * sizeof(int32_t))
    return 0

cdef inline void hide_nothing(const void *_ground, void *state, int _seat) noexcept nogil:
    """Redact where all is open; how many decisions it took is left out of every view."""
    (<Head *>state).decisions = 0

cdef inline void guess_nothing(const void *_ground, void *_state, int _seat, Dice *_dice) noexcept nogil:
    """Resample where all is open."""

cdef inline int judge(Legal legal, const void *rules, const void *state, int seat, Action action) noexcept nogil:
    """FINE for an action of the legal list."""
    cdef ActionRange ranges[MAX_RANGES]
    cdef int number = legal(rules, state, seat, ranges, MAX_RANGES)
    cdef int i
    for i in range(number):
        if (ranges[i].kind == action.kind and ranges[i].a == action.a and ranges[i].b == action.b
                and ranges[i].c == action.c and ranges[i].lo <= action.n <= ranges[i].hi):
            return FINE
    return NOT_OFFERED if number else NOT_ASKED

cdef inline uint32_t only(int seat) noexcept nogil:
    """A set of one seat; as an event's mask: nobody else sees it."""
    return <uint32_t>1 << seat

cdef inline uint32_t everyone() noexcept nogil:
    """Event mask: all seats and the public."""
    return only(CHAIRS) - 1 | only(PUBLIC_BIT)

cdef inline void begin(Head *head) noexcept nogil:
    head.lap = 1
    memset(head.fell, 0xFF, sizeof(head.fell))

cdef inline bint plays(const Head *head, int seat) noexcept nogil:
    """Whether a seat still decides."""
    return head.fell[seat] < 0 and not head.retired[seat]

cdef inline void fall(Head *head, int seat, EventLog *events) noexcept nogil:
    head.fell[seat] = head.falls
    head.falls += 1
    emit(events, EVENT_FELL, seat, 0, 0, 0, head.fell[seat], everyone())

cdef inline void finish(Head *head, int termination, EventLog *events) noexcept nogil:
    head.termination = termination
    emit(events, EVENT_OVER, NONE, 0, 0, 0, termination, everyone())

cdef inline uint32_t teams_left(const Ground *ground, const Head *head, bint deciding) noexcept nogil:
    """The teams with a seat that has not fallen (and still decides)."""
    cdef uint32_t teams = 0
    cdef int seat
    for seat in range(ground.seats):
        if plays(head, seat) if deciding else head.fell[seat] < 0:
            teams |= only(ground.team[seat])
    return teams

cdef inline bint ended(const void *block, Head *head, EventLog *events) noexcept nogil:
    """End the game when one team is left, or one that still decides, or the laps are over."""
    cdef const Ground *ground = <const Ground *>block
    if count(teams_left(ground, head, False)) == 1:
        finish(head, BY_RULES, events)
    elif count(teams_left(ground, head, True)) <= 1:
        finish(head, BY_FORFEIT, events)
    elif ground.turn_cap and head.lap > ground.turn_cap:
        head.lap = ground.turn_cap
        finish(head, BY_TURN_CAP, events)
    return head.termination != RUNNING

cdef inline int take_out(Head *head, int seat, int mode, EventLog *events) noexcept nogil:
    """Note a retirement, if the seat still plays."""
    if mode != RETIRE_PASSIVE and mode != RETIRE_NEUTRAL:
        return BAD_MODE
    if head.termination != RUNNING or not plays(head, seat):
        return ALREADY_OUT
    head.retired[seat] = mode
    emit(events, EVENT_RETIRED, seat, 0, 0, 0, mode, everyone())
    return FINE

cdef inline void report(const void *block, const Head *head, Facts *facts) noexcept nogil:
    """The facts that are the same everywhere; the last team wins with all its seats, fallen ones too."""
    cdef const Ground *ground = <const Ground *>block
    cdef uint32_t left = teams_left(ground, head, head.termination == BY_FORFEIT)
    cdef int seat
    memset(facts, 0, sizeof(Facts))
    facts.termination = head.termination
    facts.lap = head.lap
    facts.decisions = head.decisions
    for seat in range(ground.seats):
        facts.eliminated_at[seat] = head.fell[seat]
        facts.retired[seat] = head.retired[seat]
        if head.fell[seat] < 0:
            facts.survivors |= only(seat)
        if head.termination in (BY_RULES, BY_FORFEIT) and left & only(ground.team[seat]):
            facts.winners |= only(seat)

cdef inline void report_board(const void *ground, const int32_t *owner, const int32_t *troops, int territories,
                              Facts *facts) noexcept nogil:
    """What the colours of every seat hold."""
    cdef int territory
    cdef int seat
    for territory in range(territories):
        if owner[territory] != UNKNOWN:
            seat = (<const Ground *>ground).seat[owner[territory]]
            facts.territories[seat] += 1
            facts.troops[seat] += troops[territory]

cdef inline int below(uint64_t word, int n) noexcept nogil:
    """A number in 0..n-1 from a keyed word."""
    return <int>arena_scale(word, n, &word)

cdef inline int collect(const int32_t *holders, int number, int holder, int32_t *out) noexcept nogil:
    """Write the cards of one holder, ascending, and return their number."""
    cdef int n = 0
    cdef int card
    for card in range(number):
        if holders[card] == holder:
            out[n] = card
            n += 1
    return n

cdef inline void deal_unknown(const Dice *dice, int32_t *holders, int number, const int32_t *held,
                              int hands) noexcept nogil:
    """Fill every hand up to its visible size with unknown cards at random; the deck gets the rest."""
    cdef int32_t unknown[MAX_WORDS]
    cdef int left = collect(holders, number, UNKNOWN, unknown)
    cdef int hand
    cdef int missing
    cdef int i
    for hand in range(hands):
        missing = held[hand]
        for i in range(number):
            missing -= holders[i] == hand
        while missing > 0 and left:
            i = below(draw(dice, STREAM_RESAMPLE, 0, hand, left, 0), left)
            left -= 1
            missing -= 1
            holders[unknown[i]] = hand
            unknown[i] = unknown[left]
    for i in range(left):
        holders[unknown[i]] = IN_DECK
