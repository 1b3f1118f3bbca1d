"""The command line in this process, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from arena.cli import cli


def run(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def run_json(*arguments: str | Path) -> Any:
    """What a command that must succeed prints as JSON."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
