"""Answers with the first, the last or a random choice; `crash_in` names a phase that it does not survive.

It runs in the platform's process and, as a command, in one of its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random

from engine_core import Action, Game, Legal, View

NAME = "chooser"


class Bot:
    def __init__(
        self, game: Game, seat: int, rng: Random, choice: str = "random", crash_in: str = ""
    ) -> None:
        self.seat = seat
        self.rng = rng
        self.choice = choice
        self.crash_in = game.description.phases.index(crash_in) if crash_in else -1

    def decide(self, view: View, legal: Legal) -> Action:
        assert self.seat in view.pending()
        assert view.legal(self.seat).packed() == legal.packed()
        if self.crash_in >= 0 and view.phase == self.crash_in and view.turn != self.seat:
            os._exit(3)
        if self.choice == "random":
            return legal.sample(self.rng)
        return legal[0].first() if self.choice == "first" else legal[-1].last()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import proof_families

    from arena.client import serve

    proof_families.register()
    serve(Bot, name=NAME)
