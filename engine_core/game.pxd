"""The extension types other Cython modules may use (bench.pyx, kernels of tests)."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from engine_core.dice cimport Dice
from engine_core.kernel cimport Kernel


cdef enum:
    SPARE_BLOCKS = 64   # blocks of freed states kept for the next ones


cdef class Game:
    cdef const Kernel *kernel
    cdef const uint8_t *rules
    cdef bytes rules_bytes
    cdef object capsule
    cdef dict offsets
    cdef readonly object ruleset
    cdef readonly object description
    cdef readonly int seats
    cdef readonly int state_size
    cdef readonly int words
    cdef int32_t layout_version
    cdef uint8_t *spare[SPARE_BLOCKS]
    cdef int spare_count
    cdef uint8_t *take_block(self) except NULL
    cdef void give_block(self, uint8_t *block) noexcept
    cdef State restored(self, data, seed)
    cdef View seen(self, data, int seat)
    cdef void read_packed(self, data, Position position) except *


cdef class Position:
    cdef readonly Game game
    cdef uint8_t *block
    cdef void allocate(self, Game game) except *
    cdef int export(self, int32_t *out) noexcept


cdef class State(Position):
    cdef Dice dice
    cdef bytes script_bytes
    cdef int apply_raw(self, int seat, uint64_t code) except -1
    cdef View seen_by(self, int seat)


cdef class View(Position):
    cdef readonly int seat
    cdef dict cache
    cdef int32_t *words_block
    cdef const int32_t *exported(self) except NULL
