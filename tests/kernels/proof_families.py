"""Builds the proof kernels with Cython and registers them, for the tests and for bots' own processes.

What is built lies in tests/.build, named by the hash of all it was built from.
"""

from __future__ import annotations

import fcntl
import importlib
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import engine_core
from engine_core import registry

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BUILT = ROOT / "tests" / ".build"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.pyx")))
FLAGS = ["-O1", "-fno-strict-aliasing"]
CONTRACT = ("kernel.pxd", "dice.pxd", "bits.pxd", "rng.pxd")


def built() -> Path:
    """The folder of the compiled kernels, built now unless it is there; one process builds at a time."""
    folder = BUILT / _digest()
    BUILT.mkdir(exist_ok=True)
    with (BUILT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            for old in [path for path in BUILT.iterdir() if path.is_dir()]:
                shutil.rmtree(old)
            # A process of its own: setuptools changes the one it runs in.
            command = [sys.executable, __file__, str(folder)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
            (folder / "done").touch()
    return folder


def register() -> None:
    """Make the proof families and their variants known to the engine in this process."""
    for folder in (str(built()), str(FOLDER)):
        if folder not in sys.path:
            sys.path.append(folder)
    for name in NAMES:
        engine_core.register_family(name, importlib.import_module(name))
    engine_core.register_variant_folder(FOLDER)


@contextmanager
def registered() -> Iterator[None]:
    """Registered inside the block only: other tests look at all families and variants there are."""
    families, folders = dict(registry._families), list(registry._folders)
    try:
        register()
        yield
    finally:
        registry._families.clear()
        registry._families.update(families)
        registry._folders[:] = folders


def _digest() -> str:
    digest = blake2b(sys.version.encode(), digest_size=8)
    sources = [*sorted(FOLDER.glob("*.p[xy][dx]")), *(ROOT / "engine_core" / name for name in CONTRACT)]
    for path in (*sources, ROOT / "pyproject.toml"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _build(folder: Path) -> None:
    """Compile every .pyx here like the engine's own, but for speed of compiling."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    directives = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["distutils"]["build_ext"]
    extensions = cythonize(
        [Extension(name, [str(FOLDER / f"{name}.pyx")], extra_compile_args=FLAGS) for name in NAMES],
        build_dir=str(folder / "c"),
        include_path=[str(ROOT), str(FOLDER)],
        compiler_directives=directives["cython-directives"],
        quiet=True,
    )
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp, command.parallel = str(folder), str(folder / "o"), 2
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    _build(Path(sys.argv[1]))
