"""Packed and typed forms say the same, and the committed stubs are what the .proto files generate."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_samples import ROOT

import engine_core
from arena import wire
from arena.types import Fault, GameResult, Limits
from arena.v1 import rules_pb2
from engine_core import Action, Event, State

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def positions() -> list[tuple[State, list[Event]]]:
    """States from the course of a game, each with the events that led to it."""
    return list(played(engine_core.load("classic", seats=4).new_state(5), Random(1), 400))


def played(state: State, rng: Random, decisions: int) -> Iterator[tuple[State, list[Event]]]:
    for number in range(decisions):
        if not state.pending():
            return
        seat = state.pending()[0]
        events = state.play(seat, state.legal(seat).sample(rng))
        if number % 7 == 0:
            yield state.copy(), events


def test_packed_view_is_a_version_and_the_fields_in_the_order_of_the_rules(
    positions: list[tuple[State, list[Event]]],
) -> None:
    for state, _ in positions:
        view = state.view(state.pending()[0])
        rules = wire.rules_message(state.game.description)
        version, *words = struct.unpack(f"<{len(view.packed()) // 4}i", view.packed())
        assert version == rules.layout_version
        for field, typed in zip(rules.fields, wire.view_messages(view), strict=True):
            values, words = words[: field.length], words[field.length :]
            assert (field.name, values) == (typed.name, list(typed.values))
        assert words == []


def test_rules_name_labels_and_tell_luck(positions: list[tuple[State, list[Event]]]) -> None:
    plain = positions[0][0].game.description
    goals = {"mission": ("M01", "M02"), "reward": ("attack_die",)}
    rules = wire.rules_message(replace(plain, labels=goals))
    assert {label.kind: tuple(label.names) for label in rules.labels} == goals
    assert not wire.rules_message(plain).labels
    luck = {kind.name for kind in rules.events if kind.luck}
    assert luck >= {"rolled_first", "dealt", "battle", "drew", "reshuffled"}
    assert not luck & {"deployed", "attacked", "captured", "card_taken", "turn"}
    assert not any(kind.luck for kind in rules.actions)


@pytest.mark.parametrize("variant", engine_core.variants())
def test_an_event_with_dice_is_luck(variant: str) -> None:
    game = engine_core.load(variant)
    state, events = game.start(5)
    for _, more in played(state, Random(1), 400):
        events += more
    rolled = [game.description.events[event.kind] for event in events if event.dice]
    assert rolled
    assert all(kind.luck for kind in rolled)


def test_packed_legal_is_three_words_a_range(positions: list[tuple[State, list[Event]]]) -> None:
    for state, _ in positions:
        legal = state.legal(state.pending()[0])
        words = struct.iter_unpack("<4B2i", legal.packed())
        typed = [(r.kind, r.a, r.b, r.c, r.lo, r.hi) for r in wire.range_messages(legal)]
        assert list(words) == typed
        assert len(typed) == len(legal) > 0


def test_events_survive_packing_and_equal_their_typed_form(
    positions: list[tuple[State, list[Event]]],
) -> None:
    kinds = set()
    for _, events in positions:
        seen = wire.unpack_events(wire.pack_events(events))
        typed = [
            wire.SeenEvent(e.kind, e.seat, e.a, e.b, e.c, e.n, tuple(e.dice))
            for e in wire.event_messages(events)
        ]
        assert seen == typed
        kinds |= {event.kind for event in seen if event.dice}
    assert kinds  # some of them had dice


def test_packed_events_that_are_cut_short_are_an_error(positions: list[tuple[State, list[Event]]]) -> None:
    packed = next(wire.pack_events(events) for _, events in positions if events)
    with pytest.raises(ValueError, match="cut short at byte 0"):
        wire.unpack_events(packed[:-1] if len(packed) == 16 else packed[:15])


@given(st.integers(0, 9), *[st.integers(0, 255)] * 3, st.integers(0, 2**31 - 1))
def test_action_survives_the_wire(kind: int, a: int, b: int, c: int, n: int) -> None:
    code = int(Action(kind, a, b, c, n))
    message = wire.action_message(code)
    assert (message.kind, message.a, message.b, message.c, message.n) == (kind, a, b, c, n)
    assert wire.action_code(message) == code


@pytest.mark.parametrize("part", ["kind", "a", "b", "c", "n"])
def test_action_with_a_part_out_of_range_is_an_error(part: str) -> None:
    value = -1 if part == "n" else 256
    with pytest.raises(ValueError, match=part):
        wire.action_code(rules_pb2.Action(**{part: value}))


def test_range_or_amount_that_was_not_offered_is_an_error(positions: list[tuple[State, list[Event]]]) -> None:
    state = positions[0][0]
    legal = state.legal(state.pending()[0])
    with pytest.raises(ValueError, match=rf"ranges 0\.\.{len(legal) - 1}"):
        wire.range_code(legal, len(legal), 1)
    with pytest.raises(ValueError, match=str(legal[0].hi)):
        wire.range_code(legal, 0, legal[0].hi + 1)
    assert wire.range_code(legal, 0, legal[0].lo) == int(legal[0].first())


def test_answer_without_an_amount_means_the_lowest_of_any_range(
    positions: list[tuple[State, list[Event]]],
) -> None:
    """0 is the default on the wire: taken as it is where a range has it, as the lowest elsewhere."""
    ranges = [legal for state, _ in positions if (legal := state.legal(state.pending()[0]))]
    lows = {offered.lo for legal in ranges for offered in legal}
    assert {0, 1} <= lows
    for legal in ranges:
        for index, offered in enumerate(legal):
            assert wire.range_code(legal, index, 0) == int(offered.first())


@pytest.mark.parametrize(
    "limits",
    [
        Limits(decision=2.0, game=120.0),
        Limits(decision=0.25, game=60.0, increment=1.5),
        Limits(decision=1e9, game=1e9, clocked=False),
    ],
)
def test_a_game_start_tells_all_of_the_clocks(limits: Limits) -> None:
    start = wire.game_start(1, 0, engine_core.load("classic", seats=2), limits, b"")
    longest = 2_147_483.647
    told = replace(limits, decision=min(limits.decision, longest), game=min(limits.game, longest))
    assert wire.limits_of(start.limits) == told


def test_times_that_do_not_end_are_the_longest_that_every_language_can_count() -> None:
    assert [wire.milliseconds(s) for s in (math.inf, 1e9, 2_147_483.647, 2_147_483.5, 0.0015, 0.0, -1.0)] == [
        *(2_147_483_647,) * 3,
        2_147_483_500,
        1,
        0,
        0,
    ]


def test_game_end_tells_a_seat_its_own_faults_only() -> None:
    faults = tuple(Fault(seat, "timeout", 7, 100.0, 120.5, "default", "too slow") for seat in (0, 1, 1))
    result = GameResult(
        0, (0, 1), (1,), "rules", (0.0, 1.0), ((2, 2), (1, 1)), (1, -1), 9, 300, faults, b"", "", 1.0
    )
    end = wire.game_end(4, 1, result)
    assert (end.game, end.termination, list(end.winners), list(end.scores)) == (4, "rules", [1], [0.0, 1.0])
    assert [(p.lo, p.hi) for p in end.placements] == [(2, 2), (1, 1)]
    assert [(f.kind, f.used_ms, f.retired) for f in end.faults] == [("timeout", 120.5, False)] * 2
    assert wire.game_end(4, 1, None).termination == ""


def test_committed_stubs_are_what_the_protos_generate(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "proto/generate.py", str(tmp_path)], cwd=ROOT, check=True)
    fresh = {path.name: path.read_text() for path in (tmp_path / "arena" / "v1").iterdir()}
    committed = {p.name: p.read_text() for p in (ROOT / "arena" / "v1").iterdir() if p.is_file()}
    assert fresh == committed, "run `make proto` and commit arena/v1"


def test_protos_are_clean_for_buf() -> None:
    for command in (["lint"], ["format", "--diff", "--exit-code"]):
        done = subprocess.run([BIN / "buf", *command], cwd=ROOT / "proto", capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
