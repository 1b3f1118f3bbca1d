"""The classic board and its decks: oracles of the rules, faults seen elsewhere, and the loader's maxima."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import engine_core
from engine_core import boards, limits, load_ruleset
from engine_core.boards import Board, Deck
from engine_core.errors import RulesetError
from engine_core.tables import Table

BOARD = load_ruleset("classic").board


def adjacent(a: str, b: str) -> bool:
    """Whether a borders b; both directions must say the same."""
    one = BOARD.index(b) in BOARD.neighbours[BOARD.index(a)]
    other = BOARD.index(a) in BOARD.neighbours[BOARD.index(b)]
    assert one == other
    return one


def neighbours(territory: str) -> set[str]:
    return {BOARD.ids[index] for index in BOARD.neighbours[BOARD.index(territory)]}


def distances(start: int) -> list[int]:
    steps = {start: 0}
    for place in (queue := [start]):
        for near in BOARD.neighbours[place]:
            if near not in steps:
                steps[near] = steps[place] + 1
                queue.append(near)
    return [steps[place] for place in range(len(BOARD.ids))]


# ---- the classic map: faults seen elsewhere, by their number in the list of rule faults


def test_R01_new_guinea_borders_western_australia() -> None:
    assert adjacent("NGU", "WAU")
    assert len(BOARD.borders) == 83


def test_R02_no_border_between_egypt_and_congo() -> None:
    assert not adjacent("EGY", "CON")


def test_R10_iceland_and_great_britain_border_scandinavia() -> None:
    assert adjacent("ICE", "SCA")
    assert adjacent("GBR", "SCA")


def test_R17_north_africa_borders_east_africa_and_northwest_territory_not_quebec() -> None:
    assert adjacent("NAF", "EAF")
    assert not adjacent("NWT", "QUE")


def test_R25_great_britain_borders_western_europe_and_nothing_borders_itself() -> None:
    assert adjacent("GBR", "WEU")
    assert all(a not in BOARD.neighbours[a] for a in range(42))


def test_R26_argentina_borders_brazil_and_peru_only() -> None:
    assert neighbours("ARG") == {"BRA", "PER"}


def test_R34_every_border_goes_both_ways() -> None:
    assert adjacent("MEA", "EAF")
    for a, row in enumerate(BOARD.neighbours):
        assert all(a in BOARD.neighbours[b] for b in row)


def test_R47_no_border_between_indonesia_and_eastern_australia() -> None:
    assert not adjacent("INO", "EAU")


@pytest.mark.parametrize("letter", ["A", "B", "C"])
def test_R49_every_territory_has_one_card(letter: str) -> None:
    deck = load_ruleset("classic", card_deck=letter).deck
    assert [card.territory for card in deck.cards] == [*range(42), -1, -1]
    assert [card.id for card in deck.cards] == [*BOARD.ids, "wild1", "wild2"]
    assert deck.name == f"classic_{letter.lower()}"


@pytest.mark.parametrize("letter", ["A", "B", "C"])
def test_a_deck_has_14_of_each_symbol_and_2_wilds(letter: str) -> None:
    cards = load_ruleset("classic", card_deck=letter).deck.cards
    counts = Counter(card.symbol for card in cards)
    assert counts == {"infantry": 14, "cavalry": 14, "artillery": 14, "wild": 2}


def test_deck_symbols_known_from_the_editions() -> None:
    symbols = {
        letter: {card.id: card.symbol for card in load_ruleset("classic", card_deck=letter).deck.cards}
        for letter in "ABC"
    }
    assert symbols["A"]["SIB"] == "cavalry"
    assert (symbols["A"]["EUS"], symbols["A"]["IRK"]) == ("artillery", "cavalry")
    assert (symbols["B"]["EUS"], symbols["B"]["ALA"]) == ("artillery", "artillery")
    assert (symbols["C"]["EUS"], symbols["C"]["SIB"]) == ("artillery", "artillery")


def test_the_classic_map_graph() -> None:
    assert Counter(len(row) for row in BOARD.neighbours) == {2: 4, 3: 13, 4: 13, 5: 5, 6: 7}
    rows = [distances(place) for place in range(42)]
    assert max(map(max, rows)) == 10
    far = {("ARG", "EAU"): 9, ("MAD", "JAP"): 6, ("ALA", "MAD"): 7, ("SAF", "BRA"): 3}
    assert {pair: rows[BOARD.index(pair[0])][BOARD.index(pair[1])] for pair in far} == far


def test_the_classic_map_neighbours_that_the_rulebook_prints() -> None:
    assert neighbours("GRE") == {"NWT", "ONT", "QUE", "ICE"}
    assert neighbours("NAF") == {"BRA", "CON", "EAF", "EGY", "SEU", "WEU"}
    assert neighbours("ALA") == {"ALB", "KAM", "NWT"}


def test_the_classic_regions() -> None:
    found = {region.id: (len(BOARD.members(i)), region.bonus) for i, region in enumerate(BOARD.regions)}
    assert found == {"NA": (9, 5), "SA": (4, 2), "EU": (7, 5), "AF": (6, 3), "AS": (12, 7), "AU": (4, 2)}
    inside = Counter(
        BOARD.regions[BOARD.territories[a].region].id
        for a, b in BOARD.borders
        if BOARD.territories[a].region == BOARD.territories[b].region
    )
    assert inside == {"NA": 16, "SA": 5, "EU": 12, "AF": 9, "AS": 22, "AU": 5}


def test_territories_are_grouped_by_region_and_drawn_apart() -> None:
    regions = [territory.region for territory in BOARD.territories]
    assert regions == sorted(regions)
    for one in BOARD.territories:
        assert 0 <= one.x <= 100 and 0 <= one.y <= 60
        for other in BOARD.territories:
            if one.id < other.id:  # labels of 7 x 2 cells do not touch
                assert abs(one.x - other.x) >= 7 or abs(one.y - other.y) >= 2, (one.id, other.id)


# ---- what every board must be


def _grid(count: int) -> dict[str, Any]:
    """A complete graph of `count` territories."""
    ids = [f"T{index}" for index in range(count)]
    return {
        "name": "grid",
        "regions": [{"id": "R", "name": "R", "bonus": 1}],
        "territories": [{"id": name, "name": name, "region": "R", "x": 0, "y": 0} for name in ids],
        "borders": [[a, b] for a in ids for b in ids if a < b],
    }


def test_maxima_are_checked() -> None:
    with pytest.raises(RulesetError, match="borders: has 136 pairs; at most 128"):
        boards.read_board(Table(_grid(17)), "grid")
    assert len(boards.read_board(Table(_grid(16)), "grid").borders) == 120
    many = _grid(65) | {"borders": []}
    with pytest.raises(RulesetError, match="territories: has 65 entries; at most 64"):
        boards.read_board(Table(many), "grid")
    with pytest.raises(RulesetError, match="cards: has 65 entries"):
        Deck("d", tuple(boards.Card(f"c{index}", "wild", -1) for index in range(65)))


def test_a_board_made_by_hand_is_checked_too() -> None:
    two = (boards.Territory("A", "A", 0), boards.Territory("B", "B", 0))
    region = (boards.Region("R", "R", 0),)
    assert Board("b", two, region, ((0, 1),)).neighbours == ((1,), (0,))
    for borders in (((1, 0),), ((0, 0),), ((0, 1), (0, 1)), ((0, 2),)):
        with pytest.raises(RulesetError, match="borders"):
            Board("b", two, region, borders)
    with pytest.raises(RulesetError, match=r"regions\[1\]: S has no territory"):
        Board("b", two, (*region, boards.Region("S", "S", 0)), ((0, 1),))


def test_maxima_are_those_of_the_kernel_contract() -> None:
    contract = (Path(engine_core.__file__).parent / "kernel.pxd").read_text()
    for name in ("MAX_SEATS", "MAX_COLOURS", "MAX_TERRITORIES", "MAX_CARDS", "MAX_BORDERS"):
        found = re.search(rf"\b{name} = (\d+)", contract)
        assert found and int(found[1]) == getattr(limits, name)
