"""How much a bot may say beyond what it was asked."""

from __future__ import annotations

MESSAGES_PER_SECOND = 100
MAX_MESSAGE_BYTES = 1024 * 1024
BYTES_AN_ANSWER = 1024
# So that a line costs about what reading it does.
CHATTER_LINE_BYTES = 64
_BURST_S = 2.0


class FloodGauge:
    """Two leaky buckets, messages and bytes; answers to open questions are free.

    A bot may fill what two seconds drain; times are time.monotonic() seconds.
    """

    def __init__(self, now: float) -> None:
        """Start empty."""
        self._messages = 0.0
        self._bytes = 0.0
        self._then = now

    def excess(self, now: float, size: int, answers: int, idle_acts: int) -> str:
        """Count one message of `size` bytes: what is too much about it, or "".

        `answers` of its acts answered an open question, `idle_acts` answered none.
        """
        if answers and not idle_acts and size <= answers * BYTES_AN_ANSWER:
            return ""  # what was asked for and no more, as most messages are
        self._drain(now)
        self._messages += (0 if answers else 1) + idle_acts
        self._bytes += max(0, size - answers * BYTES_AN_ANSWER)
        if size > MAX_MESSAGE_BYTES:
            return f"a message of {size} bytes; {MAX_MESSAGE_BYTES} are allowed"
        if self._messages > _BURST_S * MESSAGES_PER_SECOND:
            return f"more than {MESSAGES_PER_SECOND} messages a second that answer no open question"
        if self._bytes > _BURST_S * MAX_MESSAGE_BYTES:
            return f"more than {MAX_MESSAGE_BYTES} bytes a second beyond its answers"
        return ""

    def excess_chatter(self, now: float, size: int) -> str:
        """Count a line of `size` bytes that is no message: what is too much about it, or ""."""
        self._drain(now)
        self._bytes += max(size, CHATTER_LINE_BYTES)
        if self._bytes > _BURST_S * MAX_MESSAGE_BYTES:
            return f"more than {MAX_MESSAGE_BYTES} bytes a second of lines that are no messages"
        return ""

    def _drain(self, now: float) -> None:
        drained = max(0.0, now - self._then)
        self._then = now
        self._messages = max(0.0, self._messages - drained * MESSAGES_PER_SECOND)
        self._bytes = max(0.0, self._bytes - drained * MAX_MESSAGE_BYTES)
