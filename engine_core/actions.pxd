"""Action, ActionRange, Legal and Event for other Cython modules, and actions as numbers."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from engine_core.kernel cimport Action as CAction
from engine_core.kernel cimport ActionRange as CRange
from engine_core.kernel cimport Event as CEvent


cdef inline uint64_t encode(uint8_t kind, uint8_t a, uint8_t b, uint8_t c, int32_t n) noexcept nogil:
    """An action as one non-negative 63-bit number: kind, a, b, c, n from the top."""
    return (<uint64_t>kind << 56) | (<uint64_t>a << 48) | (<uint64_t>b << 40) | (<uint64_t>c << 32) | <uint32_t>n

cdef inline CAction decode(uint64_t code) noexcept nogil:
    cdef CAction action
    action.kind = <uint8_t>(code >> 56)
    action.a = <uint8_t>(code >> 48)
    action.b = <uint8_t>(code >> 40)
    action.c = <uint8_t>(code >> 32)
    action.n = <int32_t>(<uint32_t>code)
    return action

cdef uint64_t code_of(object action) except? 0xFFFFFFFFFFFFFFFF


cdef class Action:
    cdef CAction raw


cdef class ActionRange:
    cdef CRange raw


cdef class Legal:
    cdef CRange *ranges
    cdef int size
    cdef int capacity
    cdef void reserve(self, int capacity) except *


cdef class Event:
    cdef CEvent raw


cdef inline Action wrap(uint8_t kind, uint8_t a, uint8_t b, uint8_t c, int32_t n):
    cdef Action action = Action.__new__(Action)
    action.raw.kind = kind
    action.raw.a = a
    action.raw.b = b
    action.raw.c = c
    action.raw.n = n
    return action
