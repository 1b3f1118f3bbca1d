"""A recorded game, fed to another version of a bot: what it decides otherwise, and what comes of it."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tournament_samples import ROOT, write_tournament
from tournament_samples import arena as run_arena
from wire_samples import mock, wait_until

from arena.cli import cli
from arena.commands._recorded import Recorded, others_of
from arena.record import parse, unpack
from arena.rehearsal import MOST_FAULTS, Rehearsal
from arena.rerun import decisions, owed
from arena.runners.interview import Interview
from arena.seeds import bot_seed
from arena.server import RemoteDoor
from arena.store import Store
from arena.store.rows import PlayerRow, SeatedRow
from arena.types import BotSpec, FaultPolicy, Isolation, Limits, Player

FIRST = "def decide(view, legal, rng):\n    return legal[0].first()\n"
LAST = "def decide(view, legal, rng):\n    return list(legal)[-1].last()\n"
ILLEGAL = "def decide(view, legal, rng):\n    return 63\n"
# In a process of its own: what it answers hangs on all that it was asked before, and on its generator.
PUPIL = """
from arena.client import serve

seen = 0


def decide(view, legal, rng):
    global seen
    seen += len(legal) + rng.randrange(1000)
    return legal[seen % len(legal)].first()


serve(decide)
"""
# With a setting by which it plays otherwise.
SHY = """
class Bot:
    def __init__(self, game, seat, rng, nerve=0):
        self.nerve, self.rng = nerve, rng

    def decide(self, view, legal):
        return legal[self.rng.randrange(len(legal)) if self.nerve else -1].first()
"""
# Breaks at its tenth question, for good; as it draws nothing, it does so again.
BREAKS = """
class Bot:
    def __init__(self, game, seat, rng):
        self.asked = 0

    def decide(self, view, legal):
        self.asked += 1
        if self.asked >= 10:
            raise KeyError("no plan")
        return legal[0].first()
"""


def arena(*arguments: object) -> CompletedProcess[str]:
    return run_arena(*map(str, arguments))


def recorded(folder: Path, *bots: str, variant: str = "classic", seed: int = 3) -> Path:
    file = folder / "game.json"
    done = arena("play", *bots, "--variant", variant, "--seed", seed, "--decision", 60, "--record", file)
    assert done.returncode == 0, done.stderr
    return file


def rerun(file: Path, seat: int, bot: str | Path, *more: object) -> dict[str, Any]:
    done = arena("rerun", file, "--seat", seat, "--bot", bot, "--decision", 60, "--json", *more)
    assert done.returncode in (0, 1), done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.mark.parametrize("variant", ["classic", "secret_mission", "command_room", "endor"])
def test_the_same_bot_decides_the_same(variant: str, tmp_path: Path) -> None:
    """Also one that draws, since it is told the seed of the game; also where both sides choose at once."""
    seats = {"classic": 2, "endor": 2}.get(variant, 3)
    file = recorded(tmp_path, *["random"] * seats, variant=variant)
    steps = parse(file.read_text()).steps
    for seat in range(seats):
        facts = rerun(file, seat, "random")
        assert facts["changed"] == []
        assert (
            facts["decisions"] == sum(step[0] == seat and not isinstance(step[1], str) for step in steps) > 0
        )


def test_another_bot_is_told_where_it_differs(tmp_path: Path) -> None:
    """Every question with more than one answer is one where the first and the last legal action differ."""
    first, last = tmp_path / "first.py", tmp_path / "last.py"
    first.write_text(FIRST)
    last.write_text(LAST)
    file = tmp_path / "game.json"
    arena("play", first, "random", "--seed", 3, "--option", "turn_cap=3", "--record", file)
    record = parse(file.read_text())
    facts = rerun(file, 0, last)
    assert len(facts["changed"]) == facts["decisions"]
    for change in facts["changed"]:
        assert change["recorded"] == record.game().action_text(record.steps[change["step"]][1])
        assert change["answer"] != change["recorded"]


def is_recorded(file: Path, branched: dict[str, Any]) -> bool:
    """Whether a branch ended as the record did, to the last bit."""
    record = parse(file.read_text())
    same = tuple(branched["winners"]) == record.facts.winners and branched["laps"] == record.facts.lap
    return same and bool(branched["final_digest"] == record.final_digest)


@pytest.mark.parametrize(
    ("bots", "seat", "variant"),
    [
        (("greedy", "fortress"), 0, "classic"),
        (("greedy", "random"), 0, "classic"),
        (("greedy", "random"), 1, "classic"),
        (("random", "random", "random"), 2, "command_room"),
        (("random", "random"), 1, "endor"),
    ],
)
def test_a_branch_with_the_recorded_answer_is_the_recorded_game(
    bots: tuple[str, ...], seat: int, variant: str, tmp_path: Path
) -> None:
    """From any decision the game ends as it did: bots that draw and remember were asked all before it."""
    file = recorded(tmp_path, *bots, variant=variant)
    total = owed(parse(file.read_text()), seat)
    for number in (1, total // 2, total):
        facts = rerun(file, seat, bots[seat], "--branch", number)
        assert facts["changed"] == []
        assert is_recorded(file, facts["branch"])


def test_a_branch_asks_a_bot_of_its_own_process_all_it_was_asked(tmp_path: Path) -> None:
    pupil = tmp_path / "pupil"
    pupil.mkdir()
    (pupil / "bot.toml").write_text('name = "pupil"\ncommand = ["python", "bot.py"]\n')
    (pupil / "bot.py").write_text(PUPIL)
    file = tmp_path / "game.json"
    option = ("--option", "turn_cap=4", "--start", 60, "--decision", 60)
    done = arena("play", "random", pupil, pupil, "--seed", 3, *option, "--record", file)
    assert done.returncode == 0, done.stderr
    total = owed(parse(file.read_text()), 1)
    others = ("--with", "random", "--with", pupil)
    facts = rerun(file, 1, pupil, "--branch", total // 2, *others)
    assert facts["changed"] == []
    assert is_recorded(file, facts["branch"])


@pytest.mark.parametrize(("variant", "cut"), [("classic", 100), ("endor", 100), ("endor", 101)])
def test_a_broken_bot_is_not_asked_through_the_whole_opening(variant: str, cut: int, tmp_path: Path) -> None:
    """Each question could cost its limit; also where both sides choose at once, and are told one by one."""
    record = parse(recorded(tmp_path, "random", "random", variant=variant).read_text())
    game = Rehearsal(record.game(), record.key, FaultPolicy(), Limits())
    game.rehearse(record.steps[:cut])
    asked = [0, 0]
    waiting = game.questions()
    while len(game.steps) < cut:
        question = waiting.pop(0)
        asked[question.seat] += 1
        if question.seat == 0:
            game.answer(0, question.decision_id, int(question.legal[0].first()))
        else:
            game.fault(1, "timeout")
        waiting += game.questions()
    assert game.steps == list(record.steps[:cut])
    assert asked[0] >= sum(seat == 0 for seat, _ in game.steps)
    assert asked[1] == MOST_FAULTS
    assert not game.conduct.faults


def test_a_branch_of_a_tournaments_game_finds_the_bots_where_they_are(tmp_path: Path) -> None:
    """By path, in a process or not, with the settings and the seeds that they had, in any rotation."""
    (tmp_path / "shy.py").write_text(SHY)
    shy = '{ bot = "./shy.py", name = "bold", options = { nerve = 1 } }'
    players = f'["random", {shy}, "{ROOT}/bots/outrider"]'
    file = write_tournament(tmp_path, rounds=1, seats="3", turn_cap=3, players=players)
    done = arena("tournament", "run", file)
    assert done.returncode == 0, done.stderr
    database = tmp_path / "results.db"
    with Store(f"sqlite:///{database}") as store:
        games = [game for game in store.games(1) if game.rotation > 0][:2]
        records = [unpack(store.record(game.id)) for game in games]
    for game, record in zip(games, records, strict=True):
        seat = record.players.index("bold")
        options = ("--seat", seat, "--bot", tmp_path / "shy.py", "--db", database, "--decision", 60)
        branched = tmp_path / f"{game.id}.json"
        more = ("--branch", owed(record, seat) // 2, "--record", branched)
        done = arena("rerun", game.id, *options, *more)
        assert done.returncode == 0, done.stderr
        assert f"0 of {owed(record, seat)} decisions changed" in done.stdout
        assert parse(branched.read_text()) == record
    (tmp_path / "shy.py").unlink()
    seat = records[0].players.index("random")
    done = arena("rerun", games[0].id, "--seat", seat, "--bot", "random", "--branch", 1, "--db", database)
    assert done.returncode == 2
    assert f"{tmp_path}/shy.py: no such bot" in done.stderr
    assert "; say with --with who plays it" in done.stderr


def test_bots_that_a_record_cannot_find_are_named_with_with(tmp_path: Path) -> None:
    """A file holds only names; and who dialled in is not here."""
    first = tmp_path / "first.py"
    first.write_text(FIRST)
    file = recorded(tmp_path, "random", str(first))
    done = arena("rerun", file, "--seat", 0, "--bot", "random", "--branch", 1)
    assert done.returncode == 2
    assert "seat 1: unknown bot 'first'" in done.stderr
    assert "say with --with who plays it" in done.stderr
    assert is_recorded(file, rerun(file, 0, "random", "--branch", 1, "--with", first)["branch"])
    anna = SeatedRow(PlayerRow(1, "", "anna", "greedy", "1", "{}"), "", "remote")
    game = Recorded(parse(file.read_text()), seated=(anna, anna))
    with pytest.raises(click.UsageError, match="seat 1: anna dials in by itself; say with --with"):
        others_of(game, 0, ())


def test_a_branch_is_recorded_to_be_looked_at(tmp_path: Path) -> None:
    file = recorded(tmp_path, "greedy", "random", "random")
    branched = tmp_path / "branched.json"
    facts = rerun(file, 1, "greedy", "--branch", 1, "--record", branched)
    record = parse(branched.read_text())
    assert record.final_digest == facts["branch"]["final_digest"]
    assert record.players == ("greedy", "greedy (seat 1)", "random 2")
    first = [seat for seat, _ in record.steps].index(1)
    assert record.steps[:first] == parse(file.read_text()).steps[:first]
    for command in (("replay", branched, "--verify"), ("explain", branched)):
        done = arena(*command)
        assert done.returncode == 0, done.stderr
    assert rerun(branched, 1, "greedy")["changed"] == []
    done = arena("rerun", file, "--seat", 1, "--bot", "greedy", "--record", branched)
    assert done.returncode == 2
    assert "say with --branch where it branches" in done.stderr


def test_a_seat_that_left_in_the_recorded_game_leaves_there_again(tmp_path: Path) -> None:
    """And one that is broken then, but was not in the record, pays for what it owes after the branch."""
    breaks, illegal = tmp_path / "breaks.py", tmp_path / "illegal.py"
    breaks.write_text(BREAKS)
    illegal.write_text(ILLEGAL)
    file = recorded(tmp_path, "greedy", "random", str(breaks))
    record = parse(file.read_text())
    assert record.facts.retired == (0, 0, 1)
    left = record.steps.index((2, "passive"))
    number = sum(mover == 0 for mover, _ in record.steps[:left]) + 2
    facts = rerun(file, 0, "greedy", "--branch", number, "--with", "random", "--with", breaks)
    assert is_recorded(file, facts["branch"])
    branch = rerun(file, 0, "greedy", "--branch", number, "--with", illegal)["branch"]
    assert branch["winners"] == [0]
    assert branch["final_digest"] != record.final_digest
    assert {(fault["seat"], fault["kind"]) for fault in branch["faults"]} == {(1, "illegal")}


def test_a_branch_tells_what_was_done_wrong_in_it(tmp_path: Path) -> None:
    breaks = tmp_path / "breaks.py"
    breaks.write_text(BREAKS)
    file = recorded(tmp_path, "random", "random")
    asked = ("--seat", 0, "--bot", "random", "--branch", 1, "--with", breaks, "--decision", 60)
    done = arena("rerun", file, *asked)
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("fault of seat 1 at decision ")]
    assert ": crash: decide raised KeyError: 'no plan'" in told


def test_a_branch_goes_on_from_the_new_answer(tmp_path: Path) -> None:
    file = recorded(tmp_path, "greedy", "random", "random")
    facts = rerun(file, 1, "greedy", "--with", "greedy")
    number = facts["changed"][0]["decision"]
    facts = rerun(file, 1, "greedy", "--branch", number, "--with", "greedy")
    assert facts["branch"]["final_digest"] != parse(file.read_text()).final_digest
    assert sum(facts["branch"]["scores"]) == pytest.approx(1)


def test_a_bot_in_a_process_of_its_own_is_asked_there(tmp_path: Path) -> None:
    file = recorded(tmp_path, "random", "random")
    record = parse(file.read_text())
    spec = BotSpec("outrider", "command", str(ROOT / "bots" / "outrider"), ("python", "bot.py"))
    with Interview(Player("outrider", spec), Limits(start=60, decision=60)) as bot:
        door = bot.door
        assert isinstance(door, RemoteDoor)
        pid = door.pid
        assert Path(f"/proc/{pid}").exists()
        found = list(decisions(record, 0, bot, bot_seed(record.key, 0, 0)))
    assert wait_until(lambda: not Path(f"/proc/{pid}").exists())
    assert found
    assert not any(decision.fault for decision in found)
    assert any(decision.changed for decision in found)


def test_faults_are_listed_and_fail_the_command(tmp_path: Path) -> None:
    file = recorded(tmp_path, "random", "random")
    (tmp_path / "illegal.py").write_text(ILLEGAL)
    done = arena("rerun", file, "--seat", 0, "--bot", tmp_path / "illegal.py")
    assert done.returncode == 1
    assert "illegal faulted at 5 of 5 decisions; first: illegal: " in done.stderr
    assert len([line for line in done.stdout.splitlines() if " illegal: " in line]) == 5
    left = parse(file.read_text())
    assert f"the other {owed(left, 0) - 5} were not asked" in done.stdout


def test_a_bot_that_ends_is_asked_no_further(tmp_path: Path) -> None:
    """A new process of it would know nothing of the game; its answers up to there stand."""
    file = recorded(tmp_path, "random", "random")
    record = parse(file.read_text())
    player = Player("crash", mock("raises_mid_game"))
    with Interview(player, Limits(start=60, decision=60), Isolation("limits")) as bot:
        assert bot.door.guard == "limits"
        found = list(decisions(record, 0, bot, bytes(16)))
    *sound, last = found
    assert last.fault.startswith("crash: ")
    assert not any(decision.fault for decision in sound)
    assert 0 < len(found) < owed(record, 0)


def test_wrong_use_says_what_would_be_right(tmp_path: Path) -> None:
    file = recorded(tmp_path, "random", "random")
    for more, problem in (
        (("--seat", 2, "--bot", "random"), "the game has seats 0 to 1"),
        (("--seat", 0, "--bot", "nobody"), "nobody"),
        (("--seat", 0, "--bot", "random", "--rotation", 9), "--rotation 9: the game has rotations 0 to 1"),
        (("--seat", 0, "--bot", "random", "--rotation", -1), "the game has rotations 0 to 1"),
        (("--seat", 0, "--bot", "random", "--decision", -1), "must be a positive number of seconds"),
        (("--seat", 0, "--bot", "random", "--branch", 9999), "the seat has decisions 1 to"),
        (("--seat", 0, "--bot", "random", "--branch", 1, "--with", "a", "--with", "b"), "--with"),
    ):
        done = CliRunner().invoke(cli, ["rerun", str(file), *map(str, more)])
        assert done.exit_code == 2, done.stderr
        assert problem in done.stderr
