"""The printed map, decks and tracks: sums, symmetries and what the drawing must reproduce."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import engine_core
from engine_core import RulesetError, load_resolved_ruleset, load_ruleset, loader
from engine_core.boards import Board
from engine_core.endor.tables import TABLES
from engine_core.tables import Table

GAME: dict[str, Any] = dict(load_ruleset("endor").tables["game"])
SECTORS = [sector["id"] for sector in GAME["sectors"]]
MIRROR = {
    **dict(
        zip(
            ["F1", "F2", "F3", "O1", "O2", "O5", "O6", "O7", "M1", "M2", "M4", "M5", "I1", "I2", "I4", "I5"],
            ["F6", "F5", "F4", "O4", "O3", "O9", "O8", "O7", "M3", "M2", "M7", "M6", "I3", "I2", "I6", "I5"],
            strict=True,
        )
    )
}
MIRROR |= {other: one for one, other in MIRROR.items()}


def test_the_reader_keeps_what_it_has_read_and_nothing_else_is_in_the_file() -> None:
    path = Path(engine_core.__file__).parent / "data" / "tables" / "endor.toml"
    plain = loader.read_table_file(path, Board(), TABLES["game"])
    table = Table(json.loads(json.dumps(plain)))
    assert TABLES["game"].read(table, Board()) == plain
    table.done()
    written = tomllib.loads(path.read_text())
    assert written.pop("about")["confidence"] in ("high", "medium", "low")
    assert written == plain


def pairs() -> set[frozenset[str]]:
    return {frozenset(border) for border in GAME["borders"]}


def test_rings_and_borders() -> None:
    assert Counter(name[0] for name in SECTORS) == {"O": 9, "M": 7, "I": 6}
    rings = Counter("".join(sorted(name[0] for name in border)) for border in pairs())
    assert rings == {"OO": 9, "MM": 7, "II": 6, "MO": 16, "IM": 13}
    assert list(GAME["death_star"]) == ["I1", "I2", "I3", "I4", "I5", "I6"]
    assert [(marker["id"], marker["sector"]) for marker in GAME["markers"]] == [
        ("F1", "O1"),
        ("F2", "O2"),
        ("F3", "O2"),
        ("F4", "O3"),
        ("F5", "O3"),
        ("F6", "O4"),
    ]


def test_the_map_is_its_own_mirror_image() -> None:
    assert {frozenset(MIRROR[name] for name in border) for border in pairs()} == pairs()
    markers = {(marker["id"], marker["sector"]) for marker in GAME["markers"]}
    assert {(MIRROR[marker], MIRROR[sector]) for marker, sector in markers} == markers


def overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two sectors of the drawing share an edge, in one ring or from ring to ring."""
    (a, b), (c, d) = one["x"], other["x"]
    if one["y"] == other["y"]:
        return bool((b - c) % 360 == 0 or (d - a) % 360 == 0)
    if one["y"][0] != other["y"][1] and one["y"][1] != other["y"][0]:
        return False
    return any(min(b, d + turn) - max(a, c + turn) > 0 for turn in (-360, 0, 360))


def test_the_drawing_has_exactly_these_borders() -> None:
    sectors = [dict(sector) for sector in GAME["sectors"]]
    drawn = {
        frozenset((one["id"], other["id"]))
        for one in sectors
        for other in sectors
        if one["id"] < other["id"] and overlap(one, other)
    }
    assert drawn == pairs()


def test_decks() -> None:
    decks = {
        side: [(tuple(card["orders"]), card["copies"]) for card in GAME["decks"][side]]
        for side in ("rebels", "empire")
    }
    symbols = {side: Counter[str]() for side in decks}
    for side, cards in decks.items():
        assert sum(copies for _, copies in cards) == 30
        for orders, copies in cards:
            symbols[side].update(dict.fromkeys(orders, copies))
    assert symbols["empire"] == {
        "tie": 16,
        "ambush": 14,
        "vader": 10,
        "executor": 8,
        "death_star": 8,
        "emperor": 6,
    }
    assert symbols["rebels"] == {
        "assault": 16,
        "luke": 15,
        "ywing": 12,
        "xwing": 10,
        "bwing": 10,
        "falcon": 8,
        "redeem": 3,
    }
    assert sum(copies for orders, copies in decks["rebels"] if len(orders) == 3) == 14
    for pictured in [("ywing", "falcon", "assault"), ("xwing", "ywing", "assault")]:
        assert pictured in [orders for orders, _ in decks["rebels"]]
    assert ("death_star", "emperor") in [orders for orders, _ in decks["empire"]]


def test_tracks() -> None:
    assert Counter(GAME["ground"]["shield"]) == {2: 9, 3: 13, 4: 4, 5: 2}
    assert list(GAME["ground"]["shield"]) == sorted(GAME["ground"]["shield"])
    assert (GAME["ships"]["falcon"]["hits"], GAME["ships"]["executor"]["hits"]) == (6, 8)


def test_the_start_has_the_pieces_of_the_box_and_no_contact() -> None:
    state = engine_core.load("endor").new_state(1)
    names = state.game.description.territories
    totals = {ship: sum(state.field(ship)) for ship in ("xwing", "ywing", "bwing", "tie")}
    assert totals == {"xwing": 20, "ywing": 16, "bwing": 15, "tie": 28}
    assert (state.aboard, state.box) == (28, (0, 0, 0, 0))
    rebels = {names[at] for at in range(len(names)) if state.xwing[at] + state.ywing[at] + state.bwing[at]}
    empire = {names[at] for at in range(len(names)) if state.tie[at]} | {"O8"}
    assert not [border for border in pairs() if border & rebels and border & empire]
    assert (names[state.falcon], names[state.executor]) == ("M1", "O8")
    assert {size for ship in ("xwing", "ywing", "bwing", "tie") for size in state.field(ship)} == {0, 3, 4, 5}


def test_the_two_reconstructed_squadrons_are_two_switches() -> None:
    fewer = engine_core.load("endor", bwing_on_o1=False, tie_reserve=32).new_state(1)
    assert (sum(fewer.bwing), fewer.box) == (12, (0, 0, 3, 0))
    assert (sum(fewer.tie), fewer.aboard) == (24, 32)


def test_the_drawing_is_no_part_of_a_rulesets_hash() -> None:
    ruleset = load_ruleset("endor")
    moved = ruleset.text.replace('"x":[-75,-45]', '"x":[-75,-44]')
    assert moved != ruleset.text
    assert load_resolved_ruleset(moved).hash == ruleset.hash


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"teams":[0,1]', '"teams":[0,0]', "teams"),
        ('["I1","I2"]', '["I1","I1"]', "borders"),
        ('["I1","I2"]', '["I1","I9"]', "borders"),
        ('"assault_dice":5', '"assault_dice":6', "assault_dice"),
        ('"orders":["xwing","luke"]', '"orders":["tie","luke"]', "orders"),
        ('"id":"F2"', '"id":"F1"', "sectors"),
        ('"rounds":{"2":', '"rounds":{"3":', "seats"),
        ('"tie_reserve":28', '"tie_reserve":32', None),
        ('{"at":"O7","count":4,"ship":"tie"},', "", "tie_reserve"),
        ('{"at":"O8","count":1,"ship":"executor"},', "", "executor"),
        ('"clear":1', '"clear":1,"other":2', "other"),
    ],
)
def test_a_wrong_table_is_refused_and_says_where(old: str, new: str, where: str | None) -> None:
    text = load_ruleset("endor").text
    assert old in text
    if where is None:
        load_resolved_ruleset(text.replace(old, new))
        return
    with pytest.raises((RulesetError, engine_core.TextError), match=where):
        load_resolved_ruleset(text.replace(old, new))


def test_hands_that_partners_show_need_partners() -> None:
    with pytest.raises(engine_core.OptionError, match="no seat has a partner here"):
        load_ruleset("endor", partners_show_hands=False)
    assert load_ruleset("endor", partners_show_hands=True) == load_ruleset("endor")
    assert load_ruleset("endor_teams", partners_show_hands=False).options["partners_show_hands"] == 0


def test_rotations_of_teams_give_every_position_every_seat() -> None:
    rotations = load_ruleset("endor_teams").rotations
    assert sorted(rotations) == [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]
    for position in range(4):
        assert {rotation[position] for rotation in rotations} == {0, 1, 2, 3}
