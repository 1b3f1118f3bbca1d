"""Sets of up to 64 territories, cards or seats as machine words."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define arena_popcount(x) __builtin_popcountll(x)
    #define arena_lowest(x) __builtin_ctzll(x)
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
