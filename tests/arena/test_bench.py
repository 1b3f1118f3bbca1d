"""The benchmarks of variants and bots: what stands beside what. Nothing is timed here."""

from __future__ import annotations

import engine_core
from arena.bench import bots, variants


def test_the_yardstick_has_the_same_seats_and_turn_cap() -> None:
    for name, seats in (("command_room", 5), ("two_player", 2)):
        game = engine_core.load(name, seats=seats, turn_cap=7)
        classic = variants.yardstick(game)
        assert (classic.ruleset.name, classic.seats, classic.ruleset.options["turn_cap"]) == (
            "classic",
            seats,
            7,
        )
    endor = engine_core.load("endor_teams", seats=4, turn_cap=7)
    assert variants.yardstick(endor).ruleset.hash == engine_core.load("classic", seats=4).ruleset.hash


def test_every_variant_and_number_of_seats_is_measured_beside_classic() -> None:
    figures = variants.compare(decisions=2_000, repeats=1)
    names = [
        f"{name}, {seats} seats"
        for name, variant in engine_core.variants().items()
        for seats in range(variant.seats[0], variant.seats[1] + 1)
    ]
    assert [figure.name for figure in figures] == [name for name in names for _ in range(2)]
    for cost, pace in zip(figures[::2], figures[1::2], strict=True):
        variant = engine_core.variants()[cost.name.partition(", ")[0]]
        goal = {"conquest": "<= 1.6", "endor": "<= 1.5"}[variant.family]
        assert (cost.unit, cost.goal, pace.unit, pace.goal) == ("ns/decision", goal, "games/s", "")
        assert cost.beside == pace.beside == f"classic, {cost.name.rpartition(', ')[2]}"
        assert cost.ratio is not None and cost.ratio > 0
        assert pace.value > 0


def test_every_bot_that_plays_inside_is_measured_in_what_it_plays() -> None:
    figures = bots.measure(quick=True)
    families = {"conquest": ("continent", "fortress", "greedy", "watcher"), "endor": ("greedy_endor",)}
    names = [
        f"{bot}, {name}, {variant.usual_seats} seats"
        for name, variant in engine_core.variants().items()
        for bot in families[variant.family]
    ]
    assert {figure.name for figure in figures} >= set(names)
    for figure in figures:
        assert (figure.unit, figure.beside, figure.goal) == ("us/answer", "random", "")
        assert figure.ratio is not None and figure.ratio > 0 < figure.value
