"""Whole games inside the core without the GIL: random playouts, perft and the behaviour signature."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from engine_core.bits cimport lowest
from engine_core.dice cimport Dice
from engine_core.game cimport Game, State
from engine_core.kernel cimport MAX_RANGES, Action, ActionRange, Kernel
from engine_core.rng cimport arena_scale, arena_threefry

import time

cdef enum:
    MAX_STATE_BYTES = 4096


cdef inline uint64_t next_word(uint64_t *policy) noexcept nogil:
    """The random policy's own words (splitmix64): cheap, and apart from the game's luck."""
    cdef uint64_t word
    policy[0] += <uint64_t>0x9E3779B97F4A7C15
    word = policy[0]
    word = (word ^ (word >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t>0x94D049BB133111EB
    return word ^ (word >> 31)


cdef inline Action choose(const ActionRange *ranges, int count, uint64_t *policy) noexcept nogil:
    """A uniformly random range, then a uniformly random amount of it."""
    cdef Action action
    cdef uint64_t word = next_word(policy)
    cdef const ActionRange *entry = &ranges[arena_scale(word, count, &word)]
    action.kind = entry.kind
    action.a = entry.a
    action.b = entry.b
    action.c = entry.c
    action.n = entry.lo + <int32_t>arena_scale(word, <uint64_t>(entry.hi - entry.lo) + 1, &word)
    return action


cdef long play_randomly(const Kernel *kernel, const void *rules, void *state, Dice *dice, uint64_t *policy,
                        long decisions) noexcept nogil:
    """Play at most that many random decisions; return how many were played."""
    cdef ActionRange ranges[MAX_RANGES]
    cdef uint32_t pending
    cdef long played = 0
    cdef int seat
    while played < decisions:
        pending = kernel.pending(rules, state)
        if not pending:
            break
        seat = lowest(pending)
        kernel.apply(rules, state, seat,
                     choose(ranges, kernel.legal(rules, state, seat, ranges, MAX_RANGES), policy), dice, NULL)
        played += 1
    return played


def playout(State state not None, uint64_t seed, long decisions):
    """Play `state` on with random actions, at most `decisions` of them; return how many were played."""
    cdef uint64_t policy = seed
    cdef long played
    with nogil:
        played = play_randomly(state.game.kernel, state.game.rules, state.block, &state.dice, &policy, decisions)
    return played


def playouts(Game game not None, long games, long decisions, uint64_t seed=0):
    """Random games in one call, keys seed, seed + 1, ...: (decisions played, games over, CPU seconds)."""
    cdef State state = game.new_state()
    cdef uint64_t policy = seed
    cdef long played = 0
    cdef long over = 0
    cdef long i
    cdef const Kernel *kernel = game.kernel
    cdef const void *rules = game.rules
    started = time.process_time()
    with nogil:
        for i in range(games):
            state.dice.key[0] = seed + <uint64_t>i
            memset(state.block, 0, kernel.state_size)
            kernel.init(rules, state.block, &state.dice, NULL)
            played += play_randomly(kernel, rules, state.block, &state.dice, &policy, decisions)
            over += kernel.pending(rules, state.block) == 0
    return played, over, time.process_time() - started


cdef uint64_t count_leaves(const Kernel *kernel, const void *rules, const uint8_t *state, const Dice *dice,
                           int depth) noexcept nogil:
    cdef ActionRange ranges[MAX_RANGES]
    cdef uint8_t child[MAX_STATE_BYTES]
    cdef Dice luck
    cdef Action action
    cdef uint64_t total = 0
    cdef uint32_t pending = kernel.pending(rules, state)
    cdef int seat
    cdef int count
    cdef int i
    cdef int32_t n
    if depth == 0 or not pending:
        return 1
    seat = lowest(pending)
    count = kernel.legal(rules, state, seat, ranges, MAX_RANGES)
    for i in range(count):
        if depth == 1:
            total += ranges[i].hi - ranges[i].lo + 1
            continue
        for n in range(ranges[i].lo, ranges[i].hi + 1):
            memcpy(child, state, kernel.state_size)
            luck = dice[0]
            action.kind = ranges[i].kind
            action.a = ranges[i].a
            action.b = ranges[i].b
            action.c = ranges[i].c
            action.n = n
            kernel.apply(rules, child, seat, action, &luck, NULL)
            total += count_leaves(kernel, rules, child, &luck, depth - 1)
    return total


def perft(State state not None, int depth):
    """How many sequences of `depth` concrete actions there are, luck from the state's own key."""
    cdef uint64_t total
    if state.game.kernel.state_size > MAX_STATE_BYTES:
        raise ValueError(f"states of more than {MAX_STATE_BYTES} bytes have no perft")
    with nogil:
        total = count_leaves(state.game.kernel, state.game.rules, state.block, &state.dice, depth)
    return total


def signature(Game game not None, int games=8, long decisions=2000):
    """One number for the family's behaviour: the digests of fixed random games, folded together."""
    folded = 0
    for seed in range(games):
        state = game.new_state(seed)
        playout(state, seed, decisions)
        folded = (folded * 31 + int(state.digest()[:16], 16)) % (1 << 64)
    return folded


def keyed_words(key, counter):
    """The generator's two 64-bit words for a key and a counter of two words each: for its known answers."""
    cdef uint64_t[2] keys = [key[0], key[1]]
    cdef uint64_t[2] counters = [counter[0], counter[1]]
    cdef uint64_t[2] words
    arena_threefry(keys, counters, words)
    return words[0], words[1]
