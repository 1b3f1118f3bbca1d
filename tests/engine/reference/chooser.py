"""How the games are played: mostly with a will to conquer, so that what the rules speak of happens."""

from __future__ import annotations

import random

from reference.game import Reference
from reference.words import END, Move, Ranges


class Chooser:
    """Picks one of the offered actions; `daring` is the share of decisions taken with a plan."""

    def __init__(self, seed: int, daring: float = 0.9) -> None:
        self.rng = random.Random(seed)
        self.daring = daring

    def __call__(self, model: Reference, offered: Ranges) -> Move:
        if self.rng.random() >= self.daring:
            return self.anyhow(offered)
        plan = getattr(self, model.phase, None)
        chosen = plan(model, offered) if plan else None
        return chosen or self.anyhow({key: offered[key] for key in offered if key != END} or offered)

    def anyhow(self, offered: Ranges) -> Move:
        action = self.rng.choice(list(offered))
        return Move(*action, self.rng.randint(*offered[action]))

    def best(self, offered: Ranges, worth: dict[tuple[str, int, int, int], float]) -> Move:
        """The highest amount of the action of most worth, a little blurred."""
        action = max(worth, key=lambda key: worth[key] + self.rng.random())
        return Move(*action, offered[action][1])

    def attack(self, model: Reference, offered: Ranges) -> Move | None:
        """The best odds, and rather those who are nearly gone, capitals, and cities."""
        left = {colour: len(model.own(colour)) for colour in range(model.colours)}
        worth: dict[tuple[str, int, int, int], float] = {}
        for key in offered:
            if key != END:
                _, source, target, _ = key
                prize = 3.0 * (target in model.capital) + (target in model.cities)
                prize += 4 / left[model.owner[target]]
                worth[key] = model.troops[source] - model.troops[target] + prize
        if not worth or max(worth.values()) < 1:
            return Move(*END, 0)
        return self.best(offered, worth)

    def deploy(self, model: Reference, offered: Ranges) -> Move:
        """Everything to the front, where most troops are."""
        front = {
            key: model.troops[key[1]] + 100.0 * any(model.owner[n] != model.turn for n in model.near[key[1]])
            for key in offered
        }
        return self.best(offered, front)

    def occupy(self, _model: Reference, offered: Ranges) -> Move:
        action = next(iter(offered))
        return Move(*action, offered[action][self.rng.random() < 0.7])

    def trade(self, _model: Reference, offered: Ranges) -> Move | None:
        """Some keep their cards, so that hands grow and are taken."""
        return Move(*END, 0) if END in offered and self.rng.random() < 0.6 else None

    def stars(self, _model: Reference, offered: Ranges) -> Move:
        return self.best(offered, {key: key[1] + 2.0 * key[2] for key in offered})

    def fortify(self, _model: Reference, _offered: Ranges) -> Move | None:
        return Move(*END, 0) if self.rng.random() < 0.3 else None
