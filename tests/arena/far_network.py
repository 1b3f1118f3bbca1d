"""A line between two network namespaces on which every packet takes a while, as over an ocean.

Two TUN devices with a thread between them each way: kernels without `netem` can do that, too.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

from hub_samples import Namespaces, Network

# RFC 2544's addresses, which exist in the namespaces only.
NEAR, FAR = "198.18.99.1", "198.18.99.2"
_TUNSETIFF, _IFF_TUN_NO_PI = 0x400454CA, 0x1001
_PACKET_BYTES = 65536
_DEVICE = "/dev/net/tun"


@contextmanager
def far_away(places: Network, who: str, one_way_s: float) -> Iterator[str]:
    """The address at which `who` reaches the server: NEAR, or the usual one where no line can be laid."""
    if not isinstance(places, Namespaces) or not os.access(_DEVICE, os.R_OK | os.W_OK):
        yield places.host(who)
        return
    ends = [_tun(places.name(side), *way) for side, way in (("server", (NEAR, FAR)), (who, (FAR, NEAR)))]
    over = threading.Event()
    pumps = [
        threading.Thread(target=_pump, args=(*pair, one_way_s, over), daemon=True)
        for pair in (ends, ends[::-1])
    ]
    for pump in pumps:
        pump.start()
    try:
        yield NEAR
    finally:
        over.set()
        for pump in pumps:
            pump.join(60.0)
        for end in ends:
            os.close(end)


def _tun(namespace: str, own: str, other: str) -> int:
    """A new TUN device in a namespace; the descriptor its packets come from."""
    libc = ctypes.CDLL(None, use_errno=True)
    home, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        assert libc.setns(there, 0) == 0, os.strerror(ctypes.get_errno())  # this thread's namespace alone
        device = os.open(_DEVICE, os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"far", _IFF_TUN_NO_PI))
    finally:
        assert libc.setns(home, 0) == 0
        os.close(home)
        os.close(there)
    for words in (("address", "add", own, "peer", other, "dev", "far"), ("link", "set", "far", "up")):
        subprocess.run(["ip", "-n", namespace, *words], check=True, timeout=30)
    return device


def _pump(source: int, sink: int, one_way_s: float, over: threading.Event) -> None:
    """Carry packets one way, each as late as any other."""
    packets: SimpleQueue[tuple[float, bytes]] = SimpleQueue()

    def deliver() -> None:
        while not over.is_set():
            due, packet = packets.get()
            time.sleep(max(0.0, due - time.monotonic()))
            if packet and not over.is_set():
                os.write(sink, packet)

    delivering = threading.Thread(target=deliver, daemon=True)
    delivering.start()
    while not over.is_set():
        try:
            packets.put((time.monotonic() + one_way_s, os.read(source, _PACKET_BYTES)))
        except BlockingIOError:
            over.wait(0.001)
    packets.put((0.0, b""))
    delivering.join(60.0)
