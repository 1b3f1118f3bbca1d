"""What two runs can be compared by: a hash over all results, and tables of plain values for export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import get_args

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from arena.errors import StoreError
from arena.ratings import RatingSystem
from arena.store import commits, conduct, faults, games, standings, tournaments
from arena.store.models import GameModel, MatchModel
from arena.types import FaultKind

_Value = str | int | float | None
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

_COLUMNS = {
    "standings": (
        *("player", "identity", "bot", "version", "options", "games", "matches", "void"),
        *("score", "score_se", "wins", "capped", "faults", "fault_rate", "rating"),
    ),
    "pairwise": ("player", "opponent", "games", "score", "opponent_score", "outscored", "tied"),
    "games": (
        *("sequence", "rotation", "round", "variant", "ruleset_hash", "seats", "entrants", "teams"),
        *("turn_cap", "point_rule", "termination", "laps", "decisions", "digest"),
        *("seat", "player", "score", "placement_lo", "placement_hi", "eliminated_at", "won", "reason"),
        "guard",
    ),
    "faults": (
        *("fault", "sequence", "rotation", "seat", "player", "kind", "decision"),
        *("limit_ms", "used_ms", "queue_ms", "transport_ms", "action", "message", "last_message", "output"),
    ),
    "conduct": (
        *("player", "games", "faults", "fault_rate", "retired_rate", *KINDS),
        *("guards", "idle_cpu_ms", "quarantined_after", "unplayed"),
    ),
    "attempts": ("sequence", "number", "worker", "wall_ms", "cpu_ms", "error"),
}


def content_hash(session: Session, tournament_id: int) -> str:
    """Return a hex BLAKE2b-128 over the committed matches in scheduled order."""
    identities = {entry.id: entry.identity for entry in tournaments.entries(session, tournament_id)}
    setups = tournaments.setups(session, tournament_id)
    load = selectinload(MatchModel.games)
    query = (
        select(MatchModel)
        .where(MatchModel.tournament_id == tournament_id)
        .order_by(MatchModel.sequence)
        .options(load.selectinload(GameModel.placements), load.selectinload(GameModel.faults))
        .execution_options(yield_per=200)
    )
    digest = blake2b(digest_size=16, person=b"results")
    for match in session.scalars(query):
        pool = setups[match.setup]
        facts = [
            *(match.sequence, match.round, match.key.hex(), list(match.players)),
            *(pool.ruleset_hash, pool.seats, pool.teams, pool.turn_cap, pool.point_rule),
            [_game_facts(game, identities) for game in sorted(match.games, key=lambda game: game.rotation)],
        ]
        digest.update(json.dumps(facts).encode() + b"\n")
    return digest.hexdigest()


def columns(name: str) -> tuple[str, ...]:
    """Return the column names of a table; raises StoreError for an unknown name."""
    if name not in _COLUMNS:
        raise StoreError(f"no table {name!r} to export; there are {', '.join(_COLUMNS)}")
    return _COLUMNS[name]


def rows(
    session: Session, tournament_id: int, name: str, system: RatingSystem
) -> Iterator[tuple[_Value, ...]]:
    """Yield a table's rows of plain values; they read the session lazily."""
    if name == "standings":
        return _standings(session, tournament_id, system)
    readers = {
        "pairwise": _pairwise,
        "games": _games,
        "faults": _faults,
        "conduct": _conduct,
        "attempts": _attempts,
    }
    return readers[name](session, tournament_id)


def _standings(session: Session, tournament_id: int, system: RatingSystem) -> Iterator[tuple[_Value, ...]]:
    for row in standings.leaderboard(session, standings.Scope(tournament_id, None), system):
        player = row.player
        yield (
            *(player.label, player.identity, player.bot, player.version, player.options),
            *(row.games, row.matches, row.void, row.score, row.score_se),
            *(row.wins, row.capped, row.faults, row.fault_rate, row.rating),
        )


def _pairwise(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    for row in standings.pairwise(session, standings.Scope(tournament_id, None)):
        yield (
            *(row.player.label, row.opponent.label, row.games),
            *(row.score, row.opponent_score, row.outscored, row.tied),
        )


def _games(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    """Yield one row a seat; no times and no database ids, so that equal runs export equal rows."""
    for game in games.games(session, tournament_id):
        pool = game.pool
        common = (
            *(game.sequence, game.rotation, game.round, pool.label, pool.ruleset_hash, pool.seats),
            *(pool.entrants, ",".join(map(str, pool.teams)), pool.turn_cap, pool.point_rule),
            *(game.termination, game.laps, game.decisions, game.digest),
        )
        for seat in game.seats:
            place = (*seat.placement, seat.eliminated_at, int(seat.won), seat.reason)
            yield (*common, seat.seat, seat.player, seat.score, *place, seat.guard)


def _faults(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    """Yield one row a fault; its id, times and texts may differ between equal runs."""
    for fault, output, last_message in faults.with_texts(session, tournament_id):
        yield (
            *(fault.id, fault.sequence, fault.rotation, fault.seat, fault.player, fault.kind),
            *(fault.decision, fault.limit_ms, fault.used_ms, fault.queue_ms, fault.transport_ms),
            *(fault.action, fault.message, last_message, output),
        )


def _conduct(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    for row in conduct.conduct(session, tournament_id):
        yield (
            *(row.player.label, row.games, row.faults, row.fault_rate, row.retired_rate),
            *(row.kinds.get(kind, 0) for kind in KINDS),
            *(",".join(row.guards), row.idle_cpu_ms),
            *(row.quarantine.sequence if row.quarantine else None, row.unplayed),
        )


def _attempts(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    """Yield every try at a match, with the reason of those that do not count."""
    for row in commits.attempts(session, tournament_id, voided_only=False):
        yield (row.sequence, row.number, row.worker, row.wall_ms, row.cpu_ms, row.error)


def _game_facts(game: GameModel, identities: Mapping[int, str]) -> list[object]:
    """Return what a game's result says, without times, messages and workers."""
    return [
        *(game.rotation, game.termination, game.laps, game.decisions, game.digest),
        [
            [
                *(identities[seat.player_id], seat.score, seat.placement_lo, seat.placement_hi),
                *(seat.eliminated_at, seat.won),
            ]
            for seat in game.placements
        ],
        sorted([fault.seat, fault.decision, fault.kind, fault.action] for fault in game.faults),
    ]
