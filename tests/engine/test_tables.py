"""The printed tables of the conquest family: what the files hold, and what their readers refuse."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine_core
from engine_core import loader
from engine_core.conquest import tables
from engine_core.conquest.tables import TABLES
from engine_core.tables import Table, TableError

DATA = Path(engine_core.__file__).parent / "data"
BOARD = loader.read_board_file(DATA / "boards" / "classic.toml")
FILES = {"missions_eu14": "missions", "missions_us12": "missions", "edition_2008": "edition"}


def plain(file: str) -> dict[str, Any]:
    return loader.read_table_file(DATA / "tables" / f"{file}.toml", BOARD, TABLES[FILES[file]])


def test_maxima_are_those_of_the_rules_block() -> None:
    block = (Path(engine_core.__file__).parent / "conquest" / "state.pxd").read_text()
    for name in ("MAX_MISSIONS", "MAX_OBJECTIVES", "MOST_STARS"):
        found = re.search(rf"\b{name} = (\d+)", block)
        assert found and int(found[1]) == getattr(tables, name)


def test_every_table_file_is_tried_here() -> None:
    others = {"endor"}  # tried by tests/engine/endor
    assert {path.stem for path in (DATA / "tables").glob("*.toml")} == set(FILES) | others


@pytest.mark.parametrize("file", FILES)
def test_a_reader_keeps_what_it_has_read_and_nothing_else_is_in_the_file(file: str) -> None:
    table = Table(json.loads(json.dumps(plain(file))))
    assert TABLES[FILES[file]].read(table, BOARD) == plain(file)
    table.done()
    written = tomllib.loads((DATA / "tables" / f"{file}.toml").read_text())
    assert written.pop("about")["confidence"] in ("high", "medium", "low")
    assert written == plain(file)


def test_the_two_mission_decks() -> None:
    eu14, us12 = plain("missions_eu14"), plain("missions_us12")
    assert [mission["id"] for mission in eu14["missions"]] == [f"M{number:02}" for number in range(1, 15)]
    assert [m for m in eu14["missions"] if m["kind"] != "territories"] == us12["missions"]
    assert eu14["fallback"] == us12["fallback"] == {"count": 24, "least": 1}
    colours = [m["colour"] for m in eu14["missions"] if m["kind"] == "eliminate"]
    assert colours == ["black", "blue", "green", "red", "yellow", "violet"]


def test_the_2008_edition_and_its_star_cards() -> None:
    edition = plain("edition_2008")
    assert [row["rank"] for row in edition["objectives"]] == ["minor"] * 6 + ["major"] * 6
    preset = [row["rank"] for row in edition["objectives"] if row["id"] in edition["preset_objectives"]]
    assert [preset.count("minor"), preset.count("major")] == edition["drawn"] == [4, 4]
    assert edition["star_values"][2:] == [2, 4, 7, 10, 13, 17, 21, 25, 30]
    deck = loader.read_deck_file(DATA / "decks" / "stars_2008.toml", BOARD)
    symbols = [card.symbol for card in deck.cards]
    assert (symbols.count("one_star"), symbols.count("two_star"), len(symbols)) == (30, 12, 42)


def test_editions_of_the_classic_board() -> None:
    whole = set(BOARD.borders)
    for edition, missing in (("anniversary_40", ("EAF", "MEA")), ("german_2008", ("NAF", "SEU"))):
        board = loader.read_board_file(DATA / "boards" / "classic.toml", edition)
        (border,) = whole - set(board.borders)
        assert {board.ids[end] for end in border} == set(missing)


@pytest.mark.parametrize(
    ("file", "change", "where", "message"),
    [
        ("missions_eu14", lambda t: t["missions"][0].update(kind="hold"), "missions[0].kind", "mission kind"),
        (
            "missions_eu14",
            lambda t: t["missions"][0].update(regions=["AS", "XX"]),
            "missions[0].regions.1",
            "XX",
        ),
        (
            "missions_eu14",
            lambda t: t["missions"][0].update(regions=["AS", "AS"]),
            "missions[0].regions",
            "twice",
        ),
        ("missions_eu14", lambda t: t["missions"][0].update(count=3), "missions[0].count", "unknown key"),
        ("missions_eu14", lambda t: t["missions"][1].update(id="M01"), "missions[1].id", "is there twice"),
        ("missions_eu14", lambda t: t["missions"][1].update(id="M 1"), "missions[1].id", "is not a letter"),
        ("missions_eu14", lambda t: t["missions"][6].update(count=43), "missions[6].count", r"1\.\.42"),
        ("missions_eu14", lambda t: t["missions"][8].pop("colour"), "missions[8].colour", "is missing"),
        ("missions_eu14", lambda t: t["missions"].clear(), "missions", "has 0 entries; must have 1 to 24"),
        ("missions_eu14", lambda t: t["fallback"].update(most=1), "fallback.most", "unknown key"),
        ("missions_eu14", lambda t: t.pop("fallback"), "fallback", "is missing"),
        (
            "edition_2008",
            lambda t: t["objectives"][0].update(rank="tiny"),
            "objectives[0].rank",
            "minor, major",
        ),
        ("edition_2008", lambda t: t["objectives"][0].update(region="XX"), "objectives[0].region", "XX"),
        ("edition_2008", lambda t: t["objectives"][3].update(count=16), "objectives[3].count", r"1\.\.15"),
        ("edition_2008", lambda t: t["objectives"].__delitem__(slice(3)), "drawn", "no more of each"),
        ("edition_2008", lambda t: t.update(drawn=[4]), "drawn", "must be"),
        ("edition_2008", lambda t: t.update(preset_objectives=["m7"]), "preset_objectives.0", "'m7'"),
        ("edition_2008", lambda t: t["preset_cities"].pop(), "preset_cities", "city_count = 15"),
        (
            "edition_2008",
            lambda t: t["minor_rewards"].append("attack_die"),
            "minor_rewards.4",
            "minor reward",
        ),
        ("edition_2008", lambda t: t["star_values"].pop(), "star_values", "must be 11 numbers"),
        ("edition_2008", lambda t: t["star_values"].reverse(), "star_values", "rising"),
        (
            "edition_2008",
            lambda t: t["starting_troops"].update({"9": 1}),
            "starting_troops.9",
            "number of seats",
        ),
        ("edition_2008", lambda t: t["extra_cards"].update({"4": [0]}), "extra_cards.4", "4 numbers"),
    ],
)
def test_a_broken_table_says_where(
    file: str, change: Callable[[dict[str, Any]], object], where: str, message: str
) -> None:
    broken = copy.deepcopy(plain(file))
    change(broken)
    with pytest.raises(TableError, match=message) as caught:
        TABLES[FILES[file]].read(Table(broken), BOARD)
    assert caught.value.where == where
