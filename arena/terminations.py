"""Termination statistics: how and when games end, with one bot in all seats of a variant.

The bot `random` is the core's own random play (a uniformly random legal range, then a uniformly random
amount of it, which is what bots/random.py answers); any other bot plays through a runner and the referee.
Beside it stands the greedy bot of the variant: the first by name that claims it.
Every game has a key of its own, and only the first rotation is played: all seats have the same bot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import engine_core
from arena.errors import PlatformFault
from arena.record import game_of
from arena.runners import Runner
from arena.scores import termination_of
from arena.seeds import bot_seed, match_key
from arena.setups import setup_for
from arena.spec import plays
from arena.types import BotSpec, Limits, MatchPlan, MatchResult, Player, Termination, VariantSetup
from engine_core.bench import playout

# Why a game ended; the rules end it by elimination, or by a goal while several sides live.
Ended = Literal["elimination", "goal", "turn_cap", "forfeit", "game_limit"]
RANDOM = "random"
GREEDY = "greedy"  # what the names of greedy bots begin with
SEED = bytes(range(16))
LIMITS = Limits(decision=600.0, game=36000.0)  # a stall of a busy host must not count as a fault
ENDLESS = 1_000_000  # decisions; the turn cap ends games long before


@dataclass(frozen=True, slots=True)
class Cell:
    """What is counted together: a variant, its number of seats, and the bot in all of them."""

    variant: str
    seats: int
    bot: str

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.variant}, {self.seats} seats, {self.bot}"


@dataclass(frozen=True, slots=True)
class Ending:
    """One game: why it ended and when; `laps` counts from 1, `faults` are those of all seats."""

    ended: Ended
    decisions: int
    laps: int
    faults: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """The endings of a cell's games: how many of each kind, 10 %, median and 90 % of decisions and laps.

    `ruleset` is the resolved ruleset's hash; `date` (UTC) and `commit` say when and of what it was counted.
    """

    variant: str
    seats: int
    bot: str
    games: int
    elimination: int
    goal: int
    turn_cap: int
    forfeit: int
    faults: int
    decisions_10: int
    decisions_50: int
    decisions_90: int
    laps_10: int
    laps_50: int
    laps_90: int
    ruleset: str
    date: str
    commit: str

    @property
    def cell(self) -> Cell:
        """What was counted."""
        return Cell(self.variant, self.seats, self.bot)


def cells(bots: Iterable[BotSpec]) -> list[Cell]:
    """Every variant with every number of seats, played by `random` and by its greedy one of the bots."""
    greedy = sorted((bot for bot in bots if bot.name.startswith(GREEDY)), key=lambda bot: bot.name)
    return [
        Cell(name, seats, bot)
        for name, variant in engine_core.variants().items()
        for seats in range(variant.seats[0], variant.seats[1] + 1)
        for bot in (RANDOM, *[bot.name for bot in greedy if plays(bot, variant)][:1])
    ]


def setup_of(cell: Cell, **options: str | int) -> VariantSetup:
    """The cell's variant with the first rotation alone; `options` are those that differ from its own."""
    setup = setup_for(cell.variant, cell.seats, options, "split")
    return replace(setup, rotations=setup.rotations[:1])


def keys(cell: Cell, games: int, seed: bytes = SEED) -> list[bytes]:
    """The match keys of a cell's games."""
    pool = f"terminations {cell.variant} {cell.seats}"
    return [match_key(seed, pool, cell.bot, number) for number in range(games)]


def play_at_random(setup: VariantSetup, keys: Iterable[bytes]) -> Iterator[Ending]:
    """Games of the core's own random play, in this process; PlatformFault if one never ends."""
    game = game_of(setup.ruleset)
    for key in keys:
        state = game.new_state(key)
        playout(state, int.from_bytes(bot_seed(key, 0, 0)[:8], "little"), ENDLESS)
        result = state.result()
        if not result.over:
            raise PlatformFault(f"{setup.variant} with {setup.seats} seats never ends: it has no turn cap")
        kind = ended(termination_of(result.termination), result.eliminated_at, setup.teams)
        yield Ending(kind, result.decisions, result.lap)


def play_with(
    runner: Runner,
    bot: BotSpec,
    setup: VariantSetup,
    keys: Sequence[bytes],
    on_game: Callable[[], None] = lambda: None,
) -> list[Ending]:
    """Games with the bot in all seats, in the order of their keys; `on_game` is called after each.

    PlatformFault when a game fails again and again.
    """
    players = tuple(Player(f"{bot.name}{seat}", bot) for seat in range(setup.seats))
    found: dict[int, Ending] = {}

    def take(plan: MatchPlan, result: MatchResult) -> None:
        if not result.error:  # a voided attempt is played again
            (game,) = result.games
            kind = ended(game.termination, game.eliminated_at, setup.teams)
            found[plan.sequence] = Ending(kind, game.decisions, game.laps, len(game.faults))
            on_game()

    runner.run((MatchPlan(number, key, setup, players, LIMITS) for number, key in enumerate(keys)), take)
    return [found[number] for number in range(len(keys))]


def ended(termination: Termination, eliminated_at: Sequence[int], teams: Sequence[int]) -> Ended:
    """Why a game ended, from its facts by seat; without teams every seat is for itself."""
    if termination != "rules":
        return termination
    teams = teams or range(len(eliminated_at))
    living = {team for team, order in zip(teams, eliminated_at, strict=True) if order < 0}
    return "elimination" if len(living) <= 1 else "goal"


def row(cell: Cell, setup: VariantSetup, endings: Sequence[Ending], *, date: str, commit: str) -> Row:
    """Count a cell's games, at least one."""
    kinds = Counter(ending.ended for ending in endings)
    return Row(
        cell.variant,
        cell.seats,
        cell.bot,
        len(endings),
        kinds["elimination"],
        kinds["goal"],
        kinds["turn_cap"],
        kinds["forfeit"],
        sum(ending.faults for ending in endings),
        *_quantiles([ending.decisions for ending in endings]),
        *_quantiles([ending.laps for ending in endings]),
        setup.ruleset_hash,
        date,
        commit,
    )


def _quantiles(numbers: Iterable[int]) -> tuple[int, int, int]:
    """10 %, median and 90 %, each of them one of the numbers."""
    ordered = sorted(numbers)
    last = len(ordered) - 1
    return ordered[round(0.1 * last)], ordered[round(0.5 * last)], ordered[round(0.9 * last)]
