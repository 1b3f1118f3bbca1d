"""The pages tell the truth: their examples run, their commands exist, their generated parts are fresh."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import click
import pytest
from source_files import ROOT, python_files, tracked

import engine_core
from arena.cli import cli

PAGES = [path for path in tracked() if path.suffix == ".md" and path.name != "CHANGELOG.md"]
RUN = [Path("README.md"), Path("docs/writing-a-bot.md"), Path("docs/operating.md")]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
# Commands that the page only tells about: they set up, run a suite, or serve until they are stopped.
NOT_RUN = re.compile(r"^(make|git|cd|pip|npm|bash \.ci/run)\b|^arena serve\b")
TIME_LIMIT = 1200


def blocks(page: Path, *languages: str) -> list[tuple[str, str]]:
    """The (language, text) of a page's fenced blocks, in order."""
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [(language, text) for language, text in found if language in languages]


def commands(page: Path) -> list[str]:
    """The command lines of a page, without comments, continued lines joined."""
    text = "\n".join(text for _, text in blocks(page, "sh")).replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def words(line: str) -> list[str]:
    return shlex.split(line, comments=True)


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def resolve(arguments: list[str]) -> tuple[click.Command, list[str]]:
    """The arena command that some arguments name, and what is left of them."""
    command: click.Command = cli
    while isinstance(command, click.Group) and arguments and arguments[0].islower():
        found = command.get_command(click.Context(command), arguments[0])
        assert found is not None, f"there is no `arena ... {arguments[0]}`"
        command, arguments = found, arguments[1:]
    return command, arguments


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_of_a_page_exists(page: Path) -> None:
    inline = re.findall(r"`((?:make|arena) [^`]+)`", (ROOT / page).read_text(encoding="utf-8"))
    for line in [*commands(page), *inline]:
        program, *arguments = words(line)
        if program == "make":
            assert set(arguments) <= make_targets(), line
        elif program == "arena":
            command, rest = resolve(arguments)
            known = {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)}
            own = takewhile(lambda word: word != "--", rest)  # what is behind it is another program's
            used = {word.partition("=")[0] for word in own if word.startswith("--")}
            assert used <= known | {"--help", "--version"}, line


@pytest.mark.parametrize("page", RUN, ids=str)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    """Once more if they do not: the clocks are the usual ones, for which a machine may stall too long."""
    try:
        run_page(page, tmp_path / "first")
    except AssertionError as error:
        print(error)
        run_page(page, tmp_path / "again")


def run_page(page: Path, folder: Path) -> None:
    """Run its blocks in order in a new folder; one whose first line is a file name is saved under it."""
    folder.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    ran = 0
    for language, text in blocks(page, "sh", "python", "js", "toml"):
        named = re.match(r"(?:#|//) ([\w./-]+\.\w+)\n", text)
        if named:
            target = folder / named[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        elif language in ("sh", "python"):
            ran += run(language, text, folder, environment)
    assert ran, f"{page} shows nothing that runs"


def run(language: str, text: str, folder: Path, environment: dict[str, str]) -> int:
    """Run one block; the number of blocks run (0 when all its lines are only told about)."""
    lines = [line for line in text.splitlines() if not NOT_RUN.match(line)]
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return 0
    program = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else [sys.executable, "-c"]
    source = "\n".join(lines) if language == "sh" else text
    done = subprocess.run(
        [*program, source],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{source}\n--- ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return 1


def test_generated_parts_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run `make docs`; stale or broken:\n{done.stdout}{done.stderr}"


def test_every_variant_has_a_page_with_its_options() -> None:
    for name in engine_core.variants():
        text = (ROOT / "docs" / "variants" / f"{name}.md").read_text(encoding="utf-8")
        assert f"<!-- generated: facts {name} -->" in text
        assert f"<!-- generated: board {name} -->" in text


def published() -> list[tuple[Path, str]]:
    """The folder and the shown table of every leaderboard in the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = re.findall(r"<!-- generated: leaderboard (\S+) -->\n(.*?)<!-- end -->", text, re.S)
    return [(ROOT / folder, table) for folder, table in parts]


def test_the_readme_shows_a_published_leaderboard() -> None:
    assert published(), "the README shows no generated leaderboard"
    for folder, table in published():
        for row in rows_of(folder / "standings.csv"):
            assert table.count(f"`{row['player']}`") == 3  # standings, row and column of the pairwise table


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_published_standings_follow_from_the_published_games() -> None:
    for folder, _ in published():
        seats: dict[str, list[dict[str, str]]] = {}
        for row in rows_of(folder / "games.csv"):
            seats.setdefault(row["player"], []).append(row)
        standings = rows_of(folder / "standings.csv")
        assert {row["player"] for row in standings} == set(seats)
        for row in standings:
            own = seats[row["player"]]
            capped = sum(seat["termination"] == "turn_cap" for seat in own)
            assert int(row["games"]) == len(own)
            assert int(row["wins"]) == sum(int(seat["won"]) for seat in own)
            assert float(row["score"]) == pytest.approx(sum(float(seat["score"]) for seat in own) / len(own))
            assert float(row["capped"]) == pytest.approx(capped / len(own))


def test_classic_page_states_the_facts_of_the_engine() -> None:
    text = " ".join((ROOT / "docs/variants/classic.md").read_text(encoding="utf-8").split())
    game = engine_core.load("classic", seats=3)
    board, deck = game.ruleset.board, game.ruleset.deck
    assert f"{len(board.territories)} territories in {len(board.regions)} regions" in text
    assert f"joined by {len(board.borders)} borders" in text
    assert f"A deck of {len(deck.cards)} cards" in text
    for index, region in enumerate(board.regions):
        assert f"| {region.name} | {len(board.members(index))} | {region.bonus} |" in text
    for seats in range(2, 7):
        ruleset = engine_core.load("classic", seats=seats).ruleset
        row = f"| {seats} | {', '.join(ruleset.colours)} | {ruleset.options['starting_troops']} |"
        assert row in text, f"troops for {seats} seats"


def test_every_environment_variable_is_documented() -> None:
    sources = [(ROOT / path).read_text(encoding="utf-8") for path in python_files("arena")]
    used = {name for text in sources for name in re.findall(r'"(ARENA_[A-Z]+)"', text)}
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(ARENA_[A-Z]+)`", page))
    assert used == documented
