"""Games as anybody may watch them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engine_core import Event, Game, View


def steps(game: Game, seed: int) -> Iterator[tuple[list[Event], View]]:
    """A game played at random: what the public is told and sees after each step."""
    state, events = game.start(seed)
    rng = Random(seed)
    while True:
        yield [event for event in events if event.visible_to(-1)], state.public_view()
        pending = state.pending()
        if not pending:
            return
        events = state.play(pending[0], state.legal(pending[0]).sample(rng))
