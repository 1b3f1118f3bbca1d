"""The two messages that a server's pace hangs on, in protobuf's encoding (see codec.pyx)."""

def packed_decides(questions: list[tuple[int, int, bytes, bytes, bytes, int]]) -> bytes:
    """A PlayResponse with a Decide for each: decision_id, game, legal, view, events, game_left_ms."""

def plain_acts(data: bytes) -> list[tuple[int, int, int, tuple[()]]] | None:
    """Each answer's decision_id, range, amount and actions, of which a plain one has none.

    None: the bytes are no PlayRequest of plain answers alone; protobuf knows what else they are.
    """
