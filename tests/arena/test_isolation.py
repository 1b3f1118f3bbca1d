"""What a hostile bot, as a real process, can do at each isolation level: read, write, reach, hog, regain."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import pwd
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from wire_samples import (
    MOCK_BOTS,
    ROOT,
    Table,
    alive,
    bundled,
    faults_of,
    mock,
    plan,
    table,
    wait_until,
)

from arena.botfiles import load_bot
from arena.driver import Driver
from arena.errors import PluginError
from arena.launcher import BotProcess, Exit, Launcher, check_isolation, keyrings, sandbox
from arena.launcher.processes import descendants
from arena.server import PlayServer, build_bot, launch_bot
from arena.types import BotSpec, Isolation, IsolationLevel, MatchResult

# Of CPU time there is enough for any start of Python on any machine, but where it is the limit that is met.
TIGHT = Isolation(memory_mib=128, processes=8, file_mib=4, cpu_s=600)
WAIT_S = 120.0
GUARDED: tuple[IsolationLevel, ...] = ("limits", "sandbox")
EVERY: tuple[IsolationLevel, ...] = ("none", *GUARDED)


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    with Launcher() as made:
        yield made
        assert wait_until(lambda: descendants(made.pid) == [])


@pytest.fixture
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


def tight(level: IsolationLevel) -> Isolation:
    return replace(TIGHT, level=level)


def start(
    launcher: Launcher, level: IsolationLevel, *argv: str, token: str = "secret", cpu_s: int = TIGHT.cpu_s
) -> BotProcess:
    isolation = replace(tight(level), cpu_s=cpu_s)
    return launcher.start(argv, cwd=MOCK_BOTS, address="unix:/dev/null", token=token, isolation=isolation)


def host_key(name: str) -> bool:
    """Put a key into a new session keyring of this process; False where the machine allows no keys."""
    keyrings.leave_session_keyring()
    libc = ctypes.CDLL(None)
    add_key = {"aarch64": 217}.get(platform.machine(), 248)
    return int(libc.syscall(add_key, b"user", name.encode(), b"secret", 6, -3)) > 0


def outcome(
    launcher: Launcher, level: IsolationLevel, *attempt: str | int | Path, cpu_s: int = TIGHT.cpu_s
) -> Exit:
    how = start(launcher, level, "python", "hostile.py", *map(str, attempt), cpu_s=cpu_s).wait(WAIT_S)
    assert how is not None
    return how


# ---- what the machine can give


def test_this_machine_can_give_every_level() -> None:
    assert [check_isolation(tight(level)) for level in EVERY] == ["", "", ""]


def test_missing_bubblewrap_is_said_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "install the package bubblewrap" in check_isolation(tight("sandbox"))
    assert check_isolation(tight("limits")) == ""


def test_sandbox_that_cannot_be_made_is_said_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Found by trying: what stands in for bubblewrap fails as the real one does without user namespaces."""
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    problem = check_isolation(tight("sandbox"))
    assert "No permissions to create new namespace; let this user make user namespaces" in problem


def test_sandbox_needs_a_server_on_a_unix_socket(launcher: Launcher) -> None:
    with PlayServer(["127.0.0.1:0"]) as server, table() as seated:
        door = launch_bot(
            server, launcher, mock("first_legal"), seated.inbox, start_s=WAIT_S, isolation=tight("sandbox")
        )
        assert door.fault is not None
        assert "must have a Unix socket" in door.fault[1]


# ---- what bots see


@pytest.mark.parametrize("level", EVERY)
def test_j05_environment_is_clean_at_every_level(
    monkeypatch: pytest.MonkeyPatch, level: IsolationLevel
) -> None:
    """Secrets and settings of the platform's environment do not reach bots: only their own seat's token."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for bots")
    with Launcher() as launcher:
        tell = "import os; print(' '.join(sorted(os.environ)))"
        how = start(launcher, level, "python", "-c", tell).wait(WAIT_S)
    assert how is not None
    names = set(how.output.split()) - {"PWD"}  # bubblewrap adds the folder's name
    expected = {"PATH", "HOME", "LANG", "ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_RUN"}
    assert names == expected | ({"TMPDIR"} if level == "limits" else set())


def test_j05_other_bots_tokens_are_out_of_sight(launcher: Launcher) -> None:
    token = "a-rival-s-token"
    rival = start(launcher, "sandbox", "python", "never_joins.py", token=token)
    sought = outcome(launcher, "limits", "environments", token).output
    assert sought.startswith("found it among ")  # what the sandbox is for
    assert outcome(launcher, "sandbox", "environments", token).output == "not found among 1\n"
    rival.stop()


def test_j02_sandbox_hides_other_bots_databases_and_homes(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "arena.db").write_bytes(b"ratings")
    secrets = [tmp_path / "arena.db", ROOT / "bots" / "outrider" / "bot.py", ROOT / ".git" / "HEAD"]
    secrets += [Path("/etc/shadow"), Path("/etc/hostname"), Path("/var/lib"), Path("/proc/1/root/var")]
    assert "read" in outcome(launcher, "limits", "read", tmp_path / "arena.db").output
    lines = outcome(launcher, "sandbox", "read", *secrets).output.splitlines()
    assert [line.split()[0] for line in lines] == ["no"] * len(secrets), lines
    seen = outcome(launcher, "sandbox", "read", Path.home(), "/home", "/tmp", "/run/arena").output
    assert ".ssh" not in seen
    assert "no /home: No such file or directory" in seen
    assert "read /run/arena: ['server']" in seen
    assert tmp_path.name not in seen


def test_j02_sandbox_is_read_only_but_for_its_own_home_and_tmp(launcher: Launcher, tmp_path: Path) -> None:
    unique = f"/tmp/{tmp_path.parent.name}-{os.getpid()}"
    outside = [tmp_path / "x", MOCK_BOTS / "x", MOCK_BOTS / "hostile.py", Path("/usr/x"), Path("/etc/x")]
    outside += [Path("/x"), Path("/dev/x"), Path("/etc/passwd"), ROOT / "arena" / "x"]
    # A platform that root runs owns these; writable, they would be ways out.
    outside += [Path("/proc/sys/kernel/core_pattern"), Path("/proc/sys/vm/swappiness")]
    lines = outcome(launcher, "sandbox", "write", *outside).output.splitlines()
    assert [line.split()[0] for line in lines] == ["no"] * len(outside), lines
    mine = outcome(launcher, "sandbox", "write", unique, f"{sandbox.HOME}/x", "/dev/shm/x", "/dev/null")
    assert [line.split()[0] for line in mine.output.splitlines()] == ["wrote"] * 4
    assert not Path(unique).exists()


def test_j02_sandbox_reaches_no_network(launcher: Launcher) -> None:
    name = f"arena-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + name)
        abstract.listen()
        port = tcp.getsockname()[1]
        assert "connected tcp\nconnected abstract" in outcome(launcher, "none", "connect", port, name).output
        lines = outcome(launcher, "sandbox", "connect", port, name).output.splitlines()
    assert [line.split(":")[0] for line in lines] == ["no tcp", "no abstract", "no beyond"]


def test_j02_sandbox_signals_and_traces_no_other_process(launcher: Launcher) -> None:
    victim = start(launcher, "none", "python", "never_joins.py")
    assert outcome(launcher, "sandbox", "attack", victim.pid).output.splitlines() == [
        "no signal: No such process",
        "no trace: No such process",
        "sees 0 others",
    ]
    assert alive(victim.pid)
    victim.stop()


def test_j02_sandbox_shows_of_a_checkout_only_what_bots_need(launcher: Launcher) -> None:
    whole, bots = outcome(launcher, "sandbox", "read", ROOT, ROOT / "bots").output.splitlines()
    shown = set(re.findall(r"'([^']+)'", whole))
    assert {"arena", "bots", "engine_core", "tests"} <= shown  # the latter leads to its own folder
    assert shown <= {"arena", "bots", "engine_core", "tests", Path(sys.prefix).name}
    assert bots == f"read {ROOT / 'bots'}: ['sdk']"


def test_j02_first_process_of_a_sandbox_is_worth_nothing(launcher: Launcher) -> None:
    """It can be traced, but has nothing that its bot has not; with it stopped, the bot still can be."""
    bot = start(launcher, "sandbox", "python", "hostile.py", "first")
    assert wait_until(lambda: "traced" in bot.output())
    assert bot.output().splitlines() == ["environ []", "status []", "traced"]
    bot.stop()
    assert bot.wait(WAIT_S) is not None
    assert wait_until(lambda: descendants(launcher.pid) == [])


def test_j02_sandbox_gives_no_rights_and_lets_none_be_regained(launcher: Launcher) -> None:
    said = outcome(launcher, "sandbox", "regain").output.splitlines()
    assert said[0] == "no namespace"
    assert {"NoNewPrivs:\t1", "CapEff:\t0000000000000000"} < set(said)


@pytest.mark.parametrize(("level", "given_up"), [("none", "0"), ("limits", "1"), ("sandbox", "1")])
def test_programs_of_other_owners_give_no_rights(
    launcher: Launcher, level: IsolationLevel, given_up: str
) -> None:
    assert f"NoNewPrivs:\t{given_up}" in outcome(launcher, level, "regain").output


@pytest.mark.parametrize("level", GUARDED)
def test_guarded_bots_keys_are_their_own(level: IsolationLevel) -> None:
    """Neither the host's key nor another bot's is in a bot's keyrings; the sandbox has no keyrings at all."""
    host = f"arena-host-{os.getpid()}"
    has_key = host_key(host)  # before the launcher, which inherits the session keyring
    with Launcher() as launcher:
        rival = start(launcher, level, "python", "hostile.py", "keys", "of-the-rival")
        assert wait_until(rival.output)
        mine, *found = outcome(launcher, level, "keys", "of-mine", host, "of-the-rival").output.splitlines()
        unguarded = outcome(launcher, "none", "keys", "of-nobody", host).output
        rival.stop()
    assert (f"{host} read" in unguarded) == has_key
    listed = "listed" if level == "limits" and has_key else "not found"  # by name alone, as the same user
    assert found == [f"{host} {listed}", f"of-the-rival {listed}"]
    assert mine == ("kept a key" if level == "limits" and has_key else "no key")


# ---- limits


@pytest.mark.parametrize("level", GUARDED)
@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (("memory", "1000"), r"held \d+ MiB of memory, the limit is 128 \(\[isolation\] memory_mib\)"),
        (("shared_memory", "240"), r"held \d+ MiB of memory, the limit is 128"),
        (("processes", "20"), r"ran \d+ processes, the limit is 8 \(\[isolation\] processes\)"),
        (("bomb", "7"), r"ran \d+ processes, the limit is 8"),
        (("file", "50"), r"wrote a file of more than 4 MiB, the limit \(\[isolation\] file_mib\)"),
        (("stubborn_file", "50"), r"wrote a file of more than 4 MiB"),
        (("descriptors",), r"had more than \d+ files open"),
        (("cpu",), r"used 1 s of CPU time, the limit of one process \(\[isolation\] cpu_s\)"),
        (("stubborn_cpu",), r"used 1 s of CPU time"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_j02_bot_over_a_limit_is_ended_and_the_limit_said(
    launcher: Launcher, level: IsolationLevel, attempt: tuple[str, ...], words: str
) -> None:
    how = outcome(launcher, level, *attempt, cpu_s=1 if "cpu" in attempt[0] else TIGHT.cpu_s)
    assert re.search(words, how.resource), how
    assert how.resource in how.describe()
    assert "kept" not in how.output
    assert wait_until(lambda: descendants(launcher.pid) == [])


def test_sandboxed_bot_cannot_fill_the_disk(launcher: Launcher) -> None:
    """Many files below the limit of one fill the private /tmp, not the machine's."""
    before = set(Path("/tmp").glob("arena-file-*"))
    how = outcome(launcher, "sandbox", "files", 50)
    assert how.resource == "filled the space for its files, 8 MiB (twice [isolation] file_mib)"
    assert set(Path("/tmp").glob("arena-file-*")) <= before


def test_memory_that_processes_share_counts_once(launcher: Launcher) -> None:
    """Five processes with the same 60 MiB are within 128 MiB, when one that is not is found."""
    code = "import os, time\nheld = b'x' * (60 << 20)\n_ = [os.fork() or time.sleep(600) for _ in range(4)]\n"
    sharing = start(launcher, "limits", "python", "-c", code + "time.sleep(600)")
    assert wait_until(lambda: (now := sharing.census()) is not None and now.memory_mib > 5 * 60)
    assert "of memory" in outcome(launcher, "limits", "memory", "1000").resource
    census = sharing.census()
    assert census is not None
    assert census.children == 4
    sharing.stop()


@pytest.mark.parametrize("level", EVERY)
def test_exit_codes_and_signals_are_the_same_at_every_level(
    launcher: Launcher, level: IsolationLevel
) -> None:
    ends = ("raise SystemExit(3)", "import os; os.kill(os.getpid(), 11)", "raise ValueError('no plan')")
    processes = [start(launcher, level, "python", "-c", code) for code in ends]
    exits = [process.wait(WAIT_S) for process in processes]
    assert [(how.code, how.signal, how.resource) for how in exits if how] == [
        (3, None, ""),
        (None, "SIGSEGV", ""),
        (1, None, ""),
    ]


def test_program_that_does_not_exist_is_named_in_the_sandbox_too(launcher: Launcher) -> None:
    with pytest.raises(PluginError, match=r"cannot start `no-such-program` .*No such file or directory"):
        start(launcher, "sandbox", "no-such-program")


# ---- real games


def play(shared: Table, isolation: Isolation, *bots: BotSpec) -> MatchResult:
    match = plan(*bots, cap=4)
    for player in match.players:
        shared.doors[player] = launch_bot(
            shared.server, shared.launcher, player.bot, shared.inbox, start_s=WAIT_S, isolation=isolation
        )
    result = Driver(shared.doors, shared.inbox).play(match)
    assert result.error == ""
    return result


@pytest.mark.parametrize("level", GUARDED)
def test_j02_hog_in_a_game_is_a_resource_fault_and_hurts_nobody_else(
    shared: Table, level: IsolationLevel
) -> None:
    result = play(shared, tight(level), mock("hogs", "memory", "1000"), mock("first_legal"))
    (first, *_) = faults_of(result, 0)
    assert first[:2] == ("resource", "retire")
    assert re.match(
        r"the bot held \d+ MiB of memory, the limit is 128 \(\[isolation\] memory_mib\)", first[2]
    )
    assert faults_of(result, 1) == []


@pytest.mark.parametrize("level", GUARDED)
def test_level_reached_is_recorded_with_every_game(shared: Table, level: IsolationLevel) -> None:
    """Python and C, over gRPC and JSON lines; in the sandbox over its one socket, and over pipes alone."""
    build_bot(bundled("c_first"))
    bots = bundled("outrider"), bundled("c_first"), bundled("shell_random")
    result = play(shared, replace(Isolation(), level=level), *bots)
    assert {game.guards for game in result.games} == {(level,) * 3}
    assert [faults_of(result, player) for player in range(3)] == [[], [], []]


# ---- build steps


def buildable(folder: Path, *build: str) -> BotSpec:
    shutil.copy(MOCK_BOTS / "hostile.py", folder)
    (folder / "bot.toml").write_text(f'name = "built"\ncommand = ["true"]\nbuild = {json.dumps(build)}\n')
    return load_bot(folder)


def build_script(folder: Path, launcher: Launcher, level: IsolationLevel, script: str) -> str:
    """What a build step that is a shell script leaves in the bot's file `found`."""
    assert build_bot(buildable(folder, "sh", "-ec", script), tight(level), launcher)
    return (folder / "found").read_text()


def test_j03_build_step_runs_in_the_same_sandbox(launcher: Launcher, tmp_path: Path) -> None:
    """It writes to the bot's folder and nowhere else, reads no secrets, has no network, signals nobody."""
    secret = tmp_path / "arena.db"
    secret.write_text("ratings")
    folder = tmp_path / "bot"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        script = f"""
            python hostile.py write {tmp_path}/x /usr/x {ROOT}/arena/x > found
            python hostile.py read {secret} /etc/shadow >> found
            python hostile.py connect {tcp.getsockname()[1]} nobody >> found
            python hostile.py attack {launcher.pid} >> found
            """
        found = build_script(folder, launcher, "sandbox", script).splitlines()
    # What it wrote beside its folder went to a /tmp of its own.
    assert [line.split()[0] for line in found] == ["wrote"] + ["no"] * 9 + ["sees"], found
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("level", GUARDED)
def test_j05_build_step_gets_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: IsolationLevel
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for bots")
    with Launcher() as launcher:
        assert "not for bots" not in build_script(tmp_path, launcher, level, "env > found")


@pytest.mark.parametrize("level", GUARDED)
def test_build_step_over_a_limit_fails_with_the_limit_said(
    launcher: Launcher, tmp_path: Path, level: IsolationLevel
) -> None:
    bot = buildable(tmp_path, "python", "hostile.py", "memory", "1000")
    with pytest.raises(PluginError, match=r"the build step .* held \d+ MiB of memory, the limit is 128"):
        build_bot(bot, tight(level), launcher)


def test_build_step_that_fails_in_the_sandbox_says_that_it_is_offline(
    launcher: Launcher, tmp_path: Path
) -> None:
    bot = buildable(tmp_path, "sh", "-c", "echo cannot fetch >&2; exit 7")
    expected = r"exited with code 7 \(in the sandbox a build step has no network .*\):\ncannot fetch"
    with pytest.raises(PluginError, match=expected):
        build_bot(bot, tight("sandbox"), launcher)


def test_package_tools_in_the_sandbox_are_told_that_there_is_no_network(
    launcher: Launcher, tmp_path: Path
) -> None:
    found = build_script(tmp_path, launcher, "sandbox", "env > found").splitlines()
    assert {"npm_config_offline=true", "CARGO_NET_OFFLINE=true", "GOPROXY=off", "PIP_RETRIES=0"} <= set(found)


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_npm_without_its_packages_fails_in_the_sandbox_with_the_reason(tmp_path: Path, language: str) -> None:
    """At once: npm would try for more than a minute, and a skeleton's build hid what it says."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "bots/sdk" / language / "skeleton" / name, tmp_path)
    bot = buildable(tmp_path, "npm", "run", "build", "--silent")
    with pytest.raises(PluginError, match=r"(?s)isolation `limits`.*\):\n.*npm error code ENOTCACHED"):
        build_bot(bot, Isolation(level="sandbox"))


def test_build_step_in_the_sandbox_finds_the_toolchains_that_it_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own variables, or the usual folders at home; those that it may not read are not named."""
    home, folder = tmp_path / "home", tmp_path / "bot"
    for made in (".rustup", "go/pkg/mod", ".m2/repository", "elsewhere"):
        (home / made).mkdir(parents=True)
    folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CARGO_HOME", str(home / "elsewhere"))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    monkeypatch.delenv("GOMODCACHE", raising=False)
    shown = [home / ".rustup", home / "elsewhere", home / ".m2"]
    monkeypatch.setenv("ARENA_SANDBOX_READ", os.pathsep.join(map(str, shown)))
    with Launcher() as launcher:
        script = f"ls -d {home}/.rustup {home}/elsewhere {home}/.m2/repository > /dev/null; env > found"
        found = set(build_script(folder, launcher, "sandbox", script).splitlines())
    assert {
        f"RUSTUP_HOME={home}/.rustup",
        f"CARGO_HOME={home}/elsewhere",
        f"MAVEN_OPTS=-Dmaven.repo.local={home}/.m2/repository",
    } <= found
    assert not any(line.startswith("GOMODCACHE=") for line in found)


def test_a_build_step_needs_no_home_of_the_arenas_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user id is in no list of users."""

    def nobody(_uid: int) -> NoReturn:
        raise KeyError("uid not found")

    for name in ("HOME", "ARENA_SANDBOX_READ", *sandbox.TOOL_FOLDERS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert sandbox.build_settings() == sandbox.OFFLINE
