"""A bot with scripted answers that plays through every door, and writes down every message it gets.

As a Python bot it is `Bot`. As a program, `scripted.py DOOR ENCODING FILE`, it plays over `grpc` or
`jsonlines` in the form `packed` or `typed`, and leaves in FILE its process id and then its messages, as they
came: serialised and in base64, or lines. It reads packed forms by the layouts of rules.proto alone.
"""

from __future__ import annotations

import base64
import json
import os
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any

ILLEGAL_AT, MALFORMED_AT = 7, 13
TOO_MUCH = 1_000_000
NO_RANGE = 9999
LEVEL = 3
ACTION = ("kind", "a", "b", "c", "n")
RANGE = ("kind", "a", "b", "c", "lo", "hi")
EVENT = ("kind", "seat", "a", "b", "c", "n")

Range = tuple[int, ...]
Fields = Mapping[str, Sequence[int]]


class Script:
    """One seat's answers: by the number of the question, and by all that it shows."""

    def __init__(self, seat: int, rng: Random) -> None:
        self._base = 1 + seat + int(1000 * rng.random())
        self._number = 0

    def answer(self, view: Fields, legal: Sequence[Range]) -> tuple[str, int, int]:
        """(`good`, `illegal` or `malformed`; index of the range; amount)."""
        self._number += 1
        seen = self._base * self._number
        for number, values in enumerate(view.values(), 1):
            for place, value in enumerate(values, 1):
                seen = (seen * 31 + number * value + place) % 1_000_003
        index = seen % len(legal)
        *_, lo, hi = legal[index]
        kind = {ILLEGAL_AT: "illegal", MALFORMED_AT: "malformed"}.get(self._number, "good")
        return kind, index, lo + seen // 7 % (hi - lo + 1)


class Bot:
    """The script in the platform's own process."""

    def __init__(self, game: Any, seat: int, rng: Random, level: int, *, limits: Any) -> None:
        assert level == LEVEL
        self.limits = limits
        self._fields = [field.name for field in game.description.fields]
        self._script = Script(seat, rng)

    def decide(self, view: Any, legal: Any) -> Any:
        ranges = [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in legal]
        kind, index, amount = self._script.answer({name: view.field(name) for name in self._fields}, ranges)
        if kind == "malformed":
            return "nonsense"
        return legal[index].action(amount) if kind == "good" else too_much(ranges[index])


def too_much(offered: Range) -> Any:
    """An action that the rules forbid whatever they offer."""
    from engine_core import Action

    kind, a, b, c = offered[:4]
    return Action(kind, a, b, c, TOO_MUCH)


class Player:
    """The script at the other end of a connection, whose messages have become dicts of plain values."""

    def __init__(self) -> None:
        self._games: dict[int, tuple[Script, list[tuple[str, int]]]] = {}

    def acts(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The answers to a message, in protobuf's JSON mapping."""
        if start := message.get("gameStart"):
            rng = Random(base64.b64decode(start["botSeed"]))
            layout = [(field["name"], field["length"]) for field in start["rules"]["fields"]]
            self._games[start["game"]] = Script(start.get("seat", 0), rng), layout
        return [self._act(question) for question in message.get("decides", {}).get("decides", [])]

    def _act(self, question: Mapping[str, Any]) -> dict[str, Any]:
        script, layout = self._games[question["game"]]
        legal = read_legal(question)
        kind, index, amount = script.answer(read_view(question, layout), legal)
        act: dict[str, Any] = {"decisionId": question["decisionId"]}
        if kind == "illegal":
            act["actions"] = [dict(zip(ACTION, (*legal[index][:4], TOO_MUCH), strict=True))]
        else:
            act |= {"range": index if kind == "good" else NO_RANGE, "amount": amount}
        return act


def read_view(question: Mapping[str, Any], layout: Sequence[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    """The fields of a question's view, whichever form it has."""
    if "typedView" in question:
        return {field["name"]: tuple(field["values"]) for field in question["typedView"]}
    _version, *words = _words(question["view"])
    view = {}
    for name, length in layout:
        view[name], words = tuple(words[:length]), words[length:]
    return view


def read_legal(question: Mapping[str, Any]) -> list[Range]:
    """The ranges (kind, a, b, c, lo, hi) of a question, whichever form they have."""
    if "typedLegal" in question:
        return [tuple(r.get(key, 0) for key in RANGE) for r in question["typedLegal"]]
    words = iter(_words(question["legal"]))
    return [
        (*head.to_bytes(4, "little", signed=True), lo, hi)
        for head, lo, hi in zip(words, words, words, strict=True)
    ]


def read_events(question: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The events (kind, seat, a, b, c, n, dice) of a question, whichever form they have."""
    if "typedLegal" in question:
        return [
            (*(e.get(key, 0) for key in EVENT), tuple(e.get("dice", ())))
            for e in question.get("typedEvents", [])
        ]
    events, words = [], _words(question.get("events", ""))
    while words:
        head, n, seat, count, *words = words
        kind, a, b, c = head.to_bytes(4, "little", signed=True)
        events.append((kind, seat, a, b, c, n, tuple(words[:count])))
        words = words[count:]
    return events


def _words(text: str) -> list[int]:
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 4}i", data))


# ---- programs


def over_grpc(encoding: str, note: Callable[[str], None]) -> None:
    """Play on a gRPC stream."""
    import grpc
    from google.protobuf import json_format

    from arena.v1 import play_pb2, play_pb2_grpc

    out: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
    join = {"token": os.environ["ARENA_TOKEN"], "encoding": f"ENCODING_{encoding.upper()}"}
    out.put(json_format.ParseDict({"join": join}, play_pb2.PlayRequest()))
    player = Player()
    with grpc.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        for message in play_pb2_grpc.PlayServiceStub(channel).Play(iter(out.get, None)):
            note(base64.b64encode(message.SerializeToString()).decode())
            if acts := player.acts(json_format.MessageToDict(message)):
                out.put(json_format.ParseDict({"acts": {"acts": acts}}, play_pb2.PlayRequest()))


def over_lines(encoding: str, note: Callable[[str], None]) -> None:
    """Play on stdin and stdout, with the standard library alone."""
    wish = {"encoding": "ENCODING_PACKED"} if encoding == "packed" else {}
    print(json.dumps({"join": wish}), flush=True)
    player = Player()
    for line in sys.stdin:
        note(line.rstrip("\n"))
        if acts := player.acts(json.loads(line)):
            print(json.dumps({"acts": {"acts": acts}}), flush=True)


def main(door: str, encoding: str, path: str) -> None:
    with Path(path).open("w", encoding="utf-8", buffering=1) as file:

        def note(text: str) -> None:
            file.write(text + "\n")

        note(str(os.getpid()))
        {"grpc": over_grpc, "jsonlines": over_lines}[door](encoding, note)


if __name__ == "__main__":
    main(*sys.argv[1:])
