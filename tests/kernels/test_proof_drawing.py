"""A family that no drawing is known for is shown as its fields and events, and never breaks the show."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from random import Random

import pytest
from proof_samples import FAMILIES, PUBLIC, game_of, step
from rich.console import Console

from arena.commands._watch import Watcher
from arena.drawing import plain
from arena.drawing.registry import drawing_of
from engine_core import View


def watched(family: str, out: Console) -> View:
    """A whole random game before a watcher; its last view."""
    game, rng = game_of(family), Random(1)
    state, events = game.start(1)
    with Watcher(game, ["first"], out, delay_s=0) as watcher:
        while True:
            watcher.step([event for event in events if event.visible_to(PUBLIC)], state.public_view())
            if not state.pending():
                return state.public_view()
            events = step(state, rng)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_without_a_drawing_is_told_and_ends_with_its_fields(family: str) -> None:
    text = io.StringIO()
    last = watched(family, Console(file=text, width=80))
    shown = " ".join(text.getvalue().split())
    assert drawing_of(last.game) is plain
    assert "over" in shown
    assert shown.endswith(" ".join(last.text().split()))
    assert "0: first, 1: seat 1" in shown


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_without_a_drawing_lives_on_a_terminal(family: str) -> None:
    text = io.StringIO()
    watched(family, Console(file=text, width=40, height=10, force_terminal=True))
    assert "0: first" in text.getvalue()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_without_a_drawing_has_a_picture_of_its_fields(family: str) -> None:
    view = plain.example(game_of(family), 1)
    root = ET.fromstring(plain.svg(view))
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert " ".join(texts).split() == (view.text() or view.game.ruleset.name).split()
