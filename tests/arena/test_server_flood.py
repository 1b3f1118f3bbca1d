"""How much a bot may say, with a frozen clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.server.flood import CHATTER_LINE_BYTES, MAX_MESSAGE_BYTES, MESSAGES_PER_SECOND, FloodGauge

BURST = 2 * MESSAGES_PER_SECOND


@given(st.lists(st.tuples(st.integers(1, 64), st.integers(0, 100)), max_size=300))
def test_answers_to_open_questions_are_never_a_flood(batches: list[tuple[int, int]]) -> None:
    """However many come at once, at sizes that answers have."""
    gauge = FloodGauge(0.0)
    assert [gauge.excess(0.0, answers * size, answers, 0) for answers, size in batches] == [""] * len(batches)


def test_idle_messages_are_allowed_at_their_rate_for_ever() -> None:
    gauge = FloodGauge(0.0)
    pace = 1.0 / MESSAGES_PER_SECOND
    assert not any(gauge.excess(number * pace, 100, 0, 0) for number in range(10_000))


def test_idle_messages_beyond_the_burst_are_a_flood_that_drains() -> None:
    gauge = FloodGauge(0.0)
    assert not any(gauge.excess(0.0, 10, 0, 0) for _ in range(BURST))
    assert "100 messages a second" in gauge.excess(0.0, 10, 0, 0)
    assert gauge.excess(2.0, 10, 0, 0) == ""


def test_idle_answers_count_however_they_are_packed() -> None:
    assert "answer no open question" in FloodGauge(0.0).excess(0.0, 10_000, 0, BURST)
    assert "answer no open question" in FloodGauge(0.0).excess(0.0, 10_000, 1, BURST + 1)


def test_bytes_are_bounded_a_message_and_a_second() -> None:
    assert FloodGauge(0.0).excess(0.0, MAX_MESSAGE_BYTES, 0, 0) == ""
    assert "a message of" in FloodGauge(0.0).excess(0.0, MAX_MESSAGE_BYTES + 1, 0, 0)
    gauge = FloodGauge(0.0)
    words = [gauge.excess(0.0, MAX_MESSAGE_BYTES, 1, 0) for _ in range(3)]
    assert [bool(word) for word in words] == [False, False, True]
    assert "bytes a second" in words[2]


def test_lines_that_are_no_messages_cost_what_reading_them_does() -> None:
    """However short they are."""
    gauge = FloodGauge(0.0)
    most = 2 * MAX_MESSAGE_BYTES // CHATTER_LINE_BYTES
    assert not any(gauge.excess_chatter(0.0, 1) for _ in range(most))
    assert "lines that are no messages" in gauge.excess_chatter(0.0, 1)
    assert FloodGauge(0.0).excess_chatter(0.0, 2 * MAX_MESSAGE_BYTES) == ""
    assert FloodGauge(0.0).excess_chatter(0.0, 2 * MAX_MESSAGE_BYTES + 1)


def test_a_clock_that_stands_still_or_jumps_back_drains_nothing() -> None:
    gauge = FloodGauge(10.0)
    for _ in range(BURST):
        gauge.excess(10.0, 10, 0, 0)
    assert gauge.excess(5.0, 10, 0, 0)
