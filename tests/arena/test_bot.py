"""Loading Python bots: both shapes, what they return, and errors that name the file and what is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from match_samples import BOTS, KEY, bot_file, classic

from arena.bot import BotFactory, action_code, bot_of, load_bot
from arena.errors import BotFault, PluginError
from arena.types import BotSpec, Limits
from engine_core import Action


def load(folder: Path, code: str, name: str = "x") -> BotFactory:
    return load_bot(bot_file(folder, name, code).bot)


def ask(factory: BotFactory, seat: int = 0, **options: Any) -> object:
    """What the bot answers at the start of a classic game."""
    game = classic(3)
    state = game.new_state(KEY)
    seat = state.pending()[0]
    return factory.start(game, seat, Random(5), options)(state.view(seat), state.legal(seat))


def test_a_function_gets_view_legal_and_its_own_generator(tmp_path: Path) -> None:
    code = "def decide(view, legal, rng): return [view.seat, len(legal), rng.random()]"
    answer = ask(load(tmp_path, code))
    state = classic(3).new_state(KEY)
    seat = state.pending()[0]
    assert answer == [seat, len(state.legal(seat)), Random(5).random()]


def test_a_function_may_leave_the_generator_out(tmp_path: Path) -> None:
    assert ask(load(tmp_path, "def decide(view, legal): return len(legal)")) == 42


def test_a_class_gets_game_seat_generator_and_options(tmp_path: Path) -> None:
    factory = load(
        tmp_path,
        """
        NAME, VERSION, SUMMARY, VARIANTS = "deep", "7", "thinks", ("classic",)
        class Bot:
            def __init__(self, game, seat, rng, *, depth, width=2):
                self.facts = game.seats, seat, rng.random(), depth, width
            def decide(self, view, legal):
                return self.facts
        """,
    )
    seat = classic(3).new_state(KEY).pending()[0]
    assert ask(factory, depth=3) == (3, seat, Random(5).random(), 3, 2)
    assert (factory.name, factory.version, factory.summary) == ("deep", "7", "thinks")
    assert factory.variants == ("classic",)
    assert factory.options == ("depth", "width")


@pytest.mark.parametrize("parameters", ["limits", "*, limits", "depth=3, *, limits", "*, limits, **options"])
def test_a_class_that_asks_for_limits_is_told_them_and_no_option_takes_their_place(
    tmp_path: Path, parameters: str
) -> None:
    code = f"""
        class Bot:
            def __init__(self, game, seat, rng, {parameters}):
                self.limits = limits
            def decide(self, view, legal):
                return self.limits
        """
    factory = load(tmp_path, code)
    assert "limits" not in (*factory.options, *factory.required)
    game, limits = classic(3), Limits(decision=1.0, game=60.0, increment=0.5, clocked=False)
    state = game.new_state(KEY)
    seat = state.pending()[0]
    options = {"limits": 7} if factory.any_option else {}
    decide = factory.start(game, seat, Random(5), options, limits)
    assert decide(state.view(seat), state.legal(seat)) is limits
    if not factory.any_option:
        with pytest.raises(PluginError, match="unknown option 'limits'"):
            factory.check_options({"limits": 7})


def test_i13_unknown_and_missing_options_are_errors_that_list_the_valid_ones(tmp_path: Path) -> None:
    code = """
        class Bot:
            def __init__(self, game, seat, rng, depth, width=2): pass
            def decide(self, view, legal): return legal[0]
        """
    factory = load(tmp_path, code)
    with pytest.raises(PluginError, match=r"x\.py: unknown option 'dept'; valid: depth, width"):
        factory.check_options({"dept": 1})
    with pytest.raises(PluginError, match=r"x\.py: needs the option 'depth'; valid: depth, width"):
        factory.check_options({"width": 1})
    factory.check_options({"depth": 1})
    with pytest.raises(PluginError, match=r"unknown option 'depth'; valid: \(none\)"):
        ask(load(tmp_path, "def decide(view, legal): return 0", "y"), depth=1)


def test_a_class_with_keyword_arguments_takes_any_option(tmp_path: Path) -> None:
    code = """
        class Bot:
            def __init__(self, game, seat, rng, **options): self.options = options
            def decide(self, view, legal): return self.options
        """
    assert ask(load(tmp_path, code), anything=1) == {"anything": 1}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", r"x\.py: needs a function decide\(view, legal, rng\) or a class Bot"),
        ("decide = 5", r"x\.py: needs a function decide"),
        ("def decide(view): pass", r"x\.py: decide must take \(view, legal, rng\) .*, not \(view\)"),
        ("def decide(a, b, c, d): pass", r"x\.py: decide must take .*, not \(a, b, c, d\)"),
        ("class Bot: pass", r"x\.py: class Bot needs a method decide\(self, view, legal\)"),
        ("class Bot:\n def decide(self, view): pass", r"x\.py: Bot\.decide must take \(self, view, legal\)"),
        ("class Bot:\n def decide(self, view, legal): pass", r"x\.py: Bot must take \(game, seat, rng, "),
        ("import sys\nsys.exit(0)", r"x\.py: cannot be loaded: SystemExit: 0 \(line 2"),
        ("import no_such_module", r"x\.py: cannot be loaded: ModuleNotFoundError: .*no_such_module.*line 1"),
        ("\n1 / 0", r"x\.py: cannot be loaded: ZeroDivisionError: division by zero \(line 2 of .*x\.py\)"),
        ("def decide(:", r"x\.py: cannot be loaded: SyntaxError"),
    ],
)
def test_a_broken_bot_is_named_with_what_is_missing(tmp_path: Path, code: str, message: str) -> None:
    path = tmp_path / "x.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(PluginError, match=message):
        load_bot(BotSpec("x", "python", str(path)))


def test_d06_a_wrong_path_is_an_error_before_any_game(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"nowhere\.py: no such file"):
        load_bot(BotSpec("x", "python", str(tmp_path / "nowhere.py")))
    with pytest.raises(PluginError, match=r"no\.such\.module: cannot be imported: ModuleNotFoundError"):
        load_bot(BotSpec("x", "python", "no.such.module"))


def test_a_command_bot_is_no_module() -> None:
    with pytest.raises(PluginError, match="x: a command bot runs in its own process"):
        load_bot(BotSpec("x", "command", "bots/x"))


def test_files_of_one_name_do_not_clash(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    code = """
        from dataclasses import dataclass
        @dataclass
        class Note:
            value: "int" = {}
        def decide(view, legal): return Note().value
        """
    one = load(tmp_path / "a", code.replace("{}", "1"))
    two = load(tmp_path / "b", code.replace("{}", "2"))
    assert (ask(one), ask(two)) == (1, 2)


def test_a_bot_that_fails_to_load_leaves_nothing_behind(tmp_path: Path) -> None:
    before, paths = set(sys.modules), list(sys.path)
    with pytest.raises(PluginError):
        load(tmp_path, "1 / 0")
    assert set(sys.modules) == before
    assert sys.path == paths


def test_a_bot_loads_by_import_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot_file(tmp_path, "importable_bot", "def decide(view, legal): return 17")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert ask(load_bot(BotSpec("x", "python", "importable_bot"))) == 17


def test_a_function_at_hand_becomes_a_factory() -> None:
    def decide(_view: object, legal: Any) -> object:
        return legal[0]

    factory = bot_of(decide)
    assert factory.name == "decide"
    assert "test_a_function_at_hand" in factory.where
    assert action_code(ask(factory)) == int(classic(3).action("claim ALA"))


def test_answers_may_be_actions_codes_or_ranges() -> None:
    game = classic(3)
    state = game.new_state(KEY)
    first = state.legal(state.pending()[0])[0]
    code = int(first.first())
    assert action_code(first) == action_code(first.first()) == action_code(code) == code


@pytest.mark.parametrize("answer", [None, "claim ALA", 1.5, [Action(0)], object])
def test_anything_else_is_malformed(answer: object) -> None:
    with pytest.raises(BotFault, match="expected an Action, an int code or an ActionRange") as caught:
        action_code(answer)
    assert caught.value.kind == "malformed"


def test_every_bot_of_this_repository_loads() -> None:
    paths = [path for path in sorted(BOTS.glob("*.py")) if not path.name.startswith("_")]
    assert paths
    for path in paths:
        assert load_bot(BotSpec(path.stem, "python", str(path))).where == str(path)
