"""Ruleset files and families of other packages: how they are added, and what is refused with file and key."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import engine_core
from engine_core import load_ruleset, loader, registry
from engine_core.boards import Board
from engine_core.conquest.tables import TABLES
from engine_core.errors import RulesetError
from engine_core.options import Option
from engine_core.ruleset import FamilyTable
from engine_core.tables import Table

DATA = Path(engine_core.__file__).parent / "data"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registered-to-be folder: the classic files under names of its own."""
    for kind, name in (("boards", "classic"), ("decks", "classic_a"), ("variants", "classic")):
        (tmp_path / kind).mkdir()
        shutil.copy(DATA / kind / f"{name}.toml", tmp_path / kind / f"my_{name}.toml")
    variant = tmp_path / "variants" / "my_classic.toml"
    text = variant.read_text().replace('"classic"', '"my_classic"').replace('"classic_a"', '"my_classic_a"')
    variant.write_text(text)
    monkeypatch.setattr(registry, "_folders", list(registry._folders))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_folder_of_another_package_is_registered(folder: Path) -> None:
    extra = folder / "variants" / "blitz.toml"
    extra.write_text('inherits = "two_player"\nsummary = "Short."\n[options]\nturn_cap = 9\n')
    assert engine_core.register_variant_folder(folder) == ("blitz", "my_classic")
    assert engine_core.register_variant_folder(str(folder)) == ("blitz", "my_classic")
    assert load_ruleset("my_classic").hash == load_ruleset("classic").hash
    blitz = engine_core.variants()["blitz"]
    assert (blitz.family, blitz.seats, blitz.path) == ("conquest", (2, 2), extra)
    assert {option.name: option.default for option in blitz.options}["turn_cap"] == 9
    assert load_ruleset("blitz").hash == load_ruleset("classic", seats=2, turn_cap=9).hash


BOARD_FILE, DECK_FILE, VARIANT_FILE = (
    "boards/my_classic.toml",
    "decks/my_classic_a.toml",
    "variants/my_classic.toml",
)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (BOARD_FILE, '["ALA", "NWT"]', '["ALA", "ALA"]', r"borders\[0\]: ALA cannot border itself"),
        (BOARD_FILE, '["ALA", "ALB"]', '["NWT", "ALA"]', r"borders\[1\]: NWT-ALA is there already"),
        (
            BOARD_FILE,
            '["ALA", "ALB"]',
            '["ALA", "ALX"]',
            r"borders\[1\]\.1: unknown territory 'ALX' \(did you",
        ),
        (BOARD_FILE, '["ALA", "ALB"]', '["ALA"]', r"borders\[1\]\.1: is missing"),
        (BOARD_FILE, '["ALA", "ALB"]', '["ALA", "ALB", "NWT"]', r"borders\[1\]\.2: unknown key '2'"),
        (BOARD_FILE, '["ALA", "ALB"]', '"ALA-ALB"', r"borders\[1\]: must be a list"),
        (BOARD_FILE, 'id = "NWT"', 'id = "ALA"', r"territories\[1\]\.id: ALA is there twice"),
        (BOARD_FILE, 'id = "NWT"', 'id = "N W"', r"territories\[1\]\.id: 'N W' is not a letter"),
        (BOARD_FILE, 'region = "NA"', 'region = "NB"', r"territories\[0\]\.region: unknown region 'NB'"),
        (BOARD_FILE, "bonus = 5", "bonus = -5", r"regions\[0\]\.bonus: must be a whole number in 0\.\.1000"),
        (BOARD_FILE, "bonus = 5", "bonus = 5.5", r"regions\[0\]\.bonus: must be a whole number"),
        (BOARD_FILE, "bonus = 5", "bonus = true", r"regions\[0\]\.bonus: must be a whole number"),
        (BOARD_FILE, "x = 4,", "xx = 4,", r"territories\[0\]\.x: is missing"),
        (
            BOARD_FILE,
            "x = 4,",
            "z = 1, x = 4,",
            r"territories\[0\]\.z: unknown key 'z'; valid: id, name, region",
        ),
        (
            BOARD_FILE,
            "regions = [",
            'kind = "map"\nregions = [',
            "kind: unknown key 'kind'; valid: about, bord",
        ),
        (BOARD_FILE, "regions = [", "regions = [[", r"boards/my_classic.toml: .*line"),
        (BOARD_FILE, 'confidence = "high"', "confidence = 1", r"about\.confidence: must be a text"),
        (DECK_FILE, 'IRK = "cavalry"\n', "", r"cards\.IRK: is missing"),
        (DECK_FILE, 'IRK = "cavalry"', 'IRK = "navy"', r"cards\[30\]\.symbol: must be one of infantry"),
        (DECK_FILE, 'IRK = "cavalry"', 'EUS = "cavalry"', "decks/my_classic_a.toml: "),
        (DECK_FILE, 'IRK = "cavalry"', 'IRK = "cavalry"\nXXX = "infantry"', r"cards\.XXX: unknown key 'XXX'"),
        (DECK_FILE, "wilds = 2", "wilds = 23", "cards: has 65 entries; at most 64"),
        (VARIANT_FILE, "seats = [2, 6]", "seats = [2, 7]", "colours: must name one colour for each of 7"),
        (VARIANT_FILE, "seats = [2, 6]", "seats = [1, 6]", r"seats\[0\]: must be a whole number in 2\.\.8"),
        (VARIANT_FILE, "seats = [2, 6]", "seats = [6, 2]", r"seats: must be \[lowest, highest\]"),
        (
            VARIANT_FILE,
            "seats = [2, 6]",
            "seats = [2, 6]\nteams = [0, 1]",
            "seats: must be one number of seats",
        ),
        (VARIANT_FILE, "seats = [2, 6]", "seats = [3, 3]\nteams = [0, 2, 2]", "teams: must number the teams"),
        (VARIANT_FILE, "seats = [2, 6]", "seats = [3, 3]\nteams = [0, 1]", "teams: must number the teams"),
        (
            VARIANT_FILE,
            "seats = [2, 6]",
            "seats = [3, 3]\nrotations = [[0, 1, 1]]",
            r"rotations\[0\]: must name",
        ),
        (
            VARIANT_FILE,
            "seats = [2, 6]",
            "seats = [4, 4]\nteams = [0, 1, 0, 1]\nrotations = [[0, 1, 2, 3], [0, 2, 1, 3]]",
            r"rotations\[1\]: must take team-mates to team-mates",
        ),
        (
            VARIANT_FILE,
            "seats = [2, 6]",
            "seats = [3, 3]\nrotations = [[0, 1, 2], [0, 1, 2]]",
            r"rotations\[1\]: is there twice",
        ),
        (VARIANT_FILE, '"conquest"', '"chess"', "family: unknown family 'chess'; valid: conquest"),
        (VARIANT_FILE, "board = ", "bord = ", "unknown key 'bord'"),
        (VARIANT_FILE, '"my_classic"', '"nowhere"', "board: unknown board 'nowhere'; valid: classic"),
        (VARIANT_FILE, '"my_classic_a"', '"lost"', r"decks\.A: unknown deck 'lost'"),
        (VARIANT_FILE, '"green"', '"blue"', "colours: must be at most 8 different names"),
        (
            VARIANT_FILE,
            "[about]",
            "[options]\nfortfy = 1\n[about]",
            r"options\.fortfy: unknown option 'fortfy' \(",
        ),
        (
            VARIANT_FILE,
            "[about]",
            '[options]\nfortify = "x"\n[about]',
            r"options\.fortify: .* adjacent, path",
        ),
        (VARIANT_FILE, "[about]", "[options]\nfortify = []\n[about]", r"options\.fortify: must be a text or"),
        (VARIANT_FILE, "family =", 'inherits = "nobody"\nfamily =', "inherits: unknown variant 'nobody'"),
        (
            VARIANT_FILE,
            "family =",
            'inherits = "my_classic"\nfamily =',
            "inherits: goes in a circle: my_classic ->",
        ),
        (
            VARIANT_FILE,
            'summary = "World',
            'note = 1\nsummary = "World',
            "note: unknown key 'note'; valid: about,",
        ),
    ],
)
def test_a_broken_file_is_refused_with_file_and_key(
    folder: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(folder / file, old, new)
    with pytest.raises(RulesetError, match=message) as caught:
        engine_core.register_variant_folder(folder)
    assert str(caught.value).startswith((f"{file}: ", "variants/my_classic.toml: "))
    assert "my_classic" not in engine_core.variants()


def test_a_board_in_two_parts_is_refused(folder: Path) -> None:
    edit(folder / BOARD_FILE, '["SIA", "INO"],', "")
    with pytest.raises(RulesetError, match="borders: no way from ALA to INO, NGU, WAU, EAU"):
        engine_core.register_variant_folder(folder)


def test_the_schema_page_shows_files_that_load(folder: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", (DATA / "README.md").read_text(), re.DOTALL)
    board_text, editions, deck_text, table_text, variant_text = examples
    (folder / "tables").mkdir()
    files = ("boards/page.toml", "decks/page_a.toml", "variants/page.toml", "tables/page.toml")
    texts = (f"{board_text}\n{editions}", deck_text, variant_text, table_text)
    for file, example in zip(files, texts, strict=True):
        (folder / file).write_text(example)
    assert "page" in engine_core.register_variant_folder(folder)
    assert load_ruleset("page").options["trade_values"] == "fixed_2003"
    board = loader.read_board_file(folder / files[0])
    assert [card.id for card in loader.read_deck_file(folder / files[1], board).cards] == [
        *("INO", "NGU", "WAU", "wild1", "wild2")
    ]
    assert loader.read_board_file(folder / files[0], "ferry_closed").borders == ((0, 1), (0, 2))
    assert len(loader.read_table_file(folder / files[3], board, TABLES["missions"])["missions"]) == 4


def test_a_name_that_is_taken_is_refused(folder: Path) -> None:
    shutil.copy(DATA / "variants" / "classic.toml", folder / "variants" / "classic.toml")
    with pytest.raises(RulesetError, match="a file of this name is there already"):
        engine_core.register_variant_folder(folder)
    assert load_ruleset("classic").name == "classic"


def test_a_folder_without_variants_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match="no variants"):
        engine_core.register_variant_folder(tmp_path)


# ---- families of other packages


def test_a_registered_family_plays_its_own_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_folders", list(registry._folders))
    monkeypatch.setattr(registry, "_families", dict(registry._families))
    module = SimpleNamespace(
        OPTIONS=(Option("speed", "int", (1, 9), 3, "how fast", "test"),),
        kernel_capsule=object(),
        compile_rules=lambda _: b"",
        describe=lambda _: None,
    )
    (tmp_path / "variants").mkdir()
    (tmp_path / "variants" / "race.toml").write_text(
        'family = "race"\nsummary = "A race."\nseats = [2, 2]\n[options]\nspeed = 4\n'
    )
    with pytest.raises(RulesetError, match="unknown family 'race'"):
        engine_core.register_variant_folder(tmp_path)
    engine_core.register_family("race", module)
    engine_core.register_family("race", module)
    engine_core.register_variant_folder(tmp_path)
    game = load_ruleset("race")
    assert (game.options["speed"], game.colours, game.colour_seat) == (4, ("colour0", "colour1"), (0, 1))
    assert registry.load_resolved(game.text) == game
    assert registry.kernel("race") is module
    with pytest.raises(RulesetError, match="a family named 'race' is there already"):
        engine_core.register_family("race", SimpleNamespace(**vars(module)))


# ---- options that came later, board editions and printed tables

DRILL_VARIANT = """
family = "drill"
summary = "A drill."
seats = [2, 2]
board = "line"
tables = { goals = { short = "goals_short", long = "goals_long" }, prices = "prices" }
[options]
size = 4
"""
LINE_BOARD = """
regions = [{ id = "R", name = "All", bonus = 1 }]
territories = [
    { id = "A", name = "a", region = "R", x = 1, y = 1 },
    { id = "B", name = "b", region = "R", x = 2, y = 1 },
    { id = "C", name = "c", region = "R", x = 3, y = 1 },
]
borders = [["A", "B"], ["B", "C"], ["A", "C"]]
[editions]
open = [["C", "A"]]
"""


def read_goals(table: Table, board: Board) -> dict[str, Any]:
    goals = table.table("goals")
    return {"goals": {key: goals.choice(key, board.ids, "territory") for key in goals.names()}}


def read_prices(table: Table, board: Board) -> dict[str, Any]:
    return {"prices": list(table.integers("prices", 0, 3 * len(board.ids))), "name": table.string("name")}


@pytest.fixture
def drill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a family that has added options, a board with an edition, and two kinds of tables."""
    monkeypatch.setattr(registry, "_folders", list(registry._folders))
    monkeypatch.setattr(registry, "_families", dict(registry._families))
    module = SimpleNamespace(
        OPTIONS=(
            Option("size", "int", (1, 9), 3, "how large", "test", added=True),
            Option("motto", "text", (), "", "what is said", "test", added=True),
            Option("length", "choice", ("short", "long"), "short", "which goals", "test"),
            Option("map_edges_override", "choice", ("standard", "open"), "standard", "edition", "test", True),
        ),
        TABLES={"goals": FamilyTable("length", read_goals), "prices": FamilyTable("", read_prices)},
        kernel_capsule=object(),
        compile_rules=lambda _: b"",
        describe=lambda _: None,
    )
    engine_core.register_family("drill", module)
    files = {
        "variants/drill.toml": DRILL_VARIANT,
        "boards/line.toml": LINE_BOARD,
        "tables/goals_short.toml": 'goals = { first = "A" }\n[about]\nsource = "test"\n',
        "tables/goals_long.toml": 'goals = { first = "A", last = "C" }\n',
        "tables/prices.toml": 'name = "dear"\nprices = [1, 2]\n',
    }
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


def test_an_added_option_shows_only_where_it_is_not_the_familys_default(drill: Path) -> None:
    engine_core.register_variant_folder(drill)
    usual, plain = load_ruleset("drill"), load_ruleset("drill", size=3)
    assert dict(usual.options) == {"length": "short", "size": 4}
    assert dict(plain.options) == {"length": "short"}
    assert registry.options_of(plain) == {
        "size": 3,
        "motto": "",
        "length": "short",
        "map_edges_override": "standard",
    }
    assert load_ruleset("drill", motto="go").options["motto"] == "go"
    assert registry.load_resolved(plain.text) == plain
    written_out = json.loads(plain.text)
    written_out["options"]["size"] = 3
    with pytest.raises(RulesetError, match="not a resolved ruleset"):
        registry.load_resolved(json.dumps(written_out))


def test_an_edition_of_a_board_lacks_borders(drill: Path) -> None:
    engine_core.register_variant_folder(drill)
    usual, edition = load_ruleset("drill"), load_ruleset("drill", map_edges_override="open")
    assert usual.board.borders == ((0, 1), (0, 2), (1, 2))
    assert edition.board.borders == ((0, 1), (1, 2))
    assert edition.options["map_edges_override"] == "open" and usual.hash != edition.hash
    assert registry.load_resolved(edition.text) == edition


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('open = [["C", "A"]]', "", "editions: unknown edition 'open'; valid: standard"),
        ('open = [["C", "A"]]', 'open = [["C", "D"]]', r"editions\.open\[0\]\.1: unknown territory 'D'"),
        ('open = [["C", "A"]]', 'open = [["C", "A"], ["A", "C"]]', r"open\[1\]: A-C is no border of the boa"),
        ('open = [["C", "A"]]', 'open = [["C", "A"], ["A", "B"]]', r"editions\.open: no way from A to B, C"),
        ('open = [["C", "A"]]', 'open = ["C"]', r"editions\.open\[0\]: must be a list"),
    ],
)
def test_a_broken_edition_is_refused(drill: Path, old: str, new: str, message: str) -> None:
    edit(drill / "boards/line.toml", old, new)
    edit(drill / "variants/drill.toml", "size = 4", 'map_edges_override = "open"')
    with pytest.raises(RulesetError, match=f"boards/line.toml: .*{message}"):
        engine_core.register_variant_folder(drill)


def test_tables_are_picked_by_the_option_the_family_names(drill: Path) -> None:
    engine_core.register_variant_folder(drill)
    short, long = load_ruleset("drill"), load_ruleset("drill", length="long")
    assert short.tables == {"goals": {"goals": {"first": "A"}}, "prices": {"name": "dear", "prices": (1, 2)}}
    assert long.tables["goals"] == {"goals": {"first": "A", "last": "C"}}
    assert json.loads(short.text)["tables"]["goals"] == {"goals": {"first": "A"}}
    assert pickle.loads(pickle.dumps(short)) == registry.load_resolved(short.text) == short
    edit(drill / "tables/prices.toml", "dear", "cheap")
    assert (load_ruleset("drill").hash, load_ruleset("drill").text == short.text) == (short.hash, False)
    edit(drill / "tables/prices.toml", "[1, 2]", "[1, 3]")
    assert load_ruleset("drill").hash != short.hash
    with pytest.raises(TypeError):
        cast(dict[str, Any], short.tables)["goals"] = {}
    with pytest.raises(TypeError):
        short.tables["goals"]["goals"]["first"] = "B"


def test_an_heir_replaces_one_table_and_keeps_the_other(drill: Path) -> None:
    (drill / "variants/heir.toml").write_text('inherits = "drill"\n[tables]\nprices = "other"\n')
    (drill / "tables/other.toml").write_text('name = "other"\nprices = [9]\n')
    engine_core.register_variant_folder(drill)
    heir = load_ruleset("heir")
    assert (heir.tables["goals"], heir.tables["prices"]["prices"]) == ({"goals": {"first": "A"}}, (9,))


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "variants/drill.toml",
            "goals =",
            "gaols =",
            r"tables\.gaols: unknown table 'gaols' .*goals, prices",
        ),
        (
            "variants/drill.toml",
            "short =",
            "shrt =",
            r"tables\.goals\.short: no file for 'short'; given: shrt",
        ),
        ("variants/drill.toml", '"goals_short"', '"none"', r"tables\.goals\.short: unknown table 'none'"),
        ("variants/drill.toml", '"prices" }', "3 }", r"tables\.prices: must be a table"),
        ("variants/drill.toml", '"goals_short"', "3", r"tables\.goals\.short: must be a printable text"),
        ("tables/goals_short.toml", '"A"', '"X"', r"goals\.first: unknown territory 'X'"),
        ("tables/goals_short.toml", "goals", "aims", "goals: is missing"),
        ("tables/prices.toml", "prices", "extra = 1\nprices", "extra: unknown key 'extra'"),
        ("tables/prices.toml", "[1, 2]", "[1, 10]", r"prices\[1\]: must be a whole number in 0\.\.9"),
    ],
)
def test_a_broken_table_is_refused_with_file_and_key(
    drill: Path, file: str, old: str, new: str, message: str
) -> None:
    edit(drill / file, old, new)
    with pytest.raises(RulesetError, match=message) as caught:
        engine_core.register_variant_folder(drill)
    assert str(caught.value).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"goals": {"goals": {"first": "X"}}}, r"tables\.goals\.goals\.first: unknown territory 'X'"),
        ({"goals": {"goals": ["A"]}}, r"tables\.goals\.goals: must be a table"),
        ({"prices": {"prices": [1], "name": "a", "more": 1}}, r"tables\.prices\.more: unknown key"),
        ({"weather": {}}, "unknown table 'weather'"),
    ],
)
def test_a_text_with_tables_its_family_would_not_read_is_refused(
    drill: Path, tables: dict[str, Any], message: str
) -> None:
    engine_core.register_variant_folder(drill)
    plain = json.loads(load_ruleset("drill").text)
    plain["tables"] = tables
    with pytest.raises(RulesetError, match=message):
        registry.load_resolved(json.dumps(plain))


def test_a_family_that_lacks_a_part_is_refused() -> None:
    with pytest.raises(RulesetError, match="lacks kernel_capsule, compile_rules, describe"):
        engine_core.register_family("half", SimpleNamespace(OPTIONS=()))
    with pytest.raises(RulesetError, match="'conquest' is there already"):
        engine_core.register_family("conquest", SimpleNamespace())
