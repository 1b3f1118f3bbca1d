"""From start to proof of end: whose child a bot is, what it inherits, what it leaves, what is swept."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from source_files import imports, parse, python_files
from wire_samples import MOCK_BOTS, ROOT, Table, alive, bundled, mock, table, wait_until

from arena.errors import PluginError
from arena.launcher import BotProcess, Exit, Launcher
from arena.launcher.folders import PREFIX, work_folder
from arena.launcher.processes import below, descendants, look_at, snapshot
from arena.server import launch_bot
from arena.types import Isolation, IsolationLevel

LEVELS: tuple[IsolationLevel, ...] = ("none", "limits", "sandbox")
NO_WAIT = "import os; os.fork() or os.execvp('sleep', ['sleep', '600'])\n"


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as made:
        yield made


@pytest.fixture
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


def start(launcher: Launcher, *argv: str, level: IsolationLevel = "none") -> BotProcess:
    return launcher.start(
        argv, cwd=MOCK_BOTS, address="unix:/dev/null", token="secret", isolation=Isolation(level)
    )


def python(launcher: Launcher, code: str, level: IsolationLevel = "none") -> BotProcess:
    return start(launcher, "python", "-c", code, level=level)


def ended(process: BotProcess) -> Exit:
    how = process.wait(120.0)
    assert how is not None
    return how


def place(level: IsolationLevel, folder: Path) -> str:
    """Where a bot can write a file: in `folder`, in the sandbox only in a /tmp that nobody else sees."""
    return "/tmp/file" if level == "sandbox" else f"{folder}/file"


def children(process: BotProcess) -> int | None:
    """How many processes a bot has besides its own; None when it has ended."""
    census = process.census()
    return census.children if census is not None else None


def text_in(file: Path) -> str:
    assert wait_until(lambda: file.exists() and file.read_text())
    return file.read_text()


# ---- start


def test_c18_bots_are_children_of_the_launcher_never_of_the_server(shared: Table) -> None:
    door = launch_bot(shared.server, shared.launcher, mock("first_legal"), shared.inbox, start_s=120.0)
    assert door.pid is not None
    assert door.pid in descendants(shared.launcher.pid)
    bot = look_at(door.pid)
    keeper = look_at(bot.parent) if bot else None
    assert keeper is not None
    assert keeper.parent == shared.launcher.pid
    door.close()


def test_c18_nothing_in_the_server_starts_a_process() -> None:
    trees = [parse(path) for path in python_files("arena") if path.parts[1] == "server"]
    assert len(trees) > 5
    assert "subprocess" not in {name.partition(".")[0] for tree in trees for name in imports(tree)}
    calls = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not calls & {"fork", "forkpty", "Popen", "posix_spawn", "spawnv", "system"}


def test_c19_launcher_holds_no_grpc_when_it_forks() -> None:
    """The only process that forks without a new program has one thread, and no channel to inherit."""
    code = "import sys, arena.launcher.__main__; print([name for name in sys.modules if 'grpc' in name])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    with Launcher() as launcher:
        assert len(list(Path(f"/proc/{launcher.pid}/task").iterdir())) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_c19_bot_inherits_nothing_but_its_three_streams(launcher: Launcher, level: IsolationLevel) -> None:
    """No pipe of another bot, no socket of the platform; its own session, no terminal."""
    first = start(launcher, "python", "never_joins.py", level=level)
    tell = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    assert ended(python(launcher, tell, level)).output == "[0, 1, 2, 3]\n"  # 3 is the listing itself
    assert os.getsid(first.pid) == first.pid
    first.stop()


def test_keeper_holds_only_what_it_needs(launcher: Launcher) -> None:
    """A copy of another bot's pipe in a keeper would hide that bot's end."""
    processes = [start(launcher, "python", "never_joins.py") for _ in range(3)]
    keepers = [found.parent for process in processes if (found := look_at(process.pid))]
    assert len(keepers) == 3

    def open_files() -> list[int]:
        return [len(list(Path(f"/proc/{keeper}/fd").iterdir())) for keeper in keepers]

    assert wait_until(lambda: open_files() == [2] * 3), open_files()


@pytest.mark.parametrize("level", LEVELS)
def test_json_lines_bot_gets_pipes_and_the_server_their_other_ends(
    shared: Table, level: IsolationLevel
) -> None:
    door = launch_bot(
        shared.server,
        shared.launcher,
        bundled("shell_random"),
        shared.inbox,
        start_s=120.0,
        isolation=Isolation(level),
    )
    assert wait_until(lambda: door.ready_at)
    assert (door.fault, door.guard, door.protocol) == (None, level, "jsonlines")
    pid = door.pid
    assert pid is not None
    door.close()
    assert wait_until(lambda: not alive(pid))


@pytest.mark.parametrize("level", LEVELS)
def test_pipes_of_a_json_lines_bot_are_handed_over_with_its_token(
    launcher: Launcher, tmp_path: Path, level: IsolationLevel
) -> None:
    """What it writes to its standard output is the server's alone; its standard error is kept."""
    code = "import sys; print(input().upper(), flush=True); print('oops', file=sys.stderr); input()"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "lines"))
        server.listen()
        bot = launcher.start(
            ["python", "-c", code],
            cwd=MOCK_BOTS,
            address="",
            token="its token",
            isolation=Isolation(level),
            jsonlines=str(tmp_path / "lines"),
        )
        peer, _ = server.accept()
        token, (from_bot, to_bot), _, _ = socket.recv_fds(peer, 1024, 2)
        assert token == b"its token"
        assert peer.recv(1) == b""  # the launcher has closed its end
        peer.close()
    os.write(to_bot, b"hello\n")
    assert os.read(from_bot, 1024) == b"HELLO\n"
    os.close(to_bot)  # the only copy: the bot sees the end of its input
    how = ended(bot)
    assert os.read(from_bot, 1024) == b""
    os.close(from_bot)
    assert how.code == 1
    assert "HELLO" not in how.output
    assert how.output.startswith("oops\n")
    assert "EOFError" in how.output


def test_json_lines_bot_whose_pipes_nobody_takes_is_not_left_running(launcher: Launcher) -> None:
    with pytest.raises(PluginError, match=r"its pipes cannot be handed to the server at /nowhere/lines"):
        launcher.start(
            ["python", "never_joins.py"], cwd=MOCK_BOTS, address="", token="t", jsonlines="/nowhere/lines"
        )
    assert wait_until(lambda: descendants(launcher.pid) == [])


# ---- between matches


@pytest.mark.parametrize("level", LEVELS)
def test_c03_census_counts_the_children_a_bot_keeps(launcher: Launcher, level: IsolationLevel) -> None:
    """The sandbox's own processes are not the bot's."""
    alone = start(launcher, "python", "never_joins.py", level=level)
    burn = "import time\nwhile time.process_time() < 0.2: pass\ntime.sleep(600)"
    busy = python(launcher, NO_WAIT * 2 + burn, level)
    assert wait_until(lambda: (now := alone.census()) is not None and now.memory_mib > 1)
    census = alone.census()
    assert census is not None
    assert census.children == 0
    assert wait_until(lambda: (now := busy.census()) is not None and now.children == 2 and now.cpu_s > 0.1)
    for process in (alone, busy):
        process.stop()
        ended(process)
        assert process.census() is None


def test_c03_census_counts_daemons_too(launcher: Launcher, tmp_path: Path) -> None:
    """Also one that forked twice, has a session of its own and dropped its environment."""
    process = start(launcher, "python", "double_forks.py", str(tmp_path / "daemon"), "hide")
    text_in(tmp_path / "daemon")  # written by a process between, which is about to end
    assert wait_until(lambda: children(process) == 1)


# ---- the end


@pytest.mark.parametrize("hidden", ["", "hide"])
@pytest.mark.parametrize("level", LEVELS)
def test_c03_retired_bot_leaves_no_process_even_if_it_forked_twice(
    launcher: Launcher, tmp_path: Path, level: IsolationLevel, hidden: str
) -> None:
    """With and without the mark in its environment; outside the sandbox, what was left is named."""

    def daemon_runs() -> bool:
        return any(process.name == "sleep" for process in below(launcher.pid, snapshot()))

    arguments = place(level, tmp_path), *filter(None, [hidden])
    process = start(launcher, "python", "double_forks.py", *arguments, level=level)
    assert wait_until(lambda: daemon_runs() and children(process) == 1)
    other = start(launcher, "python", "never_joins.py", level=level)
    process.stop()
    how = ended(process)
    assert how.stopped
    assert level == "sandbox" or [name.split()[0] for name in how.left] == ["sleep"]
    assert wait_until(lambda: not daemon_runs())
    assert alive(other.pid)


@pytest.mark.parametrize("level", LEVELS)
def test_c03_bot_that_forks_away_from_its_own_end_is_caught(
    launcher: Launcher, tmp_path: Path, level: IsolationLevel
) -> None:
    """Its own process ends at once, well; what goes on, gone before anybody can look, is ended with it."""
    begun = time.monotonic()
    process = start(launcher, "python", "hostile.py", "comet", "6", place(level, tmp_path), level=level)
    assert ended(process).code == 0
    if time.monotonic() - begun < 5.0:  # else it may have ended by itself
        time.sleep(7.0 - (time.monotonic() - begun))
        assert list(tmp_path.iterdir()) == []
    assert wait_until(lambda: descendants(launcher.pid) == [])


@pytest.mark.parametrize("level", LEVELS)
def test_c04_bot_behind_a_shell_wrapper_ends_with_it(launcher: Launcher, level: IsolationLevel) -> None:
    process = start(launcher, "sh", "-c", "sleep 600 & sleep 601; true", level=level)
    assert wait_until(lambda: children(process) == 2)
    process.stop()
    ended(process)
    assert wait_until(lambda: descendants(launcher.pid) == [])


def told_to_end(launcher: Launcher) -> Exit:
    """The end of a sandboxed bot that is told to end, and takes its leave if it hears of it."""
    process = start(
        launcher, "sh", "-c", "trap 'echo goodbye; exit 9' TERM; sleep 600 & wait", level="sandbox"
    )
    assert wait_until(lambda: children(process) == 1)
    process.stop()
    return ended(process)


def test_stop_lets_a_sandboxed_bot_say_goodbye(launcher: Launcher) -> None:
    """SIGTERM reaches the bot itself, not only the sandbox around it."""
    # On a machine that stalls, the half second until SIGKILL may be over before it has spoken.
    ends = (told_to_end(launcher) for _ in range(5))
    how = next((how for how in ends if how.signal != "SIGKILL"), None)
    assert how is not None
    assert (how.output, how.code, how.stopped) == ("goodbye\n", 9, True)


OWNER = """
import sys
from pathlib import Path
from arena.launcher import Launcher
from arena.types import Isolation
launcher = Launcher()
for level in ("none", "limits", "sandbox"):
    for name in ("child", "daemon"):
        bot = {"child": "forks.py", "daemon": "double_forks.py"}[name]
        file = f"/tmp/{name}" if level == "sandbox" else f"{sys.argv[2]}/{level}-{name}"
        argv = ["python", bot, file, "hide"]
        process = launcher.start(
            argv, cwd=Path(sys.argv[1]), address="unix:/dev/null", token="", isolation=Isolation(level))
print(launcher.pid, flush=True)
sys.stdin.read()
"""


def test_c01_kill_9_of_runner_and_launcher_at_once_leaves_nothing(tmp_path: Path) -> None:
    """At every level, with children that ignore signals and daemons that dropped the mark."""
    command = [sys.executable, "-c", OWNER, str(MOCK_BOTS), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        launcher = int(owner.stdout.readline())
        for level in ("none", "limits"):
            for name in ("child", "daemon"):
                text_in(tmp_path / f"{level}-{name}")
        # 6 keepers, 6 bots with a child or daemon each, and the sandboxes' own
        assert wait_until(lambda: len(descendants(launcher)) == 6 + 12 + 4)
        pids = descendants(launcher)
        os.kill(launcher, signal.SIGKILL)
        owner.kill()
    assert wait_until(lambda: not any(map(alive, pids))), [look_at(pid) for pid in pids]


def test_c10_next_launcher_sweeps_folders_of_one_that_was_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only theirs: those of a launcher that lives, and whatever else lies there, stay."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    own, foreign = Path(work_folder()), tmp_path / f"{PREFIX}notes"
    foreign.mkdir()
    with Launcher() as killed:
        start(killed, "python", "never_joins.py")
        (left,) = {*tmp_path.glob(f"{PREFIX}{killed.pid}-*")}
        os.kill(killed.pid, signal.SIGKILL)
    assert left.exists()
    with Launcher():
        assert wait_until(lambda: not left.exists())
    assert own.exists()
    assert foreign.exists()


def test_c10_next_launcher_sweeps_the_socket_of_a_server_that_was_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The folder that a JSON-lines bot's pipes come through, of a process that had no time to remove it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    serve = "from arena.server import PlayServer\nwith PlayServer(['127.0.0.1:0']) as server:\n"
    serve += "    print(server.jsonlines_address, flush=True)\n    input()\n"
    with subprocess.Popen(
        [sys.executable, "-c", serve], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        pipes = Path(server.stdout.readline().strip())
        with Launcher():
            assert pipes.is_socket()
        server.kill()  # from now on any launcher of this machine may sweep it
    with Launcher():
        assert wait_until(lambda: not pipes.parent.exists())


def test_two_hundred_starts_and_stops_leak_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No descriptor here or in the launcher, no process, no folder, no memory to speak of."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ends: SimpleQueue[Exit] = SimpleQueue()

    def some(launcher: Launcher, number: int) -> None:
        levels = [LEVELS[index % 3] for index in range(number)]
        started = [
            launcher.start(
                ["sleep", "600"] if index % 2 else ["true"],
                cwd=MOCK_BOTS,
                address="unix:/dev/null",
                token="",
                on_exit=ends.put,
                isolation=Isolation(level),
            )
            for index, level in enumerate(levels)
        ]
        for process in started:
            process.stop()
        for process in started:
            ended(process)

    def held(pid: int) -> tuple[int, int]:
        process = look_at(pid)
        assert process is not None
        return len(list(Path(f"/proc/{pid}/fd").iterdir())), process.memory

    with Launcher() as launcher:
        some(launcher, 20)
        before = held(os.getpid())[0], held(launcher.pid)
        for _ in range(9):
            some(launcher, 20)
        after = held(os.getpid())[0], held(launcher.pid)
        assert wait_until(lambda: descendants(launcher.pid) == [])
        assert list(tmp_path.glob(f"{PREFIX}*")) == []
    assert wait_until(lambda: ends.qsize() == 200)
    # Here, a server of a test before may have closed its sockets meanwhile.
    assert after[0] <= before[0]
    assert after[1][0] == before[1][0]
    assert after[1][1] - before[1][1] < 8 * 2**20


def test_an_end_that_is_asked_for_while_a_bot_starts_is_its_end() -> None:
    """As when the launcher, or `arena dial`, dies at that moment: nobody else would end what begins then."""
    code = "import os, signal\nfrom arena.launcher import isolation, keeper\nstart = keeper._start\n"
    code += "def late(order):\n    os.kill(os.getpid(), signal.SIGTERM)\n    return start(order)\n"
    code += "keeper._start = late\n"
    code += "order = keeper.Order(['sleep', '600'], '/', os.environ, isolation.UNGUARDED, 0, 1, 2)\n"
    code += "keeper.keep(order, 1, os.getppid())\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, timeout=120)
    assert json.loads(done.stdout.splitlines()[-1]) == {"status": -signal.SIGKILL, "left": []}


def test_what_a_bot_leaves_ends_though_the_time_for_it_is_over() -> None:
    """As when the machine stalls at that moment: what is left would hold the output open."""
    leaves = "import os, time; read, write = os.pipe()\n"
    leaves += "os.fork() or (os.setsid(), os.write(write, b'.'), time.sleep(600))\nos.read(read, 1)"
    code = "import os, sys\nfrom arena.launcher import isolation, keeper\nkeeper.CLEAR_S = -1.0\n"
    code += f"argv = [sys.executable, '-c', {leaves!r}]\n"
    code += "order = keeper.Order(argv, '/', os.environ, isolation.UNGUARDED, 0, 1, 2)\n"
    code += "keeper.keep(order, 1, os.getppid())\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, timeout=120)
    assert json.loads(done.stdout.splitlines()[-1])["status"] == 0


@pytest.mark.parametrize("level", LEVELS)
def test_bot_whose_keeper_is_killed_ends_and_is_reported(launcher: Launcher, level: IsolationLevel) -> None:
    """As a bot without a sandbox could do; the launcher then clears up."""
    process = start(launcher, "sh", "-c", "sleep 600 & sleep 601; true", level=level)
    assert wait_until(lambda: children(process) == 2)
    bot = look_at(process.pid)
    assert bot is not None
    os.kill(bot.parent, signal.SIGKILL)
    how = ended(process)
    assert (how.code, how.signal, how.stopped) == (None, "SIGKILL", False)
    assert wait_until(lambda: descendants(launcher.pid) == [])
