"""`arena init`: a bot that plays at once, to start from."""

from __future__ import annotations

import keyword
import re
import shutil
import subprocess
from pathlib import Path

import click

from arena.commands._common import example, failed, json_option, print_json

SOURCES = Path(__file__).resolve().parents[2]
JAVASCRIPT_EXAMPLE = SOURCES / "bots" / "vanguard"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

PYTHON_BOT = '''\
"""{name}: attacks when it has more troops, else plays at random."""

from random import Random

from arena.client import serve
from engine_core import Action, Legal, View

NAME = "{name}"
VERSION = "1"


def decide(view: View, legal: Legal, rng: Random) -> Action:
    """Answer one decision: `view` is what this seat may see, `legal` what it may do."""
    attack = view.game.description.action_kind("attack")
    for option in legal:
        if option.kind == attack and view.troops[option.a] > view.troops[option.b] + 1:
            return option.last()
    return legal.sample(rng)


if __name__ == "__main__":
    serve(decide, name=NAME, version=VERSION)
'''

JAVASCRIPT_BOT = """\
// {name}: attacks when it has more troops, else takes the last thing that is legal.
import {{ serve }} from "./arena.js";

// Called once for every game and seat; `view` is what this seat may see, `legal` what it may do.
function start(game) {{
  const attack = game.rules.actions.findIndex((kind) => kind.name === "attack");
  return (view, legal) => {{
    const better = ({{ kind, a, b }}) => kind === attack && view.troops[a] > view.troops[b] + 1;
    const found = legal.findIndex(better);
    const range = found >= 0 ? found : legal.length - 1;
    return {{ range, amount: legal[range].hi }};
  }};
}}

serve(start, {{ name: "{name}", version: "1" }});
"""

BOT_TOML = """\
name = "{name}"
version = "1"  # count up when the bot changes: another version is another rated player
command = {command}
variants = ["conquest"]  # variants or families it plays; leave it out for all
"""


@click.command(
    "init",
    short_help="Make a bot that plays at once.",
    epilog=example("arena init mybot", "arena init mybot --lang javascript"),
)
@click.argument("name")
@click.option(
    "--lang",
    type=click.Choice(["python", "javascript"]),
    default="python",
    show_default=True,
    help="Language.",
)
@json_option
def command(name: str, lang: str, as_json: bool) -> None:
    """Make a folder NAME with a bot that plays at once; its name is the last part of the path."""
    folder = Path(name)
    label = folder.name
    if not NAME.fullmatch(label) or keyword.iskeyword(label):
        raise click.UsageError(f"{label!r} is no bot name: letters, digits, - and _, starting with a letter")
    if folder.exists():
        raise click.UsageError(f"{folder} is there already")
    paths = _python(folder, label) if lang == "python" else _javascript(folder, label)
    hint = f"arena play {folder if folder.is_absolute() else './' + str(folder)} random"
    if as_json:
        print_json({"folder": folder, "files": paths, "play": hint})
        return
    for path in paths:
        click.echo(f"wrote {path}")
    click.echo(f"Play a game with it:\n  {hint}")


def _python(folder: Path, label: str) -> list[Path]:
    files = {
        "bot.py": PYTHON_BOT.format(name=label),
        "bot.toml": BOT_TOML.format(name=label, command='["python", "bot.py"]'),
    }
    return _write(folder, files)


def _javascript(folder: Path, label: str) -> list[Path]:
    """Beside the bot itself: the protocol files, and the example bot's client with its packages."""
    client = JAVASCRIPT_EXAMPLE / "arena.js"
    if not client.is_file():
        failed(f"the JavaScript client is not at {client}; run this from a source checkout")
    protos = (SOURCES / "proto" / "arena").rglob("*.proto")
    files = {
        "bot.js": JAVASCRIPT_BOT.format(name=label),
        "bot.toml": BOT_TOML.format(name=label, command='["node", "bot.js"]'),
        "arena.js": client.read_text(encoding="utf-8").replace('"../../proto"', '"proto"'),
    }
    for name in ("package.json", "package-lock.json"):
        files[name] = (JAVASCRIPT_EXAMPLE / name).read_text(encoding="utf-8").replace("vanguard", label)
    for proto in protos:
        files[str(proto.relative_to(SOURCES))] = proto.read_text(encoding="utf-8")
    paths = _write(folder, files)
    _packages(folder)
    return paths


def _packages(folder: Path) -> None:
    """The packages of the example bot if they are installed, or else npm's."""
    installed = JAVASCRIPT_EXAMPLE / "node_modules"
    if installed.is_dir():
        shutil.copytree(installed, folder / "node_modules", symlinks=True)
        return
    try:
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        failed(f"the bot's packages cannot be installed ({error}); run `npm ci` in {folder}")


def _write(folder: Path, files: dict[str, str]) -> list[Path]:
    paths = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
