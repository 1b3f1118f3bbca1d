"""Write what every SDK's decoding is tested against: `python tests/sdk/make_testdata.py [FOLDER]`.

For each variant a game of random actions is played, and a few of one seat's questions are kept, so chosen
that every kind of action and event that came up is there: VARIANT.game_start.bin (a GameStart),
VARIANT.decides.bin (a DecideBatch, packed as the platform packs it), VARIANT.json, which says what must be
read from them, and VARIANT.jsonl, the same messages as lines of JSON, one question a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import engine_core
from arena import wire
from arena.seats import Question
from arena.server.questions import Wishes, typed_lines
from arena.server.spelling import line_of
from arena.types import Limits
from arena.v1 import play_pb2
from engine_core import Event, Game, State

FOLDER = Path(__file__).resolve().parents[2] / "bots" / "sdk" / "testdata"
VARIANTS = {"classic": 3, "command_room": 4, "endor": 2}
UNCLOCKED = "endor"
SEAT = 1
GAME_NUMBER = 7
FIRST_DECISION = 1000
SEED = bytes(range(16))
LIMITS = Limits(decision=2.0, game=120.0, increment=0.5)
DECISIONS_PLAYED = 3000
PLAIN_QUESTIONS = 4


def write(folder: Path) -> list[Path]:
    """Write all files into `folder`; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for variant, seats in VARIANTS.items():
        game = engine_core.load(variant, seats=seats)
        kept = _keep(_questions(game))
        start = wire.game_start(
            GAME_NUMBER,
            SEAT,
            game,
            replace(LIMITS, clocked=variant != UNCLOCKED),
            SEED,
            [f"player {n}" for n in range(seats)],
            {"pace": 3},
        )
        batch = play_pb2.DecideBatch(decides=[_packed(n, q) for n, q in enumerate(kept, FIRST_DECISION)])
        said = {"game": _game(start), "decides": [_typed(n, q) for n, q in enumerate(kept, FIRST_DECISION)]}
        files = {
            "game_start.bin": start.SerializeToString(deterministic=True),
            "decides.bin": batch.SerializeToString(deterministic=True),
            "json": (json.dumps(said, separators=(",", ":")) + "\n").encode(),
            "jsonl": b"".join(_lines(start, kept)),
        }
        for suffix, content in files.items():
            path = folder / f"{variant}.{suffix}"
            path.write_bytes(content)
            paths.append(path)
    return paths


def _questions(game: Game) -> Iterator[Question]:
    """One seat's questions in a game of random actions."""
    rng = Random(5)
    state, events = game.start(SEED)
    backlog: list[list[Event]] = [events]
    for number in range(DECISIONS_PLAYED):
        pending = state.pending()
        if not pending:
            return
        seat = pending[0]
        if seat == SEAT:
            yield _question(number, state, backlog)
            backlog = []
        backlog.append(state.play(seat, state.legal(seat).sample(rng)))


def _question(number: int, state: State, backlog: list[list[Event]]) -> Question:
    return Question(
        0, SEAT, number, state.copy(), state.legal(SEAT), backlog, 2.0, max(0.0, 120 - number / 50)
    )


def _keep(questions: Iterator[Question]) -> list[Question]:
    """The first few questions, and then each that has a kind of action or event that none before it had."""
    kept: list[Question] = []
    known: set[tuple[str, int]] = set()
    for question in questions:
        kinds = {("action", r.kind) for r in question.legal} | {("event", e.kind) for e in question.events}
        if len(kept) < PLAIN_QUESTIONS or not kinds <= known:
            kept.append(question)
            known |= kinds
    return kept


def _packed(decision_id: int, question: Question) -> play_pb2.Decide:
    return play_pb2.Decide(
        decision_id=decision_id,
        game=GAME_NUMBER,
        legal=question.legal.packed(),
        view=question.view.packed(),
        events=wire.pack_events(question.events),
        game_left_ms=wire.milliseconds(question.bank_s),
    )


def _game(start: play_pb2.GameStart) -> dict[str, Any]:
    """What a test compares of a game: the values that an SDK hands on, and some of its rules."""
    rules = start.rules
    board = json.loads(start.ruleset).get("board", {})
    return {
        "game": start.game,
        "seat": start.seat,
        "decision_ms": start.limits.decision_ms,
        "game_ms": start.limits.game_ms,
        "increment_ms": start.limits.increment_ms,
        "unclocked": start.limits.unclocked,
        "bot_seed": start.bot_seed.hex(),
        "players": list(start.players),
        "options": {key: json.loads(value) for key, value in start.options.items()},
        "seats": rules.seats,
        "layout_version": rules.layout_version,
        "actions": [kind.name for kind in rules.actions],
        "events": [kind.name for kind in rules.events],
        "territories": list(rules.territories),
        "colour_seats": list(rules.colour_seats),
        "borders": board.get("borders", []),
    }


def _lines(start: play_pb2.GameStart, kept: list[Question]) -> Iterator[bytes]:
    """What a bot over JSON lines is sent that takes one question at a time."""
    yield line_of(play_pb2.PlayResponse(game_start=start))
    for decision_id, question in enumerate(kept, FIRST_DECISION):
        yield from typed_lines([(decision_id, GAME_NUMBER, question)], Wishes(typed=True))


def _typed(decision_id: int, question: Question) -> dict[str, Any]:
    """What is to be read from a packed question; every field of the view is a list, also a single value."""
    return {
        "decision_id": decision_id,
        "game": GAME_NUMBER,
        "game_left_ms": wire.milliseconds(question.bank_s),
        "view": {name.name: list(name.values) for name in wire.view_messages(question.view)},
        "legal": [
            {"kind": r.kind, "a": r.a, "b": r.b, "c": r.c, "lo": r.lo, "hi": r.hi} for r in question.legal
        ],
        "events": [
            {"kind": e.kind, "seat": e.seat, "a": e.a, "b": e.b, "c": e.c, "n": e.n, "dice": list(e.dice)}
            for e in wire.event_messages(question.events)
        ],
    }


if __name__ == "__main__":
    for written in write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER):
        print(written)
