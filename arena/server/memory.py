"""How the C library keeps what a bot's huge message once needed: not at all."""

from __future__ import annotations

import ctypes

LARGE_BYTES = 1024 * 1024
# Of <malloc.h>: what is larger has pages of its own, and how much may stay free at the end of a heap.
_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD = -3, -1


def give_back_large_buffers() -> bool:
    """Give freed memory back at once from LARGE_BYTES on; False where the C library cannot be told so.

    Left alone, glibc raises these bounds with what was freed, up to 32 and 64 MiB, for each of its heaps, of
    which it makes up to eight a core: floods would make the process larger though nothing leaks (mallopt(3)).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return all(mallopt(which, LARGE_BYTES) for which in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD))
