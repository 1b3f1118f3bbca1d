"""The short way of packed questions and plain answers says and hears what protobuf does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.server.codec import packed_decides, plain_acts
from arena.v1 import play_pb2, rules_pb2

UINT32 = st.integers(0, 2**32 - 1)
PARTS = st.one_of(st.binary(max_size=40), st.integers(100, 20_000).map(bytes))
DECIDES = st.lists(st.tuples(UINT32, UINT32, PARTS, PARTS, PARTS, UINT32), max_size=5)
ACTS = st.lists(st.tuples(UINT32, UINT32, st.integers(0, 2**31 - 1)), min_size=1, max_size=70)


def request_of(acts: list[tuple[int, int, int]]) -> play_pb2.PlayRequest:
    spelt = [play_pb2.Act(decision_id=number, range=index, amount=amount) for number, index, amount in acts]
    return play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=spelt))


@given(DECIDES)
@example([(0, 0, b"", b"", b"", 0), (2**32 - 1, 127, b"x" * 127, b"y" * 128, b"", 2**31 - 1)])
def test_questions_are_the_bytes_that_protobuf_writes(
    questions: list[tuple[int, int, bytes, bytes, bytes, int]],
) -> None:
    message = play_pb2.PlayResponse(decides=play_pb2.DecideBatch())
    for decision_id, game, legal, view, events, left in questions:
        message.decides.decides.add(
            decision_id=decision_id, game=game, legal=legal, view=view, events=events, game_left_ms=left
        )
    assert packed_decides(questions) == message.SerializeToString(deterministic=True)


@given(ACTS)
@example([(0, 0, 0)])
def test_plain_answers_are_read(acts: list[tuple[int, int, int]]) -> None:
    assert plain_acts(request_of(acts).SerializeToString()) == [(*act, ()) for act in acts]


def agrees(data: bytes) -> None:
    """What is read the short way is what protobuf reads, and holds nothing more."""
    found = plain_acts(data)
    if not found:
        return
    request = play_pb2.PlayRequest.FromString(data)
    assert [(act.decision_id, act.range, act.amount, ()) for act in request.acts.acts] == found
    assert not any(act.actions for act in request.acts.acts)
    request.DiscardUnknownFields()
    assert request.WhichOneof("content") == "acts"


@given(ACTS, st.data())
def test_bytes_gone_wrong_are_never_misread(acts: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """Some bytes changed, cut out or put in: protobuf reads the same, or is asked to."""
    spoilt = bytearray(request_of(acts[:4]).SerializeToString())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(spoilt)))
        spoilt[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    agrees(bytes(spoilt))


@given(st.binary(max_size=12).map(lambda tail: b"\x12" + bytes((len(tail) + 2, 10, len(tail))) + tail))
def test_acts_of_random_bytes_are_never_misread(data: bytes) -> None:
    agrees(data)


def test_what_is_not_plain_is_left_to_protobuf() -> None:
    action = rules_pb2.Action(kind=1)
    plain = request_of([(1, 2, 3)]).SerializeToString()
    for message in (
        play_pb2.PlayRequest(),
        play_pb2.PlayRequest(join=play_pb2.Join(token="t")),
        play_pb2.PlayRequest(log=play_pb2.Log(text="hello")),
        play_pb2.PlayRequest(acts=play_pb2.ActBatch(acts=[play_pb2.Act(decision_id=1, actions=[action])])),
        request_of([(1, 0, -1)]),
    ):
        assert plain_acts(message.SerializeToString()) is None
    assert plain_acts(plain + plain) is None  # protobuf joins them
    assert plain_acts(plain + b"\x18\x01") is None
    for end in range(len(plain)):
        assert not plain_acts(plain[:end])
    assert plain_acts(play_pb2.PlayRequest(acts=play_pb2.ActBatch()).SerializeToString()) == []
    # Six bytes of a number, and one above what the field holds.
    assert plain_acts(b"\x12\x09\x0a\x07\x08\x80\x80\x80\x80\x80\x01") is None
    assert plain_acts(b"\x12\x08\x0a\x06\x08\xff\xff\xff\xff\x1f") is None


@pytest.mark.parametrize(
    "wrong", [(1, 1, None, b"", b"", 0), (-1, 1, b"", b"", b"", 0), (1, 1, b"", "", b"", 0)]
)
def test_what_is_no_question_is_refused(wrong: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, OverflowError)):
        packed_decides([wrong])
