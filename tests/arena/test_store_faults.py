"""What the store keeps of faults, isolation and idle CPU, and what it makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from databases import KINDS, database
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from store_samples import Sample, finished, open_store, player, setup

from arena.errors import StoreError
from arena.store import Store
from arena.store.ids import known_ids
from arena.store.models import Base, TokenModel
from arena.store.rows import ExportName, FinishedMatch
from arena.store.tournaments import player_identity
from arena.types import BotSpec, Fault, FaultKind, Player

WRITTEN = "head\n[... 70000 bytes left out ...]\n\0tail \udcff"
FAULT = Fault(
    seat=1,
    kind="timeout",
    decision=17,
    limit_ms=2000.0,
    used_ms=2100.5,
    action="retire",
    message="thought 2.1 s",
    queue_ms=3.25,
    transport_ms=0.75,
    output=WRITTEN,
    last_message='{"acts": {}}',
)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with database(request.param, tmp_path) as url, Store(url) as made:
        made.migrate()
        yield made


def with_games(match: FinishedMatch, **changes: Any) -> FinishedMatch:
    """The match with every game changed."""
    assert match.result is not None
    games = tuple(replace(game, **changes) for game in match.result.games)
    return replace(match, result=replace(match.result, games=games))


def test_all_that_a_fault_holds_is_kept(store: Store) -> None:
    """On every database, whatever bytes a bot wrote (I01, B08)."""
    sample = Sample(store, setups=(setup(2),))
    match = next(sample.matches())
    store.commit_matches(sample.id, [with_games(match, faults=(FAULT,), guards=("in_process", "sandbox"))])
    first, second = store.faults(sample.id)
    detail = store.fault(first.id)
    for name in {field.name for field in fields(Fault)} - {"output", "last_message"}:
        assert getattr(detail.fault, name) == getattr(FAULT, name), name
    assert detail.fault == first
    assert detail.output == WRITTEN.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\udcff", "?")
    assert detail.last_message == FAULT.last_message
    assert (detail.tournament, detail.variant, detail.seats) == ("sample", "classic", 2)
    assert (detail.guard, detail.quarantine) == ("sandbox", False)
    assert detail.command.endswith(f"{detail.player.bot}.py (in-process Python)")
    assert {seat.guard for game in store.games(sample.id) for seat in game.seats} == {"in_process", "sandbox"}
    assert second.rotation == 1
    assert store.faults(sample.id, kind="crash") == ()
    assert store.faults(sample.id, kind="timeout") == (first, second)


def test_an_unknown_fault_names_those_that_exist(store: Store) -> None:
    with pytest.raises(StoreError, match="no fault with id 1; this database holds none"):
        store.fault(1)
    sample = Sample(store)
    sample.commit_all()
    ids = sorted(fault.id for fault in store.faults(sample.id))
    with pytest.raises(StoreError, match=f"no fault with id 0; there are {len(ids)}, the newest {ids[-1]}"):
        store.fault(0)


def test_a_command_is_kept_as_a_person_would_type_it(tmp_path: Path) -> None:
    store = open_store(tmp_path / "arena.db")
    bots = (
        BotSpec("a b", "command", "/srv/my bots/a", ("python", "bot.py", "--deep mode")),
        BotSpec("b", "remote", ""),
    )
    sample = Sample(store, setups=(setup(2),), players=tuple(Player(bot.name, bot) for bot in bots))
    match = next(sample.matches())
    faults = (FAULT, replace(FAULT, seat=0))
    store.commit_matches(sample.id, [with_games(match, faults=faults)])
    commands = {
        store.fault(fault.id).player.label: store.fault(fault.id).command for fault in store.faults(sample.id)
    }
    assert commands == {"a b": "cd '/srv/my bots/a' && python bot.py '--deep mode'", "b": ""}


def test_idle_cpu_is_kept_a_match_and_player_where_it_was_measured(store: Store) -> None:
    sample = Sample(store, setups=(setup(2),), players=(player("A"), player("B")), rounds=3)
    burnt = iter([(40.0, 0.0), (20.0, 0.0), ()])
    for match in sample.matches():
        assert match.result is not None
        by_player = dict(zip((0, 1), next(burnt), strict=False))
        idle = tuple(by_player[who] for who in match.pairing.players) if by_player else ()
        store.commit_matches(sample.id, [replace(match, result=replace(match.result, idle_cpu_ms=idle))])
    assert [row.idle_cpu_ms for row in store.conduct(sample.id)] == [30.0, None]


KIND: st.SearchStrategy[FaultKind] = st.sampled_from(get_args(FaultKind))
FAULTS = st.lists(
    st.builds(
        lambda seat, kind, action: replace(FAULT, seat=seat, kind=kind, action=action),
        st.integers(0, 1),
        KIND,
        st.sampled_from(["retire", "default"]),
    ),
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(games=st.lists(FAULTS, min_size=2, max_size=2), copies=st.integers(1, 3))
def test_b13_rates_are_shares_of_games(
    tmp_path_factory: pytest.TempPathFactory, games: list[list[Fault]], copies: int
) -> None:
    """However many faults a game has, a rate is in [0, 1], and the games are its denominator."""
    store = open_store(tmp_path_factory.mktemp("rates") / "arena.db")
    sample = Sample(store, setups=(setup(2),), players=(player("A"), player("B")), rounds=copies)
    for match in sample.matches():
        assert match.result is not None
        results = tuple(
            replace(game, faults=tuple(faults))
            for game, faults in zip(match.result.games, games, strict=True)
        )
        store.commit_matches(sample.id, [replace(match, result=replace(match.result, games=results))])
    standings = {row.player.label: row for row in store.leaderboard(tournament_id=sample.id)}
    total = 0
    for row in store.conduct(sample.id):
        assert row.games == 2 * copies
        assert row.fault_rate is not None
        assert row.retired_rate is not None
        assert 0.0 <= row.retired_rate <= row.fault_rate <= 1.0
        assert (row.fault_rate == 0.0) == (row.faults == 0)
        assert row.fault_rate * row.games == pytest.approx(round(row.fault_rate * row.games))
        assert standings[row.player.label].fault_rate == row.fault_rate
        assert sum(row.kinds.values()) == row.faults == standings[row.player.label].faults
        total += row.faults
    assert total == copies * sum(map(len, games))
    store.close()


def test_a05_voided_attempts_are_told_with_their_reason_and_count_for_nobody(tmp_path: Path) -> None:
    sample = Sample(open_store(tmp_path / "arena.db"))
    matches = list(sample.matches())
    for reason in ("worker w1 was lost", "the host stalled for 2.5 s"):
        sample.store.commit_matches(sample.id, [finished(matches[3].pairing, error=reason)])
    sample.store.commit_matches(sample.id, matches)
    table = sample.store.export(sample.id, "attempts")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    told = [(row["sequence"], row["number"], row["error"]) for row in rows if row["error"]]
    assert told == [(3, 1, "worker w1 was lost"), (3, 2, "the host stalled for 2.5 s")]
    assert [row["number"] for row in rows if row["sequence"] == 3] == [1, 2, 3]
    voided = sample.store.attempts(sample.id, voided_only=True)
    assert [row.error for row in voided] == [error for _, _, error in told]
    games = [(game.sequence, game.rotation) for game in sample.store.games(sample.id)]
    assert len(games) == len(set(games))


def test_a11_a_platform_fault_is_billed_to_no_bot(tmp_path: Path) -> None:
    """An attempt that the platform voided leaves no game, fault or rating, however it ended."""
    sample = Sample(open_store(tmp_path / "arena.db"))
    match = next(iter(sample.matches()))
    assert match.result is not None
    broken = replace(match, result=replace(match.result, error="PlatformFault: the database went away"))
    assert sample.store.commit_matches(sample.id, [broken]) == (False,)
    assert list(sample.store.games(sample.id)) == []
    assert sample.store.faults(sample.id) == ()
    assert sample.store.update_ratings(sample.id) == 0
    assert [row.fault_rate for row in sample.store.conduct(sample.id)] == [None] * 5


def test_identity_is_blind_to_how_a_bot_is_started() -> None:
    """Protocol and children are how a bot is started, not who it is: old ratings go on."""
    bot = BotSpec("outrider", "command", "bots/outrider", ("python", "bot.py"))
    known = player_identity(Player("outrider", bot, (("depth", 3),)))
    assert known == "b2afa56baa7088e068647660bac40927"  # as before those fields existed
    for other in (
        replace(bot, protocol="jsonlines"),
        replace(bot, children=2),
        replace(bot, target="elsewhere", argv=("pypy", "bot.py"), origin="x"),
    ):
        assert player_identity(Player("another label", other, (("depth", 3),))) == known
    for changed in (replace(bot, version="2"), replace(bot, name="other")):
        assert player_identity(Player("outrider", changed, (("depth", 3),))) != known


COLUMNS = {
    "standings": "player identity bot version options games matches void score score_se wins capped faults "
    "fault_rate rating",
    "pairwise": "player opponent games score opponent_score outscored tied",
    "games": "sequence rotation round variant ruleset_hash seats entrants teams turn_cap point_rule "
    "termination laps decisions digest seat player score placement_lo placement_hi eliminated_at won "
    "reason guard",
    "faults": "fault sequence rotation seat player kind decision limit_ms used_ms queue_ms transport_ms "
    "action message last_message output",
    "conduct": "player games faults fault_rate retired_rate no_show start_timeout timeout illegal malformed "
    "flood crash disconnect resource guards idle_cpu_ms quarantined_after unplayed",
    "attempts": "sequence number worker wall_ms cpu_ms error",
}


@pytest.mark.parametrize("name", get_args(ExportName))
def test_i07_the_columns_of_every_table_are_fixed(tmp_path: Path, name: ExportName) -> None:
    """A column is never missing, and an unknown tournament is an error, not an empty table."""
    sample = Sample(open_store(tmp_path / "arena.db"))
    assert sample.store.export(sample.id, name).columns == tuple(COLUMNS[name].split())
    with pytest.raises(StoreError, match="no tournament '99'; the newest are 1"):
        sample.store.export(99, name)


@pytest.mark.parametrize("seed", range(3))
def test_exported_faults_add_up_to_conduct_and_standings(tmp_path: Path, seed: int) -> None:
    sample = Sample(open_store(tmp_path / "arena.db"))
    rng = random.Random(seed)
    sample.store.commit_matches(sample.id, rng.sample(matches := list(sample.matches()), len(matches)))

    def counts(name: ExportName, column: str) -> dict[object, object]:
        table = sample.store.export(sample.id, name)
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        return {row["player"]: row[column] for row in rows}

    listed = [fault.player for fault in sample.store.faults(sample.id)]
    expected = {label: listed.count(label) for label in "ABCDE"}
    assert counts("standings", "faults") == counts("conduct", "faults") == expected
    assert counts("conduct", "crash") == expected


def test_an_unknown_id_is_answered_with_all_ids_where_they_are_few_and_else_with_the_newest() -> None:
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        assert known_ids(session, TokenModel.id) == "this database holds none"
        for number in range(42):
            made = datetime(2026, 1, 1, tzinfo=UTC)
            session.add(TokenModel(player="anna", version="", token_hash=str(number), note="", created=made))
            if number == 2:
                session.flush()
                assert known_ids(session, TokenModel.id) == "there are 1, 2, 3"
        session.flush()
        assert known_ids(session, TokenModel.id) == "there are 42, the newest 42"
    engine.dispose()
