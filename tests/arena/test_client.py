"""`arena.client.serve`: what it says when it cannot play, how it leaves, how it resumes a broken stream."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from relay import Cutter
from wire_samples import MOCK_BOTS, RANDOM, Table, faults_of, mock, plan, table, wait_until

from arena.client import play, serve
from arena.driver import Driver
from arena.errors import ArenaError
from arena.seats import Door, InProcessDoor
from arena.server import RemoteDoor
from arena.types import Player
from engine_core import ActionRange, Legal, View


@pytest.fixture
def seated() -> Iterator[Table]:
    with table() as made:
        yield made


def first(_view: View, legal: Legal) -> ActionRange:
    return legal[0]


def test_no_address_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_ADDRESS", raising=False)
    with pytest.raises(ArenaError, match=r"set ARENA_ADDRESS to host:port or unix:/path"):
        play(first)


def test_no_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.CONNECT_S", 0.2)
    with pytest.raises(ArenaError, match=r"no server answers at unix:/nowhere within 0\.2 s"):
        play(first, address="unix:/nowhere", token="")


def test_environment_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_CA", "/nowhere/ca.pem")
    with pytest.raises(ArenaError, match=r"ARENA_CA: .* from /nowhere/ca\.pem \(No such file or directory\)"):
        play(first, address="127.0.0.1:1", token="")
    monkeypatch.setenv("ARENA_RETRY", "soon")
    with pytest.raises(ArenaError, match="ARENA_RETRY must be a number of seconds, not 'soon'"):
        play(first, address="127.0.0.1:1", token="")


def test_refused_token_is_an_error_with_the_servers_words(seated: Table) -> None:
    with pytest.raises(ArenaError, match="refuses the token in ARENA_TOKEN: unknown token"):
        play(first, address=seated.server.addresses[0], token="guess")


def test_serve_says_it_in_one_line_and_ends_the_process_with_code_1() -> None:
    with pytest.raises(SystemExit) as ended:
        serve(first, name="mine", address="foo")
    assert ended.value.code == "mine: ARENA_ADDRESS: foo is neither host:port nor unix:/path"


def test_bot_leaves_well_when_the_server_has_no_more_games(seated: Table) -> None:
    door = seated.server.door("first", seated.inbox, start_s=60.0)
    bot = threading.Thread(target=play, args=(first,), kwargs=access(seated, door))
    bot.start()
    assert wait_until(lambda: door.ready_at is not None)
    door.close()
    bot.join(60.0)
    assert not bot.is_alive()


def test_bots_process_leaves_well_when_the_server_goes_away(seated: Table) -> None:
    """The server stops under it, in the middle of a game: no error, exit code 0."""
    door = seated.server.door("first", seated.inbox, start_s=60.0)
    process = seated.launcher.start(
        ["python", "first_legal.py"], cwd=MOCK_BOTS, address=seated.server.addresses[0], token=door.token
    )
    assert wait_until(lambda: door.ready_at is not None)
    seated.server.stop()
    how = process.wait(60.0)
    assert how is not None
    assert (how.code, how.output) == (0, "")


def access(seated: Table, door: RemoteDoor) -> dict[str, str]:
    return {"address": seated.server.addresses[0], "token": door.token}


def test_stream_that_breaks_again_and_again_is_resumed_without_a_fault(seated: Table) -> None:
    """The line is cut in the middle of games: no fault, and the games are those of a calm run."""
    game = plan(mock("first_legal"), RANDOM, cap=6)
    calm = seated.play(game)
    seated.leave()

    relay = Cutter(seated.server.addresses[1], cut_every=100_000)
    door = seated.server.door("first", seated.inbox, start_s=60.0, resume_s=60.0)
    bot = threading.Thread(target=play, args=(first,), kwargs={"address": relay.address, "token": door.token})
    bot.start()
    external, internal = game.players
    doors: dict[Player, Door] = {external: door, internal: InProcessDoor(RANDOM, seated.inbox)}
    result = Driver(doors, seated.inbox).play(game)
    door.close()
    bot.join(60.0)
    relay.close()
    assert not bot.is_alive()
    assert result.error == ""
    assert faults_of(result, 0) == []
    assert relay.accepted >= 2
    assert [g.final_digest for g in result.games] == [g.final_digest for g in calm.games]


def test_bot_whose_games_end_while_its_line_is_cut_leaves_well(seated: Table) -> None:
    relay = Cutter(seated.server.addresses[1])
    door = seated.server.door("first", seated.inbox, start_s=60.0, resume_s=60.0)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            play(first, address=relay.address, token=door.token)
        except BaseException as error:
            failures.append(error)

    bot = threading.Thread(target=run)
    bot.start()
    game = plan(mock("first_legal"), RANDOM, cap=2)
    external, internal = game.players
    result = Driver({external: door, internal: InProcessDoor(RANDOM, seated.inbox)}, seated.inbox).play(game)
    assert faults_of(result, 0) == []
    relay.cut()
    door.close()
    bot.join(60.0)
    relay.close()
    assert not bot.is_alive()
    assert failures == []
