"""The command line of bubblewrap that keeps a bot apart: what it sees of the machine is listed here.

The system's programs, this platform's Python packages and the bot's folder are there to read; /tmp, /dev/shm
and the home are its own, in memory and of bounded size; the one socket is the server's.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from arena.types import Isolation

HOME = "/bot"
SOCKET = "/run/arena/server"
READABLE = "ARENA_SANDBOX_READ"
SOURCES = Path(__file__).resolve().parents[2]
OURS = ("arena", "engine_core", "bots/sdk")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
SETTINGS = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "os-release", "mime.types"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "pki/ca-trust", "maven", "fonts"),
    *("hosts", "nsswitch.conf", "host.conf", "protocols", "services"),
)
PASSWD = f"bot:x:1000:1000:bot:{HOME}:/bin/sh\n"
MIB = 2**20
# There is no network: package tools say so at once rather than try again and again.
OFFLINE = {"npm_config_offline": "true", "CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "PIP_RETRIES": "0"}
# Where toolchains keep themselves and what they have fetched: at home unless a variable says otherwise.
TOOL_FOLDERS = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "GOMODCACHE": "go/pkg/mod"}
MAVEN_REPOSITORY = ".m2/repository"
_KEYS = ("/proc/keys", "/proc/key-users")  # they would list what the user who runs the platform has


def program() -> str | None:
    """Where bubblewrap is."""
    return shutil.which("bwrap")


def room(isolation: Isolation, build: bool = False) -> int:
    """Bytes of memory that /tmp, and as many that the home may take."""
    return (isolation.memory_mib if build else 2 * isolation.file_mib) * MIB


def command(
    argv: Sequence[str],
    *,
    cwd: str,
    path: str,
    isolation: Isolation,
    socket: str = "",
    passwd: str = "",
    build: bool = False,
    keys: int | None = None,
) -> list[str]:
    """`argv` in the sandbox, in folder `cwd`, which only a `build` may write to.

    `path` is where programs are looked for, `socket` the server's, which is at SOCKET inside, `passwd` a file
    with PASSWD, `keys` a descriptor that holds keyrings.key_filter(). Raises FileNotFoundError as exec would
    when there is no such program.
    """
    bwrap = program()
    if bwrap is None:
        raise FileNotFoundError("bwrap is not installed; the sandbox needs bubblewrap 0.8 or newer")
    private = str(room(isolation, build))
    line = [bwrap, *_namespaces(), *_system()]
    line += ["--size", private, "--tmpfs", "/tmp", "--size", private, "--tmpfs", HOME]
    line += ["--size", str(isolation.file_mib * MIB), "--tmpfs", "/dev/shm"]
    for folder in _readable(argv[0], cwd, path):
        line += ["--ro-bind", folder, folder]
    line += ["--bind" if build else "--ro-bind", cwd, cwd]
    if socket:
        line += ["--ro-bind", socket, SOCKET]
    if keys is not None:
        line += ["--seccomp", str(keys)]
    if passwd:
        line += ["--ro-bind", passwd, "/etc/passwd"]
    return [*line, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd, "--", *argv]


def build_settings() -> dict[str, str]:
    """What a build step has in its environment: no network, and the toolchains' folders that it may read."""
    home = _own_home()
    folders = {name: Path(os.environ.get(name) or home / below) for name, below in TOOL_FOLDERS.items()}
    settings = {name: str(folder) for name, folder in folders.items() if _is_shown(folder)}
    if _is_shown(home / MAVEN_REPOSITORY):
        settings["MAVEN_OPTS"] = f"-Dmaven.repo.local={home / MAVEN_REPOSITORY}"
    return OFFLINE | settings


def _namespaces() -> list[str]:
    return [
        *("--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"),
        *("--hostname", "bot", "--die-with-parent"),
    ]


@cache
def _system() -> tuple[str, ...]:
    line = []
    for folder in SYSTEM:
        line += ["--ro-bind-try", folder, folder]
    java = (path.name for path in Path("/etc").glob("java*"))
    for name in (*SETTINGS, *java):
        line += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    line += ["--dev", "/dev", "--proc", "/proc"]
    for name in _machine_wide():
        line += ["--ro-bind", name, name]
    for name in _KEYS:
        line += ["--ro-bind", os.devnull, name] if Path(name).exists() else []
    return tuple(line)


def _machine_wide() -> Iterator[str]:
    """What in /proc concerns the machine rather than a process, and its owner may write.

    A platform that root runs owns it inside the sandbox, too: /proc/sys would be a way out.
    """
    for path in sorted(Path("/proc").iterdir()):
        mode = path.lstat().st_mode if not path.name.isdigit() else 0
        if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and mode & stat.S_IWUSR):
            yield str(path)


def _readable(name: str, cwd: str, path: str) -> list[str]:
    """Folders outside the system's that a program may need: this Python, our packages, its own toolchain."""
    found = shutil.which(name if "/" not in name else str(Path(cwd, name)), path=path)
    if found is None:
        raise FileNotFoundError(f"[Errno 2] No such file or directory: '{name}'")
    wanted = [sys.base_prefix, sys.prefix, *(f"{SOURCES}/{ours}" for ours in OURS)]
    wanted += [str(Path(found).resolve().parent), *path.split(os.pathsep)]
    wanted += _further()
    return [folder for folder in dict.fromkeys(wanted) if _is_worth_showing(Path(folder), cwd)]


def _further() -> list[str]:
    return [folder for folder in os.environ.get(READABLE, "").split(os.pathsep) if folder]


def _own_home() -> Path:
    """The home of the arena's user; of one whom nobody knows, as in a container, there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def _is_shown(folder: Path) -> bool:
    return folder.is_dir() and any(folder.is_relative_to(seen) for seen in (*SYSTEM, *_further()))


def _is_worth_showing(folder: Path, cwd: str) -> bool:
    known = any(folder.is_relative_to(seen) for seen in (*SYSTEM, cwd))
    return folder.is_absolute() and folder.is_dir() and not known
