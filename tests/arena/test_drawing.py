"""Boards as SVG and in a terminal, and events as sentences: readable, complete, and without secrets."""

from __future__ import annotations

import io
import itertools
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from public_games import steps
from rich.console import Console

import engine_core
from arena.commands._watch import Watcher
from arena.drawing.board import BoardPicture, colour_letters
from arena.drawing.pieces import Pieces, example_position, pieces_of
from arena.drawing.sentences import BATTLE, COUNTED, SENTENCES, Teller
from arena.drawing.svg import board_svg
from engine_core import Game

VARIANTS = sorted(name for name, variant in engine_core.variants().items() if variant.family == "conquest")
SVG = "{http://www.w3.org/2000/svg}"
SIZES = [(80, 10), (80, 14), (80, 24), (120, 30)]


def everything(game: Game) -> Pieces:
    """A crowded board: every territory has long numbers and every piece there is."""
    count = len(game.ruleset.board.territories)
    return Pieces(
        owner=tuple(index % len(game.ruleset.colours) for index in range(count)),
        troops=(10,) * count,
        cities=frozenset(range(count)),
        airfields=frozenset({0, 1}),
        capitals={index: index % len(game.ruleset.colours) for index in range(4)},
    )


# ---- pieces


@pytest.mark.parametrize("name", VARIANTS)
def test_the_pieces_are_those_of_the_position(name: str) -> None:
    game = engine_core.load(name)
    view = example_position(game, 3)
    pieces = pieces_of(view)
    assert pieces.owner == view.owner
    assert pieces.troops == view.troops
    fields = {field.name for field in game.description.fields}
    assert len(pieces.cities) == (sum(view.city) if "city" in fields else 0)
    assert sorted(pieces.capitals.values()) == (list(range(game.seats)) if "capital" in fields else [])
    assert view.lap == 1
    assert sum(view.pool) == 0, "the set-up is over"


def test_a_captured_capital_keeps_its_colour() -> None:
    game = engine_core.load("capital", seats=3)
    view = example_position(game, 1)
    (place,) = (place for place, colour in pieces_of(view).capitals.items() if colour == 0)
    name = game.ruleset.board.ids[place]
    captured = pieces_of(game.view(view.text().replace(f"{name}:0x", f"{name}:1x"), -1))
    assert captured.owner[place] == 1
    assert captured.capitals[place] == 0


# ---- the drawing


@pytest.mark.parametrize("name", VARIANTS)
def test_a_drawing_shows_every_territory_border_and_colour(name: str) -> None:
    game = engine_core.load(name)
    board = game.ruleset.board
    pieces = pieces_of(example_position(game, 1))
    root = ET.fromstring(board_svg(game.ruleset, pieces))
    texts = Counter(" ".join((text.text or "") for text in root.iter(f"{SVG}text")).split())
    for word, count in Counter(" ".join(each.name for each in board.territories).split()).items():
        assert texts[word] >= count
    for colour in game.ruleset.colours:
        assert texts[colour] == 1
    assert len(list(root.iter(f"{SVG}line"))) == len(board.borders) + 1, "one border leaves on both sides"
    numbers = Counter(str(count) for count in pieces.troops)
    assert all(texts[number] >= count for number, count in numbers.items())


def test_the_border_round_the_map_runs_off_both_margins() -> None:
    ruleset = engine_core.load_ruleset("classic")
    root = ET.fromstring(board_svg(ruleset))
    width = root.attrib["viewBox"].split()[2]
    dashed = [line for line in root.iter(f"{SVG}line") if "stroke-dasharray" in line.attrib]
    assert sorted(line.attrib["x2"] for line in dashed) == sorted(["0", width])


def test_pieces_and_their_legend_are_drawn_only_where_there_are_any() -> None:
    game = engine_core.load("command_room")
    full = everything(game)
    shown = board_svg(game.ruleset, full)
    assert all(word in shown for word in (">city<", ">capital, in its colour<", ">airfield<"))
    bare = board_svg(game.ruleset, Pieces(full.owner, full.troops))
    assert not any(word in bare for word in ("city<", "capital", "airfield"))
    assert shown.count("<polygon") - bare.count("<polygon") == len(full.capitals) + 1
    neutral = engine_core.load("two_player")
    assert board_svg(neutral.ruleset, everything(neutral)).count('stroke-dasharray="4 3"') == 14 + 1
    assert "headquarters" in board_svg(engine_core.load("capital").ruleset, full)


def test_the_drawing_is_the_same_every_time() -> None:
    game = engine_core.load("command_room")
    first, again, other = (pieces_of(example_position(game, seed)) for seed in (1, 1, 2))
    assert board_svg(game.ruleset, first) == board_svg(game.ruleset, again) != board_svg(game.ruleset, other)


# ---- the terminal


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_board_fits_its_room_and_no_label_covers_another(width: int, height: int) -> None:
    game = engine_core.load("classic", seats=6)
    pieces = pieces_of(example_position(game, 1))
    lines = BoardPicture(game.ruleset, width, height).draw(pieces).plain.split("\n")
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    letters = colour_letters(game.ruleset.colours)
    found = re.findall(r"\b([A-Z]{3}) ([a-z])(\d+)", "\n".join(lines))
    wanted = [
        (territory, letters[pieces.owner[index]], str(pieces.troops[index]))
        for index, territory in enumerate(game.ruleset.board.ids)
    ]
    assert sorted(found) == sorted(wanted)


def test_every_piece_has_its_mark() -> None:
    game = engine_core.load("command_room")
    pieces = Pieces((0,) * 42, (7,) * 42, frozenset({0, 1}), frozenset({1, 2}), {0: 0, 3: 1})
    text = BoardPicture(game.ruleset, 108, 30).draw(pieces).plain
    ids = game.ruleset.board.ids
    for label in (f"{ids[0]}*b7#", f"{ids[1]}#b7^", f"{ids[2]}^b7", f"{ids[3]}*b7/r", f"{ids[4]} b7"):
        assert label in text


def test_every_colour_has_a_letter_of_its_own() -> None:
    assert colour_letters(["black", "blue", "brown", "neutral"]) == ["k", "b", "r", "n"]
    assert len(set(colour_letters([f"colour{number}" for number in range(8)]))) == 8


# ---- sentences


@pytest.mark.parametrize("name", VARIANTS)
def test_every_kind_of_event_has_words(name: str) -> None:
    told = {*SENTENCES, *COUNTED, *BATTLE}
    kinds = {kind.name for kind in engine_core.load(name).description.events}
    assert kinds - told == set()


@pytest.mark.parametrize("name", VARIANTS)
def test_a_game_is_told_in_whole_sentences(name: str) -> None:
    game = engine_core.load(name, turn_cap=4)
    teller = Teller(game, [f"bot{seat}" for seat in range(game.seats)])
    told = [line for events, view in steps(game, 5) for line in teller.tell(events, view.troops)]
    told += teller.rest()
    assert not [line for line in told if re.search(r"[{}]|\b-1\b|^\W|  |\bseat \d", line)]
    turns = [line for line in told if line.startswith("Lap ")]
    assert len(turns) == len(set(turns))
    assert told[-1].startswith("The game is over")
    assert {f"bot{seat}" for seat in range(game.seats)} == set(re.findall(r"bot\d", " ".join(turns)))


def test_an_attack_is_one_sentence_with_what_it_cost() -> None:
    """Two rolls from one territory: the first costs the attacker 1 of 2, the second captures."""
    game = engine_core.load("classic", seats=3)
    position = "phase=attack board=*:0x1,ALA:0x9,KAM:1x3,JAP:2x1,BRA:1x2"
    state = game.position(position)
    state.script([6, 1, 1, 5, 5, 6, 6, 6, 1])
    teller = Teller(game)
    told = teller.tell([], state.troops)
    for line in (
        "attack ALA KAM 3",
        "defend ALA KAM 2",
        "attack ALA KAM 3",
        "defend ALA KAM 2",
        "occupy ALA KAM 3",
    ):
        for seat in state.pending():
            if game.action(line) in state.legal(seat):
                told += teller.tell(state.play(seat, game.action(line)), state.troops)
    lost = 9 - sum(state.troops[game.ruleset.board.index(each)] for each in ("ALA", "KAM"))
    assert told == []
    assert teller.rest() == [
        f"Black attacks Kamchatka from Alaska (2 rolls): kills 3, loses {lost}, and takes it from blue with 3"
    ]
    assert lost == 1
    assert teller.rest() == []


FALLEN_BACK = "hold 24 territories, in place of: eliminate red"


def test_a_mission_that_fell_back_is_told_as_what_it_became() -> None:
    """Blue takes red's last territory: black's mission against red becomes 24 territories, which it holds."""
    game = engine_core.load("secret_mission", seats=4, mission_kill_credit="self_else_24")
    held = ",".join(f"{place}:0x1" for place in game.ruleset.board.ids[:24] if place not in ("ALA", "KAM"))
    position = (
        "phase=attack turn_colour=1 mission=M12,M01,M02,M03 "
        f"board=*:2x1,{held},SAF:0x1,MAD:0x1,ALA:1x9,KAM:3x1"
    )
    state = game.position(position)
    state.script([6, 6, 6, 1])
    text = io.StringIO()
    out = Console(file=text, width=160)
    with Watcher(game, ["a", "b", "c", "d"], out) as watcher:
        watcher.step([], state.public_view())
        for line in ("attack ALA KAM 3", "occupy ALA KAM 3"):
            events = state.play(1, game.action(line))
            watcher.step([event for event in events if event.visible_to(-1)], state.public_view())
    assert f"Black has fulfilled its mission: {FALLEN_BACK}" in text.getvalue()
    assert f"{FALLEN_BACK} (k)" in text.getvalue()


def test_placing_is_told_once_for_all() -> None:
    game = engine_core.load("classic", seats=3)
    teller = Teller(game)
    told = []
    for events, view in itertools.islice(steps(game, 2), 130):
        told += teller.tell(events, view.troops)
        if any(line.startswith("Lap") for line in told):
            break
    assert told[:2] == [
        "Territories are claimed: black 14, blue 14, green 14",
        "Troops are placed: black 21, blue 21, green 21",
    ]


def test_an_unknown_event_is_told_as_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(SENTENCES, "reinforced")
    game = engine_core.load("classic", seats=3, setup="deal")
    teller = Teller(game)
    told = [
        line
        for events, view in itertools.islice(steps(game, 2), 80)
        for line in teller.tell(events, view.troops)
    ]
    assert [line for line in told if re.fullmatch(r"\d: reinforced \d+", line)]
