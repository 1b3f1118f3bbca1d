"""Ruleset files and families of other packages: how they are added, and what is refused with file and key."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import engine_core
from engine_core import load_ruleset, loader, registry
from engine_core.errors import RulesetError
from engine_core.options import Option

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
    files = ("boards/page.toml", "decks/page_a.toml", "variants/page.toml")
    for file, example in zip(files, examples, strict=True):
        (folder / file).write_text(example)
    assert "page" in engine_core.register_variant_folder(folder)
    assert load_ruleset("page").options["trade_values"] == "fixed_2003"
    board = loader.read_board_file(folder / files[0])
    assert [card.id for card in loader.read_deck_file(folder / files[1], board).cards] == [
        *("INO", "NGU", "WAU", "wild1", "wild2")
    ]


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


def test_a_family_that_lacks_a_part_is_refused() -> None:
    with pytest.raises(RulesetError, match="lacks kernel_capsule, compile_rules, describe"):
        engine_core.register_family("half", SimpleNamespace(OPTIONS=()))
    with pytest.raises(RulesetError, match="'conquest' is there already"):
        engine_core.register_family("conquest", SimpleNamespace())
