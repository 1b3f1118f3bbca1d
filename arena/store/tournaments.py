"""Tournaments with their setups and entries: creating, finding, resuming."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, TypeVar, cast

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from arena.errors import StoreError
from arena.store.models import (
    Base,
    EntryModel,
    MatchModel,
    PlayerModel,
    PoolModel,
    SetupModel,
    TournamentModel,
)
from arena.store.rows import PlayerRow, PoolRow, TournamentRow, TournamentState
from arena.types import BotSpec, Player, PointRule, VariantSetup

Model = TypeVar("Model", bound=Base)

# What else to do where a tournament cannot be resumed; `arena serve` knows its tournaments by their names.
BEGIN_ANEW = (
    "begin a new tournament: `arena tournament run FILE --new`; with bots that dial in, give it another name"
)


def player_identity(player: Player) -> str:
    """Return the hash (hex BLAKE2b-128) of bot, version and settings: what ratings hold on to."""
    text = json.dumps([player.bot.name, player.bot.version, dict(player.options)], sort_keys=True)
    return blake2b(text.encode(), digest_size=16, person=b"player").hexdigest()


def create(
    session: Session,
    *,
    name: str,
    spec: str,
    seed: bytes,
    commitment: str,
    setups: Sequence[VariantSetup],
    players: Sequence[Player],
    total: int,
    quarantine_after: int,
) -> int:
    """Store a tournament with its setups and entries and return its id."""
    tournament = TournamentModel(
        name=name,
        state="running",
        created=datetime.now(UTC),
        spec=spec,
        commitment=commitment,
        seed=seed,
        total=total,
        quarantine_after=quarantine_after,
    )
    session.add(tournament)
    session.flush()
    _refuse_twins(players)
    for position, setup in enumerate(setups):
        session.add(new_setup(session, tournament.id, position, setup))
    for position, player in enumerate(players):
        session.add(new_entry(session, tournament.id, position, player))
    return tournament.id


def find(session: Session, reference: int | str) -> TournamentRow:
    """Return the tournament of that id, or the newest of that name."""
    query = _with_count().order_by(TournamentModel.id.desc()).limit(1)
    text = str(reference)
    row = None
    if text.isdecimal():
        row = session.execute(query.where(TournamentModel.id == int(text))).first()
    if row is None:
        row = session.execute(query.where(TournamentModel.name == text)).first()
    if row is None:
        raise StoreError(f"no tournament {text!r}; {_known(session)}")
    return _tournament_row(*row)


def listing(session: Session, *, resumable: bool) -> tuple[TournamentRow, ...]:
    """Return tournaments, newest first."""
    query = _with_count().order_by(TournamentModel.id.desc())
    if resumable:
        query = query.where(TournamentModel.state != "finished")
    return tuple(_tournament_row(*row) for row in session.execute(query))


def require(session: Session, tournament_id: int, *, lock: bool = False) -> TournamentModel:
    """Return the model, locked against other writers if asked; raises StoreError for an unknown id."""
    found = session.get(TournamentModel, tournament_id, with_for_update=lock)
    if found is None:
        raise StoreError(f"no tournament with id {tournament_id}; {_known(session)}")
    return found


def set_state(session: Session, tournament_id: int, state: TournamentState) -> None:
    """Change the state and note when it was finished."""
    tournament = require(session, tournament_id, lock=True)
    tournament.state = state
    tournament.finished = datetime.now(UTC) if state == "finished" else None


def setups(session: Session, tournament_id: int) -> tuple[PoolRow, ...]:
    """Return the pools by setup index, labelled with the variant's name in this tournament."""
    require(session, tournament_id)
    query = (
        select(PoolModel, SetupModel.variant)
        .join(SetupModel, SetupModel.pool_id == PoolModel.id)
        .where(SetupModel.tournament_id == tournament_id)
        .order_by(SetupModel.position)
    )
    return tuple(pool_row(pool, variant) for pool, variant in session.execute(query))


def entries(session: Session, tournament_id: int) -> tuple[PlayerRow, ...]:
    """Return the players by entry index, with their labels in this tournament."""
    require(session, tournament_id)
    query = (
        select(PlayerModel, EntryModel.label)
        .join(EntryModel, EntryModel.player_id == PlayerModel.id)
        .where(EntryModel.tournament_id == tournament_id)
        .order_by(EntryModel.position)
    )
    return tuple(player_row(player, label) for player, label in session.execute(query))


def pools(session: Session, tournament_id: int | None) -> tuple[PoolRow, ...]:
    """Return the pools of a tournament, or all, by id."""
    query = select(PoolModel).order_by(PoolModel.id)
    if tournament_id is not None:
        require(session, tournament_id)
        own = select(SetupModel.pool_id).where(SetupModel.tournament_id == tournament_id)
        query = query.where(PoolModel.id.in_(own))
    return tuple(pool_row(pool) for pool in session.scalars(query))


def check_resume(
    session: Session, tournament_id: int, new_setups: Sequence[VariantSetup], players: Sequence[Player]
) -> None:
    """Compare with what was stored at the start; raises StoreError naming the first difference."""
    stored = [_pool_key_of_row(pool) for pool in setups(session, tournament_id)]
    _same("setup", stored, [_pool_key(setup) for setup in new_setups])
    identities = [entry.identity for entry in entries(session, tournament_id)]
    _same("player", identities, [player_identity(player) for player in players])


def pool_row(pool: PoolModel, label: str | None = None) -> PoolRow:
    """Return the plain form, under another label if given."""
    return PoolRow(
        id=pool.id,
        label=label or pool.label,
        ruleset_hash=pool.ruleset_hash,
        seats=pool.seats,
        teams=tuple(~team if team < 0 else team for team in pool.teams),
        entrants=len(set(pool.teams)) if min(pool.teams) < 0 else pool.seats,
        turn_cap=pool.turn_cap,
        point_rule=cast(PointRule, pool.point_rule),
    )


def player_row(player: PlayerModel, label: str | None = None) -> PlayerRow:
    """Return the plain form, under another label if given."""
    return PlayerRow(
        id=player.id,
        identity=player.identity,
        label=label or player.label,
        bot=player.bot,
        version=player.version,
        options=player.options,
    )


def _with_count() -> Select[TournamentModel, int]:
    committed = (
        select(func.count())
        .where(MatchModel.tournament_id == TournamentModel.id)
        .correlate(TournamentModel)
        .scalar_subquery()
    )
    return select(TournamentModel, committed)


def _tournament_row(tournament: TournamentModel, committed: int) -> TournamentRow:
    finished = tournament.state == "finished"
    return TournamentRow(
        id=tournament.id,
        name=tournament.name,
        state=cast(TournamentState, tournament.state),
        created=tournament.created,
        finished=tournament.finished,
        spec=tournament.spec,
        commitment=tournament.commitment,
        seed=tournament.seed.hex() if finished else "",
        total=tournament.total,
        committed=committed,
    )


def _known(session: Session) -> str:
    newest = session.execute(
        select(TournamentModel.id, TournamentModel.name).order_by(TournamentModel.id.desc()).limit(5)
    ).all()
    if not newest:
        return "the database holds none yet"
    return "the newest are " + ", ".join(f"{row.id} ({row.name})" for row in newest)


def _refuse_twins(players: Sequence[Player]) -> None:
    seen: dict[str, str] = {}
    for player in players:
        twin = seen.setdefault(player_identity(player), player.name)
        if twin != player.name:
            raise StoreError(
                f"players {twin!r} and {player.name!r} are one player: same bot, version and settings; "
                "change a setting or the version, or enter it once"
            )
    if len(seen) < len(players):
        raise StoreError("a player is entered twice; enter it once")


def new_setup(session: Session, tournament_id: int, position: int, setup: VariantSetup) -> SetupModel:
    """Return the row of a setup, not yet added; its pool is found or added."""
    key = _pool_key(setup)
    query = select(PoolModel).filter_by(**key)
    pool = _find_or_add(session, query, PoolModel(label=setup.variant, **key))
    return SetupModel(
        tournament_id=tournament_id,
        position=position,
        pool_id=pool.id,
        variant=setup.variant,
        rotations=len(setup.rotations),
    )


def new_entry(session: Session, tournament_id: int, position: int, player: Player) -> EntryModel:
    """Return the row of a player\'s entry, not yet added; the player is found or added."""
    identity = player_identity(player)
    new = PlayerModel(
        identity=identity,
        label=player.name,
        bot=player.bot.name,
        version=player.bot.version,
        options=json.dumps(dict(player.options), sort_keys=True),
    )
    found = _find_or_add(session, select(PlayerModel).where(PlayerModel.identity == identity), new)
    found.label = player.name
    return EntryModel(
        tournament_id=tournament_id,
        position=position,
        player_id=found.id,
        label=player.name,
        command=command_line(player.bot),
    )


def command_line(bot: BotSpec) -> str:
    """Say how a bot is started, as a person would in a shell; not part of the player's identity."""
    if bot.kind == "python":
        return f"{shlex.quote(bot.target)} (in-process Python)"
    if bot.kind == "remote":
        return ""
    return f"cd {shlex.quote(bot.target)} && {shlex.join(bot.argv)}"


def _find_or_add(session: Session, query: Select[Model], new: Model) -> Model:
    """Return the row that the query finds, else the new one; another writer may add it in between."""
    if (found := session.scalars(query).one_or_none()) is not None:
        return found
    try:
        with session.begin_nested():
            session.add(new)
    except IntegrityError:
        return session.scalars(query).one()
    return new


def _pool_key(setup: VariantSetup) -> dict[str, Any]:
    return {
        "ruleset_hash": setup.ruleset_hash,
        "seats": setup.seats,
        "teams": _team_format(setup.teams, setup.entrants),
        "turn_cap": setup.turn_cap,
        "point_rule": setup.point_rule,
    }


def _team_format(teams: tuple[int, ...], entrants: int) -> tuple[int, ...]:
    """The teams as a pool has them: complemented (-1, -2, ...) where one player commands a whole team."""
    return teams if entrants == len(teams) else tuple(~team for team in teams)


def _pool_key_of_row(pool: PoolRow) -> dict[str, Any]:
    names = ("ruleset_hash", "seats", "turn_cap", "point_rule")
    key = {name: getattr(pool, name) for name in names}
    return {**key, "teams": _team_format(pool.teams, pool.entrants)}


def _same(what: str, stored: Sequence[object], given: Sequence[object]) -> None:
    if len(stored) != len(given):
        raise StoreError(
            f"the tournament began with {len(stored)} {what}s, now there are {len(given)}; "
            f"resume with what it began with, or {BEGIN_ANEW}"
        )
    for index, (before, now) in enumerate(zip(stored, given, strict=True)):
        if before != now:
            raise StoreError(
                f"{what} {index} was {before} when the tournament began and is {now} now; "
                f"resume with what it began with, or {BEGIN_ANEW}"
            )
