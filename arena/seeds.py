"""All seeds of a tournament, derived one-way from its secret 128-bit seed by keyed BLAKE2b.

Who knows a bot's seed learns nothing of the match key, who knows a match key nothing of the tournament seed.
"""

from __future__ import annotations

import hashlib
import secrets

SEED_BYTES = 16


def new_seed() -> bytes:
    """A fresh 16-byte tournament seed from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def seed_commitment(seed: bytes) -> str:
    """The hash published at a tournament's start, hex; whoever is given the seed afterwards can check it."""
    return hashlib.blake2b(_checked(seed), digest_size=32, person=b"arena commitment").hexdigest()


def match_key(tournament_seed: bytes, pool: str, pairing: str, round: int) -> bytes:
    """The 16-byte key of a match's luck, the same for every rotation; ValueError unless seed has 16 bytes."""
    return _derive(tournament_seed, b"arena match key", pool.encode(), pairing.encode(), _number(round))


def bot_seed(key: bytes, rotation: int, seat: int) -> bytes:
    """The 16-byte seed of one bot's own randomness in one game of a match."""
    return _derive(key, b"arena bot seed", _number(rotation), _number(seat))


def _derive(key: bytes, person: bytes, *parts: bytes) -> bytes:
    # Lengths in front of the parts keep ("ab", "c") and ("a", "bc") apart.
    message = b"".join(_number(len(part)) + part for part in parts)
    return hashlib.blake2b(message, digest_size=SEED_BYTES, key=_checked(key), person=person).digest()


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _checked(seed: bytes) -> bytes:
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    return seed
