"""From the end of a real game to the tables: the winner is who won, in every seat and for every reason.

One match has its first player in every seat once. What the referee says of each game must come out of the
database, the standings, the exports and the ratings unchanged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from match_samples import FIRST, bot_file, checked, classic, driver_of, plan_of
from store_samples import open_store

from arena.botfiles import load_bot
from arena.formats.round_robin import RoundRobin
from arena.store import Store
from arena.store.rows import GameRow
from arena.types import Limits, MatchPlan, MatchResult, Pairing, Player, Termination

BOTS = Path(__file__).resolve().parents[2] / "bots"
ENDLESS = 10_000
CRASH = """
    def decide(view, legal):
        raise RuntimeError("always")
"""

# By end reason: the first player's bot and the others', the turn cap, and the first player's share of a game
# with 2 and with 3 seats.
CASES: dict[Termination, tuple[str, str, int, tuple[float, float]]] = {
    "rules": ("greedy", FIRST, 300, (1.0, 1.0)),
    "turn_cap": (FIRST, FIRST, 2, (1 / 2, 1 / 3)),
    "forfeit": (FIRST, CRASH, ENDLESS, (1.0, 1.0)),
    "game_limit": (FIRST, FIRST, ENDLESS, (1 / 2, 1 / 3)),
}


def players_of(folder: Path, first: str, others: str, seats: int) -> tuple[Player, ...]:
    """The player all is about, and `seats` - 1 others."""
    if first == "greedy":
        head = Player("hero", load_bot(BOTS / "greedy.py"))
    else:
        head = bot_file(folder, "hero", first)
    return (head, *(bot_file(folder, f"other{number}", others) for number in range(1, seats)))


def play(folder: Path, reason: Termination, seats: int) -> tuple[MatchPlan, MatchResult]:
    """One real match whose games end for this reason."""
    first, others, cap, _ = CASES[reason]
    players = players_of(folder, first, others, seats)
    plan = plan_of(players, classic(seats, turn_cap=cap), limits=Limits(decision=60.0, game=3600.0))
    limit = {"game_limit_s": 0.2} if reason == "game_limit" else {}
    return plan, checked(driver_of(plan.players, **limit).play(plan))


def stored(folder: Path, plan: MatchPlan, result: MatchResult) -> tuple[Store, int]:
    """The match committed and rated."""
    store = open_store(folder / "arena.db")
    tournament = store.create_tournament(
        name="paths",
        spec="",
        seed=b"s" * 16,
        commitment="",
        setups=[plan.setup],
        players=plan.players,
        total=RoundRobin([plan.setup], len(plan.players), 1, b"s").total(),
    )
    pairing = Pairing(0, 0, 0, tuple(range(len(plan.players))))
    assert store.commit_match(tournament, pairing, plan.key, result)
    assert store.update_ratings(tournament) == 1
    return store, tournament


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("reason", CASES)
def test_d03_a14_every_end_in_every_seat_reaches_tables_and_ratings(
    tmp_path: Path, reason: Termination, seats: int
) -> None:
    plan, result = play(tmp_path, reason, seats)
    share = CASES[reason][3][seats - 2]
    store, tournament = stored(tmp_path, plan, result)
    games = list(store.games(tournament))
    assert [game.termination for game in games] == [reason] * seats
    assert sorted(seat_of_hero(game) for game in games) == list(range(seats))
    for game, played in zip(games, result.games, strict=True):
        hero = game.seats[seat_of_hero(game)]
        assert hero.score == pytest.approx(share)
        assert hero.won == (share == 1.0)
        assert hero.placement == ((1, 1) if share == 1.0 else (1, seats))
        assert [seat.won for seat in game.seats] == [seat in played.winners for seat in range(seats)]
        assert [seat.player for seat in game.seats] == [plan.players[who].name for who in played.players]
        if share == 1.0:
            assert all((seat.score, seat.won) == (0.0, False) for seat in game.seats if seat is not hero)
    check_tables(store, tournament, share, seats)
    store.close()


def seat_of_hero(game: GameRow) -> int:
    return next(seat.seat for seat in game.seats if seat.player == "hero")


def check_tables(store: Store, tournament: int, share: float, seats: int) -> None:
    """Standings, pairwise, export and ratings agree that the hero had this share of every game."""
    hero, *others = store.leaderboard(tournament_id=tournament)
    if share == 1.0:
        assert (hero.player.label, hero.wins) == ("hero", seats)
        assert all(other.score == 0.0 and other.wins == 0 for other in others)
    for row in (hero, *others):
        assert row.score == pytest.approx(share if row.player.label == "hero" else (1 - share) / (seats - 1))
    for pair in store.pairwise(tournament_id=tournament):
        if pair.player.label == "hero":
            assert (pair.outscored, pair.tied) == ((1.0, 0.0) if share == 1.0 else (0.0, 1.0))
    table = store.export(tournament, "games")
    rows: list[dict[str, Any]] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert sum(row["score"] for row in rows if row["player"] == "hero") == pytest.approx(share * seats)
    changes = {change.player: change for change in store.rating_changes(tournament)}
    assert changes["hero"].actual == pytest.approx(share * seats)
    up = changes["hero"].after - changes["hero"].before
    assert up > 0 if share == 1.0 else up == pytest.approx(0)
    assert sum(change.after - change.before for change in changes.values()) == pytest.approx(0)


@pytest.mark.parametrize("seats", [2, 3])
def test_a14_a_win_by_forfeit_is_a_win_on_the_ladder(tmp_path: Path, seats: int) -> None:
    """It moves ratings exactly as a win by the rules does."""
    changes = []
    for reason in ("rules", "forfeit"):
        folder = tmp_path / reason
        folder.mkdir()
        store, tournament = stored(folder, *play(folder, reason, seats))
        changes.append([(c.player, c.after, c.actual) for c in store.rating_changes(tournament)])
        store.close()
    assert changes[0] == changes[1]
