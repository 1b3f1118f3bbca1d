"""What two runs can be compared by: a hash over all results, and tables of plain values for export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from arena.errors import StoreError
from arena.ratings import RatingSystem
from arena.store import games, standings, tournaments
from arena.store.models import GameModel, MatchModel

_Value = str | int | float | None

_COLUMNS = {
    "standings": (
        *("player", "identity", "bot", "version", "options", "games", "matches", "void"),
        *("score", "score_se", "wins", "capped", "faults", "rating"),
    ),
    "pairwise": ("player", "opponent", "games", "score", "opponent_score", "outscored", "tied"),
    "games": (
        *("sequence", "rotation", "round", "variant", "ruleset_hash", "seats", "teams", "turn_cap"),
        *("point_rule", "termination", "laps", "decisions", "digest"),
        *("seat", "player", "score", "placement_lo", "placement_hi", "eliminated_at", "won", "reason"),
    ),
    "faults": (
        *("sequence", "rotation", "seat", "player", "kind", "decision"),
        *("limit_ms", "used_ms", "action", "message"),
    ),
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
    readers = {"pairwise": _pairwise, "games": _games, "faults": _faults}
    return readers[name](session, tournament_id)


def _standings(session: Session, tournament_id: int, system: RatingSystem) -> Iterator[tuple[_Value, ...]]:
    for row in standings.leaderboard(session, standings.Scope(tournament_id, None), system):
        player = row.player
        yield (
            *(player.label, player.identity, player.bot, player.version, player.options),
            *(row.games, row.matches, row.void, row.score, row.score_se),
            *(row.wins, row.capped, row.faults, row.rating),
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
            *(",".join(map(str, pool.teams)), pool.turn_cap, pool.point_rule),
            *(game.termination, game.laps, game.decisions, game.digest),
        )
        for seat in game.seats:
            place = (*seat.placement, seat.eliminated_at, int(seat.won), seat.reason)
            yield (*common, seat.seat, seat.player, seat.score, *place)


def _faults(session: Session, tournament_id: int) -> Iterator[tuple[_Value, ...]]:
    for fault in games.faults(session, tournament_id):
        yield (
            *(fault.sequence, fault.rotation, fault.seat, fault.player, fault.kind, fault.decision),
            *(fault.limit_ms, fault.used_ms, fault.action, fault.message),
        )


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
