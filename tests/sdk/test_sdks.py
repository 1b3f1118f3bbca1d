"""Every language of bots/sdk, as it is used: its package's tests, real tournaments, and a new bot made of it.

A language whose toolchain is not on the machine is named and left out; that is the only reason for it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from languages import (
    ARENA,
    BUILD_S,
    ROOT,
    SDKS,
    Language,
    Played,
    alive,
    code_lines,
    forget_builds,
    languages,
    lend_cache,
    run,
    tournament,
)

VARIANTS = """
[[variants]]
name = "classic"
seats = [2, 3]
options = { turn_cap = 40 }

[[variants]]
name = "command_room"
seats = 3
options = { turn_cap = 25 }

[[variants]]
name = "endor"
seats = 2
"""
DUEL = """
[[variants]]
name = "classic"
seats = 2
options = { turn_cap = 100 }
"""
DUEL_MATCHES = 10
CLEARLY = 0.8
MOST_LINES = 30
# The same one each time; and nobody is late, however busy the machine is.
SHORT_GAME = shlex.split("--option turn_cap=5 --seed 1 --start 300 --decision 60 --game-bank 3600")


def parameters(*, package: bool = False) -> list[object]:
    """The languages; one without its toolchain says so."""
    found = [language for language in languages() if language.has_package or not package]
    return [
        pytest.param(
            language,
            id=language.name,
            marks=[
                pytest.mark.skipif(
                    bool(language.missing), reason=f"toolchain {', '.join(language.missing)} missing"
                )
            ],
        )
        for language in found
    ]


EVERY = pytest.mark.parametrize("language", parameters())
EVERY_PACKAGE = pytest.mark.parametrize("language", parameters(package=True))


@cache
def built(language: Language) -> None:
    """Have the example bots built from the package as it is, if they are not yet."""
    forget_builds(language)


def test_every_folder_is_a_language_the_harness_knows() -> None:
    folders = {path.name for path in SDKS.iterdir() if path.is_dir()} - {"testdata"}
    assert {language.name for language in languages()} == folders
    assert folders >= {"python", "typescript", "javascript", "go", "rust", "java", "cpp", "shell", "c"}
    made = {path.parent.parent.name for path in SDKS.glob("*/skeleton/skeleton.toml")}
    assert made == folders


def test_a_python_bot_requires_what_its_package_does() -> None:
    package = tomllib.loads((SDKS / "python" / "pyproject.toml").read_text())
    lines = (SDKS / "python" / "skeleton" / "requirements.txt").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == package["project"]["dependencies"]


def test_no_bot_is_given_the_name_of_the_package_it_is_built_with(tmp_path: Path) -> None:
    """Cargo refuses two packages of one name and version; it would do so only at the build."""
    manifest = tomllib.loads((SDKS / "rust" / "arena-bot" / "Cargo.toml").read_text())
    command: list[str | Path] = [ARENA, "init", manifest["package"]["name"], "--lang", "rust"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "the package of the Rust SDK has this name" in done.stderr


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"decisionId":1000,"range":42}', "42 ranges, but"),
        ('{"decisionId":1000,"range":0,"amount":7}', "the range is"),
        ('{"decisionId":999}', "nobody asked"),
        ('{"decisionId":1000}', "0 answers to question 1001"),
    ],
)
def test_the_test_of_a_bot_over_json_lines_finds_a_wrong_answer(
    answer: str, words: str, tmp_path: Path
) -> None:
    shutil.copy(SDKS / "shell" / "test.sh", tmp_path)
    (tmp_path / "recorded").symlink_to(SDKS / "testdata")
    bot = tmp_path / "bot.sh"
    bot.write_text(f"""echo '{{"join":{{}}}}'\necho '{{"acts":{{"acts":[{answer}]}}}}'\n""")
    command: list[str | Path] = ["sh", "test.sh", "sh", bot]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, words in done.stdout) == (1, True), done.stdout


@pytest.mark.parametrize("language", [item for item in languages() if item.has_package], ids=lambda x: x.name)
def test_the_random_bot_is_short(language: Language) -> None:
    lines = code_lines(language.bot("random"))
    assert lines, "no source file found"
    assert sum(lines.values()) <= MOST_LINES, lines


@EVERY_PACKAGE
def test_the_package_passes_its_own_tests(language: Language) -> None:
    assert language.test, "sdk.toml names no test"
    run(language.test, language.folder, BUILD_S)


@EVERY_PACKAGE
def test_its_bots_play_a_tournament_without_a_fault(language: Language, tmp_path: Path) -> None:
    """Random and greedy as processes, and one bot of the platform, in variants of both families."""
    built(language)
    played = tournament(tmp_path, [language.bot("random"), language.bot("greedy"), "random"], VARIANTS, 1)
    assert {game.pool.label for game in played.games} == {"classic", "command_room", "endor"}
    assert len(played.games) == 3 * 2 + 3 + 3 + 3 * 2
    assert played.faults == ()
    check_processes(played, language)


@EVERY_PACKAGE
def test_greedy_clearly_beats_random_of_its_language(language: Language, tmp_path: Path) -> None:
    built(language)
    played = tournament(tmp_path, [language.bot("greedy"), language.bot("random")], DUEL, DUEL_MATCHES)
    greedy = f"sdk_{language.name}_greedy"
    scores = [seat.score for game in played.games for seat in game.seats if seat.player == greedy]
    assert len(scores) == 2 * DUEL_MATCHES
    assert sum(scores) / len(scores) >= CLEARLY
    check_processes(played, language)


def check_processes(played: Played, language: Language) -> None:
    """The bots were two processes of their own, and none is left."""
    seen = played.processes(language.bot("random")) | played.processes(language.bot("greedy"))
    assert len(seen) == 2, played.bots
    assert alive(pid for pid, _ in played.bots.values()) == []


@EVERY
def test_a_new_bot_passes_its_own_test_and_plays_at_once(language: Language, tmp_path: Path) -> None:
    """`arena init`, then the new bot's own test, then `arena play ./NAME random`: nothing else is needed."""
    made = json.loads(run([ARENA, "init", "fresh", "--lang", language.name, "--json"], tmp_path, BUILD_S))
    fresh = tmp_path / made["folder"]
    files = [path for path in fresh.rglob("*") if path.is_file()]
    for unwanted in (b"__NAME__", str(ROOT).encode()):
        assert [path for path in files if unwanted in path.read_bytes()] == []
    readme = (fresh / "README.md").read_text()
    assert all((fresh / name).exists() for name in re.findall(r"[^`, ]+", first_column(readme))), readme
    for command in ("arena play ./fresh random", "arena doctor ./fresh"):
        assert command in readme
    lend_cache(language, fresh)
    run(shlex.split(made["test"]), fresh, BUILD_S)
    program, *arguments = shlex.split(made["play"])
    assert program == "arena"
    arguments += [*SHORT_GAME, "--json"]
    played = json.loads(run([ARENA, *arguments], tmp_path, BUILD_S))
    assert played["players"] == ["fresh", "random"]
    assert played["faults"] == []


def first_column(readme: str) -> str:
    """The names of files in a table."""
    return " ".join(re.findall(r"^\| (`.*?`) \|", readme, re.M))
