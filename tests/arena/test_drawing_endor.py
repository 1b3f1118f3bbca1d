"""The endor family drawn and told: every place, piece, track and event, in a picture and in a terminal."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from public_games import steps

import engine_core
from arena.drawing.families.endor import example, scene, show, svg
from arena.drawing.families.endor.sentences import ALONE, PARTS, Teller
from arena.drawing.registry import drawing_of
from engine_core import View
from engine_core.endor.describe import places
from engine_core.endor.tables import FIGHTERS, SPECIAL_SHIPS

VARIANTS = sorted(name for name, variant in engine_core.variants().items() if variant.family == "endor")
SVG = "{http://www.w3.org/2000/svg}"
CROWDED = (
    "lap=12 shield=7 troopers=5 luke=4 vader=2 aboard=8 falcon=M1 falcon_hits=3 executor=O8 executor_hits=2 "
    "xwing=M1:12,F2:5,F3:3 ywing=M1:10,F3:6 bwing=M1:11,F3:4 tie=O8:44,I4:4 marker=F1:0 held=6,6 "
    "deck_count=*:24"
)


def drawn(view: View) -> ET.Element:
    return ET.fromstring(svg(view))


def texts(element: ET.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def track(root: ET.Element, name: str) -> ET.Element:
    (found,) = (each for each in root.iter(f"{SVG}g") if each.get("data-track") == name)
    return found


def screen(view: View, width: int, height: int | None, notes: tuple[str, ...] = ()) -> list[str]:
    labels = [f"a player with a long name {seat}" for seat in range(view.game.seats)]
    return [line.plain for line in show(view.game, labels).frame(view, width, height, notes)]


@pytest.fixture(scope="module")
def positions() -> list[View]:
    """Positions of random games, from the first to the last, and a crowded one."""
    views = [
        view for name in VARIANTS for _, view in list(steps(engine_core.load(name, turn_cap=60), 2))[::37]
    ]
    game = engine_core.load("endor")
    return [*views, example(game, 1), game.view(CROWDED, -1)]


# ---- the picture


def test_every_place_is_drawn_with_just_the_ships_that_are_there(positions: list[View]) -> None:
    for view in positions:
        groups = {each.get("data-place"): each for each in drawn(view).iter(f"{SVG}g")}
        names = places(view.game.ruleset.tables["game"])
        assert set(names) == set(groups) - {None}
        for index, name in enumerate(names):
            assert texts(groups[name])[0].split()[0] == name
            marks = {
                mark.get("data-ship"): texts(mark)[0]
                for mark in groups[name].iter(f"{SVG}g")
                if mark.get("data-ship")
            }
            fighters = {ship: view.field(ship)[index] for ship in FIGHTERS if view.field(ship)[index]}
            special = {ship for ship in SPECIAL_SHIPS if view.field(ship)[0] == index}
            assert set(marks) == set(fighters) | special
            assert all(marks[ship].endswith(f" {count}") for ship, count in fighters.items())


def test_no_mark_leaves_the_part_of_the_ring_it_stands_in(positions: list[View]) -> None:
    root = drawn(positions[-1])
    widths = [float(rect.get("width", "")) for rect in root.iter(f"{SVG}rect")]
    assert max(widths[1:]) <= 8 * len("Executor")
    for rect in list(root.iter(f"{SVG}rect"))[1:]:
        assert 0 <= float(rect.get("x", "")) <= float(root.get("viewBox", "").split()[2])
        assert 0 <= float(rect.get("y", "")) <= float(root.get("viewBox", "").split()[3])


def test_sectors_drawn_as_neighbours_are_those_of_the_map() -> None:
    """Two areas touch when they share a length of an edge; just the borders of the data do."""
    ruleset = engine_core.load_ruleset("endor")
    game = ruleset.tables["game"]
    areas = {name: area for name, area in scene.areas(ruleset).items() if area.radii != scene.MARKER_RING}
    touching = {
        frozenset((one, other)) for one in areas for other in areas if _touch(areas[one], areas[other])
    }
    assert touching == {frozenset(border) for border in game["borders"]}


def _touch(one: scene.Area, other: scene.Area) -> bool:
    turns = [
        _overlap(one.angles, (start + turn, end + turn))
        for turn in (-360, 0, 360)
        for start, end in [other.angles]
    ]
    across = one.radii[0] == other.radii[1] or one.radii[1] == other.radii[0]
    beside = _overlap(one.radii, other.radii) > 0 and one != other
    return (across and max(turns) > 0) or (beside and max(turns) == 0)


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])


def test_tracks_show_what_is_left_and_where_the_troopers_stand(positions: list[View]) -> None:
    for view in positions:
        root = drawn(view)
        for each in scene.tracks(view):
            said, *boxes = texts(track(root, each.name))
            assert said == f"{each.name}: {each.left} of {each.hits} hits left"
            assert boxes == [str(hit) for hit in range(each.hits, 0, -1)]
        shield = track(root, "Shield")
        dice = [text for text in texts(shield) if text.endswith("+")]
        assert dice == [f"{space}+" for space in scene.shield(view)]
        troopers = [int(place) for circle in shield.iter() if (place := circle.get("data-trooper"))]
        assert troopers == list(range(view.shield, view.shield + view.troopers))
        assert texts(shield).count("next") == (view.shield < len(dice))


def test_a_destroyed_marker_has_a_broken_edge(positions: list[View]) -> None:
    groups = {each.get("data-place"): each for each in drawn(positions[-1]).iter(f"{SVG}g")}
    broken = [name for name, each in groups.items() if name and "stroke-dasharray" in str(ET.tostring(each))]
    assert broken == ["F1"]
    assert texts(groups["F1"]) == ["F1 gone"]


def test_the_drawing_is_found_by_the_family() -> None:
    for name in VARIANTS:
        game = engine_core.load(name)
        assert drawing_of(game).svg(example(game, 1)) == svg(example(game, 2)), "all starts look alike"


# ---- the terminal


@pytest.mark.parametrize("size", [(80, 23), (80, 24), (100, 30), (160, 60), (80, None)])
def test_a_terminal_shows_every_place_and_track(positions: list[View], size: tuple[int, int | None]) -> None:
    notes = ("A sentence that is " + "very " * 30 + "long", "the last one")
    for view in positions:
        lines = screen(view, *size, notes)
        assert max(map(len, lines)) <= size[0]
        assert size[1] is None or len(lines) <= size[1]
        text = "\n".join(lines)
        for place, there in scene.ships(view).items():
            (label,) = re.findall(rf"\b{place} (\S+)", text)
            counts = Counter(
                dict(
                    zip(re.findall(r"[XYBT](?=\d)", label), map(int, re.findall(r"\d+", label)), strict=True)
                )
            )
            assert counts == {name[0].upper(): n for name, n in there.items() if name in FIGHTERS}
            assert ("Fa" in label, "Ex" in label) == ("falcon" in there, "executor" in there)
        for each in scene.tracks(view):
            assert f"{each.name} {each.left}/{each.hits} " in text
        assert f"Shield {view.shield}/28 gone" in text
        assert len(re.findall(r"\dt", text)) == view.troopers
        assert (lines[-1] == "the last one") == (size[1] is not None)
        assert lines[0].rstrip().endswith("Ex Executor"), "the head line is whole"
        for seat, held in enumerate(view.held):
            deck = view.deck_count[view.game.description.teams[seat]]
            piled = view.pile_count[seat] if view.pile_count[seat] >= 0 else "?"
            assert f"hand {held} pile {piled} deck {deck}" in text


@pytest.mark.parametrize("width", [40, 60, 78, 79, 80, 120])
def test_every_seat_shows_its_counts_at_any_width(positions: list[View], width: int) -> None:
    for view in positions:
        lines = [line for line in screen(view, width, 24) if " hand " in line]
        assert sum(len(re.findall(r"hand \S+ pile \S+ deck \d+", line)) for line in lines) == view.game.seats
        assert len(lines) == view.game.seats // (2 if width >= 80 else 1)
        assert max(map(len, lines)) <= width


def test_long_sentences_keep_their_start(positions: list[View]) -> None:
    """The latest are whole if there is room; of the one that there is none for the end is cut."""
    long = " ".join(f"word{number}" for number in range(60))
    for view in positions:
        room = 24 - len(screen(view, 80, 24))
        for notes in ((long,), ("an earlier one", long), (long, "the last one")):
            told = screen(view, 80, 24, notes)[-room:]
            assert len(told) == room
            assert told[0].startswith("word0 word1 ")
            assert told[-1] == "the last one" or (told[-1].endswith("…") and len(told[-1]) <= 80)
            assert told[-2].endswith("…") == (told[-1] == "the last one")


# ---- sentences


@pytest.mark.parametrize("name", VARIANTS)
def test_every_kind_of_event_has_words(name: str) -> None:
    kinds = {kind.name for kind in engine_core.load(name).description.events}
    assert kinds == {*ALONE, *PARTS}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_told_in_whole_sentences(name: str, seed: int) -> None:
    game = engine_core.load(name)
    teller = Teller(game)
    told = [line for events, _ in steps(game, seed) for line in teller.tell(events)] + teller.rest()
    assert not [line for line in told if re.search(r"[{}_]|\b255\b|\B-\d|^\W|  |: :|, ,|: *$", line)]
    rounds = [line for line in told if line.startswith("Round ")]
    assert rounds == [f"Round {number}" for number in range(1, len(rounds) + 1)]
    assert told[-1] == "The game is over, by the rules"
    assert re.fullmatch("The game is won by the (Rebels|Empire)", told[-2])


@pytest.mark.parametrize(
    ("position", "dice", "order", "words"),
    [
        (
            "flipped=xwing_assault turn=0",
            [2, 1, 1, 1, 1],
            "assault",
            "2 1 1 1 1 take 1 space of the shield track",
        ),
        ("flipped=xwing_assault turn=0", [2, 2, 1, 1, 1], "assault", "2 2 1 1 1 take 2 spaces of the shield"),
        ("flipped=tie_ambush_1 turn=1 troopers=8", [], "ambush", "1 more storm trooper in ambush"),
        ("flipped=tie_ambush_1 turn=1", [], "ambush", "3 more storm troopers in ambush"),
    ],
)
def test_one_on_the_ground_is_told_in_the_singular(
    position: str, dice: list[int], order: str, words: str
) -> None:
    game = engine_core.load("endor")
    state = game.position(f"phase=order xwing=O3:5 tie=I4:4 {position}")
    state.script(dice)
    (seat,) = state.pending()
    teller = Teller(game)
    told = teller.tell(state.play(seat, game.action(f"order {order}"))) + teller.rest()
    assert words in told[0]


def test_an_attack_is_one_sentence_with_all_that_came_of_it() -> None:
    """The rulebook's own example: six Y-wings against four TIE fighters and the Executor; 1, 2, 4, 6, 6."""
    game = engine_core.load("endor")
    state = game.position(
        "phase=order turn=0 flipped=ywing_luke_1 ywing=M2:6 falcon=M2 tie=I2:4 executor=I2 aboard=28"
    )
    state.script([1, 2, 4, 6, 6])
    teller = Teller(game)
    told: list[str] = []
    for line in (
        "order ywing",
        "pass",
        "attack M2 I2 ywing",
        "hit tie 4",
        "hit executor 6",
        "hit executor 6",
    ):
        told += teller.tell(state.play(0, game.action(line)))
    assert told[0] == (
        "Y-wing, attack on I2 from M2 with 1 2 4 6 6, 1 TIE fighter destroyed at I2, 2 hits on the Executor"
    )
