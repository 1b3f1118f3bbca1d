"""Counter-based keyed generator: Threefry-2x64-20 (Salmon et al., SC'11), so that luck has no hidden state."""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    static inline uint64_t arena_rotl(uint64_t x, int r) {
        return (x << r) | (x >> (64 - r));
    }
    #define ARENA_MIX(r) x0 += x1; x1 = arena_rotl(x1, r) ^ x0;
    #define ARENA_FOUR_A ARENA_MIX(16) ARENA_MIX(42) ARENA_MIX(12) ARENA_MIX(31)
    #define ARENA_FOUR_B ARENA_MIX(16) ARENA_MIX(32) ARENA_MIX(24) ARENA_MIX(21)
    #define ARENA_INJECT(i, j, n) x0 += k[i]; x1 += k[j] + n;
    static inline void arena_threefry(const uint64_t *key, const uint64_t *counter,
                                      uint64_t *out) {
        uint64_t k[3] = {key[0], key[1], 0x1BD11BDAA9FC1A22ULL ^ key[0] ^ key[1]};
        uint64_t x0 = counter[0] + k[0], x1 = counter[1] + k[1];
        ARENA_FOUR_A ARENA_INJECT(1, 2, 1)
        ARENA_FOUR_B ARENA_INJECT(2, 0, 2)
        ARENA_FOUR_A ARENA_INJECT(0, 1, 3)
        ARENA_FOUR_B ARENA_INJECT(1, 2, 4)
        ARENA_FOUR_A ARENA_INJECT(2, 0, 5)
        out[0] = x0;
        out[1] = x1;
    }
    static inline uint64_t arena_scale(uint64_t word, uint64_t n,
                                                 uint64_t *rest) {
        unsigned __int128 product = (unsigned __int128)word * n;
        *rest = (uint64_t)product;
        return (uint64_t)(product >> 64);
    }
    """
    void arena_threefry(const uint64_t *key, const uint64_t *counter, uint64_t *out) noexcept nogil
    # The top of word * n is uniform in 0..n-1; what is left over feeds the next digit of the same word.
    uint64_t arena_scale(uint64_t word, uint64_t n, uint64_t *rest) noexcept nogil

cdef inline uint64_t keyed_word(const uint64_t *key, uint32_t stream, uint32_t lap, uint32_t a, uint32_t b,
                                uint32_t n) noexcept nogil:
    """One 64-bit word for (stream, lap, a, b, n); a and b are below 2**28."""
    cdef uint64_t counter[2]
    cdef uint64_t out[2]
    counter[0] = (<uint64_t>stream << 56) | (<uint64_t>a << 28) | b
    counter[1] = (<uint64_t>lap << 32) | n
    arena_threefry(key, counter, out)
    return out[0]
