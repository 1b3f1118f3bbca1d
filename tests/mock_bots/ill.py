"""Plays well but for the one thing in argv: what `arena doctor` is there to find."""

import itertools
import signal
import subprocess
import sys
import threading
import time
from random import Random

import raw
from first_legal import decide as first_legal

from arena.client import serve
from engine_core import ActionRange, Game, Legal, View

hoard: list[bytes] = []


def grows(view: View, legal: Legal) -> ActionRange:
    """Keeps a mebibyte a question."""
    hoard.append(bytes(bytearray(2**20)))
    return first_legal(view, legal)


def fills_a_heap(view: View, legal: Legal) -> ActionRange:
    """Keeps 24 KiB a question of the first 1500, as a heap grows to its bound before it is ever cleared."""
    if len(hoard) < 1500:
        hoard.append(bytes(bytearray(24 * 2**10)))
    return first_legal(view, legal)


def seeps(view: View, legal: Legal) -> ActionRange:
    """Keeps 24 KiB a question, of all."""
    hoard.append(bytes(bytearray(24 * 2**10)))
    return first_legal(view, legal)


def slow(view: View, legal: Legal) -> ActionRange:
    """Thinks for most of half a second."""
    time.sleep(0.45)
    return first_legal(view, legal)


def multiplies(_view: View, _legal: Legal) -> ActionRange:
    """Starts one process after another and never comes to an answer."""
    processes = [subprocess.Popen(["sleep", "30"]) for _ in range(12)]
    time.sleep(30)
    raise AssertionError(processes)


def illegal(_view: View, _legal: Legal) -> int:
    """Plays what the rules forbid, and does all else well."""
    return 63


def returns_none(_view: View, _legal: Legal) -> None:
    """Forgets to return."""


def returns_minus_one(_view: View, _legal: Legal) -> int:
    """Returns what other programs return for nothing found."""
    return -1


def returns_a_number(_view: View, _legal: Legal) -> int:
    """Returns a code that no action has."""
    return 12345678901


def never_resumes() -> None:
    """Ends when its stream breaks."""
    stream = raw.Stream()
    for question in stream.questions():
        stream.act(question.decision_id, range=0, amount=raw.lowest(question))


def stays() -> None:
    """Hears nothing of ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(first_legal)
    time.sleep(60)


def burns() -> None:
    """Has a thread that never rests."""
    threading.Thread(target=lambda: [None for _ in itertools.repeat(0) if _], daemon=True).start()
    serve(first_legal)


class KeepsGames:
    """Keeps a mebibyte a game, and nothing of its decisions."""

    def __init__(self, _game: Game, _seat: int, _rng: Random) -> None:
        """A game begins."""
        hoard.append(bytes(bytearray(2**20)))

    def decide(self, view: View, legal: Legal) -> ActionRange:
        """The first legal action."""
        return first_legal(view, legal)


class LargeGames:
    """Holds 16 MiB for each game, until it ends."""

    def __init__(self, _game: Game, _seat: int, _rng: Random) -> None:
        """A game begins."""
        self.held = bytes(bytearray(16 * 2**20))

    def decide(self, view: View, legal: Legal) -> ActionRange:
        """The first legal action."""
        return first_legal(view, legal)


what = sys.argv[1]
decisions = (
    grows,
    fills_a_heap,
    seeps,
    slow,
    multiplies,
    illegal,
    returns_none,
    returns_minus_one,
    returns_a_number,
)
if decide := {decide.__name__: decide for decide in decisions}.get(what):
    serve(decide)
elif what in ("keeps_games", "large_games"):
    serve({"keeps_games": KeepsGames, "large_games": LargeGames}[what])
else:
    {"never_resumes": never_resumes, "stays": stays, "burns": burns}[what]()
