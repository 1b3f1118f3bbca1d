"""Tokens of bots that dial in: shown once, kept as hashes, revocable; and `arena player`, their command."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import cli
from arena.errors import StoreError
from arena.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/cup.db") as made:
        made.migrate()
        yield made


def player(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["player", *map(str, arguments)])


def test_a_token_is_256_bits_and_only_its_hash_is_kept(store: Store, tmp_path: Path) -> None:
    secret = store.tokens.add_player("anna")
    assert len(secret) == 43  # 32 bytes in base64
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert secret.encode() not in content
    with sqlite3.connect(tmp_path / "cup.db") as database:
        kept = database.execute("SELECT token_hash FROM tokens").fetchall()
    assert kept == [(hashlib.sha256(secret.encode()).hexdigest(),)]


def test_a_token_opens_its_own_player_and_nothing_else(store: Store) -> None:
    anna, bert = store.tokens.add_player("anna"), store.tokens.add_player("bert")
    opened = [store.tokens.check(secret) for secret in (anna, bert)]
    assert [row.player for row in opened if row] == ["anna", "bert"]
    assert store.tokens.check("") is None
    assert store.tokens.check(anna[:-1]) is None
    assert store.tokens.check(hashlib.sha256(anna.encode()).hexdigest()) is None


def test_revoking_ends_one_token_or_all_and_never_forgets_the_name(store: Store) -> None:
    first, second = store.tokens.add_player("anna"), store.tokens.add_token("anna", "for the laptop")
    assert store.tokens.revoke_token(1) == 1
    assert store.tokens.revoked([1, 2]) == {1}
    assert store.tokens.check(first) is None
    assert store.tokens.check(second) is not None
    assert [store.tokens.was_revoked(secret) for secret in (first, second, "guess")] == [True, False, False]
    assert store.tokens.revoke_player("anna") == 1
    assert store.tokens.check(second) is None
    with pytest.raises(StoreError, match="player 'anna' exists already; `arena player token anna`"):
        store.tokens.add_player("anna")
    third = store.tokens.add_token("anna")
    assert store.tokens.check(third) is not None


def test_a_join_is_noted(store: Store) -> None:
    store.tokens.add_player("anna", "mail")
    assert store.tokens.listing()[0].last_seen is None
    store.tokens.note_join(1, "1.2")
    (row,) = store.tokens.listing()
    assert (row.player, row.version, row.note) == ("anna", "1.2", "mail")
    assert row.last_seen is not None


@pytest.mark.parametrize("name", ["", "two words", "-dash", "a" * 41, "ümlaut", "semi;colon"])
def test_names_fit_tables_and_shells(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="use up to 40 letters, digits, dots, dashes and underscores"):
        store.tokens.add_player(name)


def test_names_differ_in_more_than_case(store: Store) -> None:
    store.tokens.add_player("anna")
    with pytest.raises(StoreError, match="exists already"):
        store.tokens.add_player("Anna")


def test_unknown_players_and_tokens_are_named_with_those_there_are(store: Store) -> None:
    with pytest.raises(StoreError, match="no player 'bert'; there is none yet"):
        store.tokens.add_token("bert")
    store.tokens.add_player("anna")
    with pytest.raises(StoreError, match="no player 'bert'; there are: anna"):
        store.tokens.revoke_player("bert")
    with pytest.raises(StoreError, match="no token 7"):
        store.tokens.revoke_token(7)


def test_the_command_prints_a_token_once_and_creates_the_database(tmp_path: Path) -> None:
    """In a folder that is there: a wrong path is no place for a new database."""
    nowhere = player("add", "anna", "--db", tmp_path / "nowhere" / "cup.db")
    assert nowhere.exit_code == 2
    assert f"there is no folder {tmp_path / 'nowhere'}" in nowhere.output
    assert not (tmp_path / "nowhere").exists()
    database = tmp_path / "cup.db"
    added = player("add", "anna", "--db", database, "--note", "mail")
    assert f"creates the database {database}\n" in added.stderr
    secret = added.stdout.strip()
    assert added.exit_code == 0
    assert "shown only now: give it to the bot as ARENA_TOKEN" in added.stderr
    listed = player("list", "--db", database)
    assert "anna" in listed.output
    assert "mail" in listed.output
    assert secret not in listed.output
    another = json.loads(player("token", "anna", "--db", database, "--json").output)
    assert another["player"] == "anna"
    with Store(f"sqlite:///{database}") as store:
        assert store.tokens.check(secret) is not None
        assert store.tokens.check(another["token"]) is not None


def test_the_command_revokes_by_name_or_by_id(tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    player("add", "anna", "--db", database)
    player("token", "anna", "--db", database)
    assert player("revoke", "--token-id", "1", "--db", database).output == "revoked 1 token\n"
    assert json.loads(player("revoke", "anna", "--db", database, "--json").output) == {"revoked": 1}
    rows = json.loads(player("list", "--db", database, "--json").output)
    assert all(row["revoked"] for row in rows)
    assert "token_hash" not in rows[0]


@pytest.mark.parametrize("arguments", [["revoke"], ["revoke", "anna", "--token-id", "1"]])
def test_the_command_wants_a_name_or_an_id(arguments: list[str]) -> None:
    refused = player(*arguments)
    assert refused.exit_code == 2
    assert "either a player's NAME or --token-id" in refused.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["add", "anna"], "player 'anna' exists already"),
        (["add", "two words"], "player name 'two words': use up to 40 letters"),
        (["token", "ana"], "no player 'ana' (did you mean 'anna'?); there are: anna, bert"),
        (["revoke", "nobody"], "no player 'nobody'; there are: anna, bert"),
        (["revoke", "--token-id", "9"], "no token 9; `arena player list` shows them"),
    ],
)
def test_a_name_that_cannot_be_is_wrong_use_in_one_line(
    tmp_path: Path, arguments: list[str], problem: str
) -> None:
    for name in ("anna", "bert"):
        player("add", name, "--db", tmp_path / "cup.db")
    refused = player(*arguments, "--db", tmp_path / "cup.db")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"Error: {problem}")
    assert refused.stderr.count("\n") == 1
