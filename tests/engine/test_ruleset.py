"""Variants, options and resolved rulesets: what they resolve to, their texts and hashes, what is refused."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import pytest

import engine_core
from engine_core import load_ruleset, registry
from engine_core.errors import OptionError, RulesetError, TextError, UnknownName
from engine_core.options import Option
from engine_core.ruleset import Ruleset, cyclic_rotations

ALL_SETUPS = [
    (variant.name, seats)
    for variant in engine_core.variants().values()
    for seats in range(variant.seats[0], variant.seats[1] + 1)
]


# ---- variants and options


def test_two_player_is_classic_with_two_seats() -> None:
    assert load_ruleset("classic", seats=2).hash == load_ruleset("two_player").hash
    assert load_ruleset("classic", seats=2).text != load_ruleset("two_player").text


def test_hashes_tell_games_apart_but_not_names() -> None:
    base = load_ruleset("classic", seats=4)
    assert base.hash == load_ruleset("classic", seats=4, starting_troops=30, two_player="neutral").hash
    others = [
        load_ruleset("classic", seats=3),
        load_ruleset("classic", seats=4, turn_cap=50),
        load_ruleset("classic", seats=4, card_deck="B"),
        load_ruleset("classic", seats=4, starting_troops=31),
    ]
    assert len({base.hash, *(other.hash for other in others)}) == 5
    renamed = base.text.replace('"Alaska"', '"Alyeska"').replace('"x":4,', '"x":5,')
    assert renamed != base.text
    assert Ruleset.from_text(renamed).hash == base.hash
    assert re.fullmatch("[0-9a-f]{32}", base.hash)


# Written down before options were added to the family: hash, and BLAKE2b-128 of the text.
FIRST_RELEASE = {
    ("classic", 2): ("8e191384a5276d63e35a6b73096e156d", "0f3e7a8d8570c068647dfe5f895bb6aa"),
    ("classic", 3): ("622d514c6e0db1a1618a456664be909a", "3719d91db08b5201fbcb44768c477b53"),
    ("classic", 4): ("73934e4f1d17462598ad656aeb943753", "b53fdd8f20e7c89508a131c062c1e247"),
    ("classic", 5): ("317390b3ff5e9782f3e0eab5789d02dd", "3606e53ed74cfd21bb3aad4222560883"),
    ("classic", 6): ("879bddd0111971008601b0bc6da79256", "4d29446c424f3fe516dd3ededee285cb"),
    ("two_player", 2): ("8e191384a5276d63e35a6b73096e156d", "ac7699bdd44d138133cd7f01f7c76eea"),
}


@pytest.mark.parametrize(("name", "seats"), FIRST_RELEASE)
def test_rulesets_of_the_first_release_keep_hash_and_text(name: str, seats: int) -> None:
    game = load_ruleset(name, seats=seats)
    text_hash = blake2b(game.text.encode(), digest_size=16).hexdigest()
    assert (game.hash, text_hash) == FIRST_RELEASE[name, seats]


def test_two_seats_have_a_neutral_third_colour() -> None:
    game = load_ruleset("classic", seats=2)
    assert game.colours == ("black", "blue", "neutral")
    assert game.colour_seat == (0, 1, -1)
    assert (game.options["setup"], game.options["starting_troops"]) == ("piles", 40)
    plain = load_ruleset("classic", seats=2, two_player="plain")
    assert plain.colours == ("black", "blue")
    assert (plain.options["setup"], plain.options["starting_troops"]) == ("claim", 40)


@pytest.mark.parametrize(("seats", "troops"), [(3, 35), (4, 30), (5, 25), (6, 20)])
def test_seats_colours_and_starting_troops(seats: int, troops: int) -> None:
    game = load_ruleset("classic", seats=seats)
    assert game.colours == ("black", "blue", "green", "red", "yellow", "violet")[:seats]
    assert game.colour_seat == game.teams == tuple(range(seats))
    assert game.options["starting_troops"] == troops
    assert game.options["two_player"] == "plain"
    assert len(game.rotations) == seats
    assert {rotation[0] for rotation in game.rotations} == set(range(seats))


def test_classic_defaults_are_those_of_the_rules() -> None:
    assert dict(load_ruleset("classic", seats=3).options) == {
        "setup": "claim",
        "two_player": "plain",
        "starting_troops": 35,
        "first_player": "roll",
        "reinforce_start": "next",
        "trade_values": "progressive",
        "territory_bonus": "per_turn",
        "must_trade_at": 5,
        "elimination_trade": "immediate_to_4",
        "deck_exhausted": "reshuffle_discards",
        "card_draw_time": "end_turn",
        "fortify": "adjacent",
        "defender_dice": "choose",
        "min_move": "dice_rolled",
        "last_capture": "occupy",
        "card_deck": "A",
        "turn_cap": 100,
    }


def test_seats_default_to_three_or_the_nearest() -> None:
    assert load_ruleset("classic").seats == 3
    assert load_ruleset("two_player").seats == 2


@pytest.mark.parametrize(("name", "seats"), ALL_SETUPS)
def test_every_variant_round_trips_with_every_number_of_seats(name: str, seats: int) -> None:
    game = load_ruleset(name, seats=seats)
    again = registry.load_resolved(game.text)
    assert again == game
    assert (again.text, again.hash, hash(again)) == (game.text, game.hash, hash(game))
    assert pickle.loads(pickle.dumps(game)) == game
    every = {option.name: option for option in registry.family(game.family).options}
    assert set(registry.options_of(game)) == set(every)
    left_out = set(every) - set(game.options)
    assert left_out == {
        name
        for name, value in registry.options_of(game).items()
        if every[name].added and value == every[name].default
    }
    assert json.dumps(json.loads(game.text), sort_keys=True, separators=(",", ":")) == game.text


def _load(name: str, options: dict[str, Any]) -> Ruleset:
    return load_ruleset(name, **options)


@pytest.mark.parametrize("variant", engine_core.variants().values(), ids=lambda variant: variant.name)
def test_every_option_is_documented(variant: registry.Variant) -> None:
    assert variant.summary.endswith(".")
    for option in variant.options:
        assert option.doc and option.source
        assert option.check(option.default) == option.default
        assert option.parse(str(option.default)) == option.default


CONQUEST = [variant.name for variant in engine_core.variants().values() if variant.family == "conquest"]
CHOICES = [
    (option.name, value)
    for option in registry.family("conquest").options
    for value in (option.values if option.kind == "choice" else (0, 1) if option.kind == "bool" else ())
]


@pytest.mark.parametrize(("option", "value"), CHOICES)
def test_every_value_is_kept_by_a_variant_that_takes_it(option: str, value: str | int) -> None:
    assert any(_keeps(name, seats, option, value) for name, seats in ALL_SETUPS if name in CONQUEST)


def _keeps(name: str, seats: int, option: str, value: str | int) -> bool:
    """Whether the variant takes the value and its resolved text is read back with it."""
    try:
        game = _load(name, {"seats": seats, option: value})
    except OptionError:
        return False
    again = registry.load_resolved(game.text)
    return again == game and registry.options_of(again)[option] == value


@pytest.mark.parametrize("name", CONQUEST)
def test_classic_values_go_with_every_variant_without_stars(name: str) -> None:
    stars = load_ruleset(name).options["trade_values"] == "stars"
    for value in ("progressive", "plus_one", "fixed_2003", "fixed_yura", "italian"):
        if stars:
            with pytest.raises(OptionError, match="card_deck"):
                load_ruleset(name, trade_values=value)
        else:
            assert load_ruleset(name, trade_values=value).options["trade_values"] == value


def test_variants_state_what_makes_them_different() -> None:
    """The differences that the rules page lists, as resolved for four seats."""
    plain = registry.options_of(load_ruleset("classic", seats=4))
    simple = {
        "defender_dice": "max",
        "must_trade_at": 6,
        "elimination_trade": "next_turn",
        "territory_bonus": "none",
    }
    basic = {
        "setup": "deal",
        "capitals": "own",
        "cities": "preset",
        "objectives": "preset",
        "fortify": "path",
        "trade_values": "stars",
        "card_deck": "stars",
        "must_trade_at": 0,
        "elimination_trade": "next_turn",
        "territory_bonus": "none",
        "extra_cards": "by_seats",
        "starting_troops": 25,
    }
    room = basic | {"capitals": "claim", "cities": "random", "objectives": "random", "rewards": 1}
    del room["setup"]  # claimed, as in classic
    expected = {
        "classic_simple": simple,
        "secret_mission": {"setup": "deal", "missions": 1},
        "expert": {"trade_values": "plus_one", "fortify": "path_one_to_many", "troop_cap": 12},
        "capital": {"headquarters": "revealed"},
        "objectives_basic": basic,
        "command_room": room,
        "world_conquest": room | {"objectives_to_win": 0},
    }
    for name, differences in expected.items():
        found = registry.options_of(load_ruleset(name, seats=4))
        assert {key: value for key, value in found.items() if value != plain[key]} == differences
    assert load_ruleset("classic_simple", seats=2).colours == ("black", "blue")
    assert load_ruleset("command_room", seats=5).colours == ("blue", "red", "green", "yellow", "black")


def test_tables_are_there_where_the_rules_need_them() -> None:
    eu14 = load_ruleset("secret_mission").tables["missions"]["missions"]
    us12 = load_ruleset("secret_mission", mission_deck="us12_guess").tables["missions"]["missions"]
    assert (len(eu14), len(us12)) == (14, 12)
    assert set(load_ruleset("command_room").tables) == {"edition"}
    for name in ("classic", "two_player", "classic_simple", "expert", "capital"):
        assert not load_ruleset(name).tables


def test_options_are_immutable() -> None:
    options: Any = load_ruleset("classic").options
    with pytest.raises(TypeError):
        options["turn_cap"] = 1


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(
        UnknownName, match=r"unknown variant 'clasic' \(did you mean 'classic'\?\); valid: .*two_"
    ):
        load_ruleset("clasic")
    with pytest.raises(
        UnknownName, match=r"unknown option 'turncap' \(did you mean 'turn_cap'\?\)"
    ) as caught:
        load_ruleset("classic", turncap=5)
    assert "fortify" in caught.value.valid
    with pytest.raises(UnknownName, match=r"unknown family 'chess'; valid: .*conquest"):
        registry.family("chess")
    with pytest.raises(UnknownName, match="unknown family"):
        registry.kernel("chess")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seats": 7}, r"seats = 7 is not allowed; allowed: 2\.\.6 in variant classic"),
        ({"seats": "3"}, "seats = '3'"),
        ({"seats": True}, "seats = True"),
        ({"fortify": "teleport"}, "fortify = 'teleport' is not allowed; allowed: adjacent, path"),
        ({"turn_cap": 0}, r"turn_cap = 0 is not allowed; allowed: a whole number in 1\.\.10000"),
        ({"turn_cap": 10001}, "turn_cap = 10001"),
        ({"turn_cap": "50"}, "turn_cap = '50'"),
        ({"turn_cap": True}, "turn_cap = True"),
        ({"turn_cap": 5.0}, "turn_cap = 5.0"),
        ({"must_trade_at": 4}, "must_trade_at = 4 is not allowed; allowed: 5, 6, 0"),
        ({"card_deck": "stars"}, "card_deck = 'stars' is not allowed; allowed: A, B, C"),
        ({"trade_values": "stars"}, "stars only together with card_deck = stars, must_trade_at = 0 and elim"),
        ({"missions": True, "seats": 2}, "missions = 1 is not allowed; allowed: false with 2 seats"),
        ({"rewards": True}, "rewards = 1 is not allowed; allowed: false without objectives"),
        ({"objectives": "random"}, "objectives = 'random' is not allowed; allowed: none without capitals"),
        ({"capitals": "own"}, "capitals = 'own' is not allowed; allowed: claim with setup = claim, or none"),
        ({"troop_cap": 2}, r"troop_cap = 2 is not allowed; allowed: 0 \(no limit\) or 3\.\.1000"),
        ({"colours": "red,blue", "seats": 3}, "3 different ones of black, blue"),
        ({"must_trade_at": "5"}, "must_trade_at = '5'"),
        ({"setup": "piles", "seats": 3}, "piles only with 2 seats"),
        ({"setup": "piles", "seats": 2, "two_player": "plain"}, "piles only with 2 seats"),
        ({"starting_troops": 13, "seats": 3}, "starting_troops = 13 is not allowed; allowed: at least 14"),
        ({"starting_troops": 20, "seats": 2, "two_player": "plain"}, "at least 21"),
        ({"starting_troops": 15, "seats": 2}, "allowed: 14, 16, 18, ..."),
        ({"starting_troops": 12, "seats": 2}, "allowed: 14, 16, 18, ..."),
    ],
)
def test_bad_option_values_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load_ruleset("classic", **options)


@pytest.mark.parametrize(
    ("variant", "seats", "option", "value", "words"),
    [
        ("secret_mission", 3, "reinforce_start", "first", "next: it has no effect with setup = deal"),
        ("two_player", 2, "reinforce_start", "first", "next: it has no effect with setup = piles"),
        ("world_conquest", 3, "elimination_win", "immediate", "no effect with objectives_to_win = 0"),
        ("expert", 3, "elimination_win", "immediate", "no effect with objectives = none"),
        ("command_room", 3, "territory_bonus", "per_turn", "no effect with trade_values = stars"),
        ("command_room", 3, "bonus_declinable", 1, "no effect with territory_bonus = none"),
    ],
)
def test_an_option_without_its_part_of_the_game_changes_nothing(
    variant: str, seats: int, option: str, value: str | int, words: str
) -> None:
    given = {option: value}
    (error,) = registry.without_effect(load_ruleset(variant, seats=seats, **given), given)
    assert words in str(error)


def test_an_option_with_its_part_of_the_game_is_not_idle() -> None:
    given: dict[str, str | int] = {"objectives_to_win": 4, "elimination_win": "immediate"}
    assert registry.without_effect(load_ruleset("world_conquest", seats=3, **given), given) == []
    claimed: dict[str, str | int] = {"reinforce_start": "first"}
    assert registry.without_effect(load_ruleset("classic", seats=4, **claimed), claimed) == []


def test_starting_troops_at_their_least() -> None:
    assert load_ruleset("classic", seats=5, starting_troops=9).options["starting_troops"] == 9
    assert load_ruleset("classic", seats=2, starting_troops=14).options["starting_troops"] == 14


def test_option_texts_are_parsed() -> None:
    cap = Option("cap", "int", (-5, 50), 5, "a", "b")
    assert [cap.parse(text) for text in ("50", "-5", "007")] == [50, -5, 7]
    flag = Option("flag", "bool", (), 0, "a", "b")
    assert [flag.parse(text) for text in ("true", "false", "1", "0")] == [1, 0, 1, 0]
    assert [flag.check(value) for value in (True, False, 1, 0)] == [1, 0, 1, 0]
    name = Option("name", "text", (), "", "a", "b")
    assert [name.parse(text) for text in ("red,blue", "7", "true", "")] == ["red,blue", "7", "true", ""]
    assert [name.check("x" * 200), name.allowed] == ["x" * 200, "at most 200 printable characters"]
    for value in (7, True, "two\nlines", "x" * 201):
        with pytest.raises(OptionError, match="at most 200 printable characters"):
            name.check(value)
    for option, text in ((cap, "51"), (cap, "--5"), (cap, "5.0"), (cap, ""), (flag, "yes"), (flag, "2")):
        with pytest.raises(OptionError):
            option.parse(text)


def test_teams_keep_together_in_rotations() -> None:
    assert len(cyclic_rotations((0, 1, 2))) == 3
    assert cyclic_rotations((0, 1, 0, 1)) == ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))
    assert cyclic_rotations((0, 0, 1, 1)) == ((0, 1, 2, 3), (2, 3, 0, 1))


def test_with_unequal_teams_everybody_gets_every_seat() -> None:
    assert cyclic_rotations((0, 1, 1)) == ((0, 1, 2), (1, 2, 0), (2, 0, 1))


# ---- ruleset texts


def _changed(change: Callable[[dict[str, Any]], object]) -> str:
    plain = json.loads(load_ruleset("classic", seats=3).text)
    change(plain)
    return json.dumps(plain)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "(text)"),
        ("{", "(text)"),
        ("[" * 100_000, "(text)"),
        ('{"name": "a", "name": "b"}', "(text)"),
        (" " * ((1 << 20) + 1), "(text)"),
        ("[]", "(top)"),
        (_changed(lambda plain: plain.pop("deck")), "deck"),
        (_changed(lambda plain: plain.update(extra=1)), "extra"),
        (_changed(lambda plain: plain.update(seats=9)), "seats"),
        (_changed(lambda plain: plain.update(seats=4)), "colour_seat"),
        (_changed(lambda plain: plain.update(teams=[0, 1, 3])), "teams[2]"),
        (_changed(lambda plain: plain.update(rotations=[[0, 1]])), "rotations[0]"),
        (
            _changed(lambda plain: plain["board"]["territories"][3].update(region="XX")),
            "board.territories[3].region",
        ),
        (_changed(lambda plain: plain["board"]["borders"].append(["ALA", "NWT"])), "board.borders[83]"),
        (_changed(lambda plain: plain["deck"]["cards"][0].update(territory="XX")), "deck.cards[0].territory"),
        (_changed(lambda plain: plain["deck"]["cards"][0].update(id="NWT")), "deck.cards[1].id"),
        (_changed(lambda plain: plain["options"].update(turn_cap=1.5)), "options.turn_cap"),
        (_changed(lambda plain: plain.update(tables=[])), "tables"),
        (_changed(lambda plain: plain.update(tables={"a": {"b": [1, 1.5]}})), "tables.a.b[1]"),
        (_changed(lambda plain: plain.update(tables={"a": None})), "tables.a"),
        (
            _changed(lambda plain: plain.update(tables={"a": json.loads("[" * 400 + "]" * 400)})),
            f"tables.a{'[0]' * 8}",
        ),
    ],
)
def test_a_malformed_text_says_where(text: str, where: str) -> None:
    with pytest.raises(TextError) as caught:
        Ruleset.from_text(text)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plain: plain.update(family="chess"), "unknown family"),
        (lambda plain: plain["options"].pop("turn_cap"), "options of family conquest are missing: turn_cap"),
        (lambda plain: plain["options"].update(turncap=1), "unknown option"),
        (lambda plain: plain["options"].update(turn_cap=0), "turn_cap = 0"),
        (lambda plain: plain["options"].update(two_player="neutral"), "not a resolved ruleset"),
        (lambda plain: plain["options"].update(starting_troops=3), "at least 14"),
        (lambda plain: plain.update(colours=["a", "b", "neutral"]), "colours"),
        (lambda plain: plain.update(colour_seat=[2, 1, 0]), "not a resolved ruleset"),
        (lambda plain: plain["deck"]["cards"][0].update(symbol="navy"), "symbol"),
        (lambda plain: plain.update(tables={"weather": {}}), "unknown table 'weather'"),
    ],
)
def test_a_text_that_its_family_would_not_make_is_refused(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(RulesetError, match=message):
        registry.load_resolved(_changed(change))


# ---- from names and texts to games


def test_games_are_loaded_by_name_and_by_text() -> None:
    game = engine_core.load("classic", seats=4, trade_values="fixed_2003")
    assert isinstance(game, engine_core.Game)
    assert game.ruleset == load_ruleset("classic", seats=4, trade_values="fixed_2003")
    again = engine_core.load_resolved(game.ruleset.text)
    assert again.ruleset == game.ruleset
    assert again.new_state(seed=7).digest() == game.new_state(seed=7).digest()


def test_every_public_name_of_the_package_is_there() -> None:
    for name in engine_core.__all__:
        assert getattr(engine_core, name) is not None
    misspelt = "Gane"
    with pytest.raises(AttributeError, match="no attribute 'Gane'"):
        getattr(engine_core, misspelt)
