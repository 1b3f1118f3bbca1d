"""Records: replayable with nothing else, exact through every form, and precise about what is wrong."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from match_samples import KEY, classic

from arena.errors import RecordError
from arena.record import Record, parse, replay, unpack, verify, walk
from arena.referee import Referee
from arena.types import FaultPolicy, Limits


def play(
    seed: int = 1, *, retire_after: int | None = None, stop_after: int | None = None, **settings: Any
) -> Record:
    """The record of a random classic game for 3, on request with a seat retired or the game stopped."""
    referee = Referee(classic(), KEY, FaultPolicy(), Limits(), labels=("a", "b", "c"), **settings)
    rng = Random(seed)
    asked = 0
    while not referee.over:
        for question in referee.questions():
            asked += 1
            if asked == retire_after:
                referee.fault(question.seat, "crash", "gone")
            else:
                referee.answer(question.seat, question.decision_id, int(question.legal.sample(rng)))
        if asked == stop_after:
            referee.stop()
    return referee.record()


@pytest.fixture(scope="module")
def record() -> Record:
    return play(retire_after=150)


def test_a_record_survives_every_form(record: Record) -> None:
    assert parse(record.text()) == record
    assert unpack(record.packed()) == record
    assert len(record.packed()) < len(record.text()) / 4


def test_the_text_is_for_people(record: Record) -> None:
    data = json.loads(record.text())
    assert data["format"] == "arena-record/1"
    assert data["key"] == KEY.hex()
    assert data["players"] == ["a", "b", "c"]
    assert any(step.startswith("0 claim ") for step in data["steps"])
    assert any(step.startswith("retire ") and step.endswith(" passive") for step in data["steps"])
    assert json.loads(data["ruleset"])["name"] == "classic"


def test_a_replay_ends_where_the_game_ended(record: Record) -> None:
    assert replay(record).digest() == record.final_digest
    assert verify(record).result().over


def test_a_walk_shows_every_step_with_its_events(record: Record) -> None:
    game = record.game()
    moments = [(state.digest(), [game.event_text(e) for e in events]) for state, events in walk(record)]
    assert len(moments) == len(record.steps) + 1
    assert any("rolled_first" in text for text in moments[0][1])
    for (_, what), (_, events) in zip(record.steps[:41], moments[1:], strict=False):
        assert isinstance(what, int)
        assert game.action_text(what).replace("claim", "claimed") in events[0]
    assert moments[-1][0] == record.final_digest


def test_scripted_dice_travel_with_the_record() -> None:
    scripted = play(dice=(6, 1, 1))
    assert unpack(scripted.packed()).dice == (6, 1, 1)
    assert scripted.steps[0][0] == 0  # seat 0 rolled the 6 and begins
    assert verify(scripted).digest() == scripted.final_digest
    other = play(dice=(1, 6, 1))
    assert other.steps[0][0] == 1


def test_b10_a_stopped_game_verifies_as_one() -> None:
    stopped = play(stop_after=100)
    assert stopped.facts.termination == "game_limit"
    assert not verify(unpack(stopped.packed())).result().over


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("format"), "format: is missing"),
        (
            lambda d: d.update(format="arena-record/9"),
            "format: 'arena-record/9' is not known; .*'arena-record/1'",
        ),
        (lambda d: d.update(ruleset="{}"), "ruleset: "),
        (lambda d: d.update(ruleset_hash="0" * 32), "ruleset_hash: is '0000.*but the ruleset's is"),
        (lambda d: d.update(key="xyz"), "key: non-hexadecimal"),
        (lambda d: d.update(key="00"), "key: must have 16 bytes as hex, not 1"),
        (lambda d: d.update(dice=[0]), r"dice\[0\]"),
        (lambda d: d.update(steps="none"), "steps: "),
        (
            lambda d: d["steps"].__setitem__(3, "9 claim ALA"),
            r"steps\[3\] `9 claim ALA`: no seat '9'; .*0 to 2",
        ),
        (lambda d: d["steps"].__setitem__(3, "0 clam ALA"), r"steps\[3\] `0 clam ALA`: .*clam"),
        (lambda d: d["steps"].__setitem__(3, "0 claim XXX"), r"steps\[3\] `0 claim XXX`: .*XXX"),
        (lambda d: d["steps"].__setitem__(3, "retire 0 angrily"), "no retire mode 'angrily'; valid: passive"),
        (lambda d: d["steps"].__setitem__(3, "retire"), r"steps\[3\] `retire`: no seat ''"),
        (lambda d: d["steps"].__setitem__(3, 5), r"steps\[3\]"),
        (lambda d: d["result"].update(termination="mate"), "termination 'mate' is not known; valid: rules"),
        (lambda d: d["result"].update(winners=[7]), r"result\.winners\[0\]"),
        (lambda d: d["result"].pop("troops"), r"result\.troops: is missing"),
        (lambda d: d["result"]["retired"].pop(), r"result\.retired: must have 3 values, one a seat, not 2"),
        (lambda d: d["result"].update(eliminated_at=[]), r"result\.eliminated_at: must have 3 values.*not 0"),
        (lambda d: d["players"].append("d"), "players: must be at most 3, one a seat, not 4"),
        (lambda d: d.update(result=3), "result: must be a table"),
        (lambda d: d.update(more=1), "more"),
    ],
)
def test_a_malformed_record_says_where(record: Record, change: Change, message: str) -> None:
    data = json.loads(record.text())
    change(data)
    with pytest.raises(RecordError, match=message):
        parse(json.dumps(data))


def test_what_is_no_json_says_so() -> None:
    with pytest.raises(RecordError, match=r"not JSON: .*line 1 column 2"):
        parse("{")
    with pytest.raises(RecordError, match="must be a table"):
        parse("[]")


def test_a08_damaged_bytes_are_noticed(record: Record) -> None:
    packed = record.packed()
    with pytest.raises(RecordError, match="cut short"):
        unpack(packed[: len(packed) // 2])
    with pytest.raises(RecordError, match="not a compressed record"):
        unpack(b"junk")
    with pytest.raises(RecordError, match="not JSON"):
        unpack(zlib.compress(b"\xff\xfe"))


def test_an_illegal_step_is_named_with_its_rule(record: Record) -> None:
    steps = (record.steps[0], record.steps[0], *record.steps[2:])
    with pytest.raises(RecordError, match=r"steps\[1\] `\d claim \w+` cannot be played: \w+"):
        verify(replace(record, steps=steps))


def test_a_step_behind_the_end_is_named(record: Record) -> None:
    longer = replace(record, steps=(*record.steps, record.steps[-1]))
    with pytest.raises(RecordError, match=rf"steps\[{len(record.steps)}\] .*cannot be played"):
        verify(longer)


def test_a_missing_end_is_noticed(record: Record) -> None:
    with pytest.raises(RecordError, match="the game is not over after its 100 steps"):
        verify(replace(record, steps=record.steps[:100]))


def test_another_key_is_noticed(record: Record) -> None:
    with pytest.raises(RecordError):
        verify(replace(record, key=bytes(16)))


def test_another_result_or_end_is_noticed(record: Record) -> None:
    facts = replace(record.facts, troops=(1, 2, 3))
    with pytest.raises(RecordError, match=r"troops: the record says \(1, 2, 3\), its replay \("):
        verify(replace(record, facts=facts))
    with pytest.raises(RecordError, match="final_digest: the record says 'other', its replay '"):
        verify(replace(record, final_digest="other"))
    with pytest.raises(RecordError, match="the game is over"):
        verify(replace(record, facts=replace(record.facts, termination="game_limit")))
