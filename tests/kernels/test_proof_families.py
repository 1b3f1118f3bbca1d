"""A family of an installed package is known to every process, whatever it was started for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from proof_families import FOLDER, built
from proof_samples import FAMILIES, game_of

REPLY = """
import sys, engine_core
game = engine_core.load_resolved(sys.stdin.read())
print(*engine_core.families(), game.new_state(1).digest())
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder for the module path in which the proof families look like an installed package."""
    about = tmp_path / "proof-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: proof\nVersion: 1.0\n")
    entries = "".join(f"{name} = {name}\n" for name in FAMILIES)
    (about / "entry_points.txt").write_text(f"[conquest_arena.families]\n{entries}broken = no_such_module\n")
    return tmp_path


def ask(ruleset: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, folders))
    return subprocess.run(
        [sys.executable, "-c", REPLY],
        input=ruleset,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_another_process_plays_an_installed_family_from_the_rulesets_text(installed: Path) -> None:
    game = game_of("reaction")
    reply = ask(game.ruleset.text, installed, built(), FOLDER)
    assert reply.stderr == ""
    *families, digest = reply.stdout.split()
    assert families == sorted(["broken", "conquest", "endor", *FAMILIES])
    assert digest == game.new_state(1).digest()


def test_a_family_that_is_not_installed_is_named_with_the_valid_ones(installed: Path) -> None:
    reply = ask(game_of("picks").ruleset.text.replace('"family":"picks"', '"family":"pick"'), installed)
    assert "unknown family 'pick' (did you mean 'picks'?); valid: broken, conquest, consent" in reply.stderr


def test_an_installed_family_that_cannot_be_loaded_says_why(installed: Path) -> None:
    reply = ask(game_of("picks").ruleset.text.replace('"family":"picks"', '"family":"broken"'), installed)
    assert (
        "family 'broken': no_such_module cannot be loaded: No module named 'no_such_module'" in reply.stderr
    )
