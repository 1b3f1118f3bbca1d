"""Plugins: real packages with entry points, and what happens when one is broken."""

from __future__ import annotations

import inspect
import json
import os
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

import pytest
from tournament_samples import ATTACKER, arena, outcome, write_tournament

from arena import botfiles, hookspecs
from arena.errors import PluginError
from arena.plugins import Plugins

PLUGIN = '''
from pathlib import Path

import click

from arena.formats.round_robin import RoundRobin
from arena.hookspecs import hookimpl
from arena.ratings.live_elo import LiveElo

HERE = Path(__file__).parent


class TwiceAround(RoundRobin):
    name = "twice_around"


class FastElo(LiveElo):
    id = "fast_elo"


@hookimpl
def register_bots():
    return [HERE / "attacker.py"]


@hookimpl
def register_formats():
    return {"twice_around": TwiceAround}


@hookimpl
def register_ratings():
    return {"fast_elo": FastElo}


@hookimpl
def register_variants():
    return [HERE / "rules"]


@hookimpl
def register_commands(cli):
    @cli.command()
    def hello():
        """Say hello."""
        click.echo("hello from a plugin")


@hookimpl
def game_finished(tournament, game):
    with (HERE / "games.log").open("a") as log:
        log.write(f"{tournament} {game.rotation}\\n")
'''
VARIANT = """
inherits = "classic"
summary = "classic in a hurry"
[options]
turn_cap = 7
"""


def install(folder: Path, name: str, code: str, *, entry: str = "") -> Path:
    """A package with dist-info and an entry point, as pip would leave it in `folder`; its own folder."""
    package = folder / f"{name}_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "plugin.py").write_text(code)
    info = folder / f"{name}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    target = entry or f"{name}_package.plugin"
    (info / "entry_points.txt").write_text(f"[conquest_arena]\n{name} = {target}\n")
    return package


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An installed plugin that uses every hook."""
    package = install(tmp_path, "demo", PLUGIN)
    (package / "attacker.py").write_text(ATTACKER)
    (package / "rules" / "variants").mkdir(parents=True)
    (package / "rules" / "variants" / "hurry.toml").write_text(VARIANT)
    return package


def with_plugins(*arguments: str | Path, folder: Path) -> tuple[int, str, str]:
    """Run arena where the packages in `folder` are installed: exit code, stdout, stderr."""
    done = arena(*arguments, PYTHONPATH=str(folder))
    return done.returncode, done.stdout, done.stderr


def listed(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """What `arena plugins` says, by kind and name."""
    code, output, _ = with_plugins("plugins", "--json", folder=folder)
    assert code == 0
    return {(part["kind"], part["name"]): part for part in json.loads(output)}


def test_every_hook_is_documented() -> None:
    names = [name for name in vars(hookspecs) if name.startswith("register_")] + ["game_finished"]
    assert len(names) == 6
    for name in names:
        hook = getattr(hookspecs, name)
        assert hook.__doc__
        assert inspect.signature(hook).return_annotation is not inspect.Signature.empty


def test_a_plugin_brings_all_its_parts(package: Path) -> None:
    parts = listed(package.parent)
    for kind, name in [
        ("plugin", "demo"),
        ("bot", "attacker"),
        ("format", "twice_around"),
        ("rating", "fast_elo"),
        ("variants", str(package / "rules")),
        ("command", "hello"),
    ]:
        assert parts[kind, name]["origin"] == "demo 1.5"
        assert parts[kind, name]["error"] == ""
    assert parts["bot", "random"]["origin"] == "this package"
    assert parts["command", "play"]["origin"] == "this package"


def test_families_are_listed_with_their_package(tmp_path: Path) -> None:
    install(tmp_path, "fleets", "OPTIONS = ()\nkernel_capsule = compile_rules = describe = None\n")
    entries = "fleets = fleets_package.plugin\nlost = fleets_package.lost\n"
    (tmp_path / "fleets-1.5.dist-info" / "entry_points.txt").write_text(
        f"[conquest_arena.families]\n{entries}"
    )
    parts = listed(tmp_path)
    assert (parts["family", "conquest"]["origin"], parts["family", "conquest"]["error"]) == (
        "this package",
        "",
    )
    assert (parts["family", "fleets"]["origin"], parts["family", "fleets"]["error"]) == ("fleets 1.5", "")
    assert parts["family", "lost"]["origin"] == "fleets 1.5"
    assert "fleets_package.lost cannot be loaded: No module named" in parts["family", "lost"]["error"]


def test_a_plugins_command_variant_and_bot_work(package: Path) -> None:
    folder = package.parent
    assert with_plugins("hello", folder=folder)[1] == "hello from a plugin\n"
    assert "hello" in with_plugins("--help", folder=folder)[1]
    code, output, _ = with_plugins("variants", "hurry", "--json", folder=folder)
    defaults = {option["name"]: option["default"] for option in json.loads(output)["variant"]["options"]}
    assert (code, defaults["turn_cap"]) == (0, 7)
    code, output, _ = with_plugins(
        "play", "attacker", "random", "--variant", "hurry", "--seed", "1", "--json", folder=folder
    )
    assert code == 0
    assert json.loads(output)["laps"] <= 7


@pytest.mark.parametrize("runner", ["inline", "cluster"])
def test_a_tournament_uses_a_plugins_parts_in_every_process(
    package: Path, tmp_path: Path, runner: str
) -> None:
    file = write_tournament(tmp_path / "run", rounds=3, players='["random", "attacker"]', runner=runner)
    text = file.read_text().replace('name = "classic"', 'name = "hurry"')
    file.write_text(text.replace("rounds = 3", 'rounds = 3\nformat = "twice_around"'))
    code, _, errors = with_plugins("tournament", "run", file, folder=package.parent)
    assert code == 0, errors
    outcome(tmp_path / "run" / "results.db")
    heard = (package / "games.log").read_text().splitlines()
    assert sorted(heard) == ["sample 0"] * 3 + ["sample 1"] * 3


USING = "from arena.hookspecs import hookimpl\n@hookimpl\n"
BROKEN = {
    "importing": ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
    "raising": (USING + "def register_bots():\n    raise OSError('no disk')\n", "OSError: no disk"),
    "unknown": (USING + "def register_cards():\n    return []\n", "unknown hook 'register_cards'"),
    "exiting": ("raise SystemExit(3)\n", "SystemExit: 3"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_named_with_the_reason_and_skipped(tmp_path: Path, name: str) -> None:
    code, reason = BROKEN[name]
    install(tmp_path, name, code)
    broken = [part for part in listed(tmp_path).values() if part["error"]]
    assert [part["origin"] for part in broken] == [f"{name} 1.5"]
    assert reason in broken[0]["error"]
    exit_code, output, _ = with_plugins(
        "play", "random", "--option", "turn_cap=1", "--seed", "1", folder=tmp_path
    )
    assert exit_code == 0
    assert "turn_cap" in output


def test_an_entry_point_to_nowhere_is_named_and_skipped(tmp_path: Path) -> None:
    install(tmp_path, "lost", "", entry="lost_package.nowhere")
    code, output, errors = with_plugins("bots", folder=tmp_path)
    assert code == 0
    assert "random" in output
    assert "plugin lost (lost 1.5) is skipped" in errors


def test_a_name_that_is_taken_stays_with_the_first(tmp_path: Path) -> None:
    package = install(
        tmp_path,
        "copycat",
        "from pathlib import Path\nfrom arena.hookspecs import hookimpl\n"
        "@hookimpl\ndef register_bots():\n    return [Path(__file__).with_name('random.py')]\n",
    )
    (package / "random.py").write_text(ATTACKER.replace('"attacker"', '"random"'))
    parts = [
        part
        for part in json.loads(with_plugins("plugins", "--json", folder=tmp_path)[1])
        if (part["kind"], part["name"]) == ("bot", "random")
    ]
    assert [part["origin"] for part in parts] == ["this package", "copycat 1.5"]
    assert "taken by this package" in parts[1]["error"]


def test_a_broken_bot_is_named_and_the_others_play(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(ATTACKER)
    (tmp_path / "syntax.py").write_text("def decide(view, legal:\n")
    (tmp_path / "shapeless.py").write_text("x = 1\n")
    (tmp_path / "crashing.py").write_text("import no_such_module\ndef decide(view, legal): ...\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "bot.toml").write_text('name = "folder"\ncomand = ["x"]\n')
    done = arena("plugins", "--json", ARENA_BOTS=str(tmp_path))
    bots = [part for part in json.loads(done.stdout) if part["kind"] == "bot"]
    errors = {part["name"]: part["error"] for part in bots}
    assert set(errors) == {"attacker", "syntax", "shapeless", "crashing", "folder"}
    assert errors["attacker"] == ""
    assert "not valid Python" in errors["syntax"]
    assert "neither a function `decide" in errors["shapeless"]
    assert "no_such_module" in errors["crashing"]
    assert "comand: unknown key 'comand' (did you mean 'command'?)" in errors["folder"]
    played = arena("play", "attacker", "syntax", ARENA_BOTS=str(tmp_path))
    assert played.returncode == 2
    assert "bot 'syntax' cannot be used: " in played.stderr
    command = ("play", "attacker", "--option", "turn_cap=1", "--seed", "1")
    assert arena(*command, ARENA_BOTS=str(tmp_path)).returncode == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "b"', "command: is missing; must be a list of texts"),
        ('name = "b"\ncommand = []', "command: must name the program"),
        ('name = "b"\ncommand = "run"', "command: must be a list of texts, not 'run'"),
        ('name = "b"\ncommand = ["run", 3]', "command[1]: must be a text, not 3"),
        ('command = ["run"]', "name: is missing"),
        ('name = 3\ncommand = ["run"]\nversion = 1', "version: must be a text, not 1"),
        ("name = ", "not valid TOML"),
        ('name = "b\\u001b[2J"\ncommand = ["run"]', r"name: must be printable, in one line, not 'b\x1b[2J'"),
        (
            'name = "b"\nversion = "1\\n"\ncommand = ["run"]',
            r"version: must be printable, in one line, not '1\n'",
        ),
    ],
)
def test_bot_toml_is_checked_with_key_paths(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(PluginError) as caught:
        botfiles.load_bot(tmp_path)
    assert words in str(caught.value)


@pytest.mark.parametrize("line", ['NAME = ""', r'NAME = "b\x1b[2J"', r'VERSION = "1\n"'])
def test_a_python_bots_name_and_version_can_be_printed(tmp_path: Path, line: str) -> None:
    """They stand in records, which hold nothing else, and in every table."""
    bot = tmp_path / "attacker.py"
    bot.write_text(f"{ATTACKER}\n{line}\n")
    with pytest.raises(PluginError, match=f"{line.partition(' ')[0]} must be printable, in one line, not '"):
        botfiles.load_bot(bot)


def test_a_bot_toml_says_all_there_is_to_know(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "b"\nversion = "2"\ncommand = ["./run", "fast"]\nbuild = ["make"]\nvariants = ["classic"]\n'
    )
    spec = botfiles.load_bot(tmp_path)
    assert (spec.name, spec.version, spec.kind, spec.argv) == ("b", "2", "command", ("./run", "fast"))
    assert spec.variants == ("classic",)
    assert spec.target == str(tmp_path)
    assert botfiles.build_command(spec) == ("make",)


def test_bots_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    (tmp_path / "attacker.py").write_text(ATTACKER)
    plugins = Plugins(entry_points=())
    assert plugins.find_bot("random").kind == "python"
    for reference in ("attacker.py", "./attacker.py", str(tmp_path / "attacker.py")):
        assert plugins.find_bot(reference, tmp_path).name == "attacker"
    with pytest.raises(PluginError, match="did you mean 'random'"):
        plugins.find_bot("randum", tmp_path)
    with pytest.raises(PluginError, match="no such bot"):
        plugins.find_bot("./missing.py", tmp_path)


def test_a_game_finished_hook_that_raises_is_silenced_and_named() -> None:
    plugin = ModuleType("rude")
    calls: list[int] = []

    @hookspecs.hookimpl
    def game_finished(game: int) -> None:
        calls.append(game)
        raise ValueError("rude")

    vars(plugin)["game_finished"] = game_finished
    plugins = Plugins(entry_points=())
    plugins.manager.register(plugin, "rude")
    plugins.origins["rude"] = "here"
    for game in (1, 2):
        plugins.game_finished("t", None, game)  # type: ignore[arg-type]  # wrong on purpose
    assert calls == [1]
    assert [part.error for part in plugins.broken] == ["ValueError: rude"]


def test_this_environment_has_no_plugin_that_would_disturb_the_tests() -> None:
    groups = {entry.group for dist in distributions() for entry in dist.entry_points}
    assert hookspecs.ENTRY_POINT_GROUP not in groups or os.environ.get("ARENA_ALLOW_PLUGINS")
