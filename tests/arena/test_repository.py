"""The repository keeps its promises: sizes, documentation, links, pins, and no trace of a machine."""

from __future__ import annotations

import ast
import json
import re
import shutil
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from source_files import ROOT, parse, python_files, tracked

TEXT_SUFFIXES = {
    ".py",
    ".pyi",
    ".pyx",
    ".pxd",
    ".md",
    ".toml",
    ".json",
    ".lock",
    ".proto",
    ".mjs",
    ".js",
    ".yaml",
    "",
}
TEXT_FILES = [path for path in tracked() if path.suffix in TEXT_SUFFIXES]
PAGES = [path for path in tracked() if path.suffix == ".md"]
CODE = [
    path
    for path in TEXT_FILES
    if path.suffix in {".py", ".pyx", ".pxd", ".mjs", ".js"} and "v1" not in path.parts
]
PUBLIC = python_files("engine_core", "arena", "bots")
# A language whose toolchain is not on the machine is left out there, by name: the one reason to do so.
TOOLCHAINS = Path("tests/sdk/test_sdks.py")
SKIP_MARK = "mark.sk" + "ip"
# Written as patterns, so that this file does not contain what it forbids.
PLACES = re.compile(
    r"(?<![\w.])/(?:work|root|home)/|[.][.]/shared\b|\b(?:pypi|pythonh[o]sted|npmjs|debian)[.](?:org|com)\b"
)


def read(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", TEXT_FILES, ids=str)
def test_names_no_machine_path_and_no_registry(path: Path) -> None:
    assert PLACES.findall(read(path)) == []


def test_places_are_noticed() -> None:
    for place in (
        "see ../" + "shared/x",
        "/" + "work/main",
        "https://registry.npm" + "js.org/",
        "/" + "root/.venv",
    ):
        assert PLACES.search(place), place


@pytest.mark.parametrize("path", CODE, ids=str)
def test_modules_stay_small(path: Path) -> None:
    assert len(read(path).splitlines()) <= 600


def test_most_modules_and_functions_are_short() -> None:
    modules = [len(read(path).splitlines()) for path in CODE if path.parts[0] != "tests"]
    functions = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in PUBLIC
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert statistics.median(modules) <= 150
    assert statistics.quantiles(modules, n=10)[-1] <= 350
    assert statistics.quantiles(functions, n=10)[-1] <= 30


def public_names(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The public functions and classes of a module, and the public methods of those classes."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    top = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    classes = [node for node in top if isinstance(node, ast.ClassDef)]
    inner = [node for owner in classes for node in owner.body if isinstance(node, kinds)]
    return top + [node for node in inner if not node.name.startswith("_")]


@pytest.mark.parametrize("path", PUBLIC, ids=str)
def test_every_public_name_is_documented(path: Path) -> None:
    tree = parse(path)
    assert ast.get_docstring(tree), f"{path} has no docstring"
    names = [] if path.parts[0] == "bots" else public_names(tree)  # documented by their interface
    assert [node.name for node in names if not ast.get_docstring(node)] == []


@pytest.mark.parametrize("path", [path for path in CODE if path.suffix == ".py"], ids=str)
def test_nothing_is_skipped_or_put_off(path: Path) -> None:
    words = (
        r"\bTO"
        + r"DO\b|\bFIX"
        + r"ME\b|\bx"
        + r"fail\b|mark[.]sk"
        + r"ip|pytest[.]sk"
        + r"ip|import"
        + r"orskip"
    )
    assert re.findall(words, read(path)) == ([SKIP_MARK] if path == TOOLCHAINS else [])


# ---- links


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as code hosts write them."""
    headings = re.findall(r"^#+\s+(.*)$", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"https?:|mailto:", link)]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_resolves(page: Path) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target) if target else page
        resolved = (ROOT / path).resolve()
        assert resolved.exists(), f"{page}: {link} leads nowhere"
        if anchor:
            assert anchor in anchors(resolved.relative_to(ROOT)), f"{page}: {link} has no such heading"


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, queue = set(), [Path("README.md")]
    while queue:
        page = queue.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = [(ROOT / page.parent / link.partition("#")[0]).resolve() for link in links(page)]
        queue += [target.relative_to(ROOT) for target in targets if target.suffix == ".md"]
    assert {page for page in PAGES if page.parts[0] == "docs" or len(page.parts) == 1} - seen == set()


# ---- pins and licence


def pins() -> dict[str, str]:
    lines = [
        line for line in read(Path("requirements.lock")).splitlines() if line and not line.startswith("#")
    ]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+!]+", line) for line in lines), "only `name==version` lines"
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def test_lock_pins_what_the_project_asks_for() -> None:
    project = tomllib.loads(read(Path("pyproject.toml")))
    extras = project["project"]["optional-dependencies"]
    wanted = [
        *project["project"]["dependencies"],
        *extras["test"],
        *extras["lint"],
        *project["build-system"]["requires"],
    ]
    locked = pins()
    for requirement in map(Requirement, wanted):
        version = locked.get(canonicalize_name(requirement.name), "")
        assert version, f"{requirement.name} is not in requirements.lock: run `make lock`"
        assert requirement.specifier.contains(version), (
            f"{requirement} is locked at {version}: run `make lock`"
        )


def test_node_locks_record_no_address() -> None:
    locks = [path for path in tracked() if path.name == "package-lock.json"]
    assert locks, "the Node bot pins its packages in package-lock.json"
    for path in locks:
        packages = json.loads(read(path))["packages"]
        assert [
            name for name, entry in packages.items() if "resolved" in entry and "://" in entry["resolved"]
        ] == []
        assert all(
            "integrity" in entry or entry.get("link")
            for name, entry in packages.items()
            if "node_modules" in name
        )


def test_a_missing_tool_is_named_and_nothing_goes_on(tmp_path: Path) -> None:
    """Without apt-get (and without Node) the set-up stops with one line; it never goes on without a tool."""
    for name in ("bash", "cc", "echo", "env", "npm", "xargs"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    path = {"PATH": str(tmp_path)}
    done = subprocess.run(
        [".ci/ensure-tools"], cwd=ROOT, env=path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"setup: please install .*: nodejs\n", done.stderr)


def test_licence_is_apache_2() -> None:
    text = read(Path("LICENSE"))
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS" in text


def test_changelog_names_the_version() -> None:
    version = tomllib.loads(read(Path("pyproject.toml")))["project"]["version"]
    changelog = read(Path("CHANGELOG.md"))
    assert re.search(r"^## \[Unreleased\]", changelog, re.M) or f"## [{version}]" in changelog


def test_every_folder_of_tests_is_run() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings["tool"]["pytest"]["ini_options"]["testpaths"]
    tests = [path for path in tracked() if path.parts[0] == "tests" and path.name.startswith("test_")]
    assert {"/".join(path.parts[:2]) for path in tests} == set(named)
