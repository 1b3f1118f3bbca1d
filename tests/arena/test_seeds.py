"""Seeds: everything derives one-way from the tournament's, and nothing collides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.seeds import SEED_BYTES, bot_seed, match_key, new_seed, seed_commitment

SEED = bytes(range(16))
seeds = st.binary(min_size=16, max_size=16)


def test_derivation_never_changes() -> None:
    # Published tournaments are checked against these: a change would make every old seed unverifiable.
    assert match_key(SEED, "pool", "pairing", 3).hex() == "a802fe71243aa27ac5613483e6fd2630"
    assert bot_seed(SEED, 1, 2).hex() == "4479abb9125116a9c2f44afa858979e8"
    assert seed_commitment(SEED) == "24d5988afe74a358e57c5517933b2862a4468aac13c3c13e61f69d09b8b2b586"


@given(seeds, st.text(), st.text(), st.integers(0, 2**40), st.integers(0, 99), st.integers(0, 7))
def test_same_arguments_same_seed(
    seed: bytes, pool: str, pairing: str, round: int, rotation: int, seat: int
) -> None:
    key = match_key(seed, pool, pairing, round)
    assert key == match_key(seed, pool, pairing, round)
    assert len(key) == len(bot_seed(key, rotation, seat)) == SEED_BYTES


def test_h01_distinct_matches_have_distinct_keys() -> None:
    keys = {
        match_key(SEED, pool, pairing, round)
        for pool in ("a", "b", "ab", "")
        for pairing in ("0-1", "1-0", "b0-1", "")
        for round in range(100)
    }
    assert len(keys) == 4 * 4 * 100


def test_bots_of_a_match_have_distinct_seeds_that_are_not_its_key() -> None:
    bot_seeds = {bot_seed(SEED, rotation, seat) for rotation in range(8) for seat in range(8)}
    assert len(bot_seeds) == 64
    assert SEED not in bot_seeds


def test_parts_are_kept_apart() -> None:
    assert match_key(SEED, "ab", "c", 0) != match_key(SEED, "a", "bc", 0)


def test_new_seeds_differ() -> None:
    assert len({new_seed() for _ in range(100)}) == 100


@pytest.mark.parametrize("seed", [b"", b"short", bytes(17)])
def test_a_seed_of_another_length_is_refused(seed: bytes) -> None:
    for use in (
        lambda: match_key(seed, "", "", 0),
        lambda: bot_seed(seed, 0, 0),
        lambda: seed_commitment(seed),
    ):
        with pytest.raises(ValueError, match=f"16 bytes, not {len(seed)}"):
            use()
