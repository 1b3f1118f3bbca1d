"""Whether an address can be served on, asked before gRPC is: it answers in its own log, and at length."""

from __future__ import annotations

import errno
import socket
from pathlib import Path

_PREFIX = "unix:"
# What the kernel takes as the path of a Unix socket, in bytes.
_LONGEST_PATH = 107
_WHY = {
    errno.EADDRINUSE: "is in use already; end what listens there, or take another port (0: any that is free)",
    errno.EADDRNOTAVAIL: "is no address of this host; 0.0.0.0 is all of them",
    errno.EACCES: "may not be opened by this user; ports from 1024 on may",
}


def refusal(address: str) -> str:
    """Why nobody can serve on `host:port` or `unix:/path`, in words; nothing when it can be."""
    if address.startswith(_PREFIX):
        return _path_refusal(Path(address.removeprefix(_PREFIX)))
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        return f"names no host that is known here: {error.strerror}"
    family, kind, protocol, _, where = found[0]
    with socket.socket(family, kind, protocol) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(where)
            tried.listen()
        except OSError as error:
            return _WHY.get(error.errno or 0) or f"cannot be opened: {error.strerror}"
    return ""


def _path_refusal(path: Path) -> str:
    """The same for a Unix socket: one that nobody listens on is replaced."""
    if len(bytes(path)) > _LONGEST_PATH:
        return f"is longer than the {_LONGEST_PATH} bytes that a socket's path may have"
    if not path.parent.is_dir():
        return f"is in no folder: there is no {path.parent}"
    if not path.is_socket():
        return "is there already and is no socket" if path.exists() else ""
    with socket.socket(socket.AF_UNIX) as tried:
        try:
            tried.connect(str(path))
        except OSError:
            return ""
    return _WHY[errno.EADDRINUSE].partition(",")[0]
