"""`arena init`: a bot that plays at once, to start from, in any language that bots/sdk has a skeleton for."""

from __future__ import annotations

import keyword
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from arena.commands._common import example, failed, json_option, print_json
from arena.errors import SpecError
from arena.tables import Problems, Table, one_of

SOURCES = Path(__file__).resolve().parents[2]
SDKS = SOURCES / "bots" / "sdk"
SKELETON = "skeleton"
SETTINGS = "skeleton.toml"
DEFAULT = "python"
PLACEHOLDER = "__NAME__"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# What people also call a language.
USUAL_NAMES = {
    "cpp": ("c++", "cxx", "cc"),
    "go": ("golang",),
    "javascript": ("js", "node"),
    "python": ("py",),
    "rust": ("rs",),
    "shell": ("sh", "bash"),
    "typescript": ("ts",),
}
# What tools leave in an SDK's folder; a new bot builds its own.
BUILT = (".built", "__pycache__", "*.egg-info", "build", "dist", "node_modules", "target")
AFTER_S = 600.0


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What a skeleton.toml says: SDK paths by where they go, and the commands to make ready and to test."""

    folder: Path
    copies: dict[str, tuple[str, ...]]
    after: tuple[str, ...]
    test: tuple[str, ...]


def languages() -> list[str]:
    """The languages that have a skeleton, by name."""
    return sorted(path.parent.parent.name for path in SDKS.glob(f"*/{SKELETON}/{SETTINGS}"))


class Language(click.ParamType[str]):
    """A language that bots/sdk has a skeleton for; the folders are read when a value is checked."""

    name = "language"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The language's folder, also for another usual name of it, if there is such a skeleton."""
        said = value.lower()
        language = next((name for name, usual in USUAL_NAMES.items() if said in usual), said)
        if language not in languages():
            self.fail(one_of("language", value, languages()), param, ctx)
        return language


@click.command(
    "init",
    short_help="Make a bot that plays at once.",
    epilog=example("arena init mybot", "arena init mybot --lang typescript"),
)
@click.argument("name")
@click.option(
    "--lang",
    type=Language(),
    default=DEFAULT,
    show_default=True,
    metavar="LANGUAGE",
    help=f"Its language: {', '.join(languages())}.",
)
@json_option
def command(name: str, lang: str, as_json: bool) -> None:
    """Make a folder NAME with a bot that plays at once; its name is the last part of the path.

    In it are the bot, a test, a README that says how to go on, and all that it needs of the arena. `shell`
    and `c` play over JSON lines, in ten lines without a library; the others over gRPC.
    """
    folder = Path(name)
    label = folder.name
    if problem := _name_problem(label):
        raise click.UsageError(f"{label!r} is no bot name: {problem}")
    if folder.exists():
        raise click.UsageError(f"{folder} is there already")
    skeleton = _skeleton(lang)
    paths = [*_write(skeleton, folder, label), *_copy(skeleton, folder)]
    _make_ready(skeleton, folder)
    place = str(folder) if len(folder.parts) > 1 else f"./{folder}"
    play, examine = shlex.join(["arena", "play", place, "random"]), shlex.join(["arena", "doctor", place])
    test = shlex.join(skeleton.test)
    if as_json:
        facts = {"folder": folder, "language": lang, "files": paths}
        print_json({**facts, "play": play, "doctor": examine, "test": test})
        return
    for path in paths:
        click.echo(f"wrote {path}")
    click.echo(f"Play a game with it:\n  {play}\nExamine it:\n  {examine}")
    if test:
        click.echo(f"Run its tests:\n  cd {shlex.quote(str(folder))} && {test}")
    click.echo(f"{folder / 'README.md'} says what each file is, and how the bot dials in to a server")


def _name_problem(label: str) -> str:
    """Empty, or what keeps a folder of this name from being a bot in every language."""
    if not NAME.fullmatch(label):
        return "letters, digits, - and _, starting with a letter"
    if keyword.iskeyword(label):
        return "it is a keyword of Python (and maybe of other languages); give it another"
    if label == "node_modules":
        return "what lies in a folder of this name npm and tsc take for a package; give it another"
    if label == "arena-bot":
        return "the package of the Rust SDK has this name, and Cargo takes one of a name; give it another"
    return ""


def _skeleton(language: str) -> Skeleton:
    """A language's skeleton; ends with what is wrong in its skeleton.toml, by key path."""
    path = SDKS / language / SKELETON / SETTINGS
    problems: Problems = []
    try:
        table = Table(tomllib.loads(path.read_text(encoding="utf-8")), "", problems)
    except (OSError, tomllib.TOMLDecodeError) as error:
        failed(f"{path}: {error}")
    listed = table.table("copies")
    copies = {target: listed.texts(target, None) for target in listed.data}
    after, test = table.texts("after"), table.texts("test")
    table.done()
    if problems:
        failed(str(SpecError(problems, source=str(path))))
    return Skeleton(path.parent, copies, after, test)


def _write(skeleton: Skeleton, folder: Path, label: str) -> Iterator[Path]:
    """The skeleton's own files, with the bot's name filled in."""
    unwanted = shutil.ignore_patterns(*BUILT, SETTINGS)
    shutil.copytree(skeleton.folder, folder, ignore=unwanted)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(PLACEHOLDER, label), encoding="utf-8")
            yield path


def _copy(skeleton: Skeleton, folder: Path) -> Iterator[Path]:
    """What goes along of the SDK, of a neighbour's (`../OTHER/...`) and of proto/; folders whole."""
    for target, wanted in skeleton.copies.items():
        for path in wanted:
            source = SOURCES / path if path == "proto" else skeleton.folder.parent / path
            parts = Path(path).parts
            copied = Path(folder, target, *(parts[2:] if parts[0] == ".." else parts))
            copied.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copied, ignore=shutil.ignore_patterns(*BUILT), dirs_exist_ok=True)
            else:
                shutil.copy(source, copied)
            yield copied


def _make_ready(skeleton: Skeleton, folder: Path) -> None:
    if not skeleton.after:
        return
    what = f"`{shlex.join(skeleton.after)}` in {folder}"
    try:
        subprocess.run(skeleton.after, cwd=folder, check=True, timeout=AFTER_S)
    except (OSError, subprocess.SubprocessError) as error:
        failed(f"the bot is there, but {what} did not work: {error}")
