"""Every bot of bots/ plays every variant it claims, with every number of seats, without a fault."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bot_samples import LIMITS, player
from match_samples import BOTS, bot_file, driver_of, plan_of
from tournament_samples import ROOT, arena

import engine_core
from arena import plugins
from arena.spec import plays
from arena.store import Store
from arena.types import GameResult, Player

NAMES = sorted(path.stem for path in BOTS.glob("*.py"))
LAPS = 6
EXTERNAL = f"""
name = "goals"
players = ["greedy", {{ path = "{ROOT}/bots/outrider" }}, {{ path = "{ROOT}/bots/vanguard" }}]
rounds = 2
seed = 77
database = "sqlite:///results.db"
variants = [
    {{ name = "command_room", seats = 3, options = {{ turn_cap = 12 }} }},
    {{ name = "capital", seats = 3, options = {{ turn_cap = 12 }} }},
    {{ name = "secret_mission", seats = 3, options = {{ turn_cap = 12 }} }},
]
clocks = {{ start = 60, decision = 60, game = 3600 }}
"""
# A bot that knows one phase and has never heard of the others.
NOVICE = """
    from arena.tactics import PhaseBot

    class Bot(PhaseBot):
        def attack(self, legal):
            return legal[0].last()
"""


def claimed(name: str) -> list[str]:
    """The variants that a bot claims, by their names or their family's."""
    bot = plugins.installed().find_bot(name)
    return [each for each, variant in engine_core.variants().items() if plays(bot, variant)]


def one_game(players: list[Player], variant: str) -> GameResult:
    game = engine_core.load(variant, seats=len(players), turn_cap=LAPS)
    result = driver_of(players).play(plan_of(players, game, limits=LIMITS, rotations=1))
    assert result.error == ""
    return result.games[0]


def of_family(family: str) -> list[str]:
    return [name for name, variant in engine_core.variants().items() if variant.family == family]


def test_every_bot_here_claims_every_variant_of_its_family() -> None:
    conquest, endor = of_family("conquest"), of_family("endor")
    assert (len(conquest) >= 9, endor) == (True, ["endor", "endor_teams"])
    families = {"greedy_endor": endor, "random": list(engine_core.variants())}
    assert {name: claimed(name) for name in NAMES} == {name: families.get(name, conquest) for name in NAMES}


@pytest.mark.parametrize(("name", "variant"), [(name, each) for name in NAMES for each in claimed(name)])
def test_plays_what_it_claims(name: str, variant: str) -> None:
    lowest, highest = engine_core.variants()[variant].seats
    able = [other for other in NAMES if variant in claimed(other) and other != name]
    others = [player(other, f"{other}{i}") for i, other in enumerate(able * (highest - 1))]
    for seats in range(lowest, highest + 1):
        game = one_game([player(name), *others[: seats - 1]], variant)
        assert game.faults == (), (seats, game.faults)


@pytest.mark.parametrize("variant", of_family("conquest"))
def test_a_bot_plays_on_through_phases_that_it_does_not_know(variant: str, tmp_path: Path) -> None:
    seats = engine_core.variants()[variant].seats[1]
    novice = bot_file(tmp_path, "novice", NOVICE)
    game = one_game([novice, *(player("random", f"random{i}") for i in range(1, seats))], variant)
    assert game.faults == ()


def test_bots_in_their_own_processes_play_variants_with_goals(tmp_path: Path) -> None:
    file = tmp_path / "goals.toml"
    file.write_text(EXTERNAL)
    done = arena("tournament", "run", file, "--runner", "inline")
    assert done.returncode == 0, done.stderr
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        (row,) = store.tournaments()
        games, faults = list(store.games(row.id)), store.faults(row.id)
    assert faults == ()
    assert Counter(game.pool.label for game in games) == {
        "command_room": 6,
        "capital": 6,
        "secret_mission": 6,
    }
