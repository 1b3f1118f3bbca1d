"""Round robin: in every round, on every setup, each line-up of the players meets once.

Line-ups come in an order drawn per round and setup, and sit down in a circular order drawn per match, both
from the seed alone. Every pairing is computed from its sequence number, so a schedule of any length takes no
memory and can be entered anywhere. The seats rotate within a match; that is the ruleset's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import count
from math import comb, isqrt

from arena.types import Pairing, VariantSetup

_FEISTEL_ROUNDS = 6


class RoundRobin:
    """All line-ups C(players, entrants of a match), `rounds` times on each setup."""

    name = "round_robin"

    def __init__(self, setups: Sequence[VariantSetup], players: int, rounds: int, seed: bytes) -> None:
        """Take arguments without problems; raises ValueError naming them otherwise."""
        if problems := self.problems(setups, players, rounds):
            raise ValueError("; ".join(f"{where}: {message}" for where, message in problems))
        self._entrants = tuple(setup.entrants for setup in setups)
        self._players = players
        self._rounds = rounds
        self._seed = seed

    @staticmethod
    def problems(setups: Sequence[VariantSetup], players: int, rounds: int) -> tuple[tuple[str, str], ...]:
        """Return (argument, message) for each reason why no schedule exists."""
        found = []
        if rounds < 1:
            found.append(("rounds", f"{rounds} rounds play nothing; at least 1 is needed"))
        if not setups:
            found.append(("setups", "no variant to play; at least 1 is needed"))
        for index, setup in enumerate(setups):
            if setup.entrants > players:
                found.append((f"setups[{index}]", _too_few_players(setup, players)))
        return tuple(found)

    def total(self) -> int:
        """Return rounds x the sum of C(players, entrants) over the setups."""
        return self._rounds * self._matches_a_round()

    def pairings(self, start: int = 0) -> Iterator[Pairing]:
        """Yield the pairings from sequence number `start` on."""
        return map(self.pairing, range(start, self.total()))

    def pairing(self, sequence: int) -> Pairing:
        """Return the pairing with this sequence number, 0 <= sequence < total()."""
        if not 0 <= sequence < self.total():
            raise IndexError(f"no pairing {sequence}: the schedule has 0..{self.total() - 1}")
        round_number, place = divmod(sequence, self._matches_a_round())
        setup = 0
        while place >= (line_ups := comb(self._players, self._entrants[setup])):
            place -= line_ups
            setup += 1
        label = b"%d %d" % (round_number, setup)
        key = blake2b(label, key=_short(self._seed), person=b"round_robin").digest()
        index = _permuted(key, line_ups, place)
        line_up = _combination(self._players, self._entrants[setup], index)
        return Pairing(sequence, round_number, setup, _shuffled(key, line_up, index))

    def _matches_a_round(self) -> int:
        return sum(comb(self._players, entrants) for entrants in self._entrants)


def _too_few_players(setup: VariantSetup, players: int) -> str:
    return (
        f"{setup.variant} with {setup.seats} seats needs at least {setup.entrants} players, but {players} "
        f"{'is' if players == 1 else 'are'} entered; enter more players or play it with fewer seats"
    )


def _short(seed: bytes) -> bytes:
    """Return a key that BLAKE2 takes (64 bytes at most) from a seed of any length."""
    return blake2b(seed, person=b"format seed").digest()


def _draw(key: bytes, below: int, *label: int) -> int:
    """Return a number in [0, below) that depends on key and label only (bias below 2^-64)."""
    text = " ".join(map(str, label)).encode()
    return int.from_bytes(blake2b(text, key=key, digest_size=16).digest(), "big") % below


def _permuted(key: bytes, size: int, index: int) -> int:
    """Return where a keyed permutation of range(size) sends index.

    A Feistel network permutes pairs of digits in base ceil(sqrt(size)); results outside the range are sent
    on.
    """
    base = isqrt(size - 1) + 1
    for _ in count():
        left, right = divmod(index, base)
        for step in range(_FEISTEL_ROUNDS):
            left, right = right, (left + _draw(key, base, 0, step, right)) % base
        index = left * base + right
        if index < size:
            break
    return index


def _combination(players: int, seats: int, index: int) -> list[int]:
    """Return the index-th line-up of `seats` out of range(players), in lexicographic order."""
    chosen: list[int] = []
    for player in range(players):
        with_player = comb(players - player - 1, seats - len(chosen) - 1)
        if index < with_player:
            chosen.append(player)
            if len(chosen) == seats:
                break
        else:
            index -= with_player
    return chosen


def _shuffled(key: bytes, line_up: list[int], index: int) -> tuple[int, ...]:
    """Return the line-up in an order drawn for it alone (Fisher-Yates)."""
    order = list(line_up)
    for last in range(len(order) - 1, 0, -1):
        other = _draw(key, last + 1, 1, index, last)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


FORMAT = RoundRobin
