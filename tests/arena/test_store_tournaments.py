"""Creating, finding and resuming tournaments; identities and pools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from store_samples import SEED, Sample, open_store, player, setup

from arena.errors import StoreError
from arena.store import Store
from arena.store.tournaments import player_identity


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "arena.db")


def test_a_tournament_is_found_by_id_by_text_and_by_name(store: Store) -> None:
    first, second = Sample(store), Sample(store)
    for reference in (first.id, str(first.id)):
        assert store.tournament(reference).id == first.id
    assert store.tournament("sample").id == second.id


def test_a_name_of_digits_can_be_found(store: Store) -> None:
    sample = Sample(store, name="2026")
    assert store.tournament("2026").id == sample.id


def test_an_unknown_tournament_error_lists_the_known(store: Store) -> None:
    with pytest.raises(StoreError, match="the database holds none yet"):
        store.tournament("cup")
    Sample(store, name="league")
    for reference in ("cup", 7):
        with pytest.raises(StoreError, match=r"the newest are 1 \(league\)"):
            store.tournament(reference)


def test_every_read_refuses_an_unknown_id(store: Store) -> None:
    """An unknown id is an error, never an empty table (I07)."""
    reads: list[Callable[[int], object]] = [
        store.seed,
        store.setups,
        store.entries,
        store.pools,
        store.done_sequences,
        store.attempts,
        store.content_hash,
        store.faults,
        store.rating_changes,
        store.update_ratings,
        store.game,
        store.record,
        lambda tid: list(store.games(tid)),
        lambda tid: list(store.games_in_order(tid)),
        lambda tid: store.leaderboard(tournament_id=tid),
        lambda tid: store.leaderboard(pool_id=tid),
        lambda tid: store.pairwise(tournament_id=tid),
        lambda tid: store.export(tid, "games"),
        lambda tid: store.recompute_ratings(tournament_id=tid),
        lambda tid: store.set_state(tid, "stopped"),
        lambda tid: store.commit_matches(tid, []),
    ]
    for read in reads:
        with pytest.raises(StoreError, match="99"):
            read(99)


def test_resumable_tournaments_are_those_not_finished(store: Store) -> None:
    """After a kill the state is still `running`, so that it is listed too (A01)."""
    running, stopped, finished = Sample(store), Sample(store), Sample(store)
    store.set_state(stopped.id, "stopped")
    store.set_state(finished.id, "finished")
    assert [row.id for row in store.tournaments(resumable=True)] == [stopped.id, running.id]
    assert len(store.tournaments()) == 3


def test_progress_counts_committed_of_planned(store: Store) -> None:
    sample = Sample(store)
    store.commit_matches(sample.id, list(sample.matches())[:4])
    row = store.tournament(sample.id)
    assert (row.committed, row.total) == (4, 30)


def test_the_seed_is_published_only_when_finished(store: Store) -> None:
    sample = Sample(store)
    assert store.tournament(sample.id).seed == ""
    assert store.seed(sample.id) == SEED
    store.set_state(sample.id, "finished")
    row = store.tournament(sample.id)
    assert row.seed == SEED.hex()
    assert row.finished is not None
    assert row.finished >= row.created
    assert row.created.utcoffset() is not None


def test_identity_is_bot_version_and_settings_but_not_the_label() -> None:
    base = player("greedy", margin=2)
    same = [replace(base, name="other"), replace(base, bot=replace(base.bot, target="elsewhere.py"))]
    other = [
        player("greedy", margin=3),
        player("greedy", margin=2.0),
        player("greedy"),
        replace(base, bot=replace(base.bot, version="2")),
        player("random", margin=2),
    ]
    assert {player_identity(one) for one in same} == {player_identity(base)}
    assert len({player_identity(one) for one in [base, *other]}) == 6


def test_identity_ignores_the_order_of_settings() -> None:
    assert player_identity(player("x", a=1, b=2)) == player_identity(player("x", b=2, a=1))


def test_a_player_keeps_its_identity_under_another_label(store: Store) -> None:
    first = Sample(store, players=(player("A"), player("B")), setups=(setup(2),))
    renamed = (replace(player("A"), name="champion"), player("C"))
    second = Sample(store, players=renamed, setups=(setup(2),))
    old, new = store.entries(first.id)[0], store.entries(second.id)[0]
    assert (old.id, old.label) == (new.id, "A")
    assert new.label == "champion"


def test_the_same_player_twice_is_refused(store: Store) -> None:
    twins = (player("A"), replace(player("A"), name="A2"))
    with pytest.raises(StoreError, match="players 'A' and 'A2' are one player"):
        Sample(store, players=twins, setups=(setup(2),))
    with pytest.raises(StoreError, match="entered twice"):
        Sample(store, players=(player("A"), player("A")), setups=(setup(2),))
    assert store.tournaments() == ()


def test_one_pool_whatever_the_variant_is_called(store: Store) -> None:
    sample = Sample(store, setups=(setup(2), setup(2, variant="two_player"), setup(2, turn_cap=50)))
    pools = store.setups(sample.id)
    assert pools[0].id == pools[1].id != pools[2].id
    assert [pool.label for pool in pools] == ["classic", "two_player", "classic"]
    assert len(store.pools(sample.id)) == len(store.pools()) == 2


def test_every_part_of_the_pool_key_separates(store: Store) -> None:
    base = setup(4)
    setups = (
        base,
        replace(base, ruleset_hash="other"),
        replace(base, teams=(0, 1, 0, 1)),
        replace(base, turn_cap=99),
        replace(base, point_rule="adjudicate"),
        setup(3),
    )
    Sample(store, setups=setups)
    assert len(store.pools()) == len(setups)
    assert store.pools()[2].teams == (0, 1, 0, 1)


def test_resume_checks_setups_and_players(store: Store) -> None:
    sample = Sample(store)
    store.check_resume(sample.id, sample.setups, sample.players)
    changed = (sample.setups[0], replace(sample.setups[1], turn_cap=7))
    with pytest.raises(StoreError, match=r"setup 1 was .* when the tournament began .* run FILE --new`"):
        store.check_resume(sample.id, changed, sample.players)
    with pytest.raises(StoreError, match=r"began with 5 players, now there are 4.* run FILE --new`"):
        store.check_resume(sample.id, sample.setups, sample.players[:4])
    swapped = (sample.players[1], sample.players[0], *sample.players[2:])
    with pytest.raises(StoreError, match="player 0 was"):
        store.check_resume(sample.id, sample.setups, swapped)
