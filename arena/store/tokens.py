"""Tokens of bots that dial in: shown once, kept as hashes, revocable; the name on a token is only a label.

A token is 256 random bits, so one round of SHA-256 hides it as well as a slow hash would: there is nothing to
guess.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from arena.errors import StoreRefusal
from arena.store.database import Database
from arena.store.models import PlayerModel, TokenModel
from arena.tables import hint
from arena.types import BotSpec

TOKEN_BYTES = 32
# What fits a table, a shell and a log line; no space, since labels put the version behind one.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token of a bot that dials in, without its secret; `version` is the last that joined with it."""

    id: int
    player: str
    version: str
    note: str
    created: datetime
    last_seen: datetime | None
    revoked: datetime | None


class Tokens:
    """The accounts of a database and their tokens; every change is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        """Nothing is read before it is asked for."""
        self._database = database

    def add_player(self, name: str, note: str = "") -> str:
        """Create an account and return its first token; StoreRefusal for a bad name or one that exists."""
        if not NAME.fullmatch(name):
            raise StoreRefusal(
                f"player name {name!r}: use up to 40 letters, digits, dots, dashes and underscores, "
                "beginning with a letter or digit"
            )
        with self._database.writing() as session:
            if _exists(session, name):
                raise StoreRefusal(
                    f"player {name!r} exists already; `arena player token {name}` makes it another token"
                )
            return _add(session, name, note)

    def add_token(self, name: str, note: str = "") -> str:
        """Return a further token of an account; the others go on working until they are revoked."""
        with self._database.writing() as session:
            _require(session, name)
            return _add(session, name, note)

    def listing(self) -> tuple[TokenRow, ...]:
        """Return every token, revoked ones too, by player and age."""
        query = select(TokenModel).order_by(TokenModel.player, TokenModel.id)
        with self._database.reading() as session:
            return tuple(_row(token) for token in session.scalars(query))

    def working(self, names: Iterable[str]) -> dict[str, bool]:
        """Return those of some accounts that exist, each with whether one of its tokens still works."""
        found: dict[str, bool] = {}
        query = select(TokenModel.player, TokenModel.revoked).where(TokenModel.player.in_(list(names)))
        with self._database.reading() as session:
            for player, revoked in session.execute(query):
                found[player] = found.get(player, False) or revoked is None
        return found

    def revoke_player(self, name: str) -> int:
        """Revoke all tokens of an account and return how many still worked."""
        with self._database.writing() as session:
            _require(session, name)
            return _revoke(session.scalars(select(TokenModel).where(TokenModel.player == name)))

    def revoke_token(self, token_id: int) -> int:
        """Revoke one token by its id and return how many (1 or 0) still worked."""
        with self._database.writing() as session:
            token = session.get(TokenModel, token_id)
            if token is None:
                raise StoreRefusal(f"no token {token_id}; `arena player list` shows them")
            return _revoke([token])

    def check(self, secret: str) -> TokenRow | None:
        """Return what a bot's secret opens; None when it is unknown or revoked."""
        digest = _hash(secret)
        with self._database.reading() as session:
            token = session.scalars(select(TokenModel).where(TokenModel.token_hash == digest)).one_or_none()
            if token is None or not hmac.compare_digest(token.token_hash, digest):
                return None
            return None if token.revoked else _row(token)

    def was_revoked(self, secret: str) -> bool:
        """Return whether a bot's secret did open something once, until it was revoked."""
        query = select(TokenModel.id).where(
            TokenModel.token_hash == _hash(secret), TokenModel.revoked.is_not(None)
        )
        with self._database.reading() as session:
            return session.scalars(query).first() is not None

    def plays(self, bot: BotSpec) -> bool:
        """Return whether a version of an account is a player already, of a tournament or the lobby."""
        query = select(PlayerModel.id).where(PlayerModel.bot == bot.name, PlayerModel.version == bot.version)
        with self._database.reading() as session:
            return session.scalars(query.limit(1)).first() is not None

    def note_join(self, token_id: int, version: str) -> None:
        """Remember when a token was last used, and by which version of the bot."""
        with self._database.writing() as session:
            token = session.get_one(TokenModel, token_id)
            token.version, token.last_seen = version, datetime.now(UTC)

    def revoked(self, token_ids: Iterable[int]) -> frozenset[int]:
        """Return those of some tokens that are revoked by now."""
        query = select(TokenModel.id).where(
            TokenModel.id.in_(list(token_ids)), TokenModel.revoked.is_not(None)
        )
        with self._database.reading() as session:
            return frozenset(session.scalars(query))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _add(session: Session, name: str, note: str) -> str:
    secret = secrets.token_urlsafe(TOKEN_BYTES)
    session.add(
        TokenModel(player=name, version="", token_hash=_hash(secret), note=note, created=datetime.now(UTC))
    )
    return secret


def _exists(session: Session, name: str) -> bool:
    """Whether an account exists; names that differ in nothing but case would be mistaken for each other."""
    same = func.lower(TokenModel.player) == name.lower()
    return session.scalars(select(TokenModel.id).where(same).limit(1)).first() is not None


def _require(session: Session, name: str) -> None:
    if session.scalars(select(TokenModel.id).where(TokenModel.player == name).limit(1)).first() is not None:
        return
    known = sorted(set(session.scalars(select(TokenModel.player).distinct())))
    there = f"there are: {', '.join(known)}" if known else "there is none yet; see `arena player add --help`"
    raise StoreRefusal(f"no player {name!r}{hint(name, known)}; {there}")


def _revoke(tokens: Iterable[TokenModel]) -> int:
    working = [token for token in tokens if token.revoked is None]
    for token in working:
        token.revoked = datetime.now(UTC)
    return len(working)


def _row(token: TokenModel) -> TokenRow:
    return TokenRow(
        id=token.id,
        player=token.player,
        version=token.version,
        note=token.note,
        created=token.created,
        last_seen=token.last_seen,
        revoked=token.revoked,
    )
