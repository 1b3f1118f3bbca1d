"""The bots beat the random one, pursue their goals, finish their games, and answer whatever is asked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import greedy_vs_random
import pytest
from bot_samples import STRONG, matches, player, without_faults
from match_samples import BOTS, bot_file, classic
from source_files import ROOT

from arena.record import unpack

MATCHES = 60  # of two games each
NEEDED = 0.9
ALL_DIFFERENT: dict[str, Any] = {
    "setup": "deal",
    "trade_values": "fixed_2003",
    "territory_bonus": "none",
    "must_trade_at": 6,
    "elimination_trade": "next_turn",
    "fortify": "path",
    "defender_dice": "max",
    "min_move": "one",
    "last_capture": "end",
}
CRASH = """
    def decide(view, legal):
        raise RuntimeError("out of order")
"""
# The same bot without a thought of missions, headquarters and objectives.
BLIND = f"""
    from arena.bot import load_bot
    from arena.types import BotSpec

    GREEDY = load_bot(BotSpec("greedy", "python", {str(BOTS / "greedy.py")!r}))

    class Bot:
        def __init__(self, game, seat, rng):
            self.bot = GREEDY.start(game, seat, rng, {{}}).__self__
            self.bot.goals.fields, self.bot.goals.any = frozenset(), False

        def decide(self, view, legal):
            return self.bot.decide(view, legal)
"""
SAMPLE = 24  # games of each table that are played here; results/greedy-vs-random has the full number
PURSUED = {"secret_mission": 4, "capital": 4, "objectives_basic": 4, "command_room": 4}
ALL_KINDS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("classic", 2, {}),
    ("classic", 4, {"bonus_declinable": 1}),
    ("classic", 3, {"expert_card_reroll": 1, "expert_commander": 1}),
    ("expert", 3, {}),
    ("capital", 3, {}),
    ("world_conquest", 4, {}),
)


@pytest.mark.parametrize("name", STRONG)
def test_beats_random_in_nine_games_of_ten(name: str) -> None:
    games = without_faults(matches([player(name), player("random")], MATCHES))
    won = sum(game.winners == (game.players.index(0),) for game in games)
    assert len(games) == 2 * MATCHES
    assert won >= NEEDED * len(games)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_games_among_them_end_before_the_turn_cap(seats: int) -> None:
    table = [player("watcher", "twin1"), player("fortress", "twin2"), *(player(name) for name in STRONG)]
    games = without_faults(matches(table[-seats:], 2))
    assert Counter(game.termination for game in games) == {"rules": 2 * seats}


@pytest.mark.parametrize("name", STRONG)
def test_even_among_their_own_kind_games_end(name: str) -> None:
    games = without_faults(matches([player(name, f"{name}{i}") for i in range(3)], 2))
    assert Counter(game.termination for game in games) == {"rules": 6}


@pytest.mark.parametrize("name", STRONG)
def test_every_kind_of_decision_is_met_and_answered(name: str) -> None:
    """Two seats place for the neutral colour, more seats claim; goals and expert dice ask for the rest."""
    answered: Counter[str] = Counter()
    for variant, seats, options in ALL_KINDS:
        players = [player(name), *(player("greedy", f"other{i}") for i in range(seats - 1))]
        for game in without_faults(matches(players, 3, variant=variant, **options)):
            record, seat = unpack(game.record), game.players.index(0)
            actions = [what for who, what in record.steps if who == seat and isinstance(what, int)]
            texts = [record.game().action_text(action) for action in actions]
            answered.update(text.split()[0] for text in texts)
    assert set(answered) == {kind.name for kind in classic().description.actions}


@pytest.mark.parametrize("name", STRONG)
def test_plays_the_classic_game_with_all_options_changed(name: str) -> None:
    other = player("random")
    plain = without_faults(matches([player(name), other], 3, two_player="plain", **ALL_DIFFERENT))
    more = without_faults(matches([player(name), other, player("greedy", "second")], 2, **ALL_DIFFERENT))
    assert Counter(game.termination for game in plain + more) == {"rules": 12}


def test_plays_on_when_a_seat_is_retired(tmp_path: Path) -> None:
    players = [*(player(name) for name in STRONG), bot_file(tmp_path, "broken", CRASH)]
    games = list(matches(players, 1))
    assert {game.players[fault.seat] for game in games for fault in game.faults} == {4}
    assert {game.termination for game in games} <= {
        "rules",
        "forfeit",
    }  # the retired seat alone is left: forfeit
    assert all(len(game.winners) == 1 and game.players[game.winners[0]] != 4 for game in games)


# ---- greedy in every variant


@pytest.mark.parametrize(("variant", "seats"), greedy_vs_random.tables())
def test_greedy_wins_more_than_its_share_against_random(variant: str, seats: int) -> None:
    row = greedy_vs_random.measure(variant, seats, SAMPLE)
    assert row.games >= SAMPLE
    assert row.share >= row.needed, row


def test_the_published_table_shows_it_in_400_games_of_every_variant_and_number_of_seats() -> None:
    folder = ROOT / "results" / "greedy-vs-random"
    rows = greedy_vs_random.read(folder)
    assert json.loads((folder / "run.json").read_text(encoding="utf-8")) == greedy_vs_random.run(folder)
    assert [(row.variant, row.seats) for row in rows] == greedy_vs_random.tables()
    for row in rows:
        assert row.games >= greedy_vs_random.GAMES and row.games % row.seats == 0, row
        assert (row.low, row.high) == pytest.approx(greedy_vs_random.wilson(row.won, row.games), abs=1e-4)
        assert row.share == pytest.approx(row.won / row.games, abs=1e-4)
        assert row.low > row.needed == pytest.approx(greedy_vs_random.needed(row.seats), abs=1e-4), row


def test_wilson_interval_of_a_known_case() -> None:
    assert greedy_vs_random.wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize("variant", PURSUED)
def test_goals_are_worth_it(variant: str, tmp_path: Path) -> None:
    """Half the table is greedy, half the same bot that sees no goals, alternately; the goals win."""
    blind = bot_file(tmp_path, "blind", BLIND)
    seats = PURSUED[variant]
    players = [replace(blind, name=f"blind{i}") if i % 2 else player("greedy", f"g{i}") for i in range(seats)]
    games = without_faults(matches(players, 10, variant=variant))
    won = Counter(game.players[seat] % 2 for game in games for seat in game.winners)
    assert won[0] > 1.4 * won[1], won
