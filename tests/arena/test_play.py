"""`arena play` with programs: what it tells of their builds and of what they write."""

from __future__ import annotations

import json
from pathlib import Path

from tournament_samples import arena

LOUD = """echo loading >&2
echo '{"join":{"maxQuestions":1}}'
while read -r line; do
  case $line in *'"decisionId":'*) id=${line#*'"decisionId":'} ;; *) continue ;; esac
  echo '{"log":{"text":"asked"}}'
  printf 'now '
  echo "{\\"acts\\":{\\"acts\\":[{\\"decisionId\\":${id%%,*}}]}}"
done
"""


def loud_bot(folder: Path, build: str = "") -> Path:
    """A shell bot that writes to stderr, logs, and has a build step if asked to."""
    made = folder / "loud"
    made.mkdir()
    (made / "bot.sh").write_text(LOUD)
    step = f'build = ["sh", "-c", "{build}"]\n' if build else ""
    about = 'name = "loud"\ncommand = ["sh", "bot.sh"]\nprotocol = "jsonlines"\n'
    (made / "bot.toml").write_text(about + step)
    return made


def test_what_a_program_wrote_is_shown_with_its_name(tmp_path: Path) -> None:
    """Standard error, log messages and other lines; nothing of it unless asked for."""
    play = ("play", loud_bot(tmp_path), "random", "--option", "turn_cap=1")
    done, logged = arena(*play), arena(*play, "--logs", "--json")
    assert (done.returncode, logged.returncode) == (0, 0), done.stderr + logged.stderr
    assert done.stderr == ""
    lines = logged.stderr.splitlines()
    assert lines[-2:] == ["loud| on stderr:", "loud| loading"]
    assert {"loud| said beside its messages:", "loud| log: asked", "loud| now "} <= set(lines)
    assert json.loads(logged.stdout)["faults"] == []


def test_a_build_is_announced(tmp_path: Path) -> None:
    """Once, for it is not built again; and with its output if it fails."""
    play = (
        "play",
        loud_bot(tmp_path, build="echo making; test ! -e broken"),
        "random",
        "--option",
        "turn_cap=1",
    )
    said = "building loud (sh -c 'echo making; test ! -e broken')\n"
    done, again = arena(*play), arena(*play)
    assert (done.returncode, done.stderr) == (0, said)
    assert (again.returncode, again.stderr) == (0, "")
    (tmp_path / "loud" / "broken").touch()
    broken = arena(*play)
    assert broken.returncode == 2
    assert broken.stderr.startswith(said)
    assert broken.stderr.count("making") == 3  # as announced, as run, and what it wrote
