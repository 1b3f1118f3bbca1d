"""What is said about a variant follows from its rules, names only what there is, and misses nothing."""

from __future__ import annotations

import re
from random import Random

import pytest

import engine_core
from engine_core.conquest.rulings import sources
from engine_core.facts import Section, facts, words
from engine_core.options import OptionValue

VARIANTS = sorted(engine_core.variants())
Case = tuple[str, dict[str, OptionValue]]
CASES: list[Case] = [(name, {}) for name in VARIANTS]
CHOICES: list[Case] = [
    ("classic", {"defender_dice": "max", "territory_bonus": "none", "card_draw_time": "end_attack"}),
    ("classic", {"trade_values": "italian", "fortify": "path_many", "expert_card_reroll": 1}),
    ("classic", {"setup": "deal", "first_player": "first", "expert_commander": 1, "must_trade_at": 0}),
    ("secret_mission", {"mission_deck": "us12_guess", "mission_check": "own_turn"}),
    ("capital", {"headquarters": "hidden", "capital_short": 1}),
    ("command_room", {"reward_placement": "pile", "airfield_scope": "either", "objectives_to_win": 4}),
    ("classic", {"missions": 1, "headquarters": "hidden", "cities": "preset"}),
    ("classic", {"objectives": "random", "capitals": "claim", "cities": "random", "rewards": 1}),
    ("command_room", {"three_player_card": 1, "guaranteed_card_beats_objective": 1}),
]


def sections(name: str, **options: OptionValue) -> dict[str, Section]:
    """The sections of a variant by name."""
    return {section.name: section for section in facts(name, **options)}


def column(section: Section, head: str = "") -> list[str]:
    """One column of a section's table, the first unless named."""
    at = section.heads.index(head) if head else 0
    return [row[at] for row in section.rows]


@pytest.mark.parametrize(("name", "options"), [*CASES, *CHOICES])
def test_tables_are_whole(name: str, options: dict[str, OptionValue]) -> None:
    found = facts(name, **options)
    assert len({section.name for section in found}) == len(found)
    for section in found:
        assert section.title
        assert section.text or section.rows
        for row in section.rows:
            assert len(row) == len(section.heads)
            assert row[0]
            assert not re.search(r"[{}]|None", " ".join(row))


@pytest.mark.parametrize(("name", "options"), [*CASES, *CHOICES])
def test_the_turn_names_the_decisions_that_there_are(name: str, options: dict[str, OptionValue]) -> None:
    known = {kind.name for kind in engine_core.load(name).description.actions}
    found = sections(name, **options)
    for section in (found["setup"], found["turn"]):
        for decisions in column(section, "decisions"):
            words_of = re.findall(r"^\w+|(?<=, or )\w+", decisions)
            assert set(words_of) <= known


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_of_a_game_is_in_the_tables(name: str) -> None:
    """Games at random meet most kinds of decisions; each must be told about."""
    found, rng = sections(name), Random(1)
    told = " ".join(
        [*column(found["setup"], "decisions"), *column(found["turn"], "decisions")]
        + (
            column(found["two_seats"], "decisions")
            if found.get("two_seats") and found["two_seats"].rows
            else []
        )
    )
    for seats in range(engine_core.variants()[name].seats[0], engine_core.variants()[name].seats[1] + 1):
        game = engine_core.load(name, seats=seats, turn_cap=30)
        state = game.new_state(seats)
        while pending := state.pending():
            action = state.legal(pending[0]).sample(rng)
            kind = game.description.actions[action.kind].name
            assert re.search(rf"\b{kind}\b", told), f"{kind} is not told about"
            state.apply(pending[0], action)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_option_is_listed_with_its_default_and_a_known_source(name: str) -> None:
    listed = sections(name)["options"]
    options = engine_core.variants()[name].options
    assert column(listed) == [option.name for option in options]
    for option, default in zip(options, column(listed, "default"), strict=True):
        shown = {"bool": "true" if option.default else "false"}.get(option.kind, str(option.default) or "-")
        assert default.partition(" (")[0] == shown
    for option in options:
        for part in re.split(r" \(|, |: |\)", option.source):
            named = part in sources() or part in map(str, option.values) or not part
            assert named or re.fullmatch(r"\w+", part), f"{option.name}: nobody explains the source {part!r}"


def test_an_option_that_differs_names_the_familys_default() -> None:
    defaults = dict(
        zip(
            column(sections("expert")["options"]),
            column(sections("expert")["options"], "default"),
            strict=True,
        )
    )
    assert defaults["troop_cap"] == "12 (0)"
    assert defaults["fortify"] == "path_one_to_many (adjacent)"
    assert defaults["setup"] == "claim"


def test_the_tables_follow_the_options() -> None:
    assert "bonus" in column(sections("classic")["turn"])
    assert "bonus" not in column(sections("classic", territory_bonus="none")["turn"])
    assert column(sections("classic")["turn"])[-1] == "card"
    early = column(sections("classic", card_draw_time="end_attack")["turn"])
    assert early.index("card") < early.index("fortify")
    assert "stars" in column(sections("command_room")["turn"])
    assert "maneuver" not in column(sections("objectives_basic")["turn"])
    assert column(sections("command_room")["victory"]) == ["last one standing", "objectives", "turn cap"]
    assert column(sections("world_conquest")["victory"]) == ["last one standing", "turn cap"]
    assert len(sections("secret_mission")["missions"].rows) == 14
    assert len(sections("secret_mission", mission_deck="us12_guess")["missions"].rows) == 12
    assert len(sections("command_room")["objectives"].rows) == 12
    assert len(sections("objectives_basic")["objectives"].rows) == 8
    assert "rewards" not in sections("objectives_basic")
    twenty = column(sections("command_room", territories_objective=20)["objectives"], "what it asks for")
    assert "hold 20 territories" in twenty


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_synthetic_is_said(name: str) -> None:
    options = {option.name: option.default for option in engine_core.variants()[name].options}
    said = " ".join(" ".join(row) for row in sections(name)["reconstructed"].rows)
    assert ("SYNTHETIC" in said) == (options["trade_values"] == "stars")
    for option in column(sections(name)["rulings"], "option"):
        for part in filter(None, option.split(", ")):
            assert part in options, f"a ruling names an option {part} that there is not"


@pytest.mark.parametrize("name", VARIANTS)
def test_every_label_has_words(name: str) -> None:
    game = engine_core.load(name)
    found = words(game.ruleset)
    for label, names in game.description.labels.items():
        assert set(names) <= set(found[label])


def test_only_the_seats_that_the_options_allow_are_told() -> None:
    assert column(sections("classic")["seats"]) == ["2", "3", "4", "5", "6"]
    assert column(sections("classic", capitals="claim", cities="preset")["seats"]) == ["3", "4", "5", "6"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(engine_core.UnknownName, match="chess"):
        facts("chess")
    with pytest.raises(engine_core.OptionError, match="12"):
        facts("classic", turn_cap="12")
