"""The files a tournament leaves in its output folder; all are functions of the database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from arena.commands import _standings
from arena.commands.export import write_csv

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.rows import TournamentRow


def write_results(folder: Path, store: Store, row: TournamentRow, command: str) -> list[Path]:
    """Write the tables as CSV, the leaderboard as text and what identifies the run; returns the paths."""
    from rich.console import Console

    from arena.ratings.live_elo import LiveElo
    from arena.store.rows import ExportName

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    names: tuple[ExportName, ...] = get_args(ExportName)
    for name in names:
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            write_csv(store.export(row.id, name), stream)
        paths.append(path)
    path = folder / "leaderboard.txt"
    with path.open("w", encoding="utf-8") as stream:
        out = Console(file=stream, width=160, highlight=False)
        _standings.show(out, _standings.standings(store, row.id, LiveElo()))
    paths.append(path)
    path = folder / "run.json"
    path.write_text(json.dumps(summary(store, row, command), indent=2) + "\n", encoding="utf-8")
    return [*paths, path]


def summary(store: Store, row: TournamentRow, command: str) -> dict[str, object]:
    """What identifies a run: how it was started, seed and hashes, how much was played."""
    games, different = store.distinct_games(row.id)
    return {
        "tournament": row.name,
        "command": command,
        "state": row.state,
        "matches": row.committed,
        "games": games,
        "distinct_games": different,
        "matches_not_played": store.unplayed(row.id),
        "quarantined_after": {each.player: each.sequence for each in store.quarantines(row.id)},
        "seed_hash": row.commitment,
        "seed": row.seed,
        "content_hash": store.content_hash(row.id),
        "players": {player.label: f"{player.bot} {player.version}" for player in store.entries(row.id)},
    }
