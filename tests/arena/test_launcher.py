"""The launcher: what a bot is given, what is reported, and that nothing is ever left running."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from wire_samples import MOCK_BOTS, ROOT, alive, wait_until

from arena.errors import PlatformFault, PluginError
from arena.launcher import BotProcess, Exit, Launcher
from arena.launcher.processes import marked


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as made:
        yield made


def start(launcher: Launcher, *argv: str, cwd: Path = MOCK_BOTS) -> BotProcess:
    return launcher.start(argv, cwd=cwd, address="unix:/nowhere", token="secret")


def python(launcher: Launcher, code: str) -> BotProcess:
    return start(launcher, "python", "-c", textwrap.dedent(code))


def pid_in(file: Path) -> int:
    assert wait_until(lambda: file.exists() and file.read_text())
    return int(file.read_text())


def ended(process: BotProcess) -> Exit:
    how = process.wait(120.0)
    assert how is not None
    return how


def test_bot_gets_a_clean_environment_its_folder_and_a_home(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for bots")
    how = ended(
        python(launcher, "import os; print([dict(os.environ), os.getcwd(), os.listdir(os.environ['HOME'])])")
    )
    environment, folder, home = ast.literal_eval(how.output)
    assert set(environment) == {"PATH", "HOME", "LANG", "ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_RUN"}
    assert (environment["ARENA_ADDRESS"], environment["ARENA_TOKEN"]) == ("unix:/nowhere", "secret")
    assert (folder, home) == (str(MOCK_BOTS), [])
    assert not Path(environment["HOME"]).exists()


def test_python_in_a_bots_command_is_the_platforms_own(launcher: Launcher) -> None:
    assert ended(python(launcher, "import sys; print(sys.executable)")).output.strip() == sys.executable


def test_exit_code_and_output_are_reported(launcher: Launcher) -> None:
    how = ended(start(launcher, "python", "crash_at_start.py"))
    assert (how.code, how.signal, how.stopped) == (3, None, False)
    assert how.describe() == "the bot's process exited with code 3; its last line: no licence file"
    assert len(replace(how, output="x" * 5000).describe()) < 400


def test_signal_is_reported(launcher: Launcher) -> None:
    how = ended(python(launcher, "import os; os.kill(os.getpid(), 11)"))
    assert (how.code, how.signal) == (None, "SIGSEGV")


def test_head_and_tail_of_output_are_kept_together_32_kib(launcher: Launcher) -> None:
    how = ended(python(launcher, "for i in range(100_000): print(f'line {i}')"))
    assert 32 * 1024 - 64 <= len(how.output) <= 32 * 1024
    assert how.output.startswith("line 0\nline 1\n")
    assert how.output.endswith("line 99998\nline 99999\n")
    written = sum(len(f"line {i}\n") for i in range(100_000))
    head, left_out, tail = re.split(r"\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n", how.output)
    assert len(head) + int(left_out) + len(tail) == written


def test_command_that_does_not_exist_is_named(launcher: Launcher) -> None:
    with pytest.raises(PluginError, match=r"cannot start `no-such-program --fast` in .*mock_bots"):
        start(launcher, "no-such-program", "--fast")
    assert ended(python(launcher, "print(1)")).code == 0  # the launcher goes on


def test_stop_asks_then_kills(launcher: Launcher, tmp_path: Path) -> None:
    polite = start(launcher, "python", "never_joins.py")
    stubborn = start(launcher, "python", "forks.py", str(tmp_path / "child"))
    pid_in(tmp_path / "child")
    for process in (polite, stubborn):
        process.stop()
    assert (ended(polite).signal, ended(polite).stopped) == ("SIGTERM", True)
    assert ended(stubborn).stopped
    assert wait_until(lambda: not alive(stubborn.pid))


def test_c04_child_that_outlives_its_bot_is_killed_with_it(launcher: Launcher, tmp_path: Path) -> None:
    process = start(launcher, "python", "forks.py", str(tmp_path / "child"))
    child = pid_in(tmp_path / "child")
    assert alive(child)
    os.kill(process.pid, signal.SIGKILL)
    assert ended(process).signal == "SIGKILL"
    assert wait_until(lambda: not alive(child))


def test_daemon_in_its_own_session_is_gone_when_its_bot_is(launcher: Launcher, tmp_path: Path) -> None:
    process = start(launcher, "python", "double_forks.py", str(tmp_path / "daemon"))
    daemon = pid_in(tmp_path / "daemon")
    assert alive(daemon)
    assert os.getsid(daemon) not in (os.getsid(0), process.pid)
    process.stop()
    ended(process)
    assert wait_until(lambda: not alive(daemon))


def test_daemon_without_the_marker_is_gone_when_the_launcher_is(tmp_path: Path) -> None:
    with Launcher() as launcher:
        start(launcher, "python", "double_forks.py", str(tmp_path / "daemon"), "hide")
        daemon = pid_in(tmp_path / "daemon")
        assert alive(daemon)
    assert wait_until(lambda: not alive(daemon))


def test_close_ends_everything() -> None:
    with Launcher() as launcher:
        processes = [start(launcher, "python", "never_joins.py") for _ in range(3)]
        assert len(marked(launcher.run)) == 3
    assert all(ended(process).stopped for process in processes)
    assert not alive(launcher.pid)
    assert wait_until(lambda: marked(launcher.run) == [])
    with pytest.raises(PlatformFault, match="is gone"):
        start(launcher, "python", "never_joins.py")


def test_sigterm_to_the_launcher_ends_everything(launcher: Launcher) -> None:
    process = start(launcher, "python", "never_joins.py")
    os.kill(launcher.pid, signal.SIGTERM)
    assert ended(process).stopped
    assert wait_until(lambda: not alive(process.pid) and not alive(launcher.pid))


def test_bots_are_gone_when_the_launcher_is_killed(launcher: Launcher, tmp_path: Path) -> None:
    process = start(launcher, "python", "forks.py", str(tmp_path / "child"))
    daemonised = start(launcher, "python", "double_forks.py", str(tmp_path / "daemon"))
    pids = [process.pid, daemonised.pid, pid_in(tmp_path / "child"), pid_in(tmp_path / "daemon")]
    os.kill(launcher.pid, signal.SIGKILL)
    assert ended(process).signal == "SIGKILL"
    assert wait_until(lambda: not any(map(alive, pids)))


OWNER = """
import sys, threading
from pathlib import Path
from arena.launcher import Launcher

def begin():
    launcher = Launcher()
    for name in ("child", "daemon"):
        bot = {"child": "forks.py", "daemon": "double_forks.py"}[name]
        argv = ["python", bot, f"{sys.argv[2]}/{name}"]
        process = launcher.start(argv, cwd=Path(sys.argv[1]), address="unix:/nowhere", token="")
        Path(f"{sys.argv[2]}/bot-{name}").write_text(str(process.pid))
    Path(f"{sys.argv[2]}/launcher").write_text(str(launcher.pid))
    return launcher

owners = []
starter = threading.Thread(target=lambda: owners.append(begin()))
starter.start()
starter.join()
print("started", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has started a launcher, from a thread that has ended, with two bots."""
    command = [sys.executable, "-c", OWNER, str(MOCK_BOTS), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        yield process
        process.kill()


def test_c01_kill_9_of_the_owner_leaves_nothing(owner: subprocess.Popen[bytes], tmp_path: Path) -> None:
    pids = [pid_in(tmp_path / name) for name in ("bot-child", "child", "bot-daemon", "daemon", "launcher")]
    assert all(map(alive, pids))  # although the thread that started the launcher has ended
    owner.kill()
    owner.wait()
    assert wait_until(lambda: not any(map(alive, pids))), [pid for pid in pids if alive(pid)]


def test_bots_that_end_together_are_all_reported(launcher: Launcher) -> None:
    processes = [python(launcher, f"raise SystemExit({number})") for number in range(20)]
    assert [ended(process).code for process in processes] == list(range(20))
    assert len({process.pid for process in processes} | {os.getpid(), launcher.pid}) == 22
