"""Every scenario of tests/data/scenarios is played; together they show every sentence, option and action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from scenario import Scenario, Stage, folders, load, sentences

from engine_core import Game, registry
from engine_core.options import Option

SCENARIOS = [scenario for folder in folders() for scenario in load(folder)]
FAMILIES = sorted({scenario.game().ruleset.family for scenario in SCENARIOS})
SENTENCES = {name: text for folder in folders() for name, text in sentences(folder).items()}
SOURCES = (*(f"Rulebook 00{number}, " for number in range(1, 5)), "Rules page, ", "Platform: ")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario(scenario: Scenario) -> None:
    stage = Stage.of(scenario)
    for number, step in enumerate(scenario.steps):
        try:
            stage.step(step)
        except AssertionError as error:
            raise AssertionError(f"step {number}: {error}") from error


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario_names_its_sentence(scenario: Scenario) -> None:
    assert scenario.source.startswith(SOURCES)
    assert scenario.source.endswith(".")
    assert len(scenario.source) > 30
    assert scenario.rules
    unknown = set(scenario.rules) - set(SENTENCES)
    assert not unknown, f"{unknown} are not in sentences.toml"
    assert scenario.steps


def test_scenario_names_are_unique() -> None:
    names = Counter((scenario.folder, scenario.name) for scenario in SCENARIOS)
    assert [name for name, times in names.items() if times > 1] == []


def test_a_sentence_is_in_one_folder_only() -> None:
    assert sum(len(sentences(folder)) for folder in folders()) == len(SENTENCES)


def test_every_sentence_has_a_scenario() -> None:
    shown = {rule for scenario in SCENARIOS for rule in scenario.rules}
    assert set(SENTENCES) - shown == set()


def test_sentences_are_sentences() -> None:
    assert all(text.endswith(".") and len(text) > 15 for text in SENTENCES.values())


def shown_values(family: str, option: Option) -> set[object]:
    """The values of an option that scenarios play with, set or by default, which a ruleset may leave out."""
    rulesets = [scenario.game().ruleset for scenario in SCENARIOS]
    return {each.options.get(option.name, option.default) for each in rulesets if each.family == family}


OPTIONS = [(family, option) for family in FAMILIES for option in registry.family(family).options]


@pytest.mark.parametrize(("family", "option"), OPTIONS, ids=[f"{each}.{one.name}" for each, one in OPTIONS])
def test_every_option_has_a_scenario_for_each_value(family: str, option: Option) -> None:
    shown = shown_values(family, option)
    if option.kind == "choice":
        assert set(option.values) <= shown
    elif option.kind == "bool":
        assert shown == {0, 1}
    else:
        assert any(value != option.default for value in shown)
        assert any(option.name in scenario.options for scenario in SCENARIOS)


def games() -> Iterator[Game]:
    """One game of each variant that scenarios play."""
    return iter({scenario.variant: scenario.game() for scenario in SCENARIOS}.values())


def played_words() -> Iterator[str]:
    for scenario in SCENARIOS:
        for step in scenario.steps:
            plays = step.get("play", [])
            for line in [plays] if isinstance(plays, str) else plays:
                yield line.split()[1]


def test_every_action_kind_is_played() -> None:
    kinds = {kind.name for game in games() for kind in game.description.actions}
    assert set(played_words()) == kinds


def test_every_event_kind_is_expected() -> None:
    kinds = {kind.name for game in games() for kind in game.description.events}
    steps = [step for one in SCENARIOS for step in one.steps]
    texts = [text for step in steps for text in step.get("events", [])]
    texts += [text for step in steps for _, text in step.get("hears", [])]
    assert {text.split()[1] for text in texts} == kinds


def test_every_rule_that_an_action_can_break_is_broken() -> None:
    broken = [rule for one in SCENARIOS for step in one.steps for _, rule in step.get("illegal", [])]
    rules = dict.fromkeys(rule for game in games() for rule in breakable(game))
    # Texts have no unused operands.
    assert not [
        rule
        for rule in rules
        if not any(part in rule for part in broken) and "that this action does not use" not in rule
    ]


def breakable(game: Game) -> tuple[str, ...]:
    """The rules that an action can break: 0 is none, from "already out" on they concern other things."""
    rules = game.description.rules
    return rules[1 : rules.index("the seat is already out of the game")]
