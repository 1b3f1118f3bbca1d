"""The layers of docs/architecture.md, and no hidden randomness: what may import and call what."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from source_files import ROOT, imports, module_name, parse, python_files, tracked

# A module may import its own level and lower ones. The longest prefix of its name decides.
LEVELS = {
    "engine_core": 0,
    "arena": 0,  # the package itself: only its version
    "arena.v1": 0,
    "arena.types": 1,
    "arena.errors": 1,
    "arena.hookspecs": 1,
    "arena.formats": 2,
    "arena.ratings": 2,
    "arena.tables": 2,
    "arena.conditions": 2,
    "arena.clocks": 2,
    "arena.hostwatch": 2,
    "arena.setups": 2,
    "arena.tactics": 2,
    "arena.behaviour": 2,
    "arena.botfiles": 2,
    "arena.seeds": 2,
    "arena.scores": 2,
    "arena.bot": 2,
    "arena.seats": 2,
    "arena.record": 2,
    "arena.referee": 2,
    "arena.rehearsal": 2,
    "arena.driver": 2,
    "arena.drawing": 2,
    "arena.stories": 2,
    "arena.store": 2,
    "arena.wire": 3,
    "arena.server": 3,
    "arena.client": 3,
    "arena.dialling": 3,
    "arena.session": 3,
    "arena.bridge": 3,
    "arena.launcher": 3,
    "arena.runners": 3,
    "arena.bench_grpc": 3,
    "arena.tournament": 4,
    "arena.spec": 4,
    "arena.hub": 4,
    "arena.terminations": 4,
    "arena.rerun": 4,
    "arena.bench": 5,
    "arena.doctor": 5,
    "arena.plugins": 5,
    "arena.core_plugin": 5,
    "arena.commands": 5,
    "arena.cli": 5,
    "arena.web": 5,
    "arena.testing": 5,
}
# Where each library may be imported; everything else stays replaceable.
HOMES = {
    "ray": ("arena.runners.cluster",),
    "sqlalchemy": ("arena.store",),
    "alembic": ("arena.store",),
    "grpc": (
        "arena.v1",
        "arena.wire",
        "arena.server",
        "arena.client",
        "arena.dialling",
        "arena.session",
        "arena.hub",
        "arena.runners.noop",
        "arena.runners.worker",
        "arena.bench_grpc",
    ),
    "cryptography": ("arena.hub.certificates",),
    "grpc_health": ("arena.server",),
    "grpc_reflection": ("arena.server",),
    "pluggy": ("arena.hookspecs", "arena.plugins"),
    "click": ("arena.hookspecs", "arena.core_plugin", "arena.plugins", "arena.commands", "arena.cli"),
    "rich": ("arena.commands", "arena.drawing", "arena.cli"),
}
INPUT_OUTPUT = ("os", "io", "pathlib", "socket", "sqlite3", "subprocess", "time")
# Rules that the levels do not express: prefix -> what it must not import.
FORBIDDEN = {
    "arena.formats": ("engine_core", "arena.store", *INPUT_OUTPUT),
    "arena.ratings": ("engine_core", "arena.store", *INPUT_OUTPUT),
    "arena.runners": ("arena.store",),
    "arena.store": ("engine_core", "arena.formats", "arena.referee", "arena.driver", "arena.seats"),
    "arena.referee": ("arena.store", "arena.formats", "arena.ratings"),
    "arena.driver": ("arena.store", "arena.formats", "arena.ratings"),
    "arena.launcher": ("arena.server", "arena.client", "arena.wire", "engine_core"),
    "engine_core": ("time", "secrets", "uuid", "socket", "threading", "subprocess"),
}
RNG_OBJECTS = {"Random"}  # seeded by its owner; everything else in `random` shares one hidden state
MODULES = python_files("engine_core", "arena")
CYTHON = [
    path
    for path in tracked()
    if path.suffix in (".pyx", ".pxd") and path.parts[0] in ("arena", "engine_core")
]
RANDOM_USERS = MODULES + [path for path in python_files("bots") if path.parts[:2] != ("bots", "sdk")]


def under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def level(name: str) -> int:
    """The level of one of our modules; KeyError names a module nobody has placed."""
    found = [prefix for prefix in LEVELS if under(name, prefix) and (prefix != "arena" or "." not in name)]
    if not found:
        raise KeyError(f"{name} has no level: give it one in LEVELS")
    return LEVELS[max(found, key=len)]


def exists(module: str) -> bool:
    """Whether a dotted name is a module or package of ours."""
    base = ROOT / Path(*module.split("."))
    return (base / "__init__.py").is_file() or any(
        base.with_suffix(suffix).is_file() for suffix in (".py", ".pyi", ".pyx")
    )


def our_module(name: str) -> str:
    """The module an imported name lives in: arena.types.Player is arena.types, arena.formats is itself."""
    parts = name.split(".")
    prefixes = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if exists(prefix)), name)


def import_faults(name: str, tree: ast.AST) -> list[str]:
    """What a module imports and must not, in words."""
    faults = []
    for imported in imports(tree):
        top = imported.partition(".")[0]
        homes = HOMES.get(top, (name,))
        if top in ("arena", "engine_core"):
            if level(our_module(imported)) > level(name):
                faults.append(f"{name} (level {level(name)}) imports the higher {imported}")
        elif imported.startswith("."):
            faults.append(f"{name} imports relatively: {imported}")
        elif top in ("bots", "tests"):
            faults.append(f"{name} imports {imported}, which is scanned, never imported")
        elif under(name, "engine_core") and top not in sys.stdlib_module_names:
            faults.append(f"{name} imports {imported}: the core knows the standard library only")
        if not any(under(name, home) for home in homes):
            faults.append(f"{name} imports {imported}, whose home is {' and '.join(homes)}")
        for prefix, banned in FORBIDDEN.items():
            if under(name, prefix) and any(under(imported, module) for module in banned):
                faults.append(f"{name} must not import {imported}")
    return faults


def random_faults(tree: ast.AST) -> list[str]:
    """Uses of a hidden or time-seeded random source, in words."""
    faults = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            shared = node.value.id == "random" and node.attr not in RNG_OBJECTS
            if shared or (node.value.id in ("numpy", "np") and node.attr == "random"):
                faults.append(f"line {node.lineno}: {node.value.id}.{node.attr}")
        elif isinstance(node, ast.ImportFrom) and node.module == "random":
            faults += [
                f"line {node.lineno}: random.{a.name}" for a in node.names if a.name not in RNG_OBJECTS
            ]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numpy.random"):
            faults.append(f"line {node.lineno}: {node.module}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("Random", "random.Random"):
            seed = ast.unparse(node.args[0]) if node.args else ""
            if not seed or re.search(r"\btime\b|\bNone\b|\bid\(|\bhash\(", seed):
                faults.append(f"line {node.lineno}: Random({seed}) has no seed of its own")
    return faults


def cython_faults(name: str, text: str, banned: Collection[str] = ("random", "time", "secrets")) -> list[str]:
    """Imports above a Cython file's level, and C or Python sources of randomness."""
    code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.S)
    faults = []
    for start, dotted, names in re.findall(
        r"^\s*(from|c?import)\s+([\w.]+)(?:\s+c?import\s+(.*))?", code, re.M
    ):
        top = dotted.partition(".")[0]
        if top == "arena" and under(name, "arena"):
            if level(our_module(dotted)) > level(name):
                faults.append(f"{start} {dotted}: above {name}")
        elif top not in {"engine_core", "libc", "cpython", "cython"} | sys.stdlib_module_names:
            faults.append(f"{start} {dotted}: neither below {name} nor the standard library's")
        seeded = dotted == "random" and names.strip() in RNG_OBJECTS
        if not seeded and (top in banned or dotted == "libc.time"):
            faults.append(f"{start} {dotted}: hidden randomness")
    calls = re.findall(r"\b(?:s?rand|[dl]rand48|random|arc4random|clock_gettime)\(", code)
    return faults + [f"calls {call}" for call in calls]


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_imports_stay_in_their_layer(path: Path) -> None:
    assert import_faults(module_name(path), parse(path)) == []


@pytest.mark.parametrize("path", RANDOM_USERS, ids=str)
def test_h04_no_hidden_randomness(path: Path) -> None:
    assert random_faults(parse(path)) == []


@pytest.mark.parametrize("path", CYTHON, ids=str)
def test_h04_compiled_modules_import_nothing_above_and_no_random_source(path: Path) -> None:
    banned = (
        ("random", "secrets") if path.stem == "bench" else ("random", "time", "secrets")
    )  # it takes times
    assert cython_faults(module_name(path), (ROOT / path).read_text(encoding="utf-8"), banned) == []


@pytest.mark.parametrize("path", python_files("bots"), ids=str)
def test_bots_see_only_the_bot_surface(path: Path) -> None:
    allowed = ("arena.bot", "arena.client", "arena.tactics", "engine_core")
    ours = [name for name in imports(parse(path)) if name.partition(".")[0] in ("arena", "bots", "tests")]
    assert [name for name in ours if not any(under(name, prefix) for prefix in allowed)] == []


def test_every_level_and_home_is_a_place_that_the_house_has() -> None:
    planned = {"arena.web", "arena.testing"}  # arrive with later issues
    named = set(LEVELS) | {home for homes in HOMES.values() for home in homes} | set(FORBIDDEN)
    assert {name for name in named if not exists(name)} - planned == set()


def test_architecture_page_lists_every_level() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \|([^|]*)\|", page, re.M)
    listed = {name: int(number) for number, cell in rows for name in re.findall(r"`([a-z_.0-9]+)`", cell)}
    listed = {name: number for name, number in listed.items() if under(name, "arena") or name in LEVELS}
    assert listed == {name: number for name, number in LEVELS.items() if exists(name) and name != "arena"}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("engine_core.text", "import arena.types"),
        ("engine_core.text", "import sqlalchemy"),
        ("arena.types", "from arena.store import Store"),
        ("arena.formats.swiss", "from engine_core import Game"),
        ("arena.formats.swiss", "import os"),
        ("arena.referee", "from arena.server import PlayServer"),
        ("arena.runners.inline", "import ray"),
        ("arena.runners.cluster", "from arena.store import Store"),
        ("arena.tournament", "import click"),
        ("arena.tournament", "from arena.cli import main"),
        ("arena.server", "from bots.random import decide"),
        ("arena.server", "from . import wire"),
    ],
)
def test_a_broken_layer_is_noticed(name: str, source: str) -> None:
    assert import_faults(name, ast.parse(source)) != []


def test_a_module_without_a_level_is_noticed() -> None:
    with pytest.raises(KeyError, match=r"arena\.newcomer has no level"):
        import_faults("arena.newcomer", ast.parse("import arena.types"))


@pytest.mark.parametrize(
    "source",
    [
        "import random\nrandom.shuffle([])",
        "import random\nrandom.seed(1)",
        "from random import choice",
        "from random import SystemRandom",
        "import numpy as np\nnp.random.rand()",
        "from numpy.random import default_rng",
        "from random import Random\nRandom()",
        "import random, time\nrandom.Random(time.time())",
    ],
)
def test_hidden_randomness_is_noticed(source: str) -> None:
    assert random_faults(ast.parse(source)) != []


def test_a_seeded_generator_is_allowed() -> None:
    assert random_faults(ast.parse("from random import Random\nRandom(seed).random()")) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("engine_core.game", "from libc.stdlib cimport rand\nx = rand()"),
        ("engine_core.game", "import arena"),
        ("engine_core.game", "from libc.time cimport time"),
        ("engine_core.game", "import random"),
        ("engine_core.game", "import grpc"),
        ("arena.server.codec", "from arena.tournament import Tournament"),
    ],
)
def test_cython_faults_are_noticed(name: str, source: str) -> None:
    assert cython_faults(name, source) != []
