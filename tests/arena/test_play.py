"""`arena play` with bots that break and with programs: what it tells of them, their builds and their logs."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result
from tournament_samples import arena, write_tournament

from arena.cli import cli

# The same game in every run, in which no good bot is late, however busy the machine is.
STEADY = ("--seed", "1", "--start", "60", "--decision", "60")


def play(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["play", *map(str, arguments), *STEADY], catch_exceptions=False)


def test_a_bot_that_breaks_is_a_result_not_a_failure(tmp_path: Path) -> None:
    bot = tmp_path / "breaks.py"
    bot.write_text("def decide(view, legal):\n    raise RuntimeError('no idea')\n")
    result = play(bot, "random", "--option", "turn_cap=3")
    assert result.exit_code == 0
    assert "fault of breaks at decision" in result.output
    assert "crash: decide raised RuntimeError: no idea (line 2 of " in result.output
    assert "what breaks wrote:\n  Traceback (most recent call last):\n" in result.output
    assert "seats.py" not in result.output
    logged = play(bot, "random", "--option", "turn_cap=3", "--logs")
    assert "breaks| RuntimeError: no idea" in logged.stderr
    assert "wrote:" not in logged.stdout


SLOW_TO_SAY = """import time

class Slow(Exception):
    def __str__(self):
        time.sleep(600)

def decide(view, legal):
    raise Slow
"""


def test_a_bot_that_takes_too_long_to_say_how_it_broke_is_late(tmp_path: Path) -> None:
    """As on a machine that stalls just then: its game goes on, and so does the run."""
    bot = tmp_path / "slow.py"
    bot.write_text(SLOW_TO_SAY)
    arguments = [
        "play",
        str(bot),
        "random",
        "--option",
        "turn_cap=2",
        "--seed",
        "1",
        "--decision",
        "0.3",
        "--json",
    ]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0
    faults = json.loads(done.stdout)["faults"]
    assert [fault["kind"] for fault in faults if fault["seat"] == 0] == ["timeout"] * 3


NO_START = """class Bot:
    def __init__(self, game, seat, rng):
        raise RuntimeError("no start")

    def decide(self, view, legal):
        return legal[0]
"""


def test_a_game_that_no_bot_came_to_says_so(tmp_path: Path) -> None:
    bot = tmp_path / "ill.py"
    bot.write_text(NO_START)
    record = tmp_path / "game.json"
    result = play(bot, bot, "--record", record)
    assert result.exit_code == 0
    assert "won by nobody: too few bots had come to it; ended by game_limit after 1 lap" in result.output
    again = CliRunner().invoke(cli, ["rerun", str(record), "--seat", "0", "--bot", "random", "--branch", "1"])
    assert again.exit_code == 2
    assert "--branch 1: the seat has no decision in this game" in again.stderr


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
    command = ("play", loud_bot(tmp_path), "random", "--option", "turn_cap=1", *STEADY)
    done, logged = arena(*command), arena(*command, "--logs", "--json")
    assert (done.returncode, logged.returncode) == (0, 0), done.stderr + logged.stderr
    assert done.stderr == ""
    lines = logged.stderr.splitlines()
    assert lines[-2:] == ["loud| on stderr:", "loud| loading"]
    assert {"loud| said beside its messages:", "loud| log: asked", "loud| now "} <= set(lines)
    assert json.loads(logged.stdout)["faults"] == []


def test_a_build_is_announced(tmp_path: Path) -> None:
    """Once, for it is not built again; and with its output if it fails."""
    command = (
        "play",
        loud_bot(tmp_path, build="echo making; test ! -e broken"),
        "random",
        "--option",
        "turn_cap=1",
        *STEADY,
    )
    said = "building loud (sh -c 'echo making; test ! -e broken')\n"
    done, again = arena(*command), arena(*command)
    assert (done.returncode, done.stderr) == (0, said)
    assert (again.returncode, again.stderr) == (0, "")
    (tmp_path / "loud" / "broken").touch()
    broken = arena(*command)
    assert broken.returncode == 2
    assert broken.stderr.startswith(said)
    assert broken.stderr.count("making") == 3  # as announced, as run, and what it wrote


def test_what_isolation_refuses_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    loud = loud_bot(tmp_path, build="touch built")
    played = arena("play", loud, "random", "--isolation", "sandbox")
    file = write_tournament(tmp_path, players=f'["random", {{ path = "{loud}" }}]')
    file.write_text(file.read_text() + '[isolation]\nlevel = "sandbox"\n')
    for refused in (played, arena("tournament", "run", file)):
        assert refused.returncode == 2
        assert "random" in refused.stderr
        assert "inside the arena's own process" in refused.stderr
        assert "building" not in refused.stderr
    assert not (tmp_path / "loud" / "built").exists()


def test_what_a_bot_wrote_gives_a_terminal_no_orders(tmp_path: Path) -> None:
    """Escapes and what turns text round: in logs, faults, explanations, the doctor's findings, and JSON."""
    bot = tmp_path / "dirty.py"
    evil = "ask\x1b[2Jed\u202e\x9b\x7fnow"
    bot.write_text(f"def decide(view, legal):\n    raise RuntimeError({evil!r})\n")
    made = loud_bot(tmp_path)
    (made / "bot.sh").write_text(LOUD.replace("loading", evil))
    file = write_tournament(tmp_path, rounds=1, players='["random", "./dirty.py"]')
    assert CliRunner().invoke(cli, ["tournament", "run", str(file)]).exit_code == 0
    shown = CliRunner().invoke(cli, ["tournament", "show", "1", "--db", str(tmp_path / "results.db")]).output
    assert "idle CPU `-`: nothing was measured: the bot has no process here" in shown
    runs = [
        play(bot, "random", "--option", "turn_cap=2", "--json").output,
        play(bot, "random", "--option", "turn_cap=2").output,
        CliRunner().invoke(cli, ["explain", "1", "--db", str(tmp_path / "results.db")]).output,
        play(made, "random", "--option", "turn_cap=1", "--logs").output,
        CliRunner().invoke(cli, ["doctor", str(bot), "--quick", "--variant", "classic"]).output,
    ]
    assert all("ask" in told and "now" in told for told in runs), runs
    for told in runs:
        assert told.replace("\n", "").isprintable()
    assert evil in json.loads(runs[0])["faults"][0]["message"]


def test_what_a_bots_author_wrote_gives_a_terminal_no_orders(tmp_path: Path) -> None:
    """In bot.toml, which is told of where a bot is built, and where it cannot be used."""
    evil = "clas\\u001b[2J\\u009bsic"
    toml = f'name = "evil"\ncommand = ["sh", "bot.sh"]\nbuild = ["sh", "-c", "echo {evil}; exit 3"]\n'
    claims = f'variants = ["{evil}"]\n'
    for more, told in (("", "building evil (sh -c 'echo clas"), (claims, "it claims clas")):
        (tmp_path / "bot.toml").write_text(toml + more)
        output = CliRunner().invoke(cli, ["doctor", str(tmp_path)]).output
        assert told in output
        assert output.replace("\n", "").isprintable()
