"""Words of a packed position one after the other, read or written in one order: a family lists its fields once."""

from libc.stdint cimport int32_t, uint8_t, uint16_t

from engine_core.kernel cimport NONE

cdef struct Cursor:
    int32_t *out             # NULL when reading
    const int32_t *words
    int at
    int fault                # 1 + the first word out of range, 0 = none so far

cdef inline int32_t shown(uint8_t value) noexcept nogil:
    return -1 if value == NONE else value

cdef inline int32_t through(Cursor *cursor, int32_t value, int32_t lo, int32_t hi) noexcept nogil:
    """Write the value, or read one in lo..hi in its place."""
    cdef int32_t word
    if cursor.out != NULL:
        cursor.out[cursor.at] = value
    else:
        word = cursor.words[cursor.at]
        if lo <= word <= hi:
            value = word
        elif not cursor.fault:
            cursor.fault = 1 + cursor.at
    cursor.at += 1
    return value

cdef inline void number_word(Cursor *cursor, int32_t *number, int32_t highest) noexcept nogil:
    number[0] = through(cursor, number[0], 0, highest)

cdef inline void number_half(Cursor *cursor, uint16_t *number, int32_t highest) noexcept nogil:
    number[0] = <uint16_t>through(cursor, number[0], 0, highest)

cdef inline void number_byte(Cursor *cursor, uint8_t *number, int32_t highest) noexcept nogil:
    number[0] = <uint8_t>through(cursor, number[0], 0, highest)

cdef inline void name_byte(Cursor *cursor, uint8_t *name, int names) noexcept nogil:
    """A place, card, seat or the like below `names`; -1 = none."""
    name[0] = <uint8_t>through(cursor, shown(name[0]), -1, names - 1)
