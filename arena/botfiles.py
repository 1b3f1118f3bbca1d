"""Bots on disk: a Python file, or a folder whose bot.toml says how to start a program in any language."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from arena.errors import PluginError, SpecError
from arena.tables import Problems, Table
from arena.types import BotSpec, Protocol

BOT_TOML = "bot.toml"


def load_bot(path: Path, origin: str = "") -> BotSpec:
    """The bot at a path: a Python file, a bot.toml, or its folder; PluginError says what is wrong.

    A Python file is parsed, not run: only its constants NAME, VERSION, VARIANTS are read here.
    """
    path = Path(path).expanduser().resolve()  # plugins may give a text
    if path.is_dir():
        if not (path / BOT_TOML).is_file():
            raise PluginError(f"{path}: no bot: the folder holds no {BOT_TOML}; `arena init` makes one")
        path = path / BOT_TOML
    if not path.exists():
        raise PluginError(f"{path}: no such bot; give a Python file or a folder that holds {BOT_TOML}")
    if path.suffix == ".py" and path.is_file():
        return _python_bot(path, origin or str(path))
    if path.name == BOT_TOML:
        return _command_bot(path, origin or str(path.parent))
    raise PluginError(f"{path}: not a bot; give a Python file or a folder that holds {BOT_TOML}")


def scan(folder: Path) -> Iterator[Path]:
    """The paths in a folder that claim to be bots, in the order of their names."""
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            python = path.suffix == ".py" and not path.name.startswith("_")
            if python or (path / BOT_TOML).is_file():
                yield path


def summary(spec: BotSpec) -> str:
    """One line about a bot: a Python bot's SUMMARY, or else the start of its documentation; "" if none."""
    if spec.kind != "python" or not spec.target.endswith(".py"):
        return ""
    tree = ast.parse(Path(spec.target).read_text(encoding="utf-8"))
    constants = _constants(tree)
    return str(constants.get("SUMMARY") or (ast.get_docstring(tree) or "").partition("\n")[0])


def _python_bot(path: Path, origin: str) -> BotSpec:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except (SyntaxError, ValueError) as error:
        raise PluginError(f"{path}: not valid Python: {error}") from error
    if not {"decide", "Bot"} & _bound_names(tree):
        raise PluginError(f"{path}: has neither a function `decide(view, legal, rng)` nor a class `Bot`")
    constants = _constants(tree)
    variants = constants.get("VARIANTS", ())
    if not isinstance(variants, tuple | list) or not all(isinstance(name, str) for name in variants):
        raise PluginError(f"{path}: VARIANTS must be a tuple of variant or family names, not {variants!r}")
    name = str(constants.get("NAME", path.stem))
    version = str(constants.get("VERSION", "1"))
    for constant, text in (("NAME", name), ("VERSION", version)):
        if not text or not text.isprintable():
            raise PluginError(f"{path}: {constant} must be printable, in one line, not {text!r}")
    return BotSpec(name, "python", str(path), version=version, variants=tuple(variants), origin=origin)


def _constants(tree: ast.Module) -> dict[str, object]:
    """The module's literal assignments to upper-case names."""
    found: dict[str, object] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and target.id.isupper() and isinstance(value, ast.expr):
                try:
                    found[target.id] = ast.literal_eval(value)
                except ValueError:
                    continue
    return found


def _bound_names(tree: ast.Module) -> set[str]:
    """The names bound at module level, in whatever way."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def _command_bot(path: Path, origin: str) -> BotSpec:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PluginError(f"{path}: not valid TOML: {error}") from error
    problems: Problems = []
    table = Table(data, "", problems)
    name, version = table.text("name"), table.text("version", "1")
    command = table.texts("command", None)
    table.texts("build")
    variants = table.texts("variants")
    table.text("summary", "-")
    protocol = table.choice("protocol", get_args(Protocol), "grpc")
    children = table.whole("children", 0, low=0)
    table.done()
    if "command" in data and not command:
        table.problem("command", "must name the program and its arguments")
    if problems:
        raise PluginError(str(SpecError(problems, source=str(path))))
    return BotSpec(name, "command", str(path.parent), command, version, variants, origin, protocol, children)


def build_command(spec: BotSpec) -> tuple[str, ...]:
    """What bot.toml says must run once, in the bot's folder, before its command works; () if nothing."""
    if spec.kind != "command":
        return ()
    path = Path(spec.target) / BOT_TOML
    if not path.is_file():
        return ()
    return tuple(tomllib.loads(path.read_text(encoding="utf-8")).get("build", ()))
