"""`arena dial`: a bot in plain shell plays on a server, through cuts and a server that forgot it."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hub_house import SHORT, House, cup, remote
from hub_samples import ARENA, ROOT, wait_until
from relay import Cutter
from tournament_samples import arena
from wire_samples import MOCK_BOTS, alive

from arena.bridge import Bridge, LinesBot
from arena.cli import cli
from arena.dialling import Line
from arena.errors import ArenaError
from arena.spec import remote_bot
from arena.v1.play_pb2 import GameStart, PlayResponse

SHELL = ("sh", str(ROOT / "bots" / "shell_random" / "bot.sh"))


@contextmanager
def dialled(address: str, token: str, *command: str, retry: str = "0") -> Iterator[subprocess.Popen[str]]:
    """`arena dial` as a process, which must leave nothing of its bot behind."""
    process = subprocess.Popen(
        [ARENA, "dial", address, "--retry", retry, "--", *command],
        env={**os.environ, "ARENA_TOKEN": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=90)
        finally:
            process.kill()


def noting_pids(folder: Path) -> tuple[str, ...]:
    """The shell bot; the process ids of all that were started are in `folder`/pids."""
    return "sh", "-c", f"echo $$ >> {shlex.quote(str(folder / 'pids'))}; exec {shlex.join(SHELL)}"


def pids(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def test_a_shell_bot_dials_in_is_cut_and_plays_on(house: House, tmp_path: Path) -> None:
    """One process of it from the first game to the last, no fault, and nothing is left at the end."""
    anna, bert = house.token("anna"), house.token("bert")
    house.open(tournament=cup(remote("anna"), remote("bert"), cap=4))
    relay = Cutter(house.address)
    with dialled(relay.address, anna, *noting_pids(tmp_path)) as bot:
        house.wait_for("joined")
        house.bot(bert)
        house.wait_for("match_begun")
        door = house.hub.guests.find(remote_bot("anna", "1"))
        assert door is not None
        wait_until(lambda: door.last_message(), "a first answer")
        relay.cut()
        house.wait_for("back", bot="anna 1")
        (done,) = house.wait_for("match_done")
        assert done.facts["faults"] == []
        house.hub.stopping.set()  # the server has no more games
        said, errors = bot.communicate(timeout=90)
    relay.close()
    assert (bot.returncode, errors) == (0, "")
    games, decisions = (int(word) for word in said.replace(",", "").split() if word.isdecimal())
    assert games == 2
    assert decisions > 10
    (pid,) = pids(tmp_path)
    assert not Path(f"/proc/{pid}").exists()


def test_a_bot_whose_games_are_lost_is_started_anew(house: House, tmp_path: Path) -> None:
    anna, bert = house.token("anna"), house.token("bert")
    house.open(SHORT)
    with dialled(house.address, anna, *noting_pids(tmp_path), retry="60"):
        house.wait_for("joined")
        door = house.hub.guests.find(remote_bot("anna", "1"))
        assert door is not None
        with door._lock:  # it may not be back before it is forgotten
            door.cut()
            door.dismiss("just for this test")
        house.wait_for("joined", 2, bot="anna 1")
        house.bot(bert)
        (done, *_) = house.wait_for("match_done")
    assert done.facts["faults"] == []
    assert len(pids(tmp_path)) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids(tmp_path))


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (("sh", "-c", "exit 3"), "the bot does not join: it ended with exit code 3"),
        (("./nothing",), "cannot start ./nothing: No such file or directory"),
        (
            ("sh", "-c", """echo '{"join":{}}'; read -r line; exit 4"""),
            "the bot is gone: it ended with exit code 4",
        ),
    ],
)
def test_a_bot_that_does_not_play_is_told_in_one_line(
    house: House, command: tuple[str, ...], problem: str
) -> None:
    house.open(SHORT)
    done = arena("dial", house.address, "--", *command, ARENA_TOKEN=house.token("anna"))
    assert done.returncode == 1
    assert done.stderr == f"Error: {problem}\n" or done.stderr.startswith(f"Error: {problem};")
    assert done.stderr.count("\n") == 1


def test_a_bot_that_ends_with_its_join_is_gone_however_late_that_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a dead bot would stay at the table, and lose its games by time."""

    def slowly(*arguments: Any) -> LinesBot:
        bot = LinesBot(*arguments)
        wait_until(lambda: all(thread.name != "bot" for thread in threading.enumerate()), "its output's end")
        return bot

    monkeypatch.setattr("arena.bridge.LinesBot", slowly)
    bridge = Bridge(["echo", '{"join":{}}'], "token")
    bot = bridge._started()
    assert bridge.over
    assert bot.ending() == "it ended with exit code 0"
    bot.stop()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_of_a_bot_outlives_its_dial(house: House, tmp_path: Path, how: signal.Signals) -> None:
    """However that ends: not the bot, nor what it has started in a session of its own."""
    house.open(SHORT)
    away = f"setsid sleep 300 & echo $! >> {shlex.quote(str(tmp_path / 'pids'))}; "
    shell, option, noting = noting_pids(tmp_path)
    with dialled(house.address, house.token("anna"), shell, option, away + noting) as process:
        house.wait_for("joined")
        bots = pids(tmp_path)
        assert len(bots) == 2
        assert all(map(alive, bots))
        assert os.getpid() not in bots
        process.send_signal(how)
        process.wait(60)
        wait_until(lambda: not any(map(alive, bots)), "the end of all that was started")


def test_a_bot_that_does_not_read_is_given_up_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the line would wait for it for ever, and so would Ctrl-C."""
    monkeypatch.setattr("arena.bridge.READ_S", 0.2)
    command = [sys.executable, str(MOCK_BOTS / "lines.py"), "deaf"]
    bot = LinesBot(command, lambda *_: None, lambda *_: None)
    pid = bot.pid
    message = PlayResponse(game_start=GameStart(ruleset="x" * 50_000))
    with pytest.raises(ArenaError, match=r"has not read what it is told for 0\.2 s"):
        for _ in range(10):
            bot.tell(message)
    bot.stop()
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("address", "environment", "problem"),
    [
        ("foo", {}, "ADDRESS: foo is neither host:port nor unix:/path"),
        (
            "127.0.0.1:1",
            {"ARENA_RETRY": "soon"},
            "ARENA_RETRY must be a number of seconds, not 'soon'",
        ),
        (
            "127.0.0.1:1",
            {"ARENA_CA": "/nowhere"},
            "ARENA_CA: no certificate can be read from /nowhere",
        ),
    ],
)
def test_what_it_cannot_dial_with_is_wrong_use(
    address: str, environment: dict[str, str], problem: str
) -> None:
    done = arena("dial", address, "--", *SHELL, ARENA_TOKEN="guess", **environment)
    assert done.returncode == 2
    assert f"Error: {problem}" in done.stderr


def test_it_says_why_nobody_answers() -> None:
    """A port without a server, and a door that is no server's."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ArenaError, match=r"ARENA_ADDRESS right\? \(Connection refused\)"):
            Line(address).connect(0.1)
        silent.listen()
        with pytest.raises(ArenaError, match=r"\(what listens there does not answer in gRPC\)"):
            Line(address).connect(0.1)


def test_who_does_not_answer_is_named_as_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bridge.CONNECT_S", 0.1)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # this process has its own ways to end
    for variable in ("ARENA_TOKEN", "GRPC_VERBOSITY"):
        monkeypatch.setenv(variable, "NONE")
    done = CliRunner().invoke(cli, ["dial", "127.0.0.1:1", "--", *SHELL])
    assert done.exit_code == 1
    assert "is it running, and is ADDRESS right? (Connection refused)" in done.output


def test_it_needs_a_token_that_the_server_knows(house: House) -> None:
    house.open(SHORT)
    assert arena("dial", house.address, "--", *SHELL, ARENA_TOKEN="").returncode == 2
    refused = arena("dial", house.address, "--", *SHELL, ARENA_TOKEN="guess")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: the server refuses the token in ARENA_TOKEN: unknown token")
