"""`arena serve` from end to end: bots of two languages dial in from elsewhere, are cut, and play on."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hub_samples import ARENA, ROOT, Network, Serving, add_player, dialling_in, free_port, network, serving
from tournament_samples import arena
from wire_samples import MOCK_BOTS, bundled, wait_until

from arena.cli import cli
from arena.errors import StoreRefusal
from arena.hub.certificates import make_certificate
from arena.server import build_bot
from arena.store import Store

SERIES = """
name = "series"
rounds = 14
seed = 14
players = [{ remote = "anna" }, { remote = "bert" }]

[[variants]]
name = "classic"
seats = 2
options = { turn_cap = 12 }

[clocks]
connect = 300
decision = 60
"""
CUT_AFTER, KILL_AFTER = 3, 7
RELAY = ROOT / "tests" / "support" / "relay.py"
OUTRIDER, VANGUARD = ROOT / "bots" / "outrider", ROOT / "bots" / "vanguard"


def test_bots_of_two_languages_dial_in_from_elsewhere_and_play_a_rated_series(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    """Over TLS, from namespaces of their own; one line is cut, the server is killed and started again."""
    build_bot(bundled("vanguard"))
    with network("anna", "bert") as places:
        record_property("network", places.kind)
        with capsys.disabled():
            print(f"\n[two bots dial in from {places.kind}]", end=" ")
        events = _play_series(tmp_path, places)
    hosts = {event["bot"]: event["host"] for event in events if event["event"] == "joined"}
    assert hosts == {"anna 1": places.address("anna"), "bert 1": places.address("bert")}
    _check_series(tmp_path / "cup.db")


def _play_series(folder: Path, places: Network) -> list[dict[str, object]]:
    """Play the series to its end, and on in the lobby; all events."""
    port, database = free_port(), folder / "cup.db"
    made = make_certificate(folder / "tls", [places.host("anna"), places.host("bert")])
    (folder / "series.toml").write_text(SERIES)
    tokens = {name: add_player(database, name) for name in ("anna", "bert")}
    arguments: list[str | Path] = [
        *("--listen", f"{places.listen}:{port}", "--tls", folder / "tls", "--db", database),
        *("--tournament", folder / "series.toml", "--lobby", "classic:2,turn_cap=6"),
    ]
    relay = subprocess.Popen(
        [*places.prefix("anna"), sys.executable, RELAY, f"{places.host('anna')}:{port}", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert relay.stdout is not None
    shared = {"ARENA_CA": str(made.authority)}
    anna = {"address": relay.stdout.readline().strip(), "token": tokens["anna"], "ARENA_RETRY": "300"}
    bert = {"address": f"{places.host('bert')}:{port}", "token": tokens["bert"], "again": True}
    with (
        serving(*arguments, prefix=places.prefix("server")) as first,
        dialling_in(
            [sys.executable, "bot.py"], OUTRIDER, prefix=places.prefix("anna"), **anna, **shared
        ) as python,
        dialling_in(["node", "bot.js"], VANGUARD, prefix=places.prefix("bert"), **bert, **shared),
    ):
        try:
            _cut(first, relay)
            first.wait_for("match_done", KILL_AFTER)
            first.kill()
            done = _committed(database)
            assert done >= KILL_AFTER
            with serving(*arguments, prefix=places.prefix("server")) as second:
                assert second.wait_for("tournament_begun")[0]["done"] == done
                second.wait_for("tournament_done", seconds=600.0)
                assert len(second.of("match_done", tournament="series")) == 14 - done
                second.wait_for("match_done", 2, tournament="lobby")
                took = second.stop()
            assert took < 60.0  # 2 s on a quiet machine
            command = second.wait_for("stopped")[0]["command"]
            assert command.startswith("arena serve --json --listen ")
            assert len(python.pids) == 1  # it dialled again by itself
        finally:
            relay.kill()
            relay.wait()
        return first.events + second.events


def _cut(server: Serving, relay: subprocess.Popen[str]) -> None:
    """Kill anna's connection in the middle of a match, and see it come back."""
    server.wait_for("match_done", CUT_AFTER)
    server.wait_for("match_begun", len(server.of("match_done")) + 1)
    for _ in range(5):  # a server that is kept waiting may see the new connection before the end of the old
        relay.send_signal(signal.SIGUSR1)
        if wait_until(lambda: server.of("away", bot="anna 1"), seconds=20.0):
            break
    server.wait_for("away", bot="anna 1")
    server.wait_for("back", bot="anna 1")


def _committed(database: Path) -> int:
    with Store(f"sqlite:///{database}") as store:
        return len(store.done_sequences(store.tournament("series").id))


def _check_series(database: Path) -> None:
    """Every match exactly once, no bot gone, ratings there, and all of it recomputable."""
    with Store(f"sqlite:///{database}") as store:
        row = store.tournament("series")
        assert (row.state, row.committed, row.total) == ("finished", 14, 14)
        games = Counter((game.sequence, game.rotation) for game in store.games(row.id))
        assert games == Counter({(sequence, rotation): 1 for sequence in range(14) for rotation in range(2)})
        assert {fault.kind for fault in store.faults(row.id)} <= {"timeout"}  # of a crowded machine, at most
        standings = store.leaderboard(tournament_id=row.id)
        assert {standing.player.label for standing in standings} == {"anna", "bert"}
        assert {(s.games, s.matches) for s in standings} == {(28, 14)}
        assert all(standing.rating is not None for standing in standings)
        assert sum(standing.rating or 0.0 for standing in standings) == pytest.approx(3000.0)
        lobby = store.leaderboard(tournament_id=store.tournament("lobby").id)
        assert {standing.player.label for standing in lobby} == {"anna 1", "bert 1"}
        assert all(standing.rating is not None for standing in lobby)
    for name in ("series", "lobby"):
        verified = arena("verify", name, "--db", database)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert "everything is equal" in verified.stdout


def refused(*arguments: object) -> Result:
    """`arena serve` in this process, which must refuse to begin."""
    return CliRunner().invoke(cli, ["serve", *map(str, arguments)])


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "arena.example.org:0", "192.0.2.7:0"])
def test_tokens_do_not_leave_this_host_in_the_clear_by_mistake(address: str) -> None:
    done = refused("--listen", address)
    assert done.exit_code == 2
    assert f"--listen {address} reaches beyond this host" in done.output
    assert "--tls" in done.output


def test_insecure_allows_it_and_people_get_lines(tmp_path: Path) -> None:
    arguments: list[str | Path] = ["--listen", "0.0.0.0:0", "--insecure", "--db", tmp_path / "cup.db"]
    with subprocess.Popen([ARENA, "serve", *arguments], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert re.match(r"\d\d:\d\d:\d\d serving on 0\.0\.0\.0:[1-9]\d+ \(database sqlite:", line)
            server.send_signal(signal.SIGTERM)
            rest = server.stdout.read()
            assert "stopped; go on with:\n  arena serve --listen 0.0.0.0:0 --insecure" in rest
        finally:
            server.kill()
    assert server.returncode == 0


def test_ctrl_c_ends_in_time_and_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    """With a match at hand, which is not committed; people get lines."""
    database = tmp_path / "cup.db"
    tokens = [add_player(database, name) for name in ("anna", "bert")]
    arguments = ["--listen", "127.0.0.1:0", "--db", str(database), "--lobby", "classic:2"]
    arguments += ["--lobby-clocks", "decision=600,game=3600"]  # nobody is late before the signal comes
    with serving(*arguments) as server, ExitStack() as bots:
        for token in tokens:
            command = [sys.executable, "hang.py"]
            bots.enter_context(dialling_in(command, MOCK_BOTS, address=server.address, token=token))
        server.wait_for("match_begun")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=60) == 0
        assert server.wait_for("stopped")[0]["command"] == shlex.join(
            ["arena", "serve", "--json", *arguments]
        )
    shown = arena("tournament", "show", "lobby", "--db", database)
    assert "lobby (1): stopped, 0 of 1 matches" in shown.stdout
    listed = arena("tournament", "resume", "--db", database)
    assert f"arena serve --lobby=classic:2,turn_cap=100 --db sqlite:///{database}" in listed.stdout
    refused = arena("tournament", "resume", "lobby", "--db", database)
    assert refused.returncode == 2
    assert "is played with bots that dial in" in refused.stderr


def test_a_tournament_with_remote_players_needs_the_server(tmp_path: Path) -> None:
    (tmp_path / "series.toml").write_text(SERIES)
    done = arena("tournament", "run", tmp_path / "series.toml", "--db", tmp_path / "cup.db")
    assert done.returncode == 2
    assert "these players dial in by themselves: anna, bert; use:\n" in done.stderr
    command = f"arena serve --tournament {tmp_path}/series.toml --db sqlite:///{tmp_path}/cup.db"
    assert command in done.stderr


@pytest.mark.parametrize(
    ("lobby", "problem"),
    [
        ("chess:2", "unknown variant 'chess'"),
        ("classic", "classic has 2 to 6 seats; write one, such as classic:2"),
        ("classic:9", "classic has 2 to 6 seats"),
        ("classic:2,turn_kap=3", "turn_kap"),
        ("classic:2,turn_cap=soon", "turn_cap"),
    ],
)
def test_a_lobby_that_cannot_be_is_named_at_once(tmp_path: Path, lobby: str, problem: str) -> None:
    done = refused("--listen", "127.0.0.1:0", "--db", tmp_path / "cup.db", "--lobby", lobby)
    assert done.exit_code == 2
    assert problem in done.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--lobby", "classic:2,turn_kap=3"], "--lobby classic:2,turn_kap=3: unknown option 'turn_kap'"),
        (["--lobby", "classic:2,turn_cap"], "--lobby classic:2,turn_cap: write options as `,turn_cap=40`"),
        (["--lobby", "classic:2", "--no-lobby"], "--lobby and --no-lobby contradict each other"),
        (["--lobby-clocks", "decision=fast"], "'decision=fast': must be like decision=5"),
        (["--lobby-clocks", "decision=-1"], "decision: must be a positive number of seconds, not -1"),
        (["--lobby-clocks", "connect=9"], "connect: unknown key 'connect'"),
        (["--lobby-clocks", "decisions=1"], "unknown key 'decisions'"),
        (["--wait", "-1"], "'--wait': must be a positive number of seconds"),
        (["--db", "/nowhere/cup.db"], "--db: there is no folder /nowhere for the database cup.db"),
        (["--listen", "unix:/nowhere/socket"], "--listen unix:/nowhere/socket: is in no folder"),
        (["--listen", "nobody.invalid:1", "--insecure"], "--listen nobody.invalid:1: names no host"),
        (["--listen", "192.0.2.7:0", "--insecure"], "--listen 192.0.2.7:0: is no address of this host"),
    ],
)
def test_what_cannot_be_served_is_named_with_its_option_and_leaves_nothing(
    tmp_path: Path, arguments: list[str], problem: str
) -> None:
    done = refused("--listen", "127.0.0.1:0", "--db", tmp_path / "cup.db", *arguments)
    assert done.exit_code == 2
    assert problem in done.output
    assert list(tmp_path.iterdir()) == []


def test_two_tournaments_of_one_name_are_refused(tmp_path: Path) -> None:
    """They would be one tournament when the server is started again."""
    file, database = tmp_path / "series.toml", tmp_path / "cup.db"
    file.write_text(SERIES)
    for name in ("anna", "bert"):
        add_player(database, name)
    done = refused("--listen", "127.0.0.1:0", "--db", database, "--tournament", file, "--tournament", file)
    assert done.exit_code == 2
    assert "--tournament: two files are named 'series'" in done.output
    with Store(f"sqlite:///{database}") as store:
        assert store.tournaments() == ()


def test_a_second_server_is_refused_and_a_port_in_use_is_named(tmp_path: Path) -> None:
    """One process serves a database; when nothing else is asked for, there is a lobby."""
    arguments: list[str | Path] = ["--listen", "127.0.0.1:0", "--db", tmp_path / "cup.db"]
    with serving(*arguments) as first:
        address = first.address
        again = arena("serve", *arguments)
        assert again.returncode == 2
        assert re.fullmatch(
            rf"Error: sqlite:///{tmp_path}/cup\.db is served already, by process {first.process.pid} on \S+; "
            "end that one first\n",
            again.stderr,
        )
        elsewhere = arena("serve", "--listen", address, "--db", tmp_path / "other.db")
        assert elsewhere.returncode == 2
        assert f"Error: --listen {address}: is in use already" in elsewhere.stderr
        assert first.wait_for("hint")
    with Store(f"sqlite:///{tmp_path}/cup.db") as store:
        assert [(row.name, len(store.setups(row.id))) for row in store.tournaments()] == [("lobby", 1)]


def test_two_processes_never_play_one_tournament(tmp_path: Path) -> None:
    """The second is refused and leaves the first alone, in a server as in `arena tournament resume`."""
    database = tmp_path / "cup.db"
    (tmp_path / "cup.toml").write_text(SERIES)
    for name in ("anna", "bert"):
        add_player(database, name)
    arguments: list[str | Path] = ["--listen", "127.0.0.1:0", "--db", database]
    arguments += ["--tournament", tmp_path / "cup.toml"]
    with serving(*arguments, "--no-lobby", "--wait", "50") as server:
        server.wait_for("waiting")
        with Store(f"sqlite:///{database}") as store:
            identity = store.tournament("series").id
            with (
                pytest.raises(StoreRefusal, match=f"by process {server.process.pid} on"),
                store.playing(identity),
            ):
                pass
        server.stop()
    with Store(f"sqlite:///{database}") as store, store.playing(identity), serving(*arguments) as server:
        (stopped,) = server.wait_for("tournament_stopped")
        assert stopped["tournament"] == "series"
        assert store.tournament("series").state == "stopped"


def text_of(shown: bytes) -> str:
    """What a terminal was sent, without its orders; the last character may not be whole yet."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace"))


def test_a_terminal_shows_a_table_of_who_is_here(tmp_path: Path) -> None:
    """Below the log: each bot with what it does, its results and its rating."""
    tokens = [add_player(tmp_path / "cup.db", name) for name in ("anna", "bert")]
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    address = f"127.0.0.1:{free_port()}"
    arguments: list[str | Path] = ["--listen", address, "--db", tmp_path / "cup.db"]
    arguments += ["--lobby", "classic:2,turn_cap=3", "--lobby-clocks", "decision=60,game=3600"]
    with (
        subprocess.Popen([ARENA, "serve", *arguments], stdout=terminal, stdin=terminal) as server,
        ExitStack() as bots,
    ):
        os.close(terminal)
        for token in tokens:
            command = [sys.executable, "first_legal.py"]
            access = {"address": address, "token": token, "ARENA_RETRY": "300"}
            bots.enter_context(dialling_in(command, MOCK_BOTS, **access))
        shown, until = b"", time.monotonic() + 300
        row = re.compile(r"anna v1 +127\.0\.0\.1 +\d+\.\d +\w+ +[\d.]+ of [1-9]\d* +0 +1\d\d\d +[\d.]+ of 2")
        while not row.search(text_of(shown)) and time.monotonic() < until:
            if select.select([master], [], [], 0.2)[0]:
                shown += os.read(master, 65536)
        server.send_signal(signal.SIGINT)
        with suppress(OSError):  # how a terminal says that nobody holds its other end any more
            while piece := os.read(master, 65536):
                shown += piece
        assert server.wait(timeout=120) == 0
    os.close(master)
    screen = text_of(shown)
    assert row.search(screen), screen[-2000:]
    assert re.search(
        r"\d\d:\d\d:\d\d lobby: match 0 is over: \w+ v1 scored [\d.]+ of 2, \w+ v1 scored", screen
    )
    assert "stopped; go on with:" in screen


def test_a_missing_certificate_says_how_to_make_one(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    done = refused("--listen", "127.0.0.1:0", "--db", tmp_path / "cup.db", "--tls", folder)
    assert done.exit_code == 2
    assert f"--tls {folder}: " in done.output
    assert f"make one with `arena certificate {folder}`" in done.output
