"""Starting bots that are commands: build steps, commands that cannot run, and the bench that uses them."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wire_samples import RANDOM, Table, alive, bundled, faults_of, mock, plan, table, wait_until

from arena import bench_grpc
from arena.botfiles import load_bot
from arena.errors import PlatformFault, PluginError
from arena.server import build_bot, launch_bot
from arena.types import BotSpec


@pytest.fixture
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


def built(folder: Path, program: str) -> BotSpec:
    """A bot whose build step is a Python program."""
    build = json.dumps(["python3", "-c", program])  # a JSON list of strings is one in TOML
    (folder / "bot.toml").write_text(f'name = "built"\ncommand = ["true"]\nbuild = {build}\n')
    return load_bot(folder)


def test_no_door_is_left_of_a_bot_that_the_launcher_could_not_take(shared: Table) -> None:
    os.kill(shared.launcher.pid, signal.SIGKILL)
    assert wait_until(lambda: not shared.launcher.alive)
    with pytest.raises(PlatformFault, match="the launcher"):
        launch_bot(shared.server, shared.launcher, mock("first_legal"), shared.inbox, start_s=120.0)
    assert shared.server._doors == {}


def test_build_step_runs_once_and_again_after_a_change(tmp_path: Path) -> None:
    log = tmp_path / "log" / "runs"
    log.parent.mkdir()
    bot = built(tmp_path, f"open({str(log)!r}, 'a').write('x')")
    assert [build_bot(bot), build_bot(bot)] == [True, False]
    later = time.time() + 5
    os.utime(tmp_path / "bot.toml", (later, later))
    assert build_bot(bot)
    assert log.read_text() == "xx"


def test_build_step_runs_again_after_a_change_in_a_folder_of_sources_but_not_of_output(
    tmp_path: Path,
) -> None:
    bot = built(tmp_path, "pass")
    places = [tmp_path / "src" / "main", tmp_path / "target" / "debug"]
    for place in places:
        place.mkdir(parents=True)
        (place / "file").touch()
    assert [build_bot(bot), build_bot(bot)] == [True, False]
    later = time.time() + 5
    os.utime(places[1] / "file", (later, later))
    assert not build_bot(bot)
    os.utime(places[0] / "file", (later, later))
    assert build_bot(bot)


def test_build_step_that_fails_is_an_error_with_its_output(tmp_path: Path) -> None:
    bot = built(tmp_path, "raise SystemExit('no compiler here')")
    for _ in range(2):  # a failed build is tried again
        with pytest.raises(PluginError, match=r"the build step .* code 1:\nno compiler here"):
            build_bot(bot)


def test_bot_without_a_build_step_needs_none() -> None:
    assert not build_bot(bundled("outrider"))
    assert not build_bot(RANDOM)


def test_command_that_cannot_be_started_is_the_doors_fault_at_once(shared: Table) -> None:
    bot = BotSpec("lost", "command", "/tmp", ("no-such-program",))
    door = shared.door(bot)
    assert door.fault is not None
    assert door.fault[0] == "crash"
    assert "cannot start `no-such-program` in /tmp" in door.fault[1]
    result = shared.play(plan(bot, RANDOM, cap=3))
    assert {fault[:2] for fault in faults_of(result, 0)} == {("crash", "retire")}


def test_closing_a_door_ends_its_process(shared: Table) -> None:
    door = shared.door(bundled("vanguard"))
    assert wait_until(lambda: door.ready_at)
    assert door.fault is None
    pid = door.pid
    assert pid is not None
    assert alive(pid)
    door.close()
    door.close()
    assert wait_until(lambda: not alive(pid))
    assert door.fault is None


def test_bench_measures_bots_and_echo_in_one_run() -> None:
    """A short run: every bot was asked, one game at a time and many on one stream. How fast is not judged."""
    found = {(pace.name, pace.games): pace for pace in bench_grpc.measure(seconds=0.1, repeats=1)}
    assert set(found) == {
        *((name, games) for name in ("gRPC", "JSON lines", "gRPC, arena.client") for games in (1, 64)),
        ("gRPC, plans of 8", 64),
    }
    assert all(pace.decisions_per_s > 0 < pace.cpu_us for pace in found.values())
    assert found["gRPC", 1].question_bytes > 1000
