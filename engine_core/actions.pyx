"""Actions, ranges of legal ones, and events, as lean Python objects over the kernel's structs."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from engine_core.kernel cimport MAX_RANGES as C_MAX_RANGES
from engine_core.kernel cimport PUBLIC_BIT
from engine_core.kernel cimport Action as CAction
from engine_core.kernel cimport ActionRange as CRange

import operator

from engine_core.errors import TextError

MAX_RANGES = C_MAX_RANGES


cdef uint64_t code_of(object action) except? 0xFFFFFFFFFFFFFFFF:
    """The code of an Action or int; floats, strings and negative numbers are refused."""
    cdef Action own
    if type(action) is Action:
        own = <Action>action
        return encode(own.raw.kind, own.raw.a, own.raw.b, own.raw.c, own.raw.n)
    if type(action) is bool or not hasattr(action, "__index__"):
        raise TypeError(f"an action is an Action or its int code, not {type(action).__name__}")
    number = action.__index__()
    if not 0 <= number < 1 << 63:
        raise ValueError(f"{number} is not the code of an action")
    return number


@cython.freelist(64)
cdef class Action:
    def __init__(self, kind, a=0, b=0, c=0, n=0):
        kind, a, b, c, n = map(operator.index, (kind, a, b, c, n))  # C would cut 2.5 to 2
        for name, value in (("kind", kind), ("a", a), ("b", b), ("c", c)):
            if not 0 <= value < (128 if name == "kind" else 256):
                raise ValueError(f"{name} = {value} does not fit an action")
        if not 0 <= n < 1 << 31:
            raise ValueError(f"n = {n} does not fit an action")
        self.raw.kind = kind
        self.raw.a = a
        self.raw.b = b
        self.raw.c = c
        self.raw.n = n

    @property
    def kind(self):
        return self.raw.kind

    @property
    def a(self):
        return self.raw.a

    @property
    def b(self):
        return self.raw.b

    @property
    def c(self):
        return self.raw.c

    @property
    def n(self):
        return self.raw.n

    def __index__(self):
        return encode(self.raw.kind, self.raw.a, self.raw.b, self.raw.c, self.raw.n)

    def __int__(self):
        return self.__index__()

    def __hash__(self):
        return hash(self.__index__())

    def __eq__(self, other):
        if isinstance(other, (Action, int)):
            return self.__index__() == int(other)
        return NotImplemented

    def __repr__(self):
        return f"Action({self.raw.kind}, {self.raw.a}, {self.raw.b}, {self.raw.c}, {self.raw.n})"

    def __reduce__(self):
        return Action, (self.raw.kind, self.raw.a, self.raw.b, self.raw.c, self.raw.n)

    @staticmethod
    def from_int(code):
        cdef CAction raw = decode(code_of(code))
        return wrap(raw.kind, raw.a, raw.b, raw.c, raw.n)


@cython.freelist(256)
cdef class ActionRange:
    @property
    def kind(self):
        return self.raw.kind

    @property
    def a(self):
        return self.raw.a

    @property
    def b(self):
        return self.raw.b

    @property
    def c(self):
        return self.raw.c

    @property
    def lo(self):
        return self.raw.lo

    @property
    def hi(self):
        return self.raw.hi

    def __len__(self):
        return self.raw.hi - self.raw.lo + 1

    def __contains__(self, action):
        cdef CAction raw = decode(code_of(action))
        return (raw.kind == self.raw.kind and raw.a == self.raw.a and raw.b == self.raw.b
                and raw.c == self.raw.c and self.raw.lo <= raw.n <= self.raw.hi)

    def _parts(self):
        return self.raw.kind, self.raw.a, self.raw.b, self.raw.c, self.raw.lo, self.raw.hi

    def __eq__(self, other):
        return isinstance(other, ActionRange) and self._parts() == other._parts()

    def __hash__(self):
        return hash(self._parts())

    def first(self):
        return wrap(self.raw.kind, self.raw.a, self.raw.b, self.raw.c, self.raw.lo)

    def last(self):
        return wrap(self.raw.kind, self.raw.a, self.raw.b, self.raw.c, self.raw.hi)

    def action(self, n):
        n = operator.index(n)
        if not self.raw.lo <= n <= self.raw.hi:
            raise ValueError(f"amount {n} is outside {self.raw.lo}..{self.raw.hi}")
        return wrap(self.raw.kind, self.raw.a, self.raw.b, self.raw.c, n)

    def sample(self, rng):
        return self.action(rng.randint(self.raw.lo, self.raw.hi))

    def __repr__(self):
        return (f"ActionRange({self.raw.kind}, {self.raw.a}, {self.raw.b}, {self.raw.c}, "
                f"{self.raw.lo}..{self.raw.hi})")


@cython.freelist(32)
cdef class Legal:
    def __cinit__(self):
        self.ranges = NULL

    def __init__(self):
        self.reserve(C_MAX_RANGES)

    cdef void reserve(self, int capacity) except *:
        """Room for that many ranges, empty; what was there is gone."""
        PyMem_Free(self.ranges)
        self.ranges = <CRange *>PyMem_Malloc(max(capacity, 1) * sizeof(CRange))
        if self.ranges == NULL:
            raise MemoryError()
        self.capacity = capacity
        self.size = 0

    def __dealloc__(self):
        PyMem_Free(self.ranges)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        cdef int i
        if isinstance(index, slice):
            return [self[j] for j in range(*index.indices(self.size))]
        i = index
        cdef ActionRange entry
        if i < 0:
            i += self.size
        if not 0 <= i < self.size:
            raise IndexError(f"range {index} of {self.size}")
        entry = ActionRange.__new__(ActionRange)
        entry.raw = self.ranges[i]
        return entry

    def __iter__(self):
        for i in range(self.size):
            yield self[i]

    def __contains__(self, action):
        cdef CAction raw = decode(code_of(action))
        cdef CRange *entry
        cdef int i
        for i in range(self.size):
            entry = &self.ranges[i]
            if (entry.kind == raw.kind and entry.a == raw.a and entry.b == raw.b and entry.c == raw.c
                    and entry.lo <= raw.n <= entry.hi):
                return True
        return False

    def code(self, int index, int n):
        cdef CRange *entry
        if not 0 <= index < self.size:
            raise IndexError(f"range {index} of {self.size}")
        entry = &self.ranges[index]
        if n < entry.lo:
            n = entry.lo
        elif n > entry.hi:
            n = entry.hi
        return encode(entry.kind, entry.a, entry.b, entry.c, n)

    def count(self):
        cdef long long total = 0
        cdef int i
        for i in range(self.size):
            total += self.ranges[i].hi - self.ranges[i].lo + 1
        return total

    def pick(self, number):
        cdef long long left = number % self.count()
        cdef CRange *entry
        cdef int i
        for i in range(self.size):
            entry = &self.ranges[i]
            if left <= entry.hi - entry.lo:
                return wrap(entry.kind, entry.a, entry.b, entry.c, <int>(entry.lo + left))
            left -= entry.hi - entry.lo + 1

    def sample(self, rng):
        return self[rng.randrange(self.size)].sample(rng)

    def packed(self):
        # A range in memory is its wire form already: four bytes and two little-endian int32.
        return (<char *>self.ranges)[:self.size * sizeof(CRange)]

    @staticmethod
    def from_packed(data):
        cdef Legal legal = Legal.__new__(Legal)
        cdef const uint8_t *source = data
        if len(data) % sizeof(CRange) or len(data) // sizeof(CRange) > C_MAX_RANGES:
            raise TextError(f"{len(data)} bytes are not whole ranges of {sizeof(CRange)}", where="legal")
        legal.reserve(len(data) // sizeof(CRange))
        legal.size = legal.capacity
        memcpy(legal.ranges, source, len(data))
        return legal


cdef class Event:
    @property
    def kind(self):
        return self.raw.kind

    @property
    def seat(self):
        return self.raw.seat

    @property
    def a(self):
        return self.raw.a

    @property
    def b(self):
        return self.raw.b

    @property
    def c(self):
        return self.raw.c

    @property
    def n(self):
        return self.raw.n

    @property
    def mask(self):
        return self.raw.mask

    @property
    def dice(self):
        return tuple([self.raw.dice[i] for i in range(self.raw.dice_count)])

    def visible_to(self, seat):
        return bool(self.raw.mask >> (PUBLIC_BIT if seat < 0 else seat) & 1)

    def __repr__(self):
        return (f"Event(kind={self.kind}, seat={self.seat}, a={self.a}, b={self.b}, c={self.c}, n={self.n}, "
                f"dice={self.dice}, mask={self.mask:#x})")
