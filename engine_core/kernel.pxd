"""THE contract between the platform and a family of games.

A family is a `Kernel`: function pointers over an immutable rules block and one flat state block. All of them are
noexcept and nogil; a copy of a state is a memcpy, its hash the hash of its bytes. A seat that is handed in exists.

Several seats may owe a decision at once. Until the last answer is in, nobody but its seat can tell an answer from
none: not by views and their pending seats, not by events, not by counters. Such answers commute.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport realloc

from engine_core.dice cimport Dice

cdef enum:
    KERNEL_ABI = 1
    MAX_SEATS = 8
    MAX_COLOURS = 8
    MAX_TERRITORIES = 64
    MAX_CARDS = 64
    MAX_BORDERS = 256       # directed
    MAX_RANGES = 2000       # what a buffer for legal() holds
    MAX_FIELD_WORDS = 1024  # what a buffer for export() holds
    PUBLIC_BIT = 31         # in an event's mask: spectators may see it
    NONE = 255              # no territory, card, colour or seat
    NOT_ASKED = 1           # the second of every family's rules: this seat owes no decision now

cdef enum Termination:
    RUNNING = 0
    BY_RULES = 1
    BY_TURN_CAP = 2
    BY_FORFEIT = 3          # all seats but one were retired

cdef enum RetireMode:
    RETIRE_PASSIVE = 1
    RETIRE_NEUTRAL = 2

cdef struct Action:
    uint8_t kind
    uint8_t a
    uint8_t b
    uint8_t c
    int32_t n

# All actions (kind, a, b, c, n) with lo <= n <= hi: stack sizes never blow the list up.
cdef struct ActionRange:
    uint8_t kind
    uint8_t a
    uint8_t b
    uint8_t c
    int32_t lo
    int32_t hi

cdef struct Event:
    uint8_t kind
    uint8_t seat
    uint8_t a
    uint8_t b
    uint8_t c
    uint8_t dice_count
    uint8_t dice[10]
    int32_t n
    uint32_t mask

cdef struct EventLog:
    Event *items
    int count
    int capacity

cdef struct Facts:
    int32_t termination
    int32_t lap
    int32_t decisions
    uint32_t winners                     # bit mask of seats
    uint32_t survivors
    int32_t eliminated_at[MAX_SEATS]     # order number of the fall, -1 = not fallen; equal = fell together
    int32_t territories[MAX_SEATS]
    int32_t troops[MAX_SEATS]
    int32_t retired[MAX_SEATS]           # RetireMode or 0

cdef struct Kernel:
    int abi
    int max_die
    size_t state_size
    # Set up a new game; the state block is zeroed before.
    void (*init)(const void *rules, void *state, Dice *dice, EventLog *events) noexcept nogil
    # Bit mask of the seats that owe a decision; 0 = over.
    uint32_t (*pending)(const void *rules, const void *state) noexcept nogil
    # Write the legal ranges of a seat's decision (at most cap), return their number; never one single action. The
    # first range's lowest action is played for a seat that does not answer: the one that commits it least.
    int (*legal)(const void *rules, const void *state, int seat, ActionRange *out, int cap) noexcept nogil
    # Play it, or return the number of the broken rule (> 0) and leave the state byte for byte as it was.
    int (*apply)(const void *rules, void *state, int seat, Action action, Dice *dice,
                 EventLog *events) noexcept nogil
    # Take a faulted seat out (RetireMode); returns the number of the broken rule or 0. It works at any time for any
    # seat that has not fallen; from then on the seat owes nothing, and a window that waited for it closes.
    int (*retire)(const void *rules, void *state, int seat, int mode, Dice *dice,
                  EventLog *events) noexcept nogil
    # The facts, which of a finished game are the same for every view (the number of decisions aside); a seat falls
    # with the last of its colours. Sides that cannot be compared report neither territories nor troops.
    void (*result)(const void *rules, const void *state, Facts *facts) noexcept nogil
    # Blank all that the seat (-1: the public) may not know, the number of decisions included.
    void (*redact)(const void *rules, void *state, int seat) noexcept nogil
    # Fill the blanks of a redacted state at random but consistently: what is asked can be answered. A state
    # without blanks stays as it is.
    void (*resample)(const void *rules, void *state, int seat, Dice *dice) noexcept nogil
    # 0, or the number of the broken invariant (an index of the description's rules).
    int (*check)(const void *rules, const void *state) noexcept nogil
    # The state as int32 words in the order of the description's fields; returns their number.
    int (*export_fields)(const void *rules, const void *state, int32_t *out) noexcept nogil
    # The way back, into a zeroed block; 0, or 1 + the word at fault.
    int (*import_fields)(const void *rules, void *state, const int32_t *words) noexcept nogil

cdef inline Event *emit(EventLog *log, int kind, int seat, int a, int b, int c, int n,
                        uint32_t mask) noexcept nogil:
    """Append an event and return it for its dice; NULL when nobody listens."""
    cdef Event *event
    cdef Event *grown
    if log == NULL:
        return NULL
    if log.count == log.capacity:
        grown = <Event *>realloc(log.items, (2 * log.capacity + 16) * sizeof(Event))
        if grown == NULL:
            return NULL
        log.items = grown
        log.capacity = 2 * log.capacity + 16
    event = &log.items[log.count]
    log.count += 1
    event.kind = <uint8_t>kind
    event.seat = <uint8_t>seat
    event.a = <uint8_t>a
    event.b = <uint8_t>b
    event.c = <uint8_t>c
    event.n = n
    event.dice_count = 0
    event.mask = mask
    return event

cdef inline void put_range(ActionRange *out, int *count, uint32_t template, int lo, int hi) noexcept nogil:
    """Append a range to a list that cannot outgrow its buffer; template is kind | a << 8 | b << 16 | c << 24."""
    cdef ActionRange *entry = &out[count[0]]
    (<uint32_t *>entry)[0] = template   # kind, a, b, c in one store (little-endian)
    entry.lo = lo
    entry.hi = hi
    count[0] += 1

cdef inline void add_range(ActionRange *out, int *count, int cap, int kind, int a, int b, int c, int lo,
                           int hi) noexcept nogil:
    """Append a range to a legal list; silently full at cap (the loader's maxima keep lists below it)."""
    if count[0] < cap:
        put_range(out, count, kind | (a << 8) | (b << 16) | (<uint32_t>c << 24), lo, hi)
