"""Every variant beside `classic`: what a decision of in-core random play costs, and games per second."""

from __future__ import annotations

from collections.abc import Iterator

import engine_core
from arena.bench import Figure, paired
from engine_core.bench import playouts

TITLE = "Variants beside classic"
GOALS = {"conquest": "<= 1.6", "endor": "<= 1.5"}  # by family; of others it is only reported
YARDSTICK = "classic"
LONGEST = 1_000_000  # decisions of a game; rules or turn cap end it long before


def measure(quick: bool) -> list[Figure]:
    """ns of CPU per decision of whole games, and games per second, for every variant and number of seats."""
    return compare(100_000, 3) if quick else compare(1_000_000, 9)


def compare(decisions: int, repeats: int) -> list[Figure]:
    """Two figures for every variant and number of seats, from pairs of about so many decisions."""
    return [
        figure
        for name, variant in engine_core.variants().items()
        for seats in range(variant.seats[0], variant.seats[1] + 1)
        for figure in _beside_classic(engine_core.load(name, seats=seats), decisions, repeats)
    ]


def yardstick(game: engine_core.Game) -> engine_core.Game:
    """`classic` with the same number of seats, or the nearest that it has, and the same turn cap.

    The caps of other families count rounds of their own: there `classic` has its own.
    """
    variant = engine_core.variants()[YARDSTICK]
    low, high = variant.seats
    laps = game.ruleset.family == variant.family
    caps = {name: value for name, value in game.ruleset.options.items() if laps and name == "turn_cap"}
    return engine_core.load(YARDSTICK, seats=min(max(game.seats, low), high), **caps)


def _beside_classic(game: engine_core.Game, decisions: int, repeats: int) -> Iterator[Figure]:
    """Two figures of the same runs; both sides play about so many decisions in each of them."""
    classic = yardstick(game)
    games, length = _games_for(game, decisions)
    their_games, their_length = _games_for(classic, decisions)
    ours, theirs, ratio = paired(lambda: _ns(game, games), lambda: _ns(classic, their_games), repeats)
    name = f"{game.ruleset.name}, {game.seats} seats"
    beside = f"{YARDSTICK}, {classic.seats} seats"
    cap = game.ruleset.options.get("turn_cap")
    conditions = f"whole games, turn cap {cap}, median of {repeats} pairs of {games} and {their_games} games"
    goal = GOALS.get(game.ruleset.family, "")
    yield Figure(name, ours, "ns/decision", beside, theirs, ratio, goal, conditions)
    paces = 1e9 / (ours * length), 1e9 / (theirs * their_length)
    lengths = f"{length:,.0f} and {their_length:,.0f} decisions a game"
    yield Figure(name, paces[0], "games/s", beside, paces[1], paces[0] / paces[1], conditions=lengths)


def _games_for(game: engine_core.Game, decisions: int) -> tuple[int, float]:
    """(how many games hold about so many decisions, decisions a game of these very games)."""
    sample = 50
    played, _, _ = playouts(game, sample, LONGEST)
    games = max(1, round(decisions * sample / played))
    played, _, _ = playouts(game, games, LONGEST)
    return games, played / games


def _ns(game: engine_core.Game, games: int) -> float:
    decisions, _, seconds = playouts(game, games, LONGEST)
    return seconds / decisions * 1e9
