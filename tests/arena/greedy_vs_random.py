"""How often greedy wins against random: whole matches of every variant with every number of seats.

`python tests/arena/greedy_vs_random.py results/greedy-vs-random` plays at least GAMES games of each, and
writes the table; it is the same each time.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from math import sqrt
from pathlib import Path

from bot_samples import SEED, matches, player, without_faults

import engine_core
from arena import plugins
from arena.bot import load_bot
from arena.spec import plays

GAMES = 400
HEAD_TO_HEAD = 0.85  # the share of games to win with 2 seats
TIMES_FAIR = 2  # at larger tables, times the fair share
Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class Row:
    """One variant and number of seats, one greedy, all others random; `low` to `high` is 95 % likely."""

    variant: str
    seats: int
    games: int
    won: int
    capped: int
    share: float
    low: float
    high: float
    needed: float


def tables() -> list[tuple[str, int]]:
    """Every variant that greedy claims, with every number of seats."""
    greedy = plugins.installed().find_bot("greedy")
    return [
        (name, seats)
        for name, variant in engine_core.variants().items()
        if plays(greedy, variant)
        for seats in range(variant.seats[0], variant.seats[1] + 1)
    ]


def needed(seats: int) -> float:
    """The share of games that greedy must win."""
    return HEAD_TO_HEAD if seats == 2 else TIMES_FAIR / seats


def wilson(won: int, games: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a share."""
    share, spread = won / games, z * z / games
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / games + spread / (4 * games))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def measure(variant: str, seats: int, games: int = GAMES) -> Row:
    """Play whole matches until there are so many games, none of them with a fault."""
    players = [player("greedy"), *(player("random", f"random{i}") for i in range(1, seats))]
    count = -(-games // seats)
    played = without_faults(matches(players, count, variant=variant))
    won = sum(game.winners == (game.players.index(0),) for game in played)
    capped = sum(game.termination == "turn_cap" for game in played)
    low, high = wilson(won, len(played))
    shares = (round(share, 4) for share in (won / len(played), low, high, needed(seats)))
    return Row(variant, seats, len(played), won, capped, *shares)


def read(folder: Path) -> list[Row]:
    """The table that `main` wrote."""
    with (folder / "table.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        Row(
            row["variant"],
            *(int(row[name]) for name in ("seats", "games", "won", "capped")),
            *(float(row[name]) for name in ("share", "low", "high", "needed")),
        )
        for row in rows
    ]


def write(folder: Path, rows: Iterator[Row]) -> None:
    """Write the table row by row, then how it was made."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(asdict(row))
            stream.flush()
            print(row)
    (folder / "run.json").write_text(json.dumps(run(folder), indent=2) + "\n", encoding="utf-8")


def run(folder: Path) -> dict[str, object]:
    """How the table of a folder was made."""
    bots = {name: load_bot(player(name).bot) for name in ("greedy", "random")}
    return {
        "command": "python tests/arena/greedy_vs_random.py results/greedy-vs-random",
        "games": sum(row.games for row in read(folder)),
        "seed": SEED.hex(),
        "players": {name: f"{bot.name} {bot.version}" for name, bot in bots.items()},
    }


if __name__ == "__main__":
    write(Path(sys.argv[1]), (measure(variant, seats) for variant, seats in tables()))
