"""Every scenario of tests/data/scenarios is played; together they show every sentence, option and action."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from scenario import DATA, Scenario, Stage, load

from engine_core import registry
from engine_core.options import Option

CLASSIC = load("classic")
SENTENCES: dict[str, str] = tomllib.loads((DATA / "classic" / "sentences.toml").read_text())["sentences"]


@pytest.mark.parametrize("scenario", CLASSIC, ids=str)
def test_scenario(scenario: Scenario) -> None:
    stage = Stage.of(scenario)
    for number, step in enumerate(scenario.steps):
        try:
            stage.step(step)
        except AssertionError as error:
            raise AssertionError(f"step {number}: {error}") from error


@pytest.mark.parametrize("scenario", CLASSIC, ids=str)
def test_scenario_names_its_sentence(scenario: Scenario) -> None:
    assert scenario.source.startswith(("Rulebook 002, ", "Rules page, ", "Platform: "))
    assert scenario.source.endswith(".")
    assert len(scenario.source) > 30
    assert scenario.rules
    unknown = set(scenario.rules) - set(SENTENCES)
    assert not unknown, f"{unknown} are not in sentences.toml"
    assert scenario.steps


def test_scenario_names_are_unique() -> None:
    names = [scenario.name for scenario in CLASSIC]
    assert len(set(names)) == len(names)


def test_every_sentence_has_a_scenario() -> None:
    shown = {rule for scenario in CLASSIC for rule in scenario.rules}
    assert set(SENTENCES) - shown == set()


def test_sentences_are_sentences() -> None:
    assert all(text.endswith(".") and len(text) > 15 for text in SENTENCES.values())


def shown_values(option: Option) -> set[object]:
    """The values of an option that scenarios play with, set or by default."""
    return {registry_value(scenario, option.name) for scenario in CLASSIC}


def registry_value(scenario: Scenario, name: str) -> object:
    return scenario.game().ruleset.options[name]


@pytest.mark.parametrize("option", registry.family("conquest").options, ids=lambda option: option.name)
def test_every_option_has_a_scenario_for_each_value(option: Option) -> None:
    shown = shown_values(option)
    if option.kind == "choice":
        assert set(option.values) <= shown
    else:
        assert any(value != option.default for value in shown)
        assert any(option.name in scenario.options for scenario in CLASSIC)


def played_words() -> Iterator[str]:
    for scenario in CLASSIC:
        for step in scenario.steps:
            plays = step.get("play", [])
            for line in [plays] if isinstance(plays, str) else plays:
                yield line.split()[1]


def test_every_action_kind_is_played() -> None:
    kinds = {kind.name for kind in CLASSIC[0].game().description.actions}
    assert set(played_words()) == kinds


def test_every_event_kind_is_expected() -> None:
    kinds = {kind.name for kind in CLASSIC[0].game().description.events}
    told = {text.split()[1] for one in CLASSIC for step in one.steps for text in step.get("events", [])}
    assert told == kinds


def test_every_rule_that_an_action_can_break_is_broken() -> None:
    broken = [rule for one in CLASSIC for step in one.steps for _, rule in step.get("illegal", [])]
    rules = CLASSIC[0].game().description.rules
    # 0 is no rule; from "already out" on they concern retiring and positions. Texts have no unused operands.
    for rule in rules[1 : rules.index("the seat is already out of the game")]:
        assert any(part in rule for part in broken) or "that this action does not use" in rule, rule
