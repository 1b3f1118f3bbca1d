"""The Python-visible classes: a game's kernel and rules, and states as one memory block each.

Kernels return codes; here, once, they become exceptions.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from engine_core.actions cimport Action, Event, Legal, code_of, decode
from engine_core.bits cimport lowest
from engine_core.dice cimport Dice
from engine_core.kernel cimport (
    KERNEL_ABI, MAX_FIELD_WORDS, MAX_RANGES as C_MAX_RANGES, NOT_ASKED, RETIRE_NEUTRAL, RETIRE_PASSIVE, EventLog, Facts,
    Kernel,
)
from engine_core.kernel cimport Action as CAction
from engine_core.kernel cimport ActionRange as CRange

import operator
import struct
from functools import partial
from hashlib import blake2b

from engine_core import actions, registry, text
from engine_core.errors import IllegalAction, RulesetError, StateError, TextError
from engine_core.result import Result

# The Python surface is this module; cimported classes are not among its names by themselves.
globals().update({name: getattr(actions, name) for name in ("Action", "ActionRange", "Event", "Legal")})
ABI_VERSION = KERNEL_ABI
MAX_RANGES = C_MAX_RANGES
TERMINATIONS = ("running", "rules", "turn_cap", "forfeit")
RETIRE_MODES = {"passive": RETIRE_PASSIVE, "neutral": RETIRE_NEUTRAL}


def key_of(seed):
    """The 16-byte key of a seed: 16 bytes, or a non-negative int below 2**128."""
    if isinstance(seed, bytes):
        if len(seed) != 16:
            raise ValueError(f"a key has 16 bytes, not {len(seed)}")
        return seed
    number = operator.index(seed)
    if not 0 <= number < 1 << 128:
        raise ValueError(f"seed {seed} is not in 0..2**128-1")
    return number.to_bytes(16, "little")


cdef void set_key(Dice *dice, bytes key) except *:
    low, high = struct.unpack("<QQ", key)
    dice.key[0] = low
    dice.key[1] = high


cdef list to_events(EventLog *log):
    """Event objects of a log, which is freed."""
    cdef list events = []
    cdef Event event
    cdef int i
    for i in range(log.count):
        event = Event.__new__(Event)
        event.raw = log.items[i]
        events.append(event)
    free(log.items)
    return events


cdef tuple seats_of(uint32_t mask):
    cdef list seats = []
    while mask:
        seats.append(lowest(mask))
        mask &= mask - 1
    return tuple(seats)


cdef class Game:
    def __init__(self, ruleset):
        family = registry.kernel(ruleset.family)
        self.ruleset = ruleset
        self.capsule = family.kernel_capsule
        self.kernel = <const Kernel *>PyCapsule_GetPointer(self.capsule, "engine_core.Kernel")
        if self.kernel.abi != KERNEL_ABI:
            raise RulesetError(f"family {ruleset.family} has ABI {self.kernel.abi}, this core {KERNEL_ABI}")
        self.rules_bytes = family.compile_rules(ruleset)
        self.rules = <const uint8_t *>self.rules_bytes
        self.description = family.describe(ruleset)
        self.seats = ruleset.seats
        self.state_size = self.kernel.state_size
        self.words = self.description.words()
        self.layout_version = self.description.layout_version
        if self.words > MAX_FIELD_WORDS:
            raise RulesetError(f"family {ruleset.family} has {self.words} field words; at most {MAX_FIELD_WORDS}")
        self.offsets = {}
        offset = 0
        for field in self.description.fields:
            self.offsets[field.name] = (offset, field.length, field.length == 1 and not field.per)
            offset += field.length

    def __reduce__(self):
        return Game, (self.ruleset,)

    cdef uint8_t *take_block(self) except NULL:
        """Memory for a state, the last one given back if there is one."""
        cdef uint8_t *block
        if self.spare_count:
            self.spare_count -= 1
            return self.spare[self.spare_count]
        block = <uint8_t *>PyMem_Malloc(self.state_size)
        if block == NULL:
            raise MemoryError()
        return block

    cdef void give_block(self, uint8_t *block) noexcept:
        if self.spare_count < SPARE_BLOCKS:
            self.spare[self.spare_count] = block
            self.spare_count += 1
        else:
            PyMem_Free(block)

    def __dealloc__(self):
        for i in range(self.spare_count):
            PyMem_Free(self.spare[i])

    def new_state(self, seed=0, *, dice=()):
        cdef State state = State.__new__(State)
        state.allocate(self)
        set_key(&state.dice, key_of(seed))
        state.script(dice)
        memset(state.block, 0, self.state_size)
        self.kernel.init(self.rules, state.block, &state.dice, NULL)
        return state

    def start(self, seed=0, *, dice=()):
        """Like new_state, and also what happened in the set-up: (state, events)."""
        cdef State state = self.new_state(seed, dice=dice)
        cdef EventLog log
        memset(&log, 0, sizeof(log))
        state.dice.script_position = 0
        memset(state.block, 0, self.state_size)
        self.kernel.init(self.rules, state.block, &state.dice, &log)
        return state, to_events(&log)

    cdef State restored(self, data, seed):
        """A state of a packed position, what it leaves unknown drawn from the seed."""
        cdef State state = State.__new__(State)
        state.allocate(self)
        set_key(&state.dice, key_of(seed))
        self.read_packed(data, state)
        self.kernel.resample(self.rules, state.block, -1, &state.dice)
        state.check()
        return state

    cdef View seen(self, data, int seat):
        """A view of its packed form."""
        cdef View view = View.__new__(View)
        view.allocate(self)
        view.seat = seat
        self.read_packed(data, view)
        return view

    cdef void read_packed(self, data, Position position) except *:
        """Fill a position from its packed form; TextError names the word at fault."""
        cdef int32_t words[MAX_FIELD_WORDS + 1]
        cdef const uint8_t[::1] source = data
        cdef int fault
        if source.shape[0] != <ssize_t>sizeof(int32_t) * (self.words + 1):
            raise TextError(f"{len(data)} bytes where {4 * (self.words + 1)} belong", where="packed position")
        memcpy(words, &source[0], source.shape[0])
        if words[0] != self.layout_version:
            raise TextError(f"layout version {words[0]}, expected {self.layout_version}", where="version")
        memset(position.block, 0, self.state_size)
        fault = self.kernel.import_fields(self.rules, position.block, words + 1)
        if fault:
            raise TextError(text.impossible(self.description, fault - 1, words[fault],
                                            partial(self.takes, bytes(data), fault)), where=self.word_name(fault - 1))

    def takes(self, data, int index, value):
        """Whether the kernel finds no fault with a word of a packed position when it has this value."""
        cdef int32_t words[MAX_FIELD_WORDS + 1]
        cdef const uint8_t[::1] source = data
        cdef View trial = View.__new__(View)
        trial.allocate(self)
        memcpy(words, &source[0], source.shape[0])
        words[index] = value
        memset(trial.block, 0, self.state_size)
        return self.kernel.import_fields(self.rules, trial.block, words + 1) != index

    def pack_text(self, position):
        """The packed form of a position or view text."""
        words = text.parse_position(self.description, position)
        return struct.pack(f"<{len(words) + 1}i", self.layout_version, *words)

    def place_of(self, name):
        """(offset, length) of a field; StateError lists the valid ones."""
        entry = self.offsets.get(name)
        if entry is None:
            raise StateError(f"no field {name!r}; valid: {', '.join(self.offsets)}")
        return entry[:2]

    def word_name(self, index):
        """The field and item of a word, for error messages."""
        for name, (offset, length, scalar) in self.offsets.items():
            if offset <= index < offset + length:
                return name if scalar else f"{name}[{index - offset}]"
        raise IndexError(index)

    def position(self, position, *, seed=0):
        """Parse a position text; what it leaves unknown is filled in from the seed, which also keys the dice."""
        return self.restored(self.pack_text(position), seed)

    def unpack_position(self, data, *, seed=0):
        return self.restored(data, seed)

    def view(self, view, seat):
        """Parse a view text (`?` for what is hidden) as seen by a seat, -1 for the public."""
        return self.seen(self.pack_text(view), seat)

    def unpack_view(self, data, seat):
        return self.seen(data, seat)

    def action(self, action):
        return Action(*text.parse_action(self.description, action))

    def action_text(self, action):
        cdef CAction raw = decode(code_of(action))
        return text.action_text(self.description, raw.kind, raw.a, raw.b, raw.c, raw.n)

    def event_text(self, Event event):
        return text.event_text(self.description, event.kind, event.seat, event.a, event.b, event.c, event.n,
                               event.dice)

    def buffer(self):
        return Legal()

    def __repr__(self):
        return f"<Game {self.ruleset.name} seats={self.seats} {self.ruleset.hash[:8]}>"


# No cycle goes through a position, so the garbage collector need not know of them: copies are cheaper.
@cython.no_gc
cdef class Position:
    def __cinit__(self):
        self.block = NULL

    def __init__(self):
        raise TypeError(f"{type(self).__name__} objects come from a Game or a State")

    cdef void allocate(self, Game game) except *:
        self.game = game
        self.block = game.take_block()

    def __dealloc__(self):
        if self.block != NULL:
            self.game.give_block(self.block)

    cdef int export(self, int32_t *out) noexcept:
        return self.game.kernel.export_fields(self.game.rules, self.block, out)

    def pending(self):
        return seats_of(self.game.kernel.pending(self.game.rules, self.block))

    def pending_mask(self):
        return self.game.kernel.pending(self.game.rules, self.block)

    def legal(self, int seat):
        cdef CRange ranges[C_MAX_RANGES]
        cdef int size = 0
        cdef Legal legal = Legal.__new__(Legal)
        if 0 <= seat < self.game.seats:
            size = self.game.kernel.legal(self.game.rules, self.block, seat, ranges, C_MAX_RANGES)
        legal.reserve(size)
        memcpy(legal.ranges, ranges, size * sizeof(CRange))
        legal.size = size
        return legal

    def legal_into(self, int seat, Legal buffer not None):
        if buffer.capacity < C_MAX_RANGES:
            buffer.reserve(C_MAX_RANGES)  # a list of legal() has no more room than it needed
        buffer.size = 0
        if 0 <= seat < self.game.seats:
            buffer.size = self.game.kernel.legal(self.game.rules, self.block, seat, buffer.ranges, buffer.capacity)
        return buffer.size

    def result(self):
        cdef Facts facts
        cdef int seats = self.game.seats
        self.game.kernel.result(self.game.rules, self.block, &facts)
        return Result(
            over=facts.termination != 0,
            termination=TERMINATIONS[facts.termination],
            winners=seats_of(facts.winners),
            survivors=seats_of(facts.survivors),
            eliminated_at=tuple([facts.eliminated_at[i] for i in range(seats)]),
            territories=tuple([facts.territories[i] for i in range(seats)]),
            troops=tuple([facts.troops[i] for i in range(seats)]),
            retired=tuple([facts.retired[i] for i in range(seats)]),
            lap=facts.lap,
            decisions=facts.decisions,
        )

    def words(self):
        """All field words, in order."""
        cdef int32_t buffer[MAX_FIELD_WORDS]
        cdef int n = self.export(buffer)
        return [buffer[i] for i in range(n)]

    def text(self):
        return text.position_text(self.game.description, self.words())

    def packed(self):
        cdef int32_t buffer[MAX_FIELD_WORDS + 1]
        cdef int n
        buffer[0] = self.game.layout_version
        n = self.export(buffer + 1)
        return (<char *>buffer)[:4 * (n + 1)]

    def digest(self):
        return blake2b(self.packed(), digest_size=16).hexdigest()

    def field(self, name):
        cdef int32_t buffer[MAX_FIELD_WORDS]
        offset, length = self.game.place_of(name)
        self.export(buffer)
        return tuple([buffer[i] for i in range(offset, offset + length)])

    def __getattr__(self, name):
        entry = self.game.offsets.get(name) if self.game is not None else None
        if entry is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        values = self.field(name)
        return values[0] if entry[2] else values

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        cdef Position mine = self
        cdef Position its = other
        if mine.game.ruleset.hash != its.game.ruleset.hash:
            return False
        return memcmp(mine.block, its.block, mine.game.state_size) == 0

    __hash__ = None


@cython.no_gc
cdef class State(Position):
    @property
    def key(self):
        return struct.pack("<QQ", self.dice.key[0], self.dice.key[1])

    cdef int apply_raw(self, int seat, uint64_t code) except -1:
        cdef int broken = NOT_ASKED
        if 0 <= seat < self.game.seats:
            broken = self.game.kernel.apply(self.game.rules, self.block, seat, decode(code), &self.dice, NULL)
        if broken:
            self.refuse(seat, code, broken)
        return 0

    def refuse(self, seat, code, broken):
        """Raise IllegalAction for a broken rule."""
        try:
            action = self.game.action_text(code)
        except (ValueError, IndexError):
            action = repr(Action.from_int(code))
        raise IllegalAction(self.game.description.rules[broken], seat=seat, action=action)

    def apply(self, int seat, action):
        cdef uint64_t code
        try:
            code = action if type(action) is int else code_of(action)
        except OverflowError:
            code = code_of(action)
        self.apply_raw(seat, code)

    def play(self, int seat, action):
        cdef EventLog log
        cdef uint64_t code = code_of(action)
        cdef int broken = NOT_ASKED
        memset(&log, 0, sizeof(log))
        if 0 <= seat < self.game.seats:
            broken = self.game.kernel.apply(self.game.rules, self.block, seat, decode(code), &self.dice, &log)
        events = to_events(&log)
        if broken:
            self.refuse(seat, code, broken)
        return events

    def retire(self, int seat, mode="passive"):
        cdef EventLog log
        cdef int broken
        if not 0 <= seat < self.game.seats:
            raise StateError(f"no seat {seat}; the game has seats 0..{self.game.seats - 1}")
        if mode not in RETIRE_MODES:
            raise StateError(f"unknown retire mode {mode!r}; valid: {', '.join(RETIRE_MODES)}")
        memset(&log, 0, sizeof(log))
        broken = self.game.kernel.retire(self.game.rules, self.block, seat, RETIRE_MODES[mode], &self.dice, &log)
        events = to_events(&log)
        if broken:
            raise StateError(f"seat {seat} cannot be retired: {self.game.description.rules[broken]}")
        return events

    def script(self, dice):
        values = list(dice)
        highest = self.game.kernel.max_die
        for index, value in enumerate(values):
            if type(value) is not int or not 1 <= value <= highest:
                raise StateError(f"scripted die {index}: {value!r} is not in 1..{highest}")
        left = self.script_bytes[self.dice.script_position:] if self.script_bytes is not None else b""
        self.script_bytes = left + bytes(values)
        self.dice.script = <const uint8_t *>self.script_bytes
        self.dice.script_length = len(self.script_bytes)
        self.dice.script_position = 0

    def scripted_left(self):
        return self.dice.script_length - self.dice.script_position

    def copy(self):
        cdef State twin = State.__new__(State)
        twin.allocate(self.game)
        memcpy(twin.block, self.block, self.game.state_size)
        twin.dice = self.dice
        twin.script_bytes = self.script_bytes
        return twin

    __copy__ = copy

    def view(self, int seat):
        if not 0 <= seat < self.game.seats:
            raise StateError(f"no seat {seat}; the game has seats 0..{self.game.seats - 1}")
        return self.seen_by(seat)

    def packed_view(self, int seat):
        return self.view(seat).packed()

    def public_view(self):
        return self.seen_by(-1)

    cdef View seen_by(self, int seat):
        cdef View view = View.__new__(View)
        view.allocate(self.game)
        view.seat = seat
        memcpy(view.block, self.block, self.game.state_size)
        self.game.kernel.redact(self.game.rules, view.block, seat)
        return view

    def check(self):
        cdef int broken = self.game.kernel.check(self.game.rules, self.block)
        if broken:
            raise StateError(f"impossible position: {self.game.description.rules[broken]}")

    def __repr__(self):
        return f"<State {self.game.ruleset.name} {self.digest()[:8]}>"


@cython.no_gc
cdef class View(Position):
    def field(self, name):
        # A view never changes: its words are exported once, a field's tuple is made when first asked for.
        cdef const int32_t *words
        cdef int offset
        cdef int length
        cdef int i
        if self.cache is None:
            self.cache = {}  # few views have their fields looked at
        values = self.cache.get(name)
        if values is None:
            offset, length = self.game.place_of(name)
            words = self.exported() + offset
            values = tuple([words[i] for i in range(length)])
            self.cache[name] = values
        return values

    cdef const int32_t *exported(self) except NULL:
        if self.words_block == NULL:
            self.words_block = <int32_t *>PyMem_Malloc(self.game.words * sizeof(int32_t))
            if self.words_block == NULL:
                raise MemoryError()
            self.export(self.words_block)
        return self.words_block

    def __dealloc__(self):
        PyMem_Free(self.words_block)

    def resample(self, seed):
        cdef State state = State.__new__(State)
        state.allocate(self.game)
        memcpy(state.block, self.block, self.game.state_size)
        set_key(&state.dice, key_of(seed))
        self.game.kernel.resample(self.game.rules, state.block, self.seat, &state.dice)
        state.check()
        return state

    def __repr__(self):
        return f"<View {self.game.ruleset.name} seat={self.seat} {self.digest()[:8]}>"
