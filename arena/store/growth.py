"""Tournaments that grow while they are played, as the open lobby does: in setups, players and matches."""

from __future__ import annotations

from sqlalchemy.orm import Session

from arena.store import tournaments
from arena.types import Player, VariantSetup


def add_setup(session: Session, tournament_id: int, setup: VariantSetup) -> int:
    """Return the index of a setup, which is added at the end when it is not there yet."""
    tournaments.require(session, tournament_id, lock=True)
    known = tournaments.setups(session, tournament_id)
    new = tournaments.new_setup(session, tournament_id, len(known), setup)
    for index, pool in enumerate(known):
        if pool.id == new.pool_id:
            return index
    session.add(new)
    return len(known)


def add_entry(session: Session, tournament_id: int, player: Player) -> int:
    """Return the entry index of a player, who is entered at the end when not there yet."""
    tournaments.require(session, tournament_id, lock=True)
    known = tournaments.entries(session, tournament_id)
    identity = tournaments.player_identity(player)
    for index, entry in enumerate(known):
        if entry.identity == identity:
            return index
    session.add(tournaments.new_entry(session, tournament_id, len(known), player))
    return len(known)


def plan_matches(session: Session, tournament_id: int, total: int) -> None:
    """Raise the number of planned matches to `total`; it never falls."""
    tournament = tournaments.require(session, tournament_id, lock=True)
    tournament.total = max(tournament.total, total)
