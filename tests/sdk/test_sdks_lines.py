"""How the bots of every language take what happens to their line: cuts, refusals, a server that goes away."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest
from languages import ROOT, Language
from test_sdks import EVERY_PACKAGE, built

from arena.botfiles import load_bot
from arena.driver import Driver
from arena.seats import Answer, InProcessDoor
from arena.server import PlayServer, RemoteDoor, build_bot
from arena.setups import setup_for
from arena.types import FaultPolicy, Limits, MatchPlan, MatchResult, Player

RELAY = ROOT / "tests" / "arena" / "relay.py"
RANDOM = load_bot(ROOT / "bots" / "random.py")
# Generous, so that only what is lost on the line can fail.
LIMITS = Limits(start=60.0, decision=60.0, game=600.0)
TURN_CAP = 20
CUT_EVERY_S = 0.3
END_S = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PlayServer]:
    served = PlayServer([f"unix:{tmp_path}/play", "127.0.0.1:0"]).start()
    yield served
    served.stop()


@contextmanager
def started(language: Language, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """The random bot of a language as a process with these variables; it is killed if it has not ended."""
    built(language)
    bot = load_bot(language.bot("random"))
    build_bot(bot)
    program = sys.executable if bot.argv[0] == "python" else shutil.which(bot.argv[0])
    folder = Path(bot.target)
    path = str(folder / bot.argv[0]) if program is None or "/" in bot.argv[0] else program
    environment = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    process = subprocess.Popen(
        [path, *bot.argv[1:]],
        cwd=folder,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def relay(target: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A line to `target` that can be cut, and its address."""
    process = subprocess.Popen([sys.executable, str(RELAY), target, "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@contextmanager
def cut_again_and_again(line: subprocess.Popen[str] | None, door: RemoteDoor) -> Iterator[None]:
    """Meanwhile the line, if any, is cut at intervals, from when the bot has joined."""
    over = threading.Event()

    def cut() -> None:
        while line is not None and not over.wait(CUT_EVERY_S):
            if door.ready_at is not None:
                line.send_signal(signal.SIGUSR1)

    cuts = threading.Thread(target=cut)
    cuts.start()
    try:
        yield
    finally:
        over.set()
        cuts.join()


def play(
    server: PlayServer, language: Language, line: subprocess.Popen[str] | None, **variables: str
) -> tuple[MatchResult, int]:
    """A match of the language's bot and the platform's, and the code the bot ended with when it was over."""
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = server.door("dialler", inbox, start_s=LIMITS.start)
    dialler, other = Player("dialler", load_bot(language.bot("random"))), Player("random", RANDOM)
    setup = setup_for("classic", 2, {"turn_cap": TURN_CAP}, "split")
    match = MatchPlan(1, bytes(range(16)), setup, (dialler, other), LIMITS, FaultPolicy())
    with started(language, ARENA_TOKEN=door.token, **variables) as bot:
        with cut_again_and_again(line, door):
            result = Driver({dialler: door, other: InProcessDoor(RANDOM, inbox)}, inbox).play(match)
        door.close()
        code = bot.wait(END_S)
    assert result.error == ""
    return result, code


@EVERY_PACKAGE
def test_c12_c16_a_line_cut_again_and_again_changes_no_game(server: PlayServer, language: Language) -> None:
    """Nothing that was lost or sent twice shows: no fault, and the games are those of a calm line.

    With ARENA_RETRY, since a line may be cut before anything was asked over it; the bot then also dials again
    when all is over, and is refused.
    """
    calm, code = play(server, language, None, ARENA_ADDRESS=server.addresses[0])
    assert code == 0
    with relay(server.addresses[1]) as (line, address):
        cut, _ = play(server, language, line, ARENA_ADDRESS=address, ARENA_RETRY="10")
    assert [game.faults for game in cut.games] == [()] * len(calm.games)
    assert [game.final_digest for game in cut.games] == [game.final_digest for game in calm.games]


@EVERY_PACKAGE
def test_a_refusal_ends_the_bot_with_the_servers_words(server: PlayServer, language: Language) -> None:
    with started(language, ARENA_ADDRESS=server.addresses[0], ARENA_TOKEN="guessed") as bot:
        said, _ = bot.communicate(timeout=END_S)
        assert (bot.returncode, "unknown token" in said) == (1, True), said


@EVERY_PACKAGE
def test_a_missing_address_is_named(language: Language) -> None:
    with started(language) as bot:
        said, _ = bot.communicate(timeout=END_S)
        assert (bot.returncode, "ARENA_ADDRESS" in said) == (1, True), said


@EVERY_PACKAGE
def test_nobody_at_the_address_is_said_after_a_while(language: Language, tmp_path: Path) -> None:
    with started(language, ARENA_ADDRESS=f"unix:{tmp_path}/nobody", ARENA_TOKEN="any") as bot:
        said, _ = bot.communicate(timeout=END_S)
        assert (bot.returncode, "nobody" in said) == (1, True), said


@EVERY_PACKAGE
def test_a_server_that_goes_away_ends_the_bot_well(server: PlayServer, language: Language) -> None:
    door = server.door("dialler", SimpleQueue(), start_s=LIMITS.start)
    with started(language, ARENA_ADDRESS=server.addresses[0], ARENA_TOKEN=door.token) as bot:
        for _ in range(int(END_S * 100)):
            if door.ready_at is not None:
                break
            assert bot.poll() is None
            threading.Event().wait(0.01)
        server.stop()
        said, _ = bot.communicate(timeout=END_S)
        assert (bot.returncode, said) == (0, "")
