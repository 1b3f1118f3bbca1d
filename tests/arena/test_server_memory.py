"""What a bot's huge message needed is given back, whatever the C library would like to keep."""

from __future__ import annotations

import subprocess
import sys
from queue import SimpleQueue

import pytest

from arena.seats import Answer
from arena.server.connection import Stream
from arena.server.door import LAST_MESSAGE_CHARS, RemoteDoor
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.v1 import play_pb2

HUGE = 8 * 2**20
# Four threads, each with a heap of its own, free two huge buffers; then the memory that is still held counts.
FREED_TWICE = """
import os, sys, threading
from pathlib import Path
from arena.server.memory import give_back_large_buffers

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def use():
    for _ in range(2):
        bytearray(range(256)) * (8 * 4096)
    ready.wait()
    ready.wait()

if "give_back" in sys.argv:
    assert give_back_large_buffers()
ready = threading.Barrier(5)
before = resident()
for _ in range(4):
    threading.Thread(target=use).start()
ready.wait()
print(resident() - before)
ready.wait()
"""


# The kernel counts pages for each core, so that a sum may be some too small.
@pytest.mark.parametrize(("how", "least", "most"), [("", HUGE, 5 * HUGE), ("give_back", -HUGE, HUGE // 2)])
def test_freed_buffers_go_back_to_the_system_only_when_asked_for(how: str, least: int, most: int) -> None:
    command = [sys.executable, "-c", FREED_TWICE, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert least <= int(done.stdout) <= most


def test_a_door_keeps_words_only_of_the_message_that_put_its_bot_out() -> None:
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = RemoteDoor("bot", "token", inbox, start_s=60)
    stream = Stream()
    door.attach(stream, play_pb2.Join(token="token"))
    door.receive(stream, b"\x1a" * (MAX_MESSAGE_BYTES + 1), 0.0)
    assert door.fault is not None
    assert door.fault[0] == "flood"
    assert isinstance(door._last, str)
    assert door.last_message().startswith(f"a message of {MAX_MESSAGE_BYTES + 1} bytes: 1a 1a")
    assert len(door.last_message()) <= LAST_MESSAGE_CHARS
    door.close()
