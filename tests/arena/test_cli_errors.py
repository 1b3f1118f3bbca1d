"""What the command line says of wrong use: one message, an exit code, and commands that can be pasted."""

from __future__ import annotations

import contextlib
import re
import shlex
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run
from tournament_samples import ROOT, write_tournament

from arena.commands._common import printed
from arena.commands.fault import advice
from arena.plugins import installed
from arena.spec import load
from arena.store import Store
from arena.tournament import create


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("nonsense", 2, "No such command 'nonsense'"),
        ("play nobody random", 2, "unknown bot 'nobody'"),
        ("play randm random", 2, "did you mean 'random'?"),
        ("play ./nobody.py random", 2, "no such bot"),
        ("play random random --variant chess", 2, "unknown variant 'chess'"),
        ("play greedy greedy --variant endor", 2, "greedy does not play 'endor'; it plays: conquest"),
        ("play random --bot greedy --variant endor_teams --teams", 2, "greedy does not play 'endor_teams'"),
        ("play random random --option turns=3", 2, "unknown option 'turns'"),
        ("play random random --option turn_cap", 2, "key=value"),
        ("play random random --option turn_cap=no", 2, "a whole number in 1..10000"),
        (
            "play random random --option turn_cap=no --option fortify=x",
            2,
            "\noption fortify = 'x' is not allowed",
        ),
        (
            "play random random --option card_deck=stars --option missions=true",
            2,
            "\noption card_deck = 'stars' ",
        ),
        ("play random random --option airfield_cap=true", 2, "it has no effect with rewards = false"),
        ("export standing", 2, "'standing' is not one of 'standings', "),
        ("play random random --seats 3", 2, "2 bots for 3 seats"),
        ("play random random --seats 0", 2, "2..6"),
        ("play random random --decision 0", 2, "a positive number of seconds"),
        ("play random random --decision nan", 2, "a positive number of seconds"),
        ("play random --seats 12", 2, "seats = 12"),
        ("play", 2, "name a bot for each seat"),
        ("play random random --seed x", 2, "32 hex digits"),
        ("play random random --delay -1", 2, "0<=x<=60"),
        ("variants chess", 2, "unknown variant 'chess'"),
        ("variants --board x.svg", 2, "need the NAME of a variant"),
        ("variants classic --option turns=3", 2, "unknown option 'turns'"),
        ("bots nobody", 2, "unknown bot 'nobody'"),
        ("doctor random --variant clasic", 2, "--variant clasic (did you mean 'classic'?): random plays "),
        ("leaderboard --db /nowhere/x.db", 2, "no database at /nowhere/x.db"),
        ("leaderboard --db /usr", 2, "/usr is a folder, no database"),
        ("play /usr random", 2, "/usr: no bot: the folder holds no bot.toml"),
        ("play /dev/null random", 2, "/dev/null: not a bot; give a Python file"),
        (
            "leaderboard --db nonsense://x",
            2,
            "not a database: 'nonsense://x'; use the path of",
        ),
        ("leaderboard --db oracle://x/y", 2, "needs a package that is not installed: "),
        ("leaderboard --db pyproject.toml", 2, "this file is not an SQLite database"),
        ("tournament run /nowhere.toml", 2, "does not exist"),
        ("replay nothing.json", 2, "no such file"),
        ("replay pyproject.toml", 2, "pyproject.toml: not a usable game record: not a compressed record"),
        ("explain pyproject.toml", 2, "pyproject.toml: not a usable game record: not a compressed record"),
        ("rerun pyproject.toml --seat 0 --bot random", 2, "pyproject.toml: not a usable game record"),
        ("init 9lives", 2, "no bot name"),
        ("init bots", 2, "is there already"),
        ("init fresh --lang pyton", 2, "unknown language 'pyton' (did you mean 'python'?); valid: "),
        ("bench speed", 2, "unknown part 'speed'"),
        ("serve --insecure --listen 999.0.0.1:1", 2, "999.0.0.1:1: names no host that is known here"),
        ("serve --listen 127.0.0.1:99999", 2, "a port up to 65535"),
        ("export games --csv --json --db pyproject.toml", 2, "exclude each other"),
    ],
)
def test_errors_are_one_message_and_an_exit_code(
    line: str, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = run(*line.split())
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("explain 99", "no game with id 99; there are 1, 2, 3, 4, 5, 6, 7, 8"),
        ("replay 99", "no game with id 99; there are 1, 2, 3"),
        ("rerun 99 --seat 0 --bot random", "no game with id 99; there are 1, 2, 3"),
        ("rerun 1 --seat 2 --bot random", "--seat 2: the game has seats 0 to 1"),
        ("fault 99", "no fault with id 99; this database holds none"),
        (
            "leaderboard sampel",
            "no tournament 'sampel' in this database (did you mean 'sample'?)",
        ),
        (
            "faults --player randm",
            "no player 'randm' in this tournament (did you mean 'random'?); there",
        ),
        ("ratings changes --player randm", "no player 'randm' in this tournament (did you mean 'random'?)"),
    ],
)
def test_what_is_not_in_the_database_is_wrong_use_and_named(line: str, words: str, database: Path) -> None:
    result = run(*line.split(), "--db", database)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE notes (text)")
    result = run("leaderboard", "--db", file)
    assert result.exit_code == 2
    assert "holds tables of something else" in result.stderr
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("notes",)]


def test_printed_commands_work_when_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database's folder has a space; so each command must name the database, and quote it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "breaks.py").write_text("def decide(view, legal):\n    raise RuntimeError('no idea')\n")
    write_tournament(tmp_path, rounds=6, players='["random", "./breaks.py"]', database="my results.db")
    played = run("tournament", "run", "sample.toml")
    place = ("--db", "my results.db")
    shown = [
        played.output,
        *(run(*line.split(), *place).output for line in ("tournament show 1", "faults", "fault 1")),
        run("tournament", "resume", "1", *place).output,
    ]
    command = r"(arena (?:fault|faults|replay|rerun|leaderboard) [^`#\n]+)"
    pasted = [re.findall(command, text) for text in shown]
    assert [len(lines) for lines in pasted] == [2, 1, 1, 3, 1]
    for line in {line for lines in pasted for line in lines}:
        program, *arguments = shlex.split(line)
        assert program == "arena"
        assert run(*arguments).exit_code in (0, 1), line
        assert "my results.db" in arguments[-1]
    with Store(f"sqlite:///{tmp_path}/my results.db") as store:
        remote = replace(store.fault(1), command="", guard="remote")
    shown = advice(remote, "my results.db")
    assert [line.partition(" --db")[0] for line in shown] == [
        f"arena replay {remote.fault.game}",
        "arena player list",
        "arena faults 1 --player breaks",
    ]


def test_the_database_that_is_meant_anyway_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed(["arena", "fault", 3], "arena.db") == "arena fault 3"
    assert printed(["arena", "fault", 3], "b.db") == "arena fault 3 --db b.db"
    monkeypatch.setenv("ARENA_DB", "b.db")
    assert printed(["arena", "fault", 3], f"sqlite:///{tmp_path}/b.db") == "arena fault 3"
    assert printed(["arena", "fault", 3], "arena.db") == "arena fault 3 --db arena.db"


def test_a_tournament_whose_bots_dial_in_goes_on_by_serving_its_file(tmp_path: Path) -> None:
    file, database = tmp_path / "my cup.toml", tmp_path / "cup.db"
    remote = '["random", { remote = "anna" }]'
    write_tournament(tmp_path, rounds=1, players=remote).rename(file)
    with Store(f"sqlite:///{database}") as store:
        store.migrate()
        create(store, load(file, installed()))
    command = ["arena", "serve", "--tournament", str(file), "--db", f"sqlite:///{database}"]
    listed = run("tournament", "resume", "--db", database).output
    assert shlex.join(command) in listed
    assert "put its FILE back" not in listed
    file.write_text(file.read_text() + "\n")
    listed = run("tournament", "resume", "--db", database).output
    assert f"{tmp_path}/FILE --db sqlite:///{database}  # put its FILE back first" in listed
