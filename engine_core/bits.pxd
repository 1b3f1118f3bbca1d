"""Sets of up to 64 territories, cards or seats as machine words."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #define arena_lowest(x) __builtin_ctzll(x)
    /* In line, since without flags for one kind of processor the compiler's own is a call. */
    static inline int arena_popcount(uint64_t x) {
        x -= (x >> 1) & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return (int)((x * 0x0101010101010101u) >> 56);
    }
    """
    int arena_popcount(uint64_t x) noexcept nogil
    int arena_lowest(uint64_t x) noexcept nogil

cdef inline uint64_t bit(int i) noexcept nogil:
    return <uint64_t>1 << i

cdef inline bint has(uint64_t members, int i) noexcept nogil:
    return (members >> i) & 1

cdef inline int count(uint64_t members) noexcept nogil:
    return arena_popcount(members)

cdef inline int lowest(uint64_t members) noexcept nogil:
    """The lowest member; the set must not be empty."""
    return arena_lowest(members)

cdef inline uint64_t without_lowest(uint64_t members) noexcept nogil:
    return members & (members - 1)
