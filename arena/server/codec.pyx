"""The two messages that a server's pace hangs on, in protobuf's encoding: packed questions and plain answers.

protobuf's own classes make objects of every part, which cost more than all else that is done for a decision
(docs/decisions.md). Field numbers come from its descriptors, and whatever is not plain is left to it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport INT32_MAX, UINT32_MAX, uint8_t, uint64_t
from libc.string cimport memcpy

from arena.v1.play_pb2 import Act, ActBatch, Decide, DecideBatch, PlayRequest, PlayResponse

cdef enum WireType:
    VARINT = 0
    BYTES = 2


cdef int tag(message, str field, WireType wire_type) except -1:
    """The byte in front of a field."""
    return message.DESCRIPTOR.fields_by_name[field].number << 3 | wire_type


cdef uint8_t DECIDES = tag(PlayResponse, "decides", BYTES)
cdef uint8_t ONE_DECIDE = tag(DecideBatch, "decides", BYTES)
cdef uint8_t DECISION_ID = tag(Decide, "decision_id", VARINT)
cdef uint8_t GAME = tag(Decide, "game", VARINT)
cdef uint8_t LEGAL = tag(Decide, "legal", BYTES)
cdef uint8_t VIEW = tag(Decide, "view", BYTES)
cdef uint8_t EVENTS = tag(Decide, "events", BYTES)
cdef uint8_t GAME_LEFT_MS = tag(Decide, "game_left_ms", VARINT)
cdef uint8_t ACTS = tag(PlayRequest, "acts", BYTES)
cdef uint8_t ONE_ACT = tag(ActBatch, "acts", BYTES)
cdef uint8_t ANSWERED_ID = tag(Act, "decision_id", VARINT)
cdef uint8_t RANGE = tag(Act, "range", VARINT)
cdef uint8_t AMOUNT = tag(Act, "amount", VARINT)


# ---- writing: sizes first, then the bytes in one piece

cdef Py_ssize_t varint_size(uint64_t value) noexcept:
    cdef Py_ssize_t size = 1
    while value > 127:
        value >>= 7
        size += 1
    return size


cdef Py_ssize_t number_size(uint64_t value) noexcept:
    return 1 + varint_size(value) if value else 0


cdef Py_ssize_t bytes_size(bytes data) except -1:
    cdef Py_ssize_t size = len(data)  # which refuses None
    return 1 + varint_size(size) + size if size else 0


cdef Py_ssize_t decide_size(tuple question) except -1:
    decision_id, game, legal, view, events, game_left_ms = question
    return (number_size(decision_id) + number_size(game) + bytes_size(legal) + bytes_size(view)
            + bytes_size(events) + number_size(game_left_ms))


cdef uint8_t *put_head(uint8_t *at, uint8_t tag, uint64_t value) noexcept:
    """A field's tag, and its number or size; where the next byte goes."""
    at[0] = tag
    at += 1
    while value > 127:
        at[0] = <uint8_t>(value & 127 | 128)
        value >>= 7
        at += 1
    at[0] = <uint8_t>value
    return at + 1


cdef uint8_t *put_number(uint8_t *at, uint8_t tag, uint64_t value) noexcept:
    return put_head(at, tag, value) if value else at


cdef uint8_t *put_bytes(uint8_t *at, uint8_t tag, bytes data) noexcept:
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    if size == 0:
        return at
    at = put_head(at, tag, size)
    memcpy(at, PyBytes_AS_STRING(data), size)
    return at + size


cdef uint8_t *put_decide(uint8_t *at, tuple question) except NULL:
    decision_id, game, legal, view, events, game_left_ms = question
    at = put_number(at, DECISION_ID, decision_id)
    at = put_number(at, GAME, game)
    at = put_bytes(at, LEGAL, legal)
    at = put_bytes(at, VIEW, view)
    at = put_bytes(at, EVENTS, events)
    return put_number(at, GAME_LEFT_MS, game_left_ms)


def packed_decides(list questions not None):
    cdef Py_ssize_t size
    cdef Py_ssize_t all_sizes = 0
    cdef list sizes = []
    for question in questions:
        size = decide_size(question)
        sizes.append(size)
        all_sizes += 1 + varint_size(size) + size
    message = PyBytes_FromStringAndSize(NULL, 1 + varint_size(all_sizes) + all_sizes)
    cdef uint8_t *at = put_head(<uint8_t *>PyBytes_AS_STRING(message), DECIDES, all_sizes)
    for question, size in zip(questions, sizes):
        at = put_decide(put_head(at, ONE_DECIDE, size), question)
    return message


# ---- reading: NULL stands for what is cut short or too long, and so not plain

cdef const uint8_t *take_number(const uint8_t *at, const uint8_t *end, uint64_t most, uint64_t *number) noexcept:
    """Read a number of at most `most`; where the next byte is."""
    cdef int shift = 0
    cdef uint8_t byte
    number[0] = 0
    while at < end and shift < 35:  # five bytes hold all of uint32
        byte = at[0]
        at += 1
        number[0] |= <uint64_t>(byte & 127) << shift
        if byte < 128:
            return at if number[0] <= most else NULL
        shift += 7
    return NULL


cdef const uint8_t *take_act(const uint8_t *at, const uint8_t *end, uint64_t[3] fields) noexcept:
    """Read one answer up to `end`: decision_id, range, amount."""
    fields[0] = fields[1] = fields[2] = 0
    while at != NULL and at < end:
        if at[0] == ANSWERED_ID:
            at = take_number(at + 1, end, UINT32_MAX, &fields[0])
        elif at[0] == RANGE:
            at = take_number(at + 1, end, UINT32_MAX, &fields[1])
        elif at[0] == AMOUNT:
            at = take_number(at + 1, end, INT32_MAX, &fields[2])
        else:
            return NULL
    return at


def plain_acts(bytes data not None):
    cdef const uint8_t *at = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef const uint8_t *end = at + PyBytes_GET_SIZE(data)
    cdef uint64_t size = 0
    cdef uint64_t[3] fields
    cdef list acts = []
    if at == end or at[0] != ACTS:
        return None
    at = take_number(at + 1, end, UINT32_MAX, &size)
    if at == NULL or size != <uint64_t>(end - at):
        return None
    while at < end:
        if at[0] != ONE_ACT:
            return None
        at = take_number(at + 1, end, UINT32_MAX, &size)
        if at == NULL or size > <uint64_t>(end - at):
            return None
        at = take_act(at, at + size, fields)
        if at == NULL:
            return None
        acts.append((fields[0], fields[1], fields[2], ()))
    return acts
