"""JSON lines: cut out of whatever a bot writes, read, spelt, and told in words where they are wrong."""

from __future__ import annotations

import json
from random import Random

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from wire_samples import LIMITS, ROOT

import engine_core
from arena import wire
from arena.seats import Question
from arena.server.flood import MAX_MESSAGE_BYTES
from arena.server.jsonlines import Lines, Piece
from arena.server.questions import Wishes, packed_messages, typed_lines, typed_messages
from arena.server.spelling import line_of, message_behind, request_of
from arena.v1 import play_pb2
from engine_core import State

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
