"""The line of every language's bots: cuts, refusals, a server that goes away, and TLS with a real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import grpc
import pytest
from languages import ARENA, ROOT, Language, languages
from relay import Cutter
from test_sdks import EVERY_PACKAGE, built

from arena.botfiles import load_bot
from arena.driver import Driver
from arena.hub.certificates import make_certificate
from arena.seats import Answer, InProcessDoor
from arena.server import PlayServer, build_bot
from arena.setups import setup_for
from arena.store import Store
from arena.types import FaultPolicy, Limits, MatchPlan, MatchResult, Player

HERE = Path(__file__)
RANDOM = load_bot(ROOT / "bots" / "random.py")
# Generous, so that only what is lost on the line can fail.
LIMITS = Limits(start=300.0, decision=60.0, game=3600.0)
RESUME_S = 60.0
TURN_CAP = 40
# One match against a bot of the house, for whoever dials in as NAME.
SERVED = """
name = "NAME"
rounds = 1
players = [{ remote = "NAME" }, "random"]

[[variants]]
name = "classic"
seats = 2
options = { turn_cap = 8 }

[clocks]
connect = 3600
decision = 60
game = 3600
"""
CUT_EVERY_BYTES = 50_000
END_S = 300.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PlayServer]:
    served = PlayServer([f"unix:{tmp_path}/play", "127.0.0.1:0"]).start()
    yield served
    served.stop()


@contextmanager
def started(language: Language, kind: str = "random", **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A bot of a language as a process with these variables; it is killed if it has not ended."""
    built(language)
    bot = load_bot(language.bot(kind))
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


@dataclass(frozen=True)
class House:
    """A server without TLS and one with it, the authority of its certificate and another one."""

    folder: Path
    plain: str
    encrypted: str
    own: Path
    other: Path

    @property
    def troubles(self) -> dict[str, tuple[dict[str, str], str]]:
        """What may be wrong with a bot's variables, and what it then has to say."""
        plain, encrypted, none = self.plain, self.encrypted, self.folder / "none.pem"
        unreadable = "ARENA_CA: no certificate can be read from"
        return {
            "no address": ({}, "no server address: set ARENA_ADDRESS to host:port or unix:/path"),
            "no port": (access("foo"), "ARENA_ADDRESS: foo is neither host:port nor unix:/path"),
            "token": (access(plain), "the server refuses the token in ARENA_TOKEN: unknown token"),
            "no CA": (
                access(encrypted),
                f"the server at {encrypted} speaks TLS: set ARENA_CA to the path of",
            ),
            "wrong CA": (access(encrypted, self.other), f"that ARENA_CA ({self.other}) does not vouch for"),
            "too much CA": (access(plain, self.own), "does not speak TLS: unset ARENA_CA"),
            "no file": (access(encrypted, none), f"{unreadable} {none} ("),
            "no PEM": (access(encrypted, HERE), f"{unreadable} {HERE} (it is no PEM file)"),
        }


def here() -> list[Language]:
    """The languages with a package whose toolchain is on this machine."""
    return [language for language in languages() if language.has_package and not language.missing]


def access(address: str, ca: Path | None = None) -> dict[str, str]:
    """The variables of a bot with a token that no server knows."""
    return {"ARENA_ADDRESS": address, "ARENA_TOKEN": "guessed"} | ({"ARENA_CA": str(ca)} if ca else {})


def play(server: PlayServer, language: Language, **variables: str) -> tuple[MatchResult, int]:
    """A match of the language's bot and the platform's, and the code the bot ended with when it was over."""
    inbox: SimpleQueue[Answer] = SimpleQueue()
    door = server.door("dialler", inbox, start_s=LIMITS.start, resume_s=RESUME_S)
    dialler, other = Player("dialler", load_bot(language.bot("random"))), Player("random", RANDOM)
    setup = setup_for("classic", 2, {"turn_cap": TURN_CAP}, "split")
    match = MatchPlan(1, bytes(range(16)), setup, (dialler, other), LIMITS, FaultPolicy())
    with started(language, ARENA_TOKEN=door.token, **variables) as bot:
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
    calm, code = play(server, language, ARENA_ADDRESS=server.addresses[0])
    assert code == 0
    line = Cutter(server.addresses[1], cut_every=CUT_EVERY_BYTES)
    cut, _ = play(server, language, ARENA_ADDRESS=line.address, ARENA_RETRY="60")
    line.close()
    assert line.accepted >= 3
    assert [game.faults for game in cut.games] == [()] * len(calm.games)
    assert [game.final_digest for game in cut.games] == [game.final_digest for game in calm.games]


# ---- one line for what keeps a bot from playing


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    own, other = (make_certificate(folder / name) for name in ("own", "other"))
    pair = own.key.read_bytes(), own.certificate.read_bytes()
    credentials = grpc.ssl_server_credentials([pair])
    with (
        PlayServer(["127.0.0.1:0"]) as plain,
        PlayServer(["127.0.0.1:0"], credentials=credentials) as encrypted,
    ):
        yield House(folder, plain.addresses[0], encrypted.addresses[0], own.authority, other.authority)


@pytest.fixture(scope="module")
def to_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A bot of each language that dials where nobody is; at once, since each takes ten seconds to give up."""
    path = tmp_path_factory.mktemp("nobody") / "nobody"
    with ExitStack() as stack:
        yield {
            language.name: stack.enter_context(started(language, ARENA_ADDRESS=f"unix:{path}"))
            for language in here()
        }


@EVERY_PACKAGE
def test_what_is_wrong_is_said_in_one_line_with_the_variable_to_set(house: House, language: Language) -> None:
    """Not a stack trace in sight, and the exit code is 1."""
    with ExitStack() as stack:
        bots = {
            trouble: stack.enter_context(started(language, **variables, ARENA_RETRY="120"))
            for trouble, (variables, _) in house.troubles.items()
        }
        for trouble, bot in bots.items():
            said, _ = bot.communicate(timeout=END_S)
            assert said.count("\n") == 1 and said.endswith("\n"), f"{trouble}:\n{said}"
            assert house.troubles[trouble][1] in said, trouble
            assert bot.returncode == 1, trouble


@EVERY_PACKAGE
def test_nobody_at_the_address_is_said_after_a_while(
    to_nobody: dict[str, subprocess.Popen[str]], language: Language
) -> None:
    bot = to_nobody[language.name]
    said, _ = bot.communicate(timeout=END_S)
    assert said.count("\n") == 1, said
    assert re.search(
        r"no server answers at unix:.*/nobody within 10 ?s: is it .* ARENA_ADDRESS right\?", said
    )
    assert bot.returncode == 1


@EVERY_PACKAGE
def test_a_server_that_goes_away_ends_the_bot_well(server: PlayServer, language: Language) -> None:
    door = server.door("dialler", SimpleQueue(), start_s=LIMITS.start)
    with started(language, ARENA_ADDRESS=server.addresses[0], ARENA_TOKEN=door.token) as bot:
        for _ in range(int(END_S * 100)):
            if door.ready_at is not None:
                break
            assert bot.poll() is None
            time.sleep(0.01)
        server.stop()
        said, _ = bot.communicate(timeout=END_S)
        assert (bot.returncode, said) == (0, "")


# ---- a rated game over TLS


@dataclass(frozen=True)
class Serving:
    """`arena serve` over TLS with a tournament for each language; the languages' tokens."""

    address: str
    authority: Path
    database: Path
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder, names = tmp_path_factory.mktemp("serving"), [language.name for language in here()]
    database, authority = folder / "cup.db", make_certificate(folder / "tls").authority
    with Store(f"sqlite:///{database}") as store:
        store.migrate()
        tokens = {name: store.tokens.add_player(name) for name in names}
    command: list[str | Path] = [ARENA, "serve", "--json", "--listen", "127.0.0.1:0"]
    command += ["--tls", folder / "tls", "--db", database]
    for name in names:
        path = folder / f"{name}.toml"
        path.write_text(SERVED.replace("NAME", name), encoding="utf-8")
        command += ["--tournament", path]
    output = folder / "output"
    with output.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream)
    try:
        yield Serving(address_told(process, output), authority, database, tokens)
        process.terminate()
        assert process.wait(END_S) == 0, output.read_text(encoding="utf-8")[-4000:]
    finally:
        process.kill()
        process.wait()


def address_told(process: subprocess.Popen[bytes], output: Path) -> str:
    """The address that a server says it serves on."""
    deadline = time.monotonic() + END_S
    while True:
        said = output.read_text(encoding="utf-8")
        if found := re.search(r'"addresses": *\["([^"]+)"\]', said):
            return found[1]
        assert process.poll() is None and time.monotonic() < deadline, said
        time.sleep(0.05)


@EVERY_PACKAGE
def test_its_greedy_bot_plays_a_rated_match_over_tls(serving: Serving, language: Language) -> None:
    """Dialled in to `arena serve` with its token: two games, no fault, and a rating for both."""
    name = language.name
    access = {"ARENA_ADDRESS": serving.address, "ARENA_CA": str(serving.authority)}
    with (
        Store(f"sqlite:///{serving.database}") as store,
        started(language, "greedy", ARENA_TOKEN=serving.tokens[name], ARENA_RETRY="60", **access) as bot,
    ):
        deadline = time.monotonic() + END_S
        while (name, "finished") not in [(row.name, row.state) for row in store.tournaments()]:
            assert bot.poll() is None, bot.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.05)
        row = store.tournament(name)
        games = store.games(row.id)
        assert [{seat.player for seat in game.seats} for game in games] == [{name, "random"}] * 2
        assert store.faults(row.id) == ()
        ratings = {s.player.label: s.rating for s in store.leaderboard(tournament_id=row.id)}
        assert ratings.keys() == {name, "random"}
        assert all(rating is not None for rating in ratings.values())
