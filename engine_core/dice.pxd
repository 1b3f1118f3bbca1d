"""The one source of all luck: scripted values first, then the keyed generator."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from engine_core.rng cimport arena_scale, keyed_word

# Every use of luck has its own stream, so that no two of them can share a word.
cdef enum Stream:
    STREAM_FIRST_ROLL = 1   # a = seat, n = how often the tie was rolled again
    STREAM_SHUFFLE = 2      # a = deck, b = card, n = reshuffle
    STREAM_BATTLE = 3       # a = from, b = to, n = roll on this directed border in this lap
    STREAM_FAMILY = 4       # a, b, n as the family defines
    STREAM_RESAMPLE = 5     # a = what is filled in, b = which

cdef struct Dice:
    uint64_t key[2]
    const uint8_t *script
    int32_t script_length
    int32_t script_position

cdef inline uint64_t draw(const Dice *dice, uint32_t stream, uint32_t lap, uint32_t a, uint32_t b,
                          uint32_t n) noexcept nogil:
    """A keyed 64-bit word; never scripted (shuffles and resampling)."""
    return keyed_word(dice.key, stream, lap, a, b, n)

cdef inline void roll(Dice *dice, uint32_t stream, uint32_t lap, uint32_t a, uint32_t b, uint32_t n,
                      int count, int sides, uint8_t *out) noexcept nogil:
    """Roll `count` dice of 1..sides into `out`; scripted values come first, one word serves the rest."""
    cdef int i = 0
    cdef uint64_t word
    while i < count and dice.script_position < dice.script_length:
        out[i] = dice.script[dice.script_position]
        dice.script_position += 1
        i += 1
    if i == count:
        return
    word = keyed_word(dice.key, stream, lap, a, b, n)
    while i < count:
        out[i] = <uint8_t>(arena_scale(word, sides, &word) + 1)
        i += 1

cdef inline void roll_two_sides(Dice *dice, uint32_t stream, uint32_t lap, uint32_t a, uint32_t b, uint32_t n,
                                int attack, int defence, uint8_t *out) noexcept nogil:
    """Roll up to 3 six-sided dice against up to 2, into places 0..2 and 3..4; a place not rolled is 0.

    Every place has its own digit of one word, so a die does not depend on how many others are rolled.
    """
    cdef uint64_t word = keyed_word(dice.key, stream, lap, a, b, n)
    out[0] = <uint8_t>(arena_scale(word, 6, &word) + 1)
    out[1] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (attack > 1))
    out[2] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (attack > 2))
    out[3] = <uint8_t>(arena_scale(word, 6, &word) + 1)
    out[4] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (defence > 1))
    if dice.script_position < dice.script_length:
        dictate(dice, out, 5)

cdef inline void roll_with_extra(Dice *dice, uint32_t stream, uint32_t lap, uint32_t a, uint32_t b, uint32_t n,
                                 int attack, int defence, bint attack_extra, bint defence_extra,
                                 uint8_t *out) noexcept nogil:
    """As roll_two_sides, and one more die for either side in places 5 and 6 (two more digits of the word)."""
    cdef uint64_t word = keyed_word(dice.key, stream, lap, a, b, n)
    out[0] = <uint8_t>(arena_scale(word, 6, &word) + 1)
    out[1] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (attack > 1))
    out[2] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (attack > 2))
    out[3] = <uint8_t>(arena_scale(word, 6, &word) + 1)
    out[4] = <uint8_t>((arena_scale(word, 6, &word) + 1) * (defence > 1))
    out[5] = <uint8_t>((arena_scale(word, 6, &word) + 1) * attack_extra)
    out[6] = <uint8_t>((arena_scale(word, 6, &word) + 1) * defence_extra)
    if dice.script_position < dice.script_length:
        dictate(dice, out, 7)

cdef inline void dictate(Dice *dice, uint8_t *out, int places) noexcept nogil:
    """Put scripted values into the places that are rolled (not 0), as far as the script goes."""
    cdef int i
    for i in range(places):
        if out[i] and dice.script_position < dice.script_length:
            out[i] = dice.script[dice.script_position]
            dice.script_position += 1
