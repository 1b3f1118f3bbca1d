"""The command line: help, exit codes, and each command on real input."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import grpc
import pytest
from command_line import run, run_json
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tournament_samples import ARENA, ROOT, wait_until, write_tournament

import engine_core
from arena.bench import Figure
from arena.cli import cli
from arena.commands import bench
from arena.v1 import engine_pb2, engine_pb2_grpc


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand, with its full name."""
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {each}", command.commands[each]) for each in sorted(command.commands))


HELP = ROOT / "tests" / "data" / "cli_help.txt"
COMMANDS = dict(commands())
LEAVES = {name: command for name, command in COMMANDS.items() if not isinstance(command, click.Group)}
# A good bot is never late, however busy the machine is.
PATIENT = ("--start", "120", "--decision", "60")


# ---- what all commands have in common


def test_the_commands_are_these() -> None:
    assert {name for name in COMMANDS if " " not in name} == {
        "bench",
        "bots",
        "certificate",
        "dial",
        "doctor",
        "explain",
        "export",
        "fault",
        "faults",
        "init",
        "leaderboard",
        "play",
        "player",
        "plugins",
        "ratings",
        "replay",
        "rerun",
        "serve",
        "tournament",
        "variants",
        "verify",
    }
    assert {name.partition(" ")[2] for name in COMMANDS if name.startswith("tournament ")} == {
        "resume",
        "run",
        "show",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_the_command_its_options_and_an_example(name: str) -> None:
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert "Example" in result.output
    command = COMMANDS[name]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{parameter.name} has no help"
        elif isinstance(parameter, click.Argument):
            shown = (parameter.metavar or parameter.name or "").split()[0].upper().rstrip(".")
            assert shown in command.help or shown == "BOT", f"{shown} is not explained"


def test_help_is_what_it_was() -> None:
    """Run with ARENA_WRITE_SNAPSHOTS=1 to take over a change that is meant."""
    pages = [run("--help").output, *(run(*name.split(), "--help").output for name in COMMANDS)]
    text = "\n".join(pages).replace("Usage: cli", "Usage: arena")
    if os.environ.get("ARENA_WRITE_SNAPSHOTS"):
        HELP.write_text(text)
    assert text == HELP.read_text()


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_speaks_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in LEAVES[name].params)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_are_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lines = [line.strip() for line in (COMMANDS[name].epilog or "").splitlines()]
    examples = [shlex.split(line) for line in lines if line.startswith("arena ")]
    assert examples
    for program, *arguments in examples:
        assert program == "arena"
        command: click.Command = cli
        context = click.Context(cli, info_name="arena")
        while isinstance(command, click.Group):
            found = command.get_command(context, arguments.pop(0))
            assert found is not None
            command = found
        command.make_context("example", arguments, parent=context)


def test_help_loads_no_big_package() -> None:
    """They take a second or more; what a command needs it loads when it runs."""
    code = """
import sys
from arena.cli import cli
try:
    cli(["--help"])
finally:
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tournament" in done.stdout
    loaded = set(done.stderr.split())
    assert {"arena", "click"} <= loaded
    assert not loaded & {"cryptography", "google", "grpc", "numpy", "ray", "rich", "sqlalchemy"}


# ---- play, replay


def test_play_gives_the_same_game_for_the_same_seed() -> None:
    def played(seed: int) -> Any:
        options = ("--option", "turn_cap=3", "--seed", str(seed), *PATIENT)
        return run_json("play", "random", "random", "random", *options)

    first, again, other = played(5), played(5), played(6)
    assert first["final_digest"] == again["final_digest"] != other["final_digest"]
    assert first["termination"] == "turn_cap"
    assert first["players"] == ["random 1", "random 2", "random 3"]


def test_one_bot_takes_all_seats() -> None:
    assert len(run_json("play", "random", "--seats", "4", "--option", "turn_cap=1")["scores"]) == 4


def test_bots_can_be_named_by_option_too(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rounds=1)
    attacker = str(tmp_path / "attacker.py")
    played = run_json("play", "random", "--bot", attacker, "--option", "turn_cap=1")
    assert played["players"] == ["random", "attacker"]
    found = run_json("tournament", "run", file, "--bot", "outrider")
    assert set(found["players"]) == {"random", "attacker", "outrider"}
    assert found["matches"] == 3


def test_a_record_replays_and_a_changed_one_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    options = ("--option", "turn_cap=3", "--seed", "1", *PATIENT)
    run_json("play", "random", "random", *options, "--record", path)
    sound = run_json("replay", path, "--verify")
    assert sound["equal"] is True
    assert sound["steps"] > 10
    told = run("replay", path).output.splitlines()
    assert len(told) > sound["steps"]
    assert told[-1] == "won by nobody: the turn cap ended the game"

    record = json.loads(path.read_text())
    *_, before, last = record["steps"]
    assert before != last
    record["steps"][-2:] = [last, before]
    path.write_text(json.dumps(record))
    changed = run("replay", path, "--verify")
    assert changed.exit_code == 1
    assert "steps[" in changed.stderr or "final_digest" in changed.stderr


def test_a_replay_tells_a_drawn_card_once(tmp_path: Path) -> None:
    """Its seat hears which card, the others that there was one; a replay shows all, and so the first."""
    path = tmp_path / "game.json"
    options = ("--option", "turn_cap=1", "--seed", "1", *PATIENT)
    run_json("play", "random", "random", "--variant", "endor", *options, "--record", path)
    told = run("replay", path).output.splitlines()
    drawn = [line for line in told if " drew " in line]
    assert not [line for line in drawn if line.endswith(" -")]
    assert sum(line.startswith("    0: ") for line in drawn[:12]) == 6
    assert len(set(drawn)) == len(drawn) >= 12


def test_show_tells_every_turn_and_draws_the_board_every_lap(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    options = ("--option", "turn_cap=2", "--seed", "1", *PATIENT)
    played = run("play", "random", "random", "random", *options, "--show", "--record", path)
    assert played.exit_code == 0, played.output
    for territory in ("ALA", "BRA", "EAU", "JAP"):
        assert len(re.findall(rf"\b{territory} [kbg]\d", played.output)) == 3  # before both laps, and the end
    for lap in (1, 2):
        for colour, player in (("black", "random 1"), ("blue", "random 2"), ("green", "random 3")):
            assert f"Lap {lap}, {colour} ({player})" in played.output
    assert "The game is over, at the turn cap" in played.output
    shown = run("replay", path, "--show").output
    assert played.output.startswith(shown)
    assert max(map(len, shown.splitlines())) < 160


@pytest.mark.parametrize("variant", sorted(engine_core.variants()))
def test_show_draws_what_a_variant_has(variant: str) -> None:
    seats = engine_core.variants()[variant].usual_seats
    options = ("--variant", variant, "--seats", str(seats), "--option", "turn_cap=2", "--seed", "1")
    shown = run("play", "random", *options, *PATIENT, "--show").output
    fields = {field.name for field in engine_core.load(variant).description.fields}
    assert ("# city" in shown) == ("city" in fields)
    assert ("* capital" in shown or "* headquarters" in shown) == ("capital" in fields)
    assert ("Objectives: " in shown) == ("objective" in fields)
    assert ("(nobody)" in shown) == (variant == "two_player")
    before, missions, _ = shown.partition("Missions: ")
    assert bool(missions) == ("mission" in fields)
    assert "the game is over" in before, "missions are secret until the end"


@pytest.mark.parametrize("variant", ["classic", "command_room", "two_player", "endor", "endor_teams"])
def test_the_live_picture_fits_a_small_terminal(variant: str) -> None:
    """Runs in a terminal of 80 x 24: the picture is redrawn in place and never longer than the screen."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seats = engine_core.variants()[variant].seats[1]
    game = ("--variant", variant, "--option", "turn_cap=2", "--seed", "1", *PATIENT)
    process = subprocess.Popen(
        [str(ARENA), "play", *["random"] * seats, *game, "--show", "--delay", "0.01"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(terminal)
    screen = read_all(master)
    assert process.wait() == 0
    frames = screen.split(
        "\x1b[2K\x1b[1A"
    )  # rich goes up line by line to draw the next picture over the last
    plain = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame).strip("\r\n") for frame in frames]
    pictures = [frame.splitlines() for frame in plain if re.search(r"\bALA.[a-z]\d|\bO1 ", frame)]
    assert len(pictures) > 10
    for picture in pictures[:-1]:
        assert len(picture) <= 24
        assert max(map(len, picture)) <= 80
        assert re.match(r"(Lap|Round) \d", picture[0])


def read_all(master: int) -> str:
    """What a process writes to its terminal until it ends."""
    data = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody holds its other end any more
        while piece := os.read(master, 65536):
            data += piece
    os.close(master)
    return data.decode()


# ---- what is there


def test_variants_lists_and_describes() -> None:
    listed = {variant["name"]: variant for variant in run_json("variants")}
    assert set(listed) == set(engine_core.variants())
    assert "expert" in run("variants").output
    described = run("variants", "classic").output
    for words in ("A TURN", "RECONSTRUCTED", "OPEN QUESTIONS", "SOURCES", "turn_cap", "1..10000", "US 1993"):
        assert words in described


@pytest.mark.parametrize("name", sorted(engine_core.variants()))
def test_a_variant_says_the_same_in_the_command_and_on_its_page(name: str) -> None:
    found = run_json("variants", name)
    page = (ROOT / "docs" / "variants" / f"{name}.md").read_text().replace("`", "").replace("\\|", "|")
    printed = " ".join(run("variants", name).output.split())
    for section in found["sections"]:
        assert f"## {section['title']}\n" in page
        assert section["title"].upper() in printed
        for row in section["rows"]:
            assert "| " + " | ".join(cell.replace("`", "") for cell in row) + " |" in page


@pytest.mark.parametrize("columns", ["60", "80", "300"])
def test_a_description_fits_the_terminal(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    title, place, *lines = run("variants", "command_room").output.splitlines()
    assert title.startswith("command_room: ")
    assert place.startswith("family conquest, 3-5 seats")
    assert max(map(len, lines)) <= int(columns)


def test_a_variant_is_described_and_drawn_with_options(tmp_path: Path) -> None:
    assert (
        "no territory ever holds more than 20" in run("variants", "expert", "--option", "troop_cap=20").output
    )
    boards = [tmp_path / "one.svg", tmp_path / "other.svg"]
    run("variants", "classic", "--board", boards[0])
    run("variants", "classic", "--board", boards[1], "--option", "map_edges_override=anniversary_40")
    first, second = (board.read_text().count("<line") for board in boards)
    assert first == second + 1
    assert boards[0].read_text() == (ROOT / "docs" / "variants" / "boards" / "classic.svg").read_text()


def test_bots_lists_and_describes() -> None:
    listed = {each["bot"]["name"]: each for each in run_json("bots")}
    assert listed["random"]["summary"] == "a uniformly random legal action"
    assert run_json("bots", "outrider")["command"] == ["python", "bot.py"]
    assert run_json("bots", "random")["options"] == []
    assert "outrider" in run("bots").output


# ---- results of a tournament


def test_leaderboard_shows_points_wins_faults_and_elo_per_pool(database: Path) -> None:
    (pool,) = run_json("leaderboard", "--db", database)
    assert pool["pool"]["seats"] == 2
    assert sum(row["score"] * row["games"] for row in pool["rows"]) == pytest.approx(8)
    assert sum(row["rating"] for row in pool["rows"]) == pytest.approx(3000)
    text = run("leaderboard", "sample", "--db", database).output
    for words in ("classic, 2 seats, cap 6", "Live Elo", "capped %", "row against column"):
        assert words in text
    assert run("leaderboard", "--all", "--db", database).exit_code == 0
    assert "no tournament 'other'" in run("leaderboard", "other", "--db", database).stderr


@pytest.mark.parametrize("what", ["standings", "games", "pairwise", "faults"])
def test_i06_exports_are_the_same_as_csv_and_json(database: Path, tmp_path: Path, what: str) -> None:
    rows = list(csv.DictReader(io.StringIO(run("export", what, "--db", database).stdout)))
    objects = run_json("export", what, "--db", database)
    assert [
        {key: "" if value is None else str(value) for key, value in each.items()} for each in objects
    ] == rows
    assert bool(rows) == (what != "faults")
    path = tmp_path / "out.csv"
    run("export", what, "--db", database, "--output", path)
    assert list(csv.DictReader(path.open())) == rows


def test_ratings_are_explained_and_recomputed(database: Path) -> None:
    assert run_json("ratings", "recompute", "--db", database)["equal"] is True
    changes = run_json("ratings", "changes", "--db", database, "--player", "random")
    assert len(changes) == 4
    for change in changes:
        moved = change["after"] - change["before"]
        assert moved == pytest.approx(16 * (change["actual"] - change["expected"]))
    assert run("ratings", "changes", "--db", database, "--player", "x").exit_code == 2


def test_a_game_of_the_database_replays(database: Path) -> None:
    assert run_json("replay", "1", "--verify", "--db", database)["equal"] is True


def test_tournament_show_lists_and_describes(database: Path) -> None:
    (row,) = run_json("tournament", "show", "--db", database)
    assert (row["name"], row["state"], row["committed"]) == ("sample", "finished", 4)
    shown = run_json("tournament", "show", "sample", "--db", database)
    assert [player["label"] for player in shown["players"]] == ["random", "attacker"]
    assert "4 of 4 matches" in run("tournament", "show", "1", "--db", database).output


def test_verify_agrees_and_can_be_held_to_a_hash(database: Path) -> None:
    found = run_json("verify", "--all", "--db", database)
    assert (found["problems"], found["games_replayed"]) == ([], 8)
    assert run_json("verify", "--games", "3", "--db", database)["games_replayed"] in (2, 3)
    assert run("verify", "--db", database, "--expect", found["content_hash"]).exit_code == 0
    assert run("verify", "--db", database, "--expect", "0" * 32).exit_code == 1


def test_run_writes_its_tables_where_the_file_says(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rounds=2)
    file.write_text('output = "tables"\n' + file.read_text())
    found = run_json("tournament", "run", file)
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert names == {
        "attempts.csv",
        "conduct.csv",
        "faults.csv",
        "games.csv",
        "leaderboard.txt",
        "pairwise.csv",
        "run.json",
        "standings.csv",
    }
    kept = json.loads((tmp_path / "tables" / "run.json").read_text())
    assert kept["content_hash"] == found["content_hash"]
    assert kept["seed"] == f"{77:032x}"
    assert (kept["matches"], kept["games"]) == (2, 4)


# ---- init, serve, bench


def test_a_new_bot_plays_at_once(tmp_path: Path) -> None:
    """In the default language; tests/sdk makes one in every other."""
    made = run_json("init", tmp_path / "fresh")
    _, *arguments = shlex.split(made["play"])
    played = run_json(*arguments, "--option", "turn_cap=3", "--seed", "1", *PATIENT)
    assert played["players"] == ["fresh", "random"]
    assert played["faults"] == []


def test_a_new_python_bot_runs_inside_too(tmp_path: Path) -> None:
    run_json("init", tmp_path / "fresh")
    options = ("--option", "turn_cap=2", "--seed", "1", *PATIENT)
    assert run_json("play", tmp_path / "fresh" / "bot.py", "random", *options)["faults"] == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [("class", "a keyword of Python"), ("node_modules", "npm and tsc"), ("1st", "starting with a letter")],
)
def test_a_name_that_no_bot_can_have_is_refused_with_the_reason(
    tmp_path: Path, name: str, reason: str
) -> None:
    refused = run("init", tmp_path / name, "--lang", "javascript")
    assert refused.exit_code == 2
    assert f"{name!r} is no bot name: " in refused.output
    assert reason in " ".join(refused.output.split())
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("called", "language"),
    [
        ("ts", "typescript"),
        ("js", "javascript"),
        ("py", "python"),
        ("c++", "cpp"),
        ("Go", "go"),
        ("rs", "rust"),
    ],
)
def test_a_language_is_known_by_its_usual_names(tmp_path: Path, called: str, language: str) -> None:
    made = run_json("init", tmp_path / "fresh", "--lang", called)
    assert made["language"] == language


@pytest.mark.parametrize(
    ("language", "built"),
    [
        *(("c", "/bot"), ("cpp", "/build"), ("go", "/bot"), ("java", "/target"), ("rust", "/target")),
        *(("javascript", "/node_modules"), ("typescript", "/dist")),
    ],
)
def test_a_new_bot_keeps_what_is_built_out_of_git(tmp_path: Path, language: str, built: str) -> None:
    """The mark of a finished build too: checked out elsewhere it would keep the bot from being built."""
    run_json("init", tmp_path / "fresh", "--lang", language)
    assert {built, "/.built"} <= set((tmp_path / "fresh" / ".gitignore").read_text().splitlines())


def test_serve_answers_rules_questions_on_both_kinds_of_address(tmp_path: Path) -> None:
    socket = f"unix:{tmp_path}/arena.sock"
    with (tmp_path / "output").open("w") as output:
        server = subprocess.Popen(
            [ARENA, "serve", "--no-lobby", "--listen", "127.0.0.1:0", "--listen", socket, "--json"],
            stdout=output,
        )
    try:
        wait_until(lambda: (tmp_path / "output").read_text().endswith("}\n"), "the server's addresses")
        addresses = json.loads((tmp_path / "output").read_text().splitlines()[0])["addresses"]
        assert len(addresses) == 2
        for address in addresses:
            with grpc.insecure_channel(address) as channel:
                health: Any = health_pb2_grpc.HealthStub(channel)  # its types name no methods
                status = health.Check(health_pb2.HealthCheckRequest(), timeout=60).status
                assert status == health_pb2.HealthCheckResponse.SERVING
                engine = engine_pb2_grpc.EngineServiceStub(channel)
                variants = engine.Variants(engine_pb2.VariantsRequest(), timeout=60).variants
                assert "classic" in {variant.name for variant in variants}
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    finally:
        server.kill()
        server.wait()


def test_bench_lists_its_parts_and_writes_date_commit_and_conditions() -> None:
    assert "core" in run_json("bench", "--list")
    figure = Figure("steps", 190.0, "ns", "pyspiel", 1200.0, 6.3, ">= 2.5", "in one run")
    missed = Figure("copies", 190.0, "ns", "pyspiel", 300.0, 1.6, ">= 5")
    text = bench.markdown({"Steps": [figure, missed]}, quick=True)
    assert "| steps | 190 | ns | pyspiel | 1,200 | 6.3 | >= 2.5 | yes | in one run |" in text
    assert "| copies | 190 | ns | pyspiel | 300 | 1.6 | >= 5 | NO |" in text
    for words in ("- date: 20", "- commit: ", "- machine: ", "- mode: quick"):
        assert words in text


def test_version_is_the_packages() -> None:
    assert metadata.version("conquest-arena") in run("--version").output
