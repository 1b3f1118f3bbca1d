"""What the tests of the proof kernels share: games, and states along random games."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import engine_core
from engine_core import Event, Game, State

FAMILIES = ("consent", "picks", "reaction", "regent", "uneven")
HIDING = ("picks", "reaction", "regent")
PUBLIC = -1
GAMES = 6
LONGEST = 2000


def game_of(family: str, **options: int) -> Game:
    return engine_core.load(family, **options)


def games(family: str) -> Iterator[Game]:
    """The family's game, and picks also with a hand whose last choice is none."""
    yield game_of(family)
    if family == "picks":
        yield game_of("picks", hand=3)


def step(state: State, rng: Random) -> list[Event]:
    """A random action of a random pending seat: seats that answer at once may be done in any order."""
    seat = rng.choice(state.pending())
    return state.play(seat, state.legal(seat).sample(rng))


def walk(game: Game, seed: int) -> Iterator[State]:
    """The states of a random game; it is one state that moves on."""
    state, rng = game.new_state(seed), Random(seed)
    for _ in range(LONGEST):
        yield state
        if not state.pending():
            return
        step(state, rng)
    raise AssertionError(f"{game} does not end")


def walks(family: str, seeds: int = GAMES) -> Iterator[State]:
    for game in games(family):
        for seed in range(seeds):
            yield from walk(game, seed)


def play_out(state: State, seed: int = 0) -> State:
    rng = Random(seed)
    for _ in range(LONGEST):
        if not state.pending():
            return state
        step(state, rng)
        state.check()
    raise AssertionError("the game does not end")


def seats_and_public(game: Game) -> range:
    return range(PUBLIC, game.seats)


def seen(state: State, seat: int) -> engine_core.View:
    return state.public_view() if seat == PUBLIC else state.view(seat)
