"""The third door: JSON lines over the pipes of real processes, whatever they write and however they end."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from wire_samples import (
    LIMITS,
    OWN_PID,
    RANDOM,
    ROOT,
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
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.server.jsonlines import Lines, Piece
from arena.server.questions import Wishes, packed_messages, typed_lines, typed_messages
from arena.server.spelling import line_of, message_behind, request_of
from arena.setups import setup_for
from arena.types import BotSpec, Fault, FaultPolicy, Limits, MatchPlan, MatchResult, Player
from arena.v1 import play_pb2
from engine_core import State

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


# ---- lines


WORDS = [b'{"acts":a}', b"{a}", b"chat", b"", b"{", b"\r", b"\xff{"]


@given(st.lists(st.sampled_from(WORDS)), st.lists(st.integers(1, 9)))
def test_lines_are_the_same_however_they_are_cut(words: list[bytes], sizes: list[int]) -> None:
    data, cutter = b"\n".join(words), Lines()
    pieces: list[Piece] = []
    for size in [*sizes, len(data)]:
        pieces += cutter.feed(data[:size])
        data = data[size:]
    pieces += cutter.end()
    expected = [Piece(word.startswith(b'{"acts"'), word) for word in words]
    while expected and expected[-1].data == b"":
        expected.pop()  # what follows the last newline is a line only if there is something
    while pieces and pieces[-1].data == b"":
        pieces.pop()
    assert pieces == expected


@pytest.mark.parametrize("start", [b'{"log":{', b"{", b"x"])
def test_line_without_end_is_cut_and_never_kept(start: bytes) -> None:
    """Its first piece tells that it is too long; the rest is chatter, and the next line is read as ever."""
    cutter = Lines()
    pieces: list[Piece] = []
    chunk = start + b"y" * 65535
    for _ in range(80):
        pieces += cutter.feed(chunk)
        assert len(cutter._line) <= MAX_MESSAGE_BYTES
        chunk = b"{" * 65536
    assert [piece.message for piece in pieces if piece.message] == [True] * start.startswith(b'{"log"')
    assert len(pieces[0].data) > MAX_MESSAGE_BYTES
    assert list(cutter.feed(b'{\n{"acts"\n{"acts": ok}\n'))[-1] == Piece(True, b'{"acts": ok}')


# ---- spelling


@pytest.fixture(scope="module", params=["classic", "command_room", "endor", "secret_mission"])
def course(request: pytest.FixtureRequest) -> list[tuple[State, list[engine_core.Event]]]:
    """States from a game of a variant, each with the events that led to it."""
    state, rng, found = engine_core.load(request.param).new_state(5), Random(1), []
    for _ in range(200):
        if not state.pending():
            break
        seat = state.pending()[0]
        events = state.play(seat, state.legal(seat).sample(rng))
        if state.pending():
            found.append((state.copy(), events))
    return found[::9]


@pytest.mark.parametrize("skip", [False, True])
def test_line_of_questions_is_protobufs_json_mapping(
    course: list[tuple[State, list[engine_core.Event]]], skip: bool
) -> None:
    """The short way of the typed form says what the general way does: names, values, and no other form."""
    asked = []
    for number, (state, events) in enumerate(course, 1):
        seat = state.pending()[0]
        question = Question(1, seat, number, state, state.legal(seat), [events], 2.0, 50.0)
        asked.append((number, number % 3, question))
    for typed in (True, False):
        wishes = Wishes(typed, skip)
        if typed:
            (message,) = typed_messages(asked, wishes)
        else:
            (message,) = map(play_pb2.PlayResponse.FromString, packed_messages(asked, wishes))
        general = line_of(message)
        if typed:
            (short,) = typed_lines(asked, wishes)
            assert json.loads(short) == json.loads(general)
            assert short.startswith(
                b'{"decides":{"decides":[{"decisionId":1,"game":1,"gameLeftMs":50000,"typedLegal":[{'
            )
        assert (general.count(b"\n"), general[-1:]) == (1, b"\n")
        assert json_format.Parse(general, play_pb2.PlayResponse()) == message
        for spelt in json.loads(general)["decides"]["decides"]:
            form = {"typedLegal", "typedView", "typedEvents"} if typed else {"legal", "view", "events"}
            assert set(spelt) == {"decisionId", "game", "gameLeftMs"} | form


def test_huge_batches_are_several_lines(course: list[tuple[State, list[engine_core.Event]]]) -> None:
    state, _ = course[0]
    seat = state.pending()[0]
    question = Question(1, seat, 1, state, state.legal(seat), [], 2.0, 50.0)
    found = list(typed_lines([(number, 1, question) for number in range(1, 1001)], Wishes(typed=True)))
    assert len(found) > 1
    assert max(map(len, found)) < MAX_MESSAGE_BYTES
    assert sum(len(json.loads(line)["decides"]["decides"]) for line in found) == 1000


def test_lines_of_starts_and_ends_write_every_field(
    course: list[tuple[State, list[engine_core.Event]]],
) -> None:
    game = course[0][0].game
    start = wire.game_start(1, 0, game, LIMITS, b"seed", ["a"], {"bold": True})
    end = play_pb2.GameEnd(game=1, scores=[0.5, 1.0])
    for response in (play_pb2.PlayResponse(game_start=start), play_pb2.PlayResponse(game_end=end)):
        assert json_format.Parse(line_of(response), play_pb2.PlayResponse()) == response
    spelt = json.loads(line_of(play_pb2.PlayResponse(game_start=start)))["gameStart"]
    assert spelt["seat"] == 0
    assert spelt["rules"]["territories"] == list(game.description.territories)


@given(st.binary(max_size=60))
def test_any_line_is_a_request_or_a_sentence(tail: bytes) -> None:
    try:
        request = request_of(b"{" + tail)
    except ValueError as error:
        assert str(error).startswith("a line that is no PlayRequest: ")
    else:
        assert isinstance(request, play_pb2.PlayRequest)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"acts":{"acts":[{"decision":7}]}}', 'there is no "decision" in PlayRequest.acts.acts[0], only'),
        (b'{"acts":{"acts":[{"decision":7}]}}', '`{"acts":{"acts":[{"decisionId":7,"range":0}]}}`'),
        (b'{"acts":{"acts":{"decisionId":7}}}', "PlayRequest.acts.acts must be a list in [], not an object"),
        (b'{"acts":[{"decisionId":7}]}', "PlayRequest.acts must be an object in {}, not a list"),
        (b'{"acts":[]}', "PlayRequest.acts must be an object in {}, not []"),
        (b'{"acts":""}', 'PlayRequest.acts must be an object in {}, not ""'),
        (b'{"join":[]}', "PlayRequest.join must be an object in {}, not []"),
        (b'{"acts":{"acts":[{},null]}}', "PlayRequest.acts.acts[1] must be an object in {}, not null"),
        (b'{"join":{"nick":"x"}}', 'looks like `{"join":{}}`'),
        (b'{"acts":{"acts":[{"decisionId":"x"}]}}', "acts[0].decisionId must be a whole number from 0 to"),
        (b'{"acts":{"acts":[{"decisionId":-1}]}}', "from 0 to 4294967295, not -1"),
        (b'{"acts":{"acts":[{"decisionId":true}]}}', "from 0 to 4294967295, not true"),
        (b'{"acts":{"acts":[{"amount":1.5}]}}', "from -2147483648 to 2147483647, not 1.5"),
        (
            b'{"acts":{"acts":[{"actions":[{"a":[]}]}]}}',
            "PlayRequest.acts.acts[0].actions[0].a must be a whole",
        ),
        (b'{"join":{"skipEvents":1}}', "PlayRequest.join.skipEvents must be true or false, not 1"),
        (b'{"join":{"encoding":"TYPED"}}', 'ENCODING_PACKED, ENCODING_TYPED, not "TYPED"'),
        (b'{"join":{"name":7}}', "PlayRequest.join.name must be text in quotes, valid Unicode, not 7"),
        (b'{"join":{},"log":{}}', 'has "join" and "log", but a message holds one'),
        (b'{"log":{},"log":{}}', 'no PlayRequest: "log" stands twice in one object;'),
        (b'{"acts":', "it is no JSON: Expecting value at character 9"),
        (b'{"log":{"text":"\xff"}}', "not UTF-8"),
        (b'{"log":{"text":"\\ud800"}}', 'valid Unicode, not "\\ud800"'),
        (b'{"acts":{"acts":[{"\\ud800":7}]}}', 'there is no "\\ud800" in PlayRequest.acts.acts[0]'),
        (b'{"log":' + b'{"text":' * 100_000, "nested too deeply"),
        (b'{"acts":{"acts":[{"decisionId":' + b"9" * 5000 + b"}]}}", "a number of thousands of digits"),
        (b'{"join":{}}{"join":{}}', "Extra data"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: bytes, words: str) -> None:
    with pytest.raises(ValueError, match="a line that is no PlayRequest") as caught:
        request_of(line)
    assert words in str(caught.value)
    assert "arena.v1" not in str(caught.value)
    assert line[:40].decode(errors="replace") in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "line", [b'{"acts":{}}', b'{"acts":{"acts":[]}}', b'{"join":null,"acts":{"acts":null}}']
)
def test_acts_without_an_answer_are_a_message(line: bytes) -> None:
    """What is left out is empty, over pipes as in bytes."""
    assert request_of(line) == play_pb2.PlayRequest(acts=play_pb2.ActBatch())


def test_session_in_the_docs_is_made_of_messages() -> None:
    """What a bot says there is a request, and what is told in full a response."""
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    session = page.partition("```text\n")[2].partition("```")[0].splitlines()
    said = [request_of(line[2:].encode()) for line in session if line.startswith("> ")]
    assert [request.WhichOneof("content") for request in said] == ["join", "acts", "acts"]
    whole = [line[2:] for line in session if line.startswith("< ") and "..." not in line]
    told = [json_format.Parse(line, play_pb2.PlayResponse()) for line in whole]
    assert [response.WhichOneof("content") for response in told] == ["welcome", "game_end"]
    cut = [line for line in session if line.startswith("< ") and "..." in line]
    assert [line[2:].partition(":")[0] for line in cut] == ['{"gameStart"', '{"decides"', '{"decides"']


ACTS = b'{"acts":{"acts":[{"decisionId":7}]}}'


@pytest.mark.parametrize(
    ("front", "behind"),
    [
        (b"debug ", b""),
        (b"\xff\x00{ \x1b[0m", b" \r"),
        (b'{"acts" is what I say: ', b""),
        (b'[{"decision": 7}] {"x": {"y": 1}} ', b"  "),
        (b" ", b""),
    ],
)
def test_a_message_at_the_end_of_a_line_is_one(front: bytes, behind: bytes) -> None:
    line = front + ACTS + behind
    assert message_behind(line) == (len(front), "")
    assert list(request_of(line[len(front) :]).acts.acts) == [play_pb2.Act(decision_id=7)]
    pieces = list(Lines().feed(line + b"\n"))
    assert pieces[-1] == Piece(True, ACTS + behind)
    assert [piece.data for piece in pieces[:-1]] == [front] * bool(front.strip())


@pytest.mark.parametrize(
    "line",
    [b'{"decision": 1}', b"{}", b"{'a': 1}", b"{left open", b'{"state": {"acts": 7}}', b'{"a":' * 50_000],
)
def test_objects_of_the_bots_own_are_chatter(line: bytes) -> None:
    """Debug lines in JSON break nothing; a bot that then falls silent is told what a message has."""
    cutter = Lines()
    assert list(cutter.feed(line + b"\n")) == [Piece(False, line)]
    assert cutter.hint().startswith("the bot's last line that looks like a message but was not one")
    assert list(cutter.feed(ACTS + b"\n")) == [Piece(True, ACTS)]
    assert cutter.hint() == ""


@pytest.mark.parametrize("line", [b'{"acts": 7', b"{acts: {}}", b"{'join': {}}", b'{"n": 1, "log": {}}'])
def test_what_has_a_messages_name_is_one_be_it_wrong(line: bytes) -> None:
    assert list(Lines().feed(line + b"\n")) == [Piece(True, line)]
    with pytest.raises(ValueError, match="one that is right looks like"):
        request_of(line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"debug", ""),
        (b'{ "act": 7 }', ""),
        (b'debug {"x": 1} {}', ""),
        (b"sent " + ACTS + b" to the arena", "text stands behind it"),
        (b'state {"seen": ' + ACTS + b"}", "text stands behind it"),
        (b"got " + ACTS + b" say " + ACTS, "several on one line"),
        (b"debug " + ACTS[:-3], "no whole JSON object"),
        (b"debug " + ACTS[:-1], "no PlayRequest"),
        (b'debug {"acts":{"acts":[{"decision":7}]}}', "no PlayRequest"),
        (b'debug {"acts":null}', "it is empty"),
        (b"debug " + b'{"acts":' * 100_000, "no whole JSON object"),
    ],
)
def test_what_only_looks_like_a_message_is_said(line: bytes, why: str) -> None:
    """Chatter that quotes messages plays nothing; its author is told, until a message is heard."""
    start, told = message_behind(line)
    assert start == -1
    assert why in told
    assert bool(why) == bool(told)
    cutter = Lines()
    assert list(cutter.feed(b"  " + line + b"\n")) == [Piece(False, b"  " + line)]
    assert (why in cutter.hint()) and bool(cutter.hint()) == bool(why)
    assert list(cutter.feed(ACTS + b"\n")) == [Piece(True, ACTS)]
    assert cutter.hint() == ""


def test_a_message_that_does_not_end_is_told() -> None:
    """Whoever forgets the newline, or to flush the rest of a line, waits for ever."""
    for begun in (ACTS, b"debug " + ACTS, ACTS[:20]):
        cutter = Lines()
        assert list(cutter.feed(begun)) == []
        assert "it has no end yet: write a newline, and flush" in cutter.hint()


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


QUICK = Limits(start=15.0, decision=0.2, game=60.0)
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
        self.door = server.door("piped", self.inbox, start_s=10.0, max_open=max_open)
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
        answer = asker.inbox.get(timeout=10.0)
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
        answer = asker.inbox.get(timeout=5.0)
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
    assert time.monotonic() - started < 60.0
    answers = [asker.inbox.get(timeout=10.0) for _ in range(asked)]
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
    assert descriptors_open() < held
    assert threading.active_count() <= before + 2  # gRPC's own
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
