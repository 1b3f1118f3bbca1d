"""Made-up but complete tournaments for the store's tests: results drawn from a seed, no engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import blake2b

from sqlalchemy import make_url

from arena.formats.round_robin import RoundRobin
from arena.store import Store
from arena.store.rows import FinishedMatch
from arena.types import BotSpec, Fault, GameResult, MatchResult, Pairing, Player, PointRule, VariantSetup

SEED = b"a secret of 16 b"


def setup(
    seats: int, *, variant: str = "classic", turn_cap: int = 100, point_rule: PointRule = "split"
) -> VariantSetup:
    """A setup whose ruleset hash depends on its seats only: two variants may be one pool."""
    return VariantSetup(
        variant=variant,
        ruleset=f'{{"name":"{variant}"}}',
        ruleset_hash=blake2b(b"%d seats" % seats, digest_size=16).hexdigest(),
        seats=seats,
        turn_cap=turn_cap,
        teams=tuple(range(seats)),
        rotations=tuple(tuple((seat + shift) % seats for seat in range(seats)) for shift in range(seats)),
        point_rule=point_rule,
    )


def player(name: str, **options: str | int | float | bool) -> Player:
    """An entry of an in-process bot called like its label."""
    return Player(name, BotSpec(name, "python", f"bots/{name}.py"), tuple(options.items()))


FIVE = tuple(player(name) for name in "ABCDE")


def game(rng: random.Random, seats: int, rotation: int) -> GameResult:
    """A game decided by the rules or capped, in which now and then a seat faulted out."""
    players = tuple((seat + rotation) % seats for seat in range(seats))
    order = rng.sample(range(seats), seats)
    survivors = 1 if rng.random() < 0.7 else rng.randint(2, seats)
    alive = order[:survivors]
    faults: tuple[Fault, ...] = ()
    if rng.random() < 0.2:
        faults = (Fault(order[-1], "crash", rng.randint(1, 50), 2000.0, rng.random(), "retire", "boom"),)
    return GameResult(
        rotation=rotation,
        players=players,
        winners=tuple(sorted(alive)) if survivors == 1 else (),
        termination="rules" if survivors == 1 else "turn_cap",
        scores=tuple(1 / survivors if seat in alive else 0.0 for seat in range(seats)),
        placements=tuple(
            (1, survivors) if seat in alive else (order.index(seat) + 1,) * 2 for seat in range(seats)
        ),
        eliminated_at=tuple(-1 if seat in alive else seats - order.index(seat) for seat in range(seats)),
        laps=rng.randint(5, 100),
        decisions=rng.randint(50, 500),
        faults=faults,
        record=rng.randbytes(300),
        final_digest=rng.randbytes(16).hex(),
        wall_ms=rng.random() * 10,
    )


def finished(pairing: Pairing, *, worker: str = "w0", error: str = "", seed: int = 0) -> FinishedMatch:
    """The finished match of a pairing: results depend on seed and sequence only, times on the worker."""
    seats = len(pairing.players)
    rng = random.Random(f"{seed} {pairing.sequence}")
    games = () if error else tuple(game(rng, seats, rotation) for rotation in range(seats))
    wall = random.Random(worker).random()
    result = MatchResult(pairing.sequence, games, worker, wall, wall, error)
    return FinishedMatch(pairing, blake2b(b"%d" % pairing.sequence, digest_size=16).digest(), result)


def result_of(match: FinishedMatch) -> MatchResult:
    """How a match went that was played."""
    assert match.result is not None
    return match.result


class Sample:
    """A tournament of five players on tables of 2 and 4, or as given; `id` takes up a stored one."""

    def __init__(
        self,
        store: Store,
        *,
        name: str = "sample",
        setups: tuple[VariantSetup, ...] = (setup(2), setup(4)),
        players: tuple[Player, ...] = FIVE,
        rounds: int = 2,
        id: int | None = None,
    ) -> None:
        self.store = store
        path = make_url(store.url).database
        assert path is not None
        self.path = path
        self.setups, self.players = setups, players
        self.schedule = RoundRobin(setups, len(players), rounds, SEED)
        self.id = self._create(name) if id is None else id

    def _create(self, name: str) -> int:
        return self.store.create_tournament(
            name=name,
            spec=f'name = "{name}"',
            seed=SEED,
            commitment=blake2b(SEED).hexdigest(),
            setups=self.setups,
            players=self.players,
            total=self.schedule.total(),
        )

    def matches(self, *, worker: str = "w0") -> Iterator[FinishedMatch]:
        """All finished matches in scheduled order."""
        return (finished(pairing, worker=worker) for pairing in self.schedule.pairings())

    def commit_all(self) -> None:
        """Commit and rate everything, in scheduled order, and finish."""
        assert all(self.store.commit_matches(self.id, list(self.matches())))
        self.store.update_ratings(self.id)
        self.store.set_state(self.id, "finished")


def open_store(path: object) -> Store:
    """A migrated store in an SQLite file."""
    store = Store(f"sqlite:///{path}")
    store.migrate()
    return store
