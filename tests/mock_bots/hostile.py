"""Tries one thing that a bot has no business with, and prints what came of it. argv: what, and with what.

Everything is bounded, should nobody stop it: it ends by itself within minutes.
"""

import ctypes
import os
import signal
import socket
import sys
import time
from pathlib import Path

PTRACE_ATTACH = 16
MIB = 2**20


def read(*paths: str) -> None:
    """Other bots' files, databases, homes: whatever it is pointed at."""
    for path in paths:
        try:
            folder = Path(path).is_dir()
            held = sorted(at.name for at in Path(path).iterdir()) if folder else Path(path).read_bytes()
            print(f"read {path}: {held!r}"[:200])
        except OSError as error:
            print(f"no {path}: {error.strerror}")


def write(*paths: str) -> None:
    """Open for writing, but change nothing."""
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | (0 if Path(path).exists() else os.O_CREAT)))
            print(f"wrote {path}")
        except OSError as error:
            print(f"no {path}: {error.strerror}")


def environments(sought: str) -> None:
    """Look for a secret in the environments of all processes, its own left out."""
    looked, found = 0, False
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                found |= sought.encode() in (entry / "environ").read_bytes()
                looked += 1
            except OSError:
                continue
    print("found it" if found else "not found", "among", looked)


def connect(port: str, abstract: str) -> None:
    """TCP on loopback, an abstract Unix socket, and the network beyond."""
    targets: dict[str, tuple[int, tuple[str, int] | str]] = {
        "tcp": (socket.AF_INET, ("127.0.0.1", int(port))),
        "abstract": (socket.AF_UNIX, "\0" + abstract),
        "beyond": (socket.AF_INET, ("192.0.2.1", 9)),
    }
    for name, (family, address) in targets.items():
        with socket.socket(family, socket.SOCK_STREAM) as near:
            near.settimeout(1.0)
            try:
                near.connect(address)
                print(f"connected {name}")
            except OSError as error:
                print(f"no {name}: {error.strerror or error}")


def attack(pid: str) -> None:
    """Signal another process, trace it, and signal all there are (with a signal that does nothing)."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        os.kill(int(pid), 0)
        print("signalled")
    except OSError as error:
        print(f"no signal: {error.strerror}")
    traced = libc.ptrace(PTRACE_ATTACH, int(pid), 0, 0)
    print("traced" if traced == 0 else f"no trace: {os.strerror(ctypes.get_errno())}")
    # In a sandbox there are its first process and itself (in a build, the shells between).
    others = [path for path in Path("/proc").iterdir() if path.name.isdigit() and path.name != "1"]
    print("sees", len(others) - 1, "others")


def regain(*_: str) -> None:
    """More rights than it was given: a user namespace of its own, higher limits, a host's name."""
    libc = ctypes.CDLL(None, use_errno=True)
    print("namespace" if libc.unshare(0x10000000) == 0 else "no namespace")
    status = Path("/proc/self/status").read_text()
    for line in status.splitlines():
        if line.startswith(("NoNewPrivs", "CapEff")):
            print(line)


def first(*_: str) -> None:
    """What the sandbox's first process has that this one has not; then stop it for good, and linger."""
    libc = ctypes.CDLL(None, use_errno=True)
    for what in ("environ", "status"):
        theirs, own = (Path(f"/proc/{pid}/{what}").read_bytes() for pid in ("1", "self"))
        lines = own.replace(b"\0", b"\n").splitlines()
        more = [line.decode() for line in theirs.replace(b"\0", b"\n").splitlines() if line not in lines]
        kept = ("Uid", "Cap", "NoNewPrivs", "Seccomp")
        print(what, [line for line in more if what == "environ" or line.startswith(kept)])
    print("traced" if libc.ptrace(PTRACE_ATTACH, 1, 0, 0) == 0 else "not traced", flush=True)
    time.sleep(300)


def keys(mine: str, *sought: str) -> None:
    """Put a key into its keyrings, and read others' from them; then linger if it seeks none."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    add_key, keyctl = (217, 219) if os.uname().machine == "aarch64" else (248, 250)
    search, read_key, session, user, user_session = 10, 11, -3, -4, -5
    held = libc.syscall(add_key, b"user", mine.encode(), b"secret", 6, session)
    print("kept a key" if held > 0 else "no key", flush=True)
    for name in sought:
        rings = (session, user, user_session)
        found = [libc.syscall(keyctl, search, ring, b"user", name.encode(), 0) for ring in rings]
        buffer = ctypes.create_string_buffer(16)
        read_it = max(found) > 0 and libc.syscall(keyctl, read_key, max(found), buffer, 16) > 0
        try:
            listed = name in Path("/proc/keys").read_text()
        except OSError:
            listed = False
        print(name, "read" if read_it else "listed" if listed else "not found")
    if not sought:
        time.sleep(300)


def memory(mib: str) -> None:
    """Fill memory, a MiB at a time."""
    held = []
    for _ in range(int(mib)):
        held.append(b"x" * MIB)
    time.sleep(100)
    print("kept", len(held))


def shared_memory(mib: str) -> None:
    """Fill memory through children, each well below the limit."""
    for _ in range(4):
        if os.fork() == 0:
            memory(str(int(mib) // 4))
            os._exit(0)
    time.sleep(100)


def processes(number: str) -> None:
    """So many children."""
    for _ in range(int(number)):
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
    time.sleep(100)


def bomb(depth: str) -> None:
    """2 ** depth processes, each in a session of its own."""
    for _ in range(int(depth)):
        if os.fork() == 0:
            os.setsid()
    time.sleep(100)


def comet(seconds: str, trace: str) -> None:
    """Fork away from its own end, again and again, each time into a session of its own."""
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        os.setsid()
    Path(trace).write_text("survived")


def file(mib: str) -> None:
    """One file, in its home; the signal for too big a file left to do what it does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with (Path.home() / "huge").open("wb") as stream:
        for _ in range(int(mib)):
            stream.write(bytes(MIB))


def stubborn_file(mib: str) -> None:
    """The same, but as Python does it: the signal ignored, the error raised."""
    with (Path.home() / "huge").open("wb") as stream:
        for _ in range(int(mib)):
            stream.write(bytes(MIB))


def files(number: str) -> None:
    """Many small files."""
    for index in range(int(number)):
        (Path("/tmp") / f"arena-file-{index}").write_bytes(bytes(MIB))


def descriptors(*_: str) -> None:
    """As many open files as it can get."""
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(100_000)]
    print("kept", len(held))


def cpu(*_: str) -> None:
    """Burn CPU, at most 20 seconds of it."""
    while time.process_time() < 20:
        pass


def stubborn_cpu(*_: str) -> None:
    """The same, deaf to the signal for too much."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    cpu()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
