"""Keeps bots from the kernel's keyrings, which no namespace separates: keys of one user are that user's.

A guarded bot starts with a session keyring of its own, so that it has none of the arena's keys and none of
another bot's; in the sandbox a seccomp filter denies the calls that deal with keys altogether, since
keyrings of a user, and keys that a stranger links into them, would still be shared.
"""

from __future__ import annotations

import ctypes
import platform
import struct

_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
_JOIN_SESSION_KEYRING = 1
# The first and last of add_key, request_key and keyctl, which are neighbours, by AUDIT_ARCH_* of
# linux/audit.h: x86-64 and i386, arm64 and arm, riscv64. A 32-bit program can run beside 64-bit ones.
_CALLS = {
    0xC000003E: (248, 250),
    0x40000003: (286, 288),
    0xC00000B7: (217, 219),
    0x40000028: (309, 311),
    0xC00000F3: (217, 219),
}
# Classic BPF as of linux/filter.h; struct seccomp_data begins with the call's number, then the architecture.
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _IF_ABOVE, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_WITHOUT_X32_BIT = 0xBFFFFFFF
_ALLOW, _DENY = 0x7FFF0000, 0x00050001  # the latter fails with EPERM


def leave_session_keyring() -> None:
    """Give this process an empty session keyring; one that the kernel refuses changes nothing.

    It refuses where containers deny such calls, to bots as well, or when the user's quota of keys is used up.
    """
    if number := _KEYCTL.get(platform.machine()):
        ctypes.CDLL(None).syscall(number, _JOIN_SESSION_KEYRING, None)


def key_filter() -> bytes:
    """A seccomp program for `bwrap --seccomp` that denies the calls that deal with keys."""
    program = _step(_LOAD, _ARCHITECTURE)
    for architecture, (first, last) in _CALLS.items():
        program += b"".join(
            (
                _step(_IF_EQUAL, architecture, otherwise=6),  # past these steps
                _step(_LOAD, _NUMBER),
                _step(_AND, _WITHOUT_X32_BIT),
                _step(_IF_AT_LEAST, first, otherwise=2),
                _step(_IF_ABOVE, last, then=1),
                _step(_RETURN, _DENY),
                _step(_RETURN, _ALLOW),
            )
        )
    return program + _step(_RETURN, _ALLOW)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction; `then` and `otherwise` say how many to leap over."""
    return struct.pack("=HBBI", code, then, otherwise, value)
