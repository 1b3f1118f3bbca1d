"""The third door: JSON lines over the pipes of real processes, whatever they write and however they end."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from google.protobuf import json_format
from wire_samples import (
    LIMITS,
    OWN_PID,
    RANDOM,
    Table,
    alive,
    bundled,
    faults_of,
    mock,
    plan,
    table,
    wait_until,
)

import engine_core
from arena import wire
from arena.seats import Answer, GameOpening, Question
from arena.server import PlayServer, RemoteDoor
from arena.server.connection import MAX_WAITING_BYTES
from arena.setups import setup_for
from arena.types import BotSpec, Fault, FaultPolicy, Limits, MatchPlan, MatchResult, Player
from arena.v1 import play_pb2

PACKED, TYPED = play_pb2.ENCODING_PACKED, play_pb2.ENCODING_TYPED


def lines(mode: str) -> BotSpec:
    """The mock bot that misbehaves on lines."""
    return replace(mock("lines", mode), protocol="jsonlines")


def hand_over(server: PlayServer, token: str, reading: int, writing: int) -> None:
    """Give a server its ends of two pipes as the launcher does, and close them here."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.connect(server.jsonlines_address)
        socket.send_fds(peer, [token.encode()], [reading, writing])
    os.close(reading)
    os.close(writing)


# ---- whole games


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    with table() as made:
        yield made


@pytest.fixture
def server(shared: Table) -> PlayServer:
    return shared.server


def play(shared: Table, mode: str, *, limits: Limits = LIMITS, cap: int = 3) -> MatchResult:
    """A match of the mock bot against a random one in this process; its process is gone afterwards."""
    result = shared.play(plan(lines(mode), RANDOM, limits=limits, cap=cap))
    (door,) = [door for door in shared.doors.values() if isinstance(door, RemoteDoor)]
    pid = door.pid
    assert pid not in (None, OWN_PID, shared.launcher.pid)
    assert door.protocol == "jsonlines"
    shared.leave()
    assert wait_until(lambda: not alive(pid))
    assert len(result.games) == 2
    assert faults_of(result, 1) == []
    return result


def faults(result: MatchResult) -> list[Fault]:
    return [fault for game in result.games for fault in game.faults]


def test_plain_bot_plays_whole_games(shared: Table) -> None:
    result = play(shared, "plain")
    assert faults(result) == []
    assert sum(game.decisions for game in result.games) > 100


def test_chatter_never_breaks_the_framing(shared: Table) -> None:
    """Partial lines, binary, long lines, carriage returns: every answer among them counts."""
    result = play(shared, "chatter", cap=1)
    assert faults(result) == []
    assert sum(game.decisions for game in result.games) > 50


def test_answers_behind_other_text_count(shared: Table) -> None:
    """`printf "debug "` before a join or an answer takes nothing from it."""
    result = play(shared, "behind", cap=1)
    assert faults(result) == []
    assert sum(game.decisions for game in result.games) > 50


QUICK = replace(LIMITS, decision=0.2)
OUT = {
    "no_join": (LIMITS, "malformed", 'must be a join, such as {"join":{}}, not `{"acts"'),
    "other_token": (LIMITS, "malformed", "another token than ARENA_TOKEN"),
    "no_message": (LIMITS, "malformed", '"decisionNumber"'),
    "wrong_range": (LIMITS, "malformed", "range 9999 does not exist"),
    "trails": (QUICK, "timeout", 'was not one: `{"acts": {"acts": [{"decisionId": '),
    "deaf": (QUICK, "timeout", ""),
    "hangs": (QUICK, "timeout", ""),
    "babbles": (LIMITS, "flood", "lines that are no messages"),
    "huge": (LIMITS, "flood", "1048576 are allowed"),
    "closes": (LIMITS, "disconnect", "closed its output"),
    "leaves": (LIMITS, "disconnect", "code 0"),
    "dies": (LIMITS, "crash", "SIGSEGV"),
}


@pytest.mark.parametrize("mode", OUT)
def test_each_fault_of_a_piped_bot_has_its_kind_and_retires_it(shared: Table, mode: str) -> None:
    limits, kind, words = OUT[mode]
    found = faults(play(shared, mode, limits=limits))
    assert {fault.kind for fault in found} == {kind}
    assert all(words in fault.message for fault in found), found
    assert found[-1].action == "retire"


def test_fault_shows_the_last_message_and_all_output(shared: Table) -> None:
    """What a crash leaves: the answer that came last, stderr, and chatter on stdout; never the token."""
    crash = faults(play(shared, "dies"))[0]
    assert crash.last_message.startswith('{"acts": {"acts": [{"decisionId": 10')
    assert "said beside its messages:\nthat hurt" in crash.output
    left = faults(play(shared, "leaves"))[0]
    assert "that is enough" in left.output
    assert '"decisionId": 9' in left.last_message
    assert "guess" in faults(play(shared, "other_token"))[0].last_message


@pytest.mark.parametrize("bot", ["shell_random", "c_first"])
@pytest.mark.parametrize(("variant", "seats"), [("classic", 2), ("command_room", 3)])
def test_bot_of_ten_lines_plays_whole_real_games(shared: Table, bot: str, variant: str, seats: int) -> None:
    """Through the launcher, as a tournament would: built, started, played in every rotation, gone."""
    spec = bundled(bot)
    program = next(path for path in Path(spec.target).iterdir() if path.suffix in (".sh", ".c"))
    assert len(program.read_text(encoding="utf-8").splitlines()) <= 10
    setup = setup_for(variant, seats, {"turn_cap": 4}, "split")
    players = [Player(bot, spec), *(Player(f"random {number}", RANDOM) for number in range(1, seats))]
    result = shared.play(MatchPlan(1, bytes(range(16)), setup, tuple(players), LIMITS, FaultPolicy()))
    (door,) = [door for door in shared.doors.values() if isinstance(door, RemoteDoor)]
    pid = door.pid
    assert pid not in (None, OWN_PID)
    assert alive(pid)
    shared.leave()
    assert wait_until(lambda: not alive(pid))
    assert len(result.games) == seats
    assert [fault for game in result.games for fault in game.faults] == []
    assert min(game.decisions for game in result.games) > 50


# ---- one pair of pipes, closely


def descriptors_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class Bot:
    """Our own ends of a bot's pipes."""

    def __init__(self, server: PlayServer, token: str) -> None:
        reading, self.out = os.pipe()
        self.back, writing = os.pipe()
        hand_over(server, token, reading, writing)
        self._lines = os.fdopen(self.back, "rb")

    def say(self, text: str) -> None:
        os.write(self.out, text.encode() + b"\n")

    def hear(self) -> play_pb2.PlayResponse:
        return json_format.Parse(self._lines.readline(), play_pb2.PlayResponse())

    def at_end(self) -> bool:
        return self._lines.read() == b""

    def leave(self) -> None:
        os.close(self.out)


class Asker:
    """A door and a state to ask about."""

    def __init__(self, server: PlayServer, max_open: int | None = None) -> None:
        self.inbox: SimpleQueue[Answer] = SimpleQueue()
        self.door = server.door("piped", self.inbox, start_s=LIMITS.start, max_open=max_open)
        self.state = engine_core.load("classic", seats=2).new_state(1)
        self.seat = self.state.pending()[0]
        self.asked = 0
        self.door.open_game(GameOpening(1, self.seat, self.state.game, b"s" * 16, LIMITS, {}, ()))

    def question(self) -> Question:
        self.asked += 1
        return Question(1, self.seat, self.asked, self.state, self.state.legal(self.seat), [], 2.0, 50.0)


@pytest.fixture
def asker(server: PlayServer) -> Iterator[Asker]:
    made = Asker(server)
    yield made
    made.door.close()


def test_typed_is_the_form_of_lines_and_packed_can_be_asked_for(server: PlayServer) -> None:
    for wish, encoding in (("", TYPED), (',"encoding":"ENCODING_PACKED"', PACKED)):
        asker = Asker(server)
        bot = Bot(server, asker.door.token)
        bot.say(f'{{"join":{{"name":"x"{wish}}}}}')
        welcome = bot.hear().welcome
        assert (welcome.resumed, welcome.resume_ms) == (False, 0)
        assert bot.hear().HasField("game_start")
        question = asker.question()
        asker.door.ask([question])
        (asked,) = bot.hear().decides.decides
        if encoding == TYPED:
            assert list(asked.typed_view) == wire.view_messages(question.view)
            assert asked.view == b""
        else:
            assert (asked.view, asked.legal) == (question.view.packed(), question.legal.packed())
        bot.say('{"acts":{"acts":[{"decisionId":1}]}}')
        answer = asker.inbox.get(timeout=LIMITS.decision)
        assert (answer.action, answer.fault) == (int(question.legal[0].first()), None)
        assert asker.door.protocol == "jsonlines"
        asker.door.close()
        assert bot.at_end()


@pytest.mark.parametrize("line", ['{"acts":[]}', '{"acts":""}', '{"acts":{"acts":[{"\\ud800":1}]}}'])
def test_a_message_that_cannot_be_read_is_told_and_the_next_one_heard(
    server: PlayServer, asker: Asker, line: str
) -> None:
    bot = Bot(server, asker.door.token)
    bot.say('{"join":{}}')
    for content in ("welcome", "game_start"):
        assert bot.hear().HasField(content)
    for number, said, fault in ((1, line, "malformed"), (2, '{"acts":{"acts":[{"decisionId":2}]}}', None)):
        asker.door.ask([asker.question()])
        bot.hear()
        bot.say(said)
        answer = asker.inbox.get(timeout=LIMITS.decision)
        assert (answer.decision_id, answer.fault) == (number, fault)
    bot.leave()


def test_bot_that_does_not_read_blocks_nobody_and_is_out_before_memory_grows(
    server: PlayServer, asker: Asker
) -> None:
    bot = Bot(server, asker.door.token)
    bot.say('{"join":{}}')
    assert wait_until(lambda: asker.door.ready_at)
    started, asked = time.monotonic(), 0
    while asker.door.fault is None and asked < 50_000:
        asker.door.ask([asker.question() for _ in range(50)])
        asked += 50
    assert asker.door.fault is not None
    assert asker.door.fault[0] == "flood"
    assert f"over {MAX_WAITING_BYTES} bytes wait for it" in asker.door.fault[1]
    assert asked < 50_000
    assert time.monotonic() - started < 600.0
    answers = [asker.inbox.get(timeout=LIMITS.decision) for _ in range(asked)]
    assert {answer.fault for answer in answers} == {"flood"}
    bot.leave()


def test_pipes_of_an_unknown_token_are_closed(server: PlayServer, caplog: pytest.LogCaptureFixture) -> None:
    """Without a word to the user: a bot may be over before its pipes come."""
    bot = Bot(server, "guess")
    assert bot.at_end()
    with pytest.raises(BrokenPipeError):
        bot.say('{"join":{}}')
    bot.leave()
    assert caplog.records == []


def test_silent_visitor_holds_nobody_up(server: PlayServer, asker: Asker) -> None:
    """Who connects to the socket and says nothing keeps no bot from joining."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
        visitor.connect(server.jsonlines_address)
        bot = Bot(server, asker.door.token)
        bot.say('{"join":{}}')
        assert bot.hear().HasField("welcome")
        bot.leave()


def test_socket_is_private_and_goes_with_the_server(tmp_path: Path) -> None:
    before = threading.active_count()
    with PlayServer([f"unix:{tmp_path}/play"]) as server:
        folder = Path(server.jsonlines_address).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        assert server.jsonlines_address == server.jsonlines_address
        bots = []
        for _ in range(3):
            asker = Asker(server)
            bots.append(Bot(server, asker.door.token))
            bots[-1].say('{"join":{}}')
            assert bots[-1].hear().HasField("welcome")
        held = descriptors_open()
    assert not folder.exists()
    assert wait_until(lambda: not [t for t in threading.enumerate() if t.name == "read piped"])
    assert wait_until(lambda: descriptors_open() < held)
    assert wait_until(lambda: threading.active_count() <= before + 2)  # gRPC's own
    for bot in bots:
        bot.leave()


def test_no_descriptor_is_left_after_many_bots(server: PlayServer) -> None:
    def once() -> None:
        asker = Asker(server)
        bot = Bot(server, asker.door.token)
        bot.say('{"join":{}}')
        bot.hear()
        asker.door.close()
        while not bot.at_end():
            continue
        bot.leave()
        bot._lines.close()

    once()
    before = descriptors_open()
    for _ in range(20):
        once()
    assert wait_until(lambda: descriptors_open() <= before)
