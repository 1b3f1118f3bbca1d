"""Each kind of fault, from a bot's own process through a tournament and the database to `arena fault`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result
from tournament_samples import ROOT, arena, wait_until

from arena.cli import cli
from arena.commands.fault import WORDS
from arena.launcher.processes import descendants
from arena.store import Store
from arena.store.rows import FaultDetail
from arena.types import FaultKind

MOCK_BOTS = ROOT / "tests" / "mock_bots"
CLOCKS = {"start": 120.0, "decision": 60.0, "game": 3600.0}
SHORT = {**CLOCKS, "decision": 1.5}
QUICK_START = {**CLOCKS, "start": 20.0}  # its first start is a good one
HELLO = "hello from the start of the log"

# By kind: the mock bot with its arguments, the clocks, and words of the message a person reads.
CASES: dict[str, tuple[FaultKind, tuple[str, ...], dict[str, float], tuple[str, ...]]] = {
    "no_show": ("no_show", ("second_start", "leaves"), CLOCKS, ("without having joined",)),
    "start_timeout": ("start_timeout", ("second_start", "hangs"), QUICK_START, ("did not join within 20 s",)),
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


def rounds(bot: tuple[str, ...]) -> int:
    """One match; and one more to be started again for."""
    return 2 if bot[0] == "second_start" else 1


def write_files(folder: Path, bot: tuple[str, ...], clocks: dict[str, float], noise: str = ":;") -> Path:
    """A tournament of the mock bot, in a folder of its own, against a random one.

    A shell says hello on stderr for it, makes the noise, and becomes the bot.
    """
    name, *arguments = bot
    (folder / name).mkdir()
    says = f'echo {HELLO}; {noise} exec "$@"'
    command = [
        "sh",
        "-c",
        f"exec >&2; {says}",
        "sh",
        sys.executable,
        str(MOCK_BOTS / f"{name}.py"),
        *arguments,
    ]
    toml = f'name = "{name}"\nversion = "7"\ncommand = {json.dumps(command)}\n'
    (folder / name / "bot.toml").write_text(toml)
    file = folder / "faults.toml"
    file.write_text(
        f'name = "faults"\nplayers = ["random", "./{name}"]\nrounds = {rounds(bot)}\nseed = 5\n'
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
        assert row.committed == rounds(bot)
        assert len(list(store.games(row.id))) == 2 * rounds(bot)
    for detail in found:
        check_row(detail, clocks, words)
    check_text(database, found[0], words)
    wait_until(lambda: leftovers(tmp_path) == [], "the end of the bots' processes")


def check_row(detail: FaultDetail, clocks: dict[str, float], words: tuple[str, ...]) -> None:
    fault = detail.fault
    assert all(word in fault.message for word in words), fault.message
    assert detail.player.version == "7"
    assert f"{detail.player.bot}.py" in detail.command
    assert detail.guard == "none"
    assert HELLO in detail.output
    assert min(fault.used_ms, fault.queue_ms, fault.transport_ms) >= 0.0
    if fault.kind == "timeout":
        assert fault.limit_ms == pytest.approx(1000 * clocks["decision"])
        assert fault.used_ms > fault.limit_ms
    if fault.kind == "crash" and "KeyError" in fault.message:
        assert "KeyError: 'no plan for this position'" in detail.output
    if fault.kind in ("no_show", "start_timeout"):
        assert "no second start for me" in detail.output
    if fault.kind not in ("no_show", "start_timeout"):
        assert detail.last_message, "what it said last is kept"


def test_i01_a_long_log_is_kept_at_head_and_tail(tmp_path: Path) -> None:
    """A noisy bot's 200 KiB are cut in the middle, to the 32 KiB that are kept with the fault.

    What would command a terminal is shown, but does not reach it.
    """
    noise = "head -c 200000 /dev/zero | tr '\\0' x; echo; echo the last line before the bot;"
    noise += r"printf '\033]0;a title\007';"
    file = write_files(tmp_path, ("raises_mid_game",), CLOCKS, noise)
    assert arena("tournament", "run", file).returncode == 0
    with Store(f"sqlite:///{tmp_path}/arena.db") as store:
        detail = store.fault(1)
    assert detail.output.startswith(HELLO)
    assert "the last line before the bot" in detail.output
    assert "KeyError" in detail.output
    assert 30_000 < len(detail.output) <= 33_000
    shown = run("fault", "1", "--db", tmp_path / "arena.db").output
    assert "bytes left out" in shown
    assert "\x1b]0;a title" in detail.output
    assert "\N{REPLACEMENT CHARACTER}]0;a title" in shown
    assert "\x1b" not in shown


def test_an_unknown_fault_is_wrong_use_and_says_which_exist(tmp_path: Path) -> None:
    """An unknown id is an error, never an empty answer (I07)."""
    database = tmp_path / "arena.db"
    assert arena("tournament", "run", write_files(tmp_path, ("illegal",), CLOCKS)).returncode == 0
    unknown = run("fault", "999", "--db", database)
    assert unknown.exit_code == 2
    assert "no fault with id 999; there are 1, 2, 3" in unknown.output
    for wrong in (("--player", "nobody"), ("--kind", "laziness"), ("elsewhere",)):
        assert run("faults", *wrong, "--db", database).exit_code == 2, wrong
    assert "no player 'nobody' in this tournament; there are: illegal, random" in (
        run("faults", "--player", "nobody", "--db", database).output
    )
    assert "no such faults" in run("faults", "--player", "random", "--db", database).output
    for what in ("faults", "conduct", "attempts", "games"):
        assert run("export", what, "999", "--db", database).exit_code == 2


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
    return [
        pid for pid in descendants(os.getpid()) if Path(f"/proc/{pid}/cwd").resolve().is_relative_to(folder)
    ]
