"""Players that command a whole team, and tournaments of mixed families."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tournament_samples import WIDE, arena

from arena.store import Store
from arena.store.rows import GameRow, PoolRow


def tournament(folder: Path, variants: str, players: str = '"random", "./first.py", "./last.py"') -> Path:
    """A tournament of three plain bots."""
    (folder / "first.py").write_text("def decide(view, legal, rng):\n    return legal[0].first()\n")
    (folder / "last.py").write_text(
        "def decide(view, legal, rng):\n    return legal[len(legal) - 1].last()\n"
    )
    file = folder / "mixed.toml"
    database = 'database = "sqlite:///results.db"'
    file.write_text(f'name = "mixed"\nplayers = [{players}]\nseed = 5\n{database}\n{WIDE}\n{variants}')
    return file


ENDOR = '[[variants]]\nname = "endor"\nseats = 2\n'
TEAMS = '[[variants]]\nname = "endor_teams"\nseats = 4\nplayer_commands = "team"\n'
CLASSIC = '[[variants]]\nname = "classic"\nseats = 3\noptions = { turn_cap = 4 }\n'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A tournament of three bots: endor, whole teams of endor_teams, and classic."""
    folder = tmp_path_factory.mktemp("mixed")
    done = arena("tournament", "run", tournament(folder, ENDOR + TEAMS + CLASSIC))
    assert done.returncode == 0, done.stderr
    verified = arena("verify", "mixed", "--all", "--db", folder / "results.db")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return Store(f"sqlite:///{folder / 'results.db'}")


def games_of(store: Store, variant: str) -> tuple[PoolRow, list[GameRow]]:
    games = [game for game in store.games(1) if game.pool.label == variant]
    (pool,) = {game.pool for game in games}
    return pool, games


def test_two_pools_of_a_variant_are_told_apart(tmp_path: Path) -> None:
    """A player a seat, and one a team: by the first line of the run, the titles and the table of games."""
    seats = '[[variants]]\nname = "endor_teams"\nseats = 4\noptions = { turn_cap = 2 }\n'
    teams = f'{seats}player_commands = "team"\n'
    players = '"random", "./first.py", "./last.py", "greedy_endor"'
    done = arena("tournament", "run", tournament(tmp_path, seats + teams, players))
    assert done.returncode == 0, done.stderr
    assert "7 matches of endor_teams 4, endor_teams 4 (2 players)" in done.stderr
    assert "endor_teams, 2 players with 4 seats" in done.stdout
    exported = arena("export", "games", "mixed", "--json", "--db", tmp_path / "results.db")
    rows = json.loads(exported.stdout)
    assert {(row["variant"], row["seats"], row["entrants"]) for row in rows} == {
        ("endor_teams", 4, 4),
        ("endor_teams", 4, 2),
    }
    assert all(row["teams"] == "0,1,1,0" for row in rows if row["entrants"] == 4)


def test_each_variant_has_a_pool_with_ratings_of_its_own(store: Store) -> None:
    pools = store.pools(1)
    assert {(pool.label, pool.seats, pool.entrants) for pool in pools} == {
        ("endor", 2, 2),
        ("endor_teams", 4, 2),
        ("classic", 3, 3),
    }
    for pool in pools:
        rows = store.leaderboard(tournament_id=1, pool_id=pool.id)
        assert len(rows) == 3
        assert all(row.rating is not None for row in rows)
        assert math.fsum(row.rating or 0 for row in rows) == pytest.approx(3 * 1500)
    by_pool = {pool.label: store.leaderboard(tournament_id=1, pool_id=pool.id) for pool in pools}
    assert len({tuple(sorted(row.rating or 0 for row in rows)) for rows in by_pool.values()}) == 3


def test_a_player_commands_both_seats_of_a_team_and_each_team_once_a_match(store: Store) -> None:
    pool, games = games_of(store, "endor_teams")
    assert pool.teams == (0, 1, 1, 0)
    assert len(games) == 3 * 2  # three pairings of two players, each team once
    for game in games:
        rebels, empire = ({seat.player for seat in game.seats if pool.teams[seat.seat] == t} for t in (0, 1))
        assert len(rebels) == len(empire) == 1 and rebels != empire
    sides = [(game.sequence, game.seats[0].player) for game in games]
    assert len(set(sides)) == len(sides)


def test_a_team_shares_score_and_placement_and_its_player_counts_once(store: Store) -> None:
    pool, games = games_of(store, "endor_teams")
    for game in games:
        assert sorted(seat.score for seat in game.seats) == [0, 0, 0.5, 0.5]
        for seat, mate in ((0, 3), (1, 2)):
            assert game.seats[seat].placement == game.seats[mate].placement
            assert game.seats[seat].score == game.seats[mate].score
    rows = store.leaderboard(tournament_id=1, pool_id=pool.id)
    assert [row.games for row in rows] == [4, 4, 4]  # two pairings of two games, not eight seats
    assert math.fsum(row.score * row.games for row in rows) == pytest.approx(len(games))
    assert sum(row.wins for row in rows) == len(games)


def test_its_rating_moves_as_in_a_game_of_two(store: Store) -> None:
    """Two players a game: K is that of two, expected scores sum to 1 over the players."""
    pool, _ = games_of(store, "endor_teams")
    changes = [change for change in store.rating_changes(1) if change.pool.id == pool.id]
    by_match: dict[int, list[float]] = {}
    for change in changes:
        assert change.games == 2
        assert change.after - change.before == pytest.approx(16 * (change.actual - change.expected))
        by_match.setdefault(change.sequence, []).append(change.expected)
    assert all(
        math.fsum(expected) == pytest.approx(2) and len(expected) == 2 for expected in by_match.values()
    )


def test_one_player_a_seat_is_another_pool(tmp_path: Path) -> None:
    seats = TEAMS.replace('player_commands = "team"\n', "")
    four = '"random", "./first.py", "./last.py", "greedy_endor"'
    done = arena("tournament", "run", tournament(tmp_path, seats + TEAMS, four))
    assert done.returncode == 0, done.stderr
    with Store(f"sqlite:///{tmp_path / 'results.db'}") as store:
        assert sorted(pool.entrants for pool in store.pools(1)) == [2, 4]
        first, second = store.pools(1)
        assert first.ruleset_hash == second.ruleset_hash
    shown = arena("leaderboard", "mixed", "--db", tmp_path / "results.db")
    assert "2 players with 4 seats" in shown.stdout


def test_only_variants_with_teams_have_whole_teams(tmp_path: Path) -> None:
    done = arena("tournament", "run", tournament(tmp_path, ENDOR + 'player_commands = "team"\n'))
    assert done.returncode == 2
    assert "variants[0].player_commands" in done.stderr
    assert "endor has no teams of several seats" in done.stderr


def test_one_game_of_whole_teams_on_the_command_line() -> None:
    done = arena(
        "play", "greedy_endor", "random", "--variant", "endor_teams", "--teams", "--seed", "1", "--json"
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["players"] == ["greedy_endor", "random"]
    assert facts["winners"] in ([0, 3], [1, 2])
    done = arena("play", "greedy", "random", "--teams")
    assert done.returncode == 2
    assert "classic has no teams" in done.stderr
