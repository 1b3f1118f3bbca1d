"""The driver with real bots: rotations, one clock for every door, faults by kind, and voided attempts."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from match_samples import FIRST, KEY, bot_file, checked, driver_of, facts, plan_of, randoms

from arena.driver import Driver
from arena.record import unpack
from arena.seats import Answer, GameOpening, InProcessDoor, Question
from arena.types import Fault, GameResult, Limits, MatchResult, Player
from engine_core import Event, View

QUICK = Limits(start=0.2, decision=0.1, game=60.0)  # for bots that are late
PATIENT = Limits(start=60.0, decision=60.0, game=3600.0)  # for all others


def faults_of(result: MatchResult, player: int) -> list[Fault]:
    """The faults of one of the plan's players."""
    return [fault for game in result.games for fault in game.faults if game.players[fault.seat] == player]


def play_against_random(bot: Player, limits: Limits = PATIENT, **plan: Any) -> MatchResult:
    players = (bot, *randoms(1))
    return checked(driver_of(players).play(plan_of(players, limits=limits, **plan)))


# ---- matches


def test_a_match_is_every_rotation_on_one_key() -> None:
    players = randoms(3)
    result = checked(driver_of(players, worker="w1").play(plan_of(players, sequence=7)))
    assert (result.sequence, result.worker) == (7, "w1")
    assert [game.rotation for game in result.games] == [0, 1, 2]
    assert [game.players for game in result.games] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    records = [unpack(game.record) for game in result.games]
    assert {record.key for record in records} == {KEY}
    assert records[1].players == ("random2", "random0", "random1")
    assert len({game.final_digest for game in result.games}) == 3
    assert result.wall_ms > 0 < result.cpu_ms
    assert all(0 < game.wall_ms <= result.wall_ms for game in result.games)


def test_a_match_repeats_exactly() -> None:
    players = randoms(3)
    one, two = (driver_of(players).play(plan_of(players)) for _ in range(2))
    assert facts(one) == facts(two)
    other = driver_of(players).play(plan_of(players, key=bytes(16)))
    assert facts(one) != facts(other)


def test_matches_played_together_are_the_matches_played_alone() -> None:
    everybody = randoms(4)
    pairs = [(0, 1), (1, 2), (3, 0), (2, 3), (1, 3)]
    plans = [
        plan_of([everybody[i] for i in pair], sequence=n, key=bytes([n]) * 16) for n, pair in enumerate(pairs)
    ]
    together = driver_of(everybody).play_many(plans)
    assert [result.sequence for result in together] == [0, 1, 2, 3, 4]
    for plan, result in zip(plans, together, strict=True):
        assert facts(checked(result)) == facts(driver_of(everybody).play(plan))


def test_a_driver_plays_one_match_after_the_other() -> None:
    players = randoms(2)
    driver = driver_of(players)
    assert facts(driver.play(plan_of(players))) == facts(driver.play(plan_of(players)))


class Spy(InProcessDoor):
    """An in-process door that remembers what passes through it."""

    def __init__(self, player: Player, inbox: SimpleQueue[Answer]) -> None:
        super().__init__(player.bot, inbox)
        self.openings: list[GameOpening] = []
        self.batches: list[list[Question]] = []
        self.closed: list[tuple[int, int, GameResult | None]] = []

    def open_game(self, opening: GameOpening) -> None:
        self.openings.append(opening)
        super().open_game(opening)

    def ask(self, questions: Sequence[Question]) -> None:
        self.batches.append(list(questions))
        super().ask(questions)

    def close_game(self, game_id: int, seat: int, result: GameResult | None) -> None:
        self.closed.append((game_id, seat, result))
        super().close_game(game_id, seat, result)


def spied(players: Sequence[Player], spy: type[Spy] = Spy, **settings: Any) -> tuple[Driver, list[Spy]]:
    inbox: SimpleQueue[Answer] = SimpleQueue()
    doors = [spy(player, inbox) for player in players]
    return Driver(dict(zip(players, doors, strict=True)), inbox, **settings), doors


def test_every_bot_is_told_its_seat_seed_limits_and_labels() -> None:
    players = randoms(3)
    driver, doors = spied(players)
    result = checked(driver.play(plan_of(players)))
    openings = [opening for door in doors for opening in door.openings]
    assert len({opening.bot_seed for opening in openings}) == 9
    for index, door in enumerate(doors):
        for opening, game in zip(door.openings, result.games, strict=True):
            assert game.players[opening.seat] == index
            assert opening.labels == tuple(players[i].name for i in game.players)
            assert opening.limits == Limits()
        assert [(game_id, seat) for game_id, seat, _ in door.closed] == [
            (opening.game_id, opening.seat) for opening in door.openings
        ]
        assert [end for _, _, end in door.closed] == list(result.games)


def test_games_move_together_so_that_questions_come_in_batches() -> None:
    players = randoms(2)
    driver, doors = spied(players)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16) for n in range(8)]
    driver.play_many(plans)
    sizes = [len(batch) for door in doors for batch in door.batches]
    assert max(sizes) >= 8
    assert sum(sizes) / len(sizes) > 4


class OneAtATime(Spy):
    """Takes one question at a time, like a clocked external bot."""

    max_open = 1


def test_a_bounded_door_holds_no_more_questions_than_it_takes() -> None:
    players = randoms(2)
    driver, doors = spied(players, OneAtATime)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16) for n in range(3)]
    bounded = driver.play_many(plans)
    assert {len(batch) for door in doors for batch in door.batches} == {1}
    assert [facts(r) for r in bounded] == [facts(r) for r in spied(players)[0].play_many(plans)]


def test_options_reach_the_bot_and_wrong_ones_void_the_match(tmp_path: Path) -> None:
    bot = bot_file(
        tmp_path,
        "choosy",
        """
        class Bot:
            def __init__(self, game, seat, rng, *, pick=0): self.pick = pick
            def decide(self, view, legal): return legal[min(self.pick, len(legal) - 1)]
        """,
    )
    ends = set()
    for pick in (0, 1):
        player = replace(bot, options=(("pick", pick),))
        ends.add(play_against_random(player).games[0].final_digest)
    assert len(ends) == 2
    wrong = replace(bot, options=(("prick", 1),))
    players = (wrong, *randoms(1))
    result = driver_of(players).play(plan_of(players))
    assert "unknown option 'prick'; valid: pick" in result.error
    assert result.games == ()


def test_a_spectator_follows_each_rotation() -> None:
    players = randoms(2)
    steps: dict[int, int] = {}

    def watch(_plan: object, rotation: int) -> Any:
        def step(_events: tuple[Event, ...], view: View) -> None:
            assert view.seat == -1
            steps[rotation] = steps.get(rotation, -1) + 1

        return step

    result = checked(driver_of(players, watch=watch).play(plan_of(players)))
    assert steps == {game.rotation: len(unpack(game.record).steps) for game in result.games}


# ---- faults of bots in this process


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        (
            "def decide(view, legal): return 1 / 0",
            "crash",
            "decide raised ZeroDivisionError: division by zero",
        ),
        ("import sys\ndef decide(view, legal): sys.exit(3)", "crash", "decide raised SystemExit: 3"),
        ("def decide(view, legal): raise MemoryError", "resource", "decide raised MemoryError"),
        ("def decide(view, legal): return None", "malformed", "decide returned None; expected an Action"),
        ("def decide(view, legal): return -1", "malformed", "-1 is not the code of an action"),
        ("def decide(view, legal): return 12345", "illegal", "may not play"),
        ("def decide(view, legal):\n while True: pass", "timeout", "of 0.100 s allowed"),
        ("import time\ndef decide(view, legal): time.sleep(60)", "timeout", "of 0.100 s allowed"),
        (
            "class Bot:\n def __init__(self, game, seat, rng): raise OSError('no model')\n"
            " def decide(self, view, legal): pass",
            "crash",
            "start raised OSError: no model",
        ),
        (
            "import time\nclass Bot:\n def __init__(self, game, seat, rng): time.sleep(60)\n"
            " def decide(self, view, legal): pass",
            "start_timeout",
            "start took over 0.2 s",
        ),
    ],
)
def test_b08_every_fault_has_its_own_kind_and_the_game_ends(
    tmp_path: Path, code: str, kind: str, message: str
) -> None:
    late = kind in ("timeout", "start_timeout")
    result = play_against_random(bot_file(tmp_path, "faulty", code), QUICK if late else PATIENT)
    for game in result.games:
        seat = game.players.index(0)
        faults = [fault for fault in game.faults if fault.seat == seat]
        strikes = 3 if kind in ("malformed", "illegal", "timeout") else 1
        assert [fault.kind for fault in faults] == [kind] * strikes
        assert message in faults[0].message
        assert faults[-1].action == "retire"
        assert game.termination == "forfeit"
        assert game.scores[seat] == 0.0
        assert game.winners == (1 - seat,)


def test_c15_bots_that_all_fail_to_start_win_nothing(tmp_path: Path) -> None:
    """Each has one fault a game, and the games count for nobody."""
    code = "class Bot:\n def __init__(self, game, seat, rng): raise OSError('no model')\n"
    players = [bot_file(tmp_path, name, f"{code} def decide(self, view, legal): pass") for name in "ab"]
    for game in checked(driver_of(players).play(plan_of(players))).games:
        assert [(fault.seat, fault.kind) for fault in game.faults] == [(0, "crash"), (1, "crash")]
        assert (game.winners, game.scores, game.placements) == ((), (0.0, 0.0), ((1, 2), (1, 2)))


def test_i01_a_crash_shows_where_in_the_bot(tmp_path: Path) -> None:
    code = """
        def helper():
            raise RuntimeError("deep inside")

        def decide(view, legal):
            helper()
        """
    fault = faults_of(play_against_random(bot_file(tmp_path, "deep", code)), 0)[0]
    where = f"(line 3 of {tmp_path / 'deep.py'})"
    assert fault.message.startswith(f"decide raised RuntimeError: deep inside {where}; the seat is retired")
    assert "line 6, in decide" in fault.output
    assert "line 3, in helper" in fault.output
    assert "seats.py" not in fault.output
    assert len(fault.output) < 3000


def test_a_hang_that_swallows_its_cut_is_cut_again(tmp_path: Path) -> None:
    code = """
        import time
        tries = []
        def decide(view, legal):
            while len(tries) < 3:
                try:
                    time.sleep(60)
                except BaseException:
                    tries.append(1)
            return legal[0]
        """
    result = play_against_random(bot_file(tmp_path, "stubborn", code), QUICK, rotations=1)
    (fault,) = faults_of(result, 0)
    assert fault.kind == "timeout"
    assert 240 < fault.used_ms < 60_000  # the limit and two more cuts 100 ms apart, no sleep to its end


def test_the_cut_leaves_the_signal_as_it_was(tmp_path: Path) -> None:
    def mine(_number: int, _frame: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGALRM, mine)
    signal.setitimer(signal.ITIMER_REAL, 3600.0)
    try:
        code = "def decide(view, legal):\n while True: pass"
        play_against_random(bot_file(tmp_path, "hang", code), QUICK)
        assert signal.getsignal(signal.SIGALRM) is mine
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 3000.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_off_the_main_thread_an_overlong_answer_is_billed(tmp_path: Path) -> None:
    code = """
        import time
        def decide(view, legal):
            time.sleep(0.15)
            return legal[0]
        """
    bot = bot_file(tmp_path, "slow", code)
    results: list[MatchResult] = []
    thread = threading.Thread(target=lambda: results.append(play_against_random(bot, QUICK, rotations=1)))
    thread.start()
    thread.join()
    faults = faults_of(results[0], 0)
    assert [fault.kind for fault in faults] == ["timeout"] * 3
    assert all(150.0 <= fault.used_ms < 60_000.0 for fault in faults)


def test_b05_only_its_own_thinking_is_billed_to_a_bot(tmp_path: Path) -> None:
    """Two bots share this process, games and batches; one is slow, and only that one is late."""
    slow = """
        import time
        def decide(view, legal):
            time.sleep(0.3)
            return legal[0]
        """
    players = (bot_file(tmp_path, "slow", slow), bot_file(tmp_path, "fast", FIRST))
    limits = Limits(decision=0.1)
    plans = [plan_of(players, sequence=n, key=bytes([n]) * 16, limits=limits) for n in range(2)]
    for result in driver_of(players).play_many(plans):
        checked(result)
        assert faults_of(result, 1) == []
        assert {fault.kind for fault in faults_of(result, 0)} == {"timeout"}


def test_a_game_bank_is_shared_by_all_decisions_of_a_game(tmp_path: Path) -> None:
    code = """
        import time
        def decide(view, legal):
            time.sleep(0.02)
            return legal[0]
        """
    limits = Limits(decision=60.0, game=0.5)
    result = play_against_random(bot_file(tmp_path, "steady", code), limits)
    for game in result.games:
        (fault,) = (fault for fault in game.faults if game.players[fault.seat] == 0)
        assert (fault.kind, fault.action) == ("timeout", "retire")
        assert fault.decision < 60  # after 25 of its own at the latest
        assert "its 0.5 s for the game are used up" in fault.message


# ---- faults of the platform


class Breaking(Spy):
    """Breaks, as a platform can, at its fifth batch."""

    def ask(self, questions: Sequence[Question]) -> None:
        if len(self.batches) == 5:
            raise OSError("the socket is gone")
        super().ask(questions)


def test_a11_a_platform_fault_voids_its_match_and_no_other() -> None:
    everybody = randoms(4)
    inbox: SimpleQueue[Answer] = SimpleQueue()
    doors: list[Spy] = [Spy(p, inbox) for p in everybody]
    doors[0] = Breaking(everybody[0], inbox)
    driver = Driver(dict(zip(everybody, doors, strict=True)), inbox)
    voided, fine = driver.play_many([plan_of(everybody[:2]), plan_of(everybody[2:], sequence=1)])
    assert voided.error.startswith("OSError: the socket is gone (")
    assert "test_driver.py" in voided.error
    assert voided.games == ()
    assert facts(checked(fine)) == facts(driver_of(everybody).play(plan_of(everybody[2:], sequence=1)))
    assert [end for _, _, end in doors[1].closed] == [None, None]
    assert all(end is not None for _, _, end in doors[2].closed)


def test_a_player_without_a_door_voids_the_match() -> None:
    players = randoms(3)
    result = driver_of(players[:2]).play(plan_of(players))
    assert "player random2 has no door" in result.error


def test_b14_an_interrupt_closes_every_game_at_once(tmp_path: Path) -> None:
    players = (bot_file(tmp_path, "one", "def decide(view, legal): raise KeyboardInterrupt"), *randoms(1))
    driver, doors = spied(players)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        driver.play(plan_of(players))
    assert time.monotonic() - begun < 60.0
    assert [[end for _, _, end in door.closed] for door in doors] == [[None, None]] * 2
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
