"""Each kind of fault, from a bot's own process through a tournament and the database to `arena fault`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result
from tournament_samples import ROOT, arena

from arena.cli import cli
from arena.commands.fault import WORDS
from arena.launcher.processes import descendants
from arena.store import Store
from arena.store.rows import FaultDetail
from arena.types import FaultKind

MOCK_BOTS = ROOT / "tests" / "mock_bots"
CLOCKS = {"start": 20.0, "decision": 5.0, "game": 60.0}
SHORT = {**CLOCKS, "decision": 0.3}
QUICK_START = {**CLOCKS, "start": 6.0}
MATCHES = 2

# By kind: the mock bot with its arguments, the clocks, and words of the message a person reads.
CASES: dict[str, tuple[FaultKind, tuple[str, ...], dict[str, float], tuple[str, ...]]] = {
    "no_show": ("no_show", ("second_start", "leaves"), CLOCKS, ("without having joined",)),
    "start_timeout": ("start_timeout", ("second_start", "hangs"), QUICK_START, ("did not join within 6 s",)),
    "timeout": ("timeout", ("hang",), SHORT, ()),
    "illegal": ("illegal", ("illegal",), CLOCKS, ("1000000",)),
    "malformed": ("malformed", ("garbage",), CLOCKS, ("no PlayRequest",)),
    "flood": ("flood", ("floods",), CLOCKS, ("answer no open question",)),
    "crash_code": ("crash", ("raises_mid_game",), CLOCKS, ("code 1", "KeyError: 'no plan")),
    "crash_signal": ("crash", ("crash_mid_game",), CLOCKS, ("SIGSEGV",)),
    "disconnect": ("disconnect", ("leaves_mid_game",), CLOCKS, ("code 0",)),
    "resource": ("resource", ("forks", "child.pid"), CLOCKS, ("keeps 1 child process",)),
}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def write_files(folder: Path, bot: tuple[str, ...], clocks: dict[str, float]) -> Path:
    """A tournament of the mock bot, in a folder of its own, against a random one."""
    name, *arguments = bot
    (folder / name).mkdir()
    command = [sys.executable, str(MOCK_BOTS / f"{name}.py"), *arguments]
    toml = f'name = "{name}"\nversion = "7"\ncommand = {json.dumps(command)}\n'
    (folder / name / "bot.toml").write_text(toml)
    file = folder / "faults.toml"
    file.write_text(
        f'name = "faults"\nplayers = ["random", "./{name}"]\nrounds = {MATCHES}\nseed = 5\n'
        'database = "sqlite:///arena.db"\n'
        "[[variants]]\nname = 'classic'\nseats = 2\noptions = { turn_cap = 8 }\n"
        "[clocks]\n"
        + "".join(f"{key} = {value}\n" for key, value in clocks.items())
        + "[runner]\nkind = 'inline'\n"
    )
    return file


def test_every_kind_has_its_case_and_its_words() -> None:
    assert {kind for kind, *_ in CASES.values()} == set(get_args(FaultKind)) == set(WORDS)


@pytest.mark.parametrize("case", CASES)
def test_b08_each_kind_of_fault_reaches_the_database_and_a_reader(tmp_path: Path, case: str) -> None:
    """Kinds are told apart, each with limit, time, message, process output and what to do (B08, I01, I03)."""
    kind, bot, clocks, words = CASES[case]
    done = arena("tournament", "run", write_files(tmp_path, bot, clocks))
    assert done.returncode == 0, done.stderr
    database = tmp_path / "arena.db"
    with Store(f"sqlite:///{database}") as store:
        (row,) = store.tournaments()
        found = [store.fault(fault.id) for fault in store.faults(row.id, kind=kind)]
        assert found, [(f.kind, f.message) for f in store.faults(row.id)]
        assert {detail.player.label for detail in found} == {bot[0]}
        assert row.committed == MATCHES
        assert len(list(store.games(row.id))) == 2 * MATCHES
    for detail in found:
        check_row(detail, clocks, words)
    check_text(database, found[0], words)
    assert leftovers(tmp_path) == []


def check_row(detail: FaultDetail, clocks: dict[str, float], words: tuple[str, ...]) -> None:
    fault = detail.fault
    assert all(word in fault.message for word in words), fault.message
    assert detail.player.version == "7"
    assert f"{detail.player.bot}.py" in detail.command
    assert detail.guard == "none"
    assert min(fault.used_ms, fault.queue_ms, fault.transport_ms) >= 0.0
    if fault.kind == "timeout":
        assert fault.limit_ms == pytest.approx(1000 * clocks["decision"])
        assert fault.used_ms > fault.limit_ms
    if fault.kind == "crash" and "KeyError" in fault.message:
        assert "KeyError: 'no plan for this position'" in detail.output
    if fault.kind in ("no_show", "start_timeout"):
        assert "no second start for me" in detail.output
    if fault.kind in ("illegal", "crash", "disconnect"):
        assert detail.last_message, "what it said last is kept"


def check_text(database: Path, detail: FaultDetail, words: tuple[str, ...]) -> None:
    fault = detail.fault
    listed = run("faults", "--kind", fault.kind, "--player", fault.player, "--db", database).output
    assert str(fault.id) in listed.split()
    text = run("fault", str(fault.id), "--db", database).output
    for part in (f"fault {fault.id}: {fault.kind}", WORDS[fault.kind], f"seat {fault.seat}", *words):
        assert part in text, text
    for part in (f"{detail.player.bot} 7", detail.command, f"arena replay {fault.game}", "arena doctor"):
        assert part in text, text
    for kept in (detail.output, detail.last_message):
        assert all(f"  {line}" in text for line in kept.splitlines())
    parsed = json.loads(run("fault", str(fault.id), "--json", "--db", database).output)
    assert parsed["fault"]["kind"] == fault.kind
    assert parsed["output"] == detail.output
    assert run("replay", str(fault.game), "--db", database).exit_code == 0


def leftovers(folder: Path) -> list[int]:
    """Processes of the bots, by the command line's folder or a pid that one left."""
    found = []
    for file in folder.glob("*/child.pid"):
        pid = int(file.read_text())
        found += [pid] if Path(f"/proc/{pid}").exists() else []
    return found + descendants_named(folder)


def descendants_named(folder: Path) -> list[int]:
    """Own descendants that still work in the folder."""
    import os

    return [pid for pid in descendants(os.getpid()) if str(folder) in str(Path(f"/proc/{pid}/cwd"))]
