"""What a bot is shown is what the platform means: names, views, ranges, events."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest
from samples import SDK, VARIANTS, golden

from conquest_arena_bot import Action, ActionRange, Game, Legal, Limits
from conquest_arena_bot.actions import unpack_events


@pytest.mark.parametrize("variant", VARIANTS)
def test_packed_questions_are_read_as_the_platform_means_them(variant: str) -> None:
    start, batch, said = golden(variant)
    game = Game.of(start)
    assert len(batch.decides) == len(said["decides"])
    for asked, expected in zip(batch.decides, said["decides"], strict=True):
        view = game.view(asked.view, asked.events, asked.game_left_ms)
        assert {name: list(view.field(name)) for name in game.runs} == expected["view"]
        assert [asdict(offer) for offer in Legal.from_packed(asked.legal)] == expected["legal"]
        assert [{**asdict(e), "dice": list(e.dice)} for e in view.events] == expected["events"]
        assert view.game_left_ms == expected["game_left_ms"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_says_what_game_start_said(variant: str) -> None:
    start, _, said = golden(variant)
    game, expected = Game.of(start), said["game"]
    assert (game.seat, game.seats, list(game.players)) == (
        expected["seat"],
        expected["seats"],
        expected["players"],
    )
    assert game.options == expected["options"]
    in_ms = (expected["decision_ms"], expected["game_ms"], expected["increment_ms"])
    assert game.limits == Limits(*(ms / 1000 for ms in in_ms), clocked=not expected["unclocked"])
    assert in_ms == (2000, 120_000, 500)
    assert game.limits.clocked == (variant != "endor")
    assert [kind.name for kind in game.description.actions] == expected["actions"]
    assert list(game.description.territories) == expected["territories"]
    borders = {frozenset(pair) for pair in expected["borders"]}
    board = game.ruleset.board
    pairs = {
        frozenset((board.territories[a], board.territories[b]))
        for a, row in enumerate(board.neighbours)
        for b in row
    }
    assert pairs == borders


def test_fields_have_names_and_single_ones_are_numbers() -> None:
    start, batch, _ = golden("classic")
    game = Game.of(start)
    view = game.view(batch.decides[0].view)
    assert (view.lap, len(view.troops)) == (1, len(game.description.territories))
    assert game.description.action_kind("attack") == 6
    with pytest.raises(ValueError, match="no action kind 'atack'; valid: end, claim"):
        game.description.action_kind("atack")
    with pytest.raises(AttributeError, match="no field 'armies'; it has: lap"):
        _ = view.armies


def test_a_view_of_another_layout_is_refused() -> None:
    start, batch, _ = golden("classic")
    packed = batch.decides[0].view
    start.rules.layout_version += 1
    with pytest.raises(ValueError, match=r"a view of layout 1 .* expected 2"):
        Game.of(start).view(packed)
    start.rules.layout_version -= 1
    with pytest.raises(ValueError, match="expected 1 with"):
        Game.of(start).view(packed[:-4])


def test_events_that_are_cut_short_are_refused() -> None:
    _, batch, _ = golden("classic")
    packed = next(asked.events for asked in batch.decides if len(asked.events) > 16)
    with pytest.raises(ValueError, match="cut short at byte"):
        unpack_events(packed[:-2])


def test_a_range_tells_its_actions() -> None:
    offer = ActionRange(6, 1, 2, 0, 2, 4)
    assert (offer.first(), offer.last(), len(offer)) == (Action(6, 1, 2, 0, 2), Action(6, 1, 2, 0, 4), 3)
    assert offer.action(3) in offer
    assert Action(6, 1, 2, 0, 5) not in offer
    with pytest.raises(ValueError, match=r"amount 5 is not within 2\.\.4"):
        offer.action(5)
    legal = Legal([offer, ActionRange(0, 0, 0, 0, 0, 0)])
    assert legal.count() == 4
    assert all(legal.sample(Random(seed)) in legal for seed in range(50))


def test_the_generated_stubs_are_those_of_todays_proto(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SDK / "generate.py", tmp_path], check=True, capture_output=True)
    stubs = SDK / "conquest_arena_bot" / "v1"
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert made.keys() >= {"play_pb2.py", "rules_pb2.py", "play_pb2_grpc.py"}
    stale = [name for name, text in made.items() if text != (stubs / name).read_text()]
    assert not stale, "run `python generate.py`"


def test_it_needs_nothing_of_the_platform() -> None:
    """It imports grpc and protobuf; with the platform's packages barred it still loads."""
    barred = "import sys; sys.modules['arena'] = sys.modules['engine_core'] = None; import conquest_arena_bot"
    subprocess.run([sys.executable, "-c", barred], cwd=SDK, check=True)
