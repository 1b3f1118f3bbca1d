"""A tournament that grows: setups, players and matches are added while it is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import seeds
from arena.errors import StoreError
from arena.setups import setup_for
from arena.spec import remote_bot
from arena.store import Store
from arena.types import Player

ANNA, BERT = (Player(f"{name} 1", remote_bot(name, "1")) for name in ("anna", "bert"))
NEWER = Player("anna 2", remote_bot("anna", "2"))
TWO, THREE = (setup_for("classic", seats, {"turn_cap": 4}, "split") for seats in (2, 3))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(f"sqlite:///{tmp_path}/cup.db")
    made.migrate()
    return made


def opened(store: Store) -> int:
    seed = seeds.new_seed()
    commitment = seeds.seed_commitment(seed)
    return store.create_tournament(
        name="lobby", spec="", seed=seed, commitment=commitment, setups=(), players=(), total=0
    )


def test_entries_and_setups_keep_their_index(store: Store) -> None:
    lobby = opened(store)
    assert [store.add_entry(lobby, player) for player in (ANNA, BERT, NEWER, ANNA)] == [0, 1, 2, 0]
    assert [store.add_setup(lobby, setup) for setup in (TWO, THREE, TWO)] == [0, 1, 0]
    assert [entry.label for entry in store.entries(lobby)] == ["anna 1", "bert 1", "anna 2"]
    assert [pool.seats for pool in store.setups(lobby)] == [2, 3]


def test_a_player_is_the_same_in_every_tournament(store: Store) -> None:
    first, second = opened(store), opened(store)
    assert store.add_entry(first, ANNA) == store.add_entry(second, ANNA) == 0
    assert store.entries(first)[0].id == store.entries(second)[0].id


def test_the_number_of_matches_never_falls(store: Store) -> None:
    lobby = opened(store)
    for total, expected in ((3, 3), (2, 3), (5, 5)):
        store.plan_matches(lobby, total)
        assert store.tournament(lobby).total == expected


def test_an_unknown_tournament_is_named(store: Store) -> None:
    for grow in (
        lambda: store.add_entry(9, ANNA),
        lambda: store.add_setup(9, TWO),
        lambda: store.plan_matches(9, 1),
    ):
        with pytest.raises(StoreError, match="no tournament with id 9"):
            grow()
