"""The bots of the classic game beat the random one, finish their games, and answer whatever is asked."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from bot_samples import STRONG, matches, player, without_faults
from match_samples import bot_file, classic

from arena.bot import action_code, load_bot
from arena.record import unpack

MATCHES = 200  # of two games each
NEEDED = 0.9
ANSWER_S = 0.3e-3
ALL_DIFFERENT = {
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


@pytest.mark.parametrize("name", STRONG)
def test_beats_random_in_nine_games_of_ten(name: str) -> None:
    games = without_faults(matches([player(name), player("random")], MATCHES))
    won = sum(game.winners == (game.players.index(0),) for game in games)
    assert len(games) == 2 * MATCHES
    assert won >= NEEDED * len(games)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_games_among_them_end_before_the_turn_cap(seats: int) -> None:
    table = [player("watcher", "twin1"), player("fortress", "twin2"), *(player(name) for name in STRONG)]
    games = without_faults(matches(table[-seats:], 3))
    assert Counter(game.termination for game in games) == {"rules": 3 * seats}


@pytest.mark.parametrize("name", STRONG)
def test_even_among_their_own_kind_games_end(name: str) -> None:
    games = without_faults(matches([player(name, f"{name}{i}") for i in range(3)], 3))
    assert Counter(game.termination for game in games) == {"rules": 9}


@pytest.mark.parametrize("name", STRONG)
def test_every_kind_of_decision_is_met_and_answered(name: str) -> None:
    """Two seats place for the neutral colour too; more seats claim; long games trade and choose the bonus."""
    answered: Counter[str] = Counter()
    for seats in (2, 4):
        players = [player(name), *(player("greedy", f"other{i}") for i in range(seats - 1))]
        for game in without_faults(matches(players, 3)):
            record, seat = unpack(game.record), game.players.index(0)
            texts = [record.game().action_text(action) for who, action in record.steps if who == seat]
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


@pytest.mark.parametrize("name", STRONG)
def test_answers_in_a_third_of_a_millisecond(name: str) -> None:
    """Processor time of decide alone, the view's fields included, over a whole game against its own kind."""
    game = classic(4, turn_cap=100)
    state = game.new_state(seed=5)
    factory = load_bot(player(name).bot)
    bots = [factory.start(game, seat, Random(seat), {}) for seat in range(4)]
    answers, used = 0, 0.0
    while pending := state.pending():
        view, legal = state.view(pending[0]), state.legal(pending[0])
        started = time.thread_time()
        choice = bots[pending[0]](view, legal)
        used += time.thread_time() - started
        answers += 1
        state.apply(pending[0], action_code(choice))
    assert answers > 300
    assert used / answers < ANSWER_S
